/** Agents and subagents, as chosen, mentioned and shown in the panel. */
import assert from "node:assert/strict";
import { button, events, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { agents, child, explorer } from "./loop-states.ts";
import type { PanelPage } from "./page.ts";

const busy = { type: "busy", since: Date.now() } as const;
const status = (panel: PanelPage) => panel.page.getByRole("status").first();

describe("agents", () => {
  const several = f.panelState({ agents });

  it("P4 are chosen in a menu when there are several", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", []), several));
    await button(panel, "Mode: Ask first").click();
    await panel.page.getByRole("menuitemradio", { name: /^reviewer/ }).click();
    assert.deepEqual(await panel.sentOf("set-agent"), [{ type: "set-agent", name: "reviewer" }]);
    const alone = await panelWith(f.snapshot(f.chat("T", [])));
    await button(alone, "Mode: Ask first").click();
    assert.equal(await alone.page.getByRole("menuitemradio").count(), 4, "the modes alone");
    const other = await panelWith(f.snapshot(f.chat("T", []), f.panelState({ agents, agent: "reviewer" })));
    assert.ok(await button(other, "Mode: Ask first, agent reviewer").isVisible());
  });

  it("S1 are mentioned: suggested while the name is typed, sent with the prompt", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", []), several));
    const list = panel.page.getByRole("listbox", { name: "Mentions" });
    await message(panel).pressSequentially("Let @");
    const named = list.getByRole("group", { name: "Agents" }).getByRole("option");
    assert.equal(await named.count(), 3, "build cannot be mentioned");
    await message(panel).pressSequentially("g");
    const active = await message(panel).getAttribute("aria-activedescendant");
    assert.match(await panel.page.locator(`[id="${active}"]`).innerText(), /^general/);
    await message(panel).press("Enter");
    assert.equal(await message(panel).inputValue(), "Let @general ");
    await message(panel).pressSequentially("count, not @nobody, and @ex");
    await message(panel).press("Escape");
    assert.equal(await list.count(), 0);
    await message(panel).press("Enter");
    assert.deepEqual(await panel.sentOf("prompt"), [
      {
        type: "prompt",
        text: "Let @general count, not @nobody, and @ex",
        attachments: [],
        agents: ["general"],
        when: "next-step",
      },
    ]);
  });

  it("S1 Q2 are those that the new words of a queued message mention", async () => {
    const queue = [f.waiting("q_one", "@explore the callers")];
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy, queue }), several));
    const row = panel.page.getByRole("list", { name: "Queue" }).getByRole("listitem");
    await row.hover();
    await row.getByRole("button", { name: "Edit" }).click();
    const field = panel.page.getByRole("textbox", { name: "Waiting message 1" });
    await field.fill("@general the callers");
    await field.press("Enter");
    assert.deepEqual(await panel.sentOf("edit-queued"), [
      { type: "edit-queued", queuedID: "q_one", text: "@general the callers", agents: ["general"] },
    ]);
  });
});

describe("a subagent", () => {
  const input = { description: "every caller of total()", prompt: "Find them.", subagent_type: "explore" };
  const call = f.tool("task", { status: "running", input, metadata: { childID: "ses_2" }, start: Date.now() });
  const chat = (children = {}) => f.chat("T", [f.asked, f.rondo([call])], { status: busy, children });
  const group = (panel: PanelPage, name: string) => panel.page.getByRole("group", { name, exact: true });

  it("S1 shows its agent, task and newest calls live", async () => {
    const panel = await panelWith(f.snapshot(chat({ ses_2: explorer })));
    const card = group(panel, "explore every caller of total()");
    const calls = card.getByRole("list", { name: "Newest calls" });
    assert.match(await card.locator("summary").innerText(), /3 steps/);
    assert.match(await calls.innerText(), /Reading src\/admin\/refunds\.ts/);
    const { id, sessionID } = explorer.messages.at(-1)?.info ?? { id: "", sessionID: "" };
    const [grep] = f.rondo([f.done("grep", { pattern: "refund(" }, { fact: "2 in 1 file" }, "")]).parts;
    assert.ok(grep);
    const part = { ...grep, messageID: id, sessionID };
    await panel.post(events({ type: "child", sessionID: "ses_2", event: { type: "part", part } }));
    assert.match(await calls.innerText(), /Searched refund\(\s+done\.\s+2 in 1 file/);
    assert.equal(await calls.getByRole("listitem").count(), 3);
  });

  it("S1 expands to its whole conversation, and that to nested subagents", async () => {
    const panel = await panelWith(f.snapshot(chat({ ses_2: explorer })));
    await button(panel, "Show the conversation").click();
    const log = panel.page.getByRole("log");
    await log
      .getByRole("article", { name: "Task" })
      .getByText(/Find every caller/)
      .waitFor();
    await log
      .getByRole("article", { name: "explore" })
      .getByText(/Nine callers so far/)
      .waitFor();
    await panel.page.locator("summary", { hasText: "check the tests" }).click();
    await panel.page.locator("summary", { hasText: "count roundings" }).click();
    await log.getByText("Three places round.").waitFor();
    assert.equal(await log.getByRole("article", { name: "You" }).count(), 1);
    const { id = "" } = explorer.messages.at(-1)?.parts[0] ?? {};
    const { id: messageID = "" } = explorer.messages.at(-1)?.info ?? {};
    const delta = { type: "delta", messageID, partID: id, text: " Then the rest." } as const;
    await panel.post(events({ type: "child", sessionID: "ses_2", event: delta }));
    await log.getByText("Next, the admin pages. Then the rest.").waitFor();
    assert.deepEqual(await panel.sentOf("open-child"), []);
  });

  it("S1 stays open for a reader, and otherwise collapses when it is done", async () => {
    const [part] = f.rondo([call]).parts;
    assert.ok(part?.type === "tool");
    const message = f.rondo([]);
    const state = { status: "completed", input, output: "Nine.", title: "t", metadata: { childID: "ses_2" } } as const;
    const done = { ...part, messageID: message.info.id, state: { ...state, start: 0, end: 1 } };
    const entry = { ...message, parts: [{ ...part, messageID: message.info.id }] };
    for (const reads of [true, false]) {
      const chat = f.chat("T", [f.asked, entry], { status: busy, children: { ses_2: explorer } });
      const panel = await panelWith(f.snapshot(chat));
      if (reads) await button(panel, "Show the conversation").click();
      await panel.post(events({ type: "part", part: done }));
      assert.equal(await panel.page.getByRole("article", { name: "explore" }).count(), reads ? 1 : 0);
      assert.equal(await panel.page.locator(".Subagent[open]").count(), reads ? 1 : 0);
    }
  });

  it("S1 requests a conversation that is missing or incomplete", async () => {
    const panel = await panelWith(f.snapshot(chat()));
    assert.deepEqual(await panel.sentOf("open-child"), [{ type: "open-child", sessionID: "ses_2" }]);
    await panel.post(events({ type: "child", sessionID: "ses_2", event: { type: "status", status: busy } }));
    await panel.post({ type: "child", chat: child("ses_2", explorer.messages) });
    await group(panel, "explore every caller of total()").getByText("Reading").waitFor();
    assert.equal((await panel.sentOf("open-child")).length, 1);
  });

  it("S1 asks on behalf of its session, and its line says so", async () => {
    const panel = await panelWith(f.snapshot(chat({ ses_2: explorer })));
    await panel.post(events({ type: "asked", request: f.request({ sessionID: "ses_2" }) }));
    const card = panel.page.getByRole("alertdialog", { name: "Run this command?" });
    assert.match(await card.innerText(), /The subagent build asks\./);
    assert.match(
      (await group(panel, "explore every caller of total()").locator("summary").textContent()) ?? "",
      /waiting for you/,
    );
    assert.match(await status(panel).innerText(), /Waiting for you/);
  });
});
