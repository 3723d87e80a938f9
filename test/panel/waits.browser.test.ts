/** What the panel shows and asks while a turn waits: for the server, after a cut, for a budget. */
import assert from "node:assert/strict";
import { button, events, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { dearSteps } from "./loop-states.ts";
import type { PanelPage } from "./page.ts";

const busy = { type: "busy", since: Date.now() } as const;
/** In ms: longer than a card ignores clicks. */
const guard = 450;
const status = (panel: PanelPage) => panel.page.getByRole("status").first();

describe("waiting states", () => {
  it("H1 counts down to the next attempt, which can be started or cancelled", async () => {
    // Opening the first page takes a while.
    const panel = await panelWith();
    const waits = {
      type: "retry",
      attempt: 1,
      message: "Anthropic is overloaded",
      nextAt: Date.now() + 30_000,
    } as const;
    await panel.post(f.snapshot(f.chat("T", [f.asked], { status: { ...waits, since: Date.now() } })));
    const notice = panel.page.getByRole("group", { name: "Anthropic is overloaded" });
    const shown = /Try 2 in (\d+) s/.exec(await notice.innerText())?.[1];
    assert.ok(Number(shown) > 1 && Number(shown) <= 30, shown);
    await notice.getByText(`Try 2 in ${Number(shown) - 1} s`).waitFor();
    await button(panel, "Try now").click();
    await button(panel, "Go on with qwen3-coder:30b").click();
    await button(panel, "Stop").click();
    const sent = (await panel.sent()).slice(1);
    const [, other] = sent;
    assert.ok(other?.type === "set-model" && other.modelID === "qwen3-coder:30b");
    assert.deepEqual(sent, [{ type: "retry-now" }, other, { type: "retry-now" }, { type: "stop" }]);
    await panel.post(events({ type: "status", status: busy }));
    assert.equal(await notice.count(), 0);
  });

  it("R3 says that a turn was cut, with the to-dos that are done, and continues by click or key", async () => {
    const todos = ["completed", "completed", "in_progress", "pending"].map((status, at) => ({
      content: `T${at}`,
      status,
    }));
    const list = f.tool("todo_write", {
      status: "completed",
      input: { todos },
      output: "",
      title: "To-dos",
      metadata: {},
      start: 0,
      end: 1,
    });
    const cut = f.rondo([list, f.said("Half a")], { finish: "interrupted" });
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, cut])));
    const name = "VS Code was closed while Rondo worked. 2 of 4 to-dos are done.";
    const notice = panel.page.getByRole("group", { name });
    await notice.getByRole("button", { name: "Continue" }).click();
    await message(panel).fill("words");
    await message(panel).press("Control+Enter");
    await message(panel).fill("");
    await message(panel).press("Control+Enter");
    const sent = (await panel.sent()).map((one) => (one as { type: string }).type);
    assert.equal(sent.filter((type) => type === "continue-turn").length, 2, "words are sent as a message");
    assert.equal(await panel.page.getByRole("alert").count(), 0, "it is no error");
  });

  it("H6 reports and counts silence, and removes the notice afterwards", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy })));
    const start = Date.now();
    // A busy page may leave out a second of its own clock.
    const setClock = (ms: number) =>
      panel.page.evaluate((at) => {
        Date.now = () => at;
      }, start + ms);
    await setClock(0);
    await panel.post(events({ type: "silence", since: start - 64_000 }));
    assert.match((await status(panel).textContent()) ?? "", /Not responding for 1 min [45] s/);
    await setClock(2_000);
    await status(panel)
      .getByText(/for 1 min 6 s/)
      .waitFor();
    assert.ok(await panel.page.getByRole("group", { name: /^Nothing from Anthropic for/ }).isVisible());
    assert.equal(await button(panel, "Stop").count(), 1);
    await button(panel, "Try again now").click();
    assert.equal((await panel.sentOf("retry-now")).length, 1);
    await button(panel, "Keep waiting").click();
    await panel.page.getByRole("group", { name: /^Nothing from/ }).waitFor({ state: "detached" });
    await panel.post(events({ type: "silence", since: start - 61_000 }));
    await button(panel, "Keep waiting").waitFor();
    await panel.post(events({ type: "silence", since: null }));
    assert.match((await status(panel).textContent()) ?? "", /Thinking/);
    assert.equal(await panel.page.getByText("Nothing from").count(), 0);
  });

  it("B2 asks about a limit of tokens, and about a model whose price is not known, with the settings that help", async () => {
    for (const [request, words] of [
      [
        f.tokenBudgetRequest,
        ["This session has used 1,200,000 tokens", "The limit of a session is 1,000,000 tokens", "2 M tokens"],
      ],
      [
        f.priceRequest,
        ["The price of ollama/qwen3 is unknown", "$2.00 cannot be kept", "rondo.prices", "rondo.maxBudgetTokens"],
      ],
    ] as const) {
      const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy, requests: [request] })));
      const text = (await panel.page.textContent("body")) ?? "";
      for (const one of words) assert.ok(text.includes(one), `${one} in ${text}`);
    }
  });

  it("B2 asks about the budget: what was done and spent, the limit, and how far Continue goes; there is no field for words", async () => {
    const since = f.now - 64_000;
    const chat = f.chat("T", [f.asked, ...dearSteps], { status: { type: "busy", since }, requests: [f.budgetRequest] });
    const panel = await panelWith(f.snapshot(chat));
    const card = panel.page.getByRole("alertdialog", { name: "This session has cost $2.01. Continue?", exact: true });
    assert.match(await card.innerText(), /The limit of a session is \$2\.00\./);
    assert.match(await card.innerText(), /3 steps in 1 min 44 s, 3 files changed\.\s+The last 3 steps cost \$0\.63\./);
    assert.equal(await card.getByText("This session has cost").count(), 1);
    assert.equal(await card.getByRole("textbox").count(), 0);
    assert.equal(await card.getByRole("button", { name: "Always allow" }).count(), 0);
    await panel.page.waitForTimeout(guard);
    const further = card.getByRole("radiogroup", { name: "Go on until" });
    assert.equal(await further.innerText(), "$3.00\n$4.00\n$12.00\nNo limit");
    assert.ok(await further.getByRole("radio", { name: "$4.00" }).isChecked());
    await card.getByRole("button", { name: "Continue" }).click();
    await further.getByRole("radio", { name: "$4.00" }).press("ArrowRight");
    await panel.page.keyboard.press("Control+Enter");
    await panel.page.keyboard.press("ArrowRight");
    await card.getByText("This session then has no limit.").waitFor();
    await card.getByRole("button", { name: "Continue" }).click();
    await card.getByRole("button", { name: "Finish this step" }).click();
    await card.getByRole("button", { name: "Stop" }).click();
    const proceed = { kind: "budget", type: "continue" } as const;
    assert.deepEqual(
      (await panel.sentOf("answer")).map(({ answer }) => answer),
      [
        { ...proceed, limit: 4 },
        { ...proceed, limit: 12 },
        { ...proceed, limit: "none" },
        { kind: "budget", type: "finish" },
        { kind: "budget", type: "stop" },
      ],
    );
  });

  it("B2 offers to finish a step only where one has begun", async () => {
    for (const request of [f.budgetRequest, f.priceRequest]) {
      const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy, requests: [request] })));
      await button(panel, "Continue").waitFor();
      assert.equal(await button(panel, "Finish this step").count(), 0);
    }
  });
});
