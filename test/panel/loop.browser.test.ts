/** Loop features beyond asking, calling and answering, as shown and controlled in the panel. */
import assert from "node:assert/strict";
import type { ChatEvent } from "../../src/chat/events.ts";
import type { Part } from "../../src/chat/message.ts";
import { button, events, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { use } from "./loop-states.ts";
import type { PanelPage } from "./page.ts";

const busy = { type: "busy", since: Date.now() } as const;
const status = (panel: PanelPage) => panel.page.getByRole("status").first();

const parts = (list: readonly Part[]): ChatEvent[] => list.map((part) => ({ type: "part", part }));

describe("compaction", () => {
  const marker = f.unsaid({ type: "compaction", auto: false });
  const reply = f.rondo([f.saying("So **far**.")], { summary: true });

  it("C3 shows that it is running, becomes a line, and expands to the summary", async () => {
    const chat = f.chat("T", [f.you("a"), f.rondo([f.said("b")])], { status: busy });
    const panel = await panelWith(f.snapshot(chat));
    await panel.post(events({ type: "message", message: marker.info }, ...parts(marker.parts)));
    const log = panel.page.getByRole("log");
    await log.getByText("Compacting the conversation…").waitFor();
    assert.match((await status(panel).textContent()) ?? "", /Compacting ·/);
    await panel.post(events({ type: "message", message: reply.info }, ...parts(reply.parts)));
    assert.equal(await log.getByText("So far.").count(), 0, "it is not an answer");
    const whole = { ...reply.info, completedAt: Date.now() } as typeof reply.info;
    await panel.post(events({ type: "message", message: whole }, { type: "status", status: { type: "idle" } }));
    await log.locator("summary", { hasText: "Conversation compacted by you" }).click();
    assert.equal(await log.getByText("far", { exact: true }).evaluate(({ tagName }) => tagName), "STRONG");
    assert.equal(await log.getByRole("article", { name: "You" }).count(), 1);
  });

  it("C3 reports a failure", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.you("a"), marker])));
    await panel.page.getByText("The conversation was not compacted").waitFor();
  });
});

describe("the context meter", () => {
  it("opens by keyboard to tokens by category, compacts, and closes with Escape", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo(f.work)])));
    const meter = button(panel, "Context: 18 % used, cost of this session $0.06");
    await meter.press("Enter");
    assert.deepEqual(await panel.sentOf("show-context"), [{ type: "show-context" }]);
    await panel.post({ type: "context", use });
    const region = panel.page.getByRole("region", { name: "Context" });
    assert.equal(await focused(panel), "Context");
    assert.match(await region.innerText(), /49 k of 200 k tokens\s+24\s% used\..*at 170 k \(85\s%\)/);
    const table = region.getByRole("table", { name: "Tokens by part" });
    assert.match(
      await table.getByRole("row", { name: /github/ }).innerText(),
      /Tools: github \(MCP\)\s.*38 tools\s+14,800\s+7\s%/,
    );
    assert.match(await table.getByRole("row", { name: /Memory/ }).innerText(), /420\s+<\s1\s%/);
    const numbers = await table.locator("td.num:nth-child(3)").allInnerTexts();
    const sum = numbers.reduce((all, text) => all + Number(text.replaceAll(",", "")), 0);
    assert.equal(sum, use.window, "it adds up to the window");
    await panel.page.keyboard.press("Escape");
    assert.equal(await region.count(), 0);
    assert.match((await focused(panel)) ?? "", /^Context: 18 %/);
    await meter.press("Enter");
    await panel.post({ type: "context", use });
    await button(panel, "Compact now").click();
    assert.equal((await panel.sentOf("compact")).length, 1);
    assert.ok(await panel.page.getByRole("log").isVisible());
  });

  it("is updated only after a step", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked])));
    await button(panel, /^Context: /).click();
    await panel.post({ type: "context", use }, { type: "state", state: f.panelState({ mode: "plan" }) });
    assert.equal((await panel.sentOf("show-context")).length, 1);
    await panel.post({ type: "state", state: f.panelState({ contextUsed: 0.3 }) });
    assert.equal((await panel.sentOf("show-context")).length, 2);
  });

  it("B1 tells what is known of the cost", async () => {
    const cost = { session: 0, today: 1.24, partial: true, estimated: false };
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked]), f.panelState({ cost })));
    const meter = button(panel, "Context: 18 % used, cost of this session unknown");
    assert.doesNotMatch(await meter.innerText(), /\$/);
    await meter.click();
    const facts = await panel.page.getByRole("region", { name: "Context" }).locator("dl").innerText();
    assert.match(facts, /This session\s+unknown\s+Today, all sessions\s+at least \$1\.24/);
  });
});

describe("a user message", () => {
  it("can be edited again or forked", async () => {
    const mine = f.you("Move amounts to cents.");
    const panel = await panelWith(f.snapshot(f.chat("T", [mine, f.rondo([f.said("Done.")])])));
    await message(panel).press("ArrowUp");
    assert.equal(await message(panel).inputValue(), "Move amounts to cents.");
    assert.deepEqual(await panel.sentOf("prompt"), []);
    await panel.page.getByRole("article", { name: "You" }).hover();
    await button(panel, "Edit from here").click();
    assert.deepEqual(await panel.sentOf("fork"), [{ type: "fork", messageID: mine.info.id }]);
  });

  it("shows a hook's message about it as a notice", async () => {
    const notice: f.LoosePart = { type: "text", text: "Hook: the ticket is SHOP-12.", ignored: true };
    const panel = await panelWith(f.snapshot(f.chat("T", [f.you("Fix it.", notice)])));
    assert.equal((await panel.page.getByRole("article", { name: "You" }).innerText()).trim(), "Fix it.");
    assert.ok(await panel.page.getByText("Hook: the ticket is SHOP-12.").isVisible());
  });
});
