/** Features of the loop as the panel shows them: hooks, compaction, subagents, stalls, budgets. */
import assert from "node:assert/strict";
import { providers } from "../../src/providers/providers.ts";
import { assertCallsAnswered } from "./model-requests.ts";
import { answer, press, question, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const run = (command: string) => ({ call: { name: "bash", input: { command } } });
const read = { call: { name: "read", input: { file_path: "src/cart.js" } } };

describe("loop features", () => {
  let window: Window;
  before(async () => {
    const guard = "grep -q forbidden && { echo 'This project forbids it.' >&2; exit 2; } || exit 0";
    const greeter = `grep -q 'are you there' && echo '{"systemMessage": "The hook has heard you."}' || exit 0`;
    window = await openWindow({
      settings: {
        "rondo.hooks": {
          PreToolUse: [{ matcher: "bash", hooks: [{ type: "command", command: guard }] }],
          UserPromptSubmit: [{ hooks: [{ type: "command", command: greeter }] }],
        },
        "rondo.prices": { [providers.anthropic.defaultModel ?? ""]: { input: 100, output: 100 } },
        "rondo.maxBudgetUsd": 1,
        "rondo.loop.stallNoticeSeconds": 0.5,
      },
    });
  });
  after(() => window?.close());

  it("K4 shows the user a hook's message that the model does not get", async () => {
    const panel = await window.panel();
    window.plays([{ text: "I am here." }]);
    await say(panel, "are you there?");
    await said(panel, "The hook has heard you.");
    await said(panel, "I am here.");
    assert.doesNotMatch(window.requests.at(-1)?.raw ?? "", /The hook has heard you/);
  });

  it("K4 a hook denies a call: it does not run, the model gets the reason, and the turn continues", async () => {
    const panel = await window.newSession();
    window.plays([run("touch forbidden.txt")], [{ text: "Then I leave it." }]);
    await say(panel, "touch it");
    await said(panel, "Then I leave it.");
    await status(panel, /Done/);
    const told = window.requests.at(-1);
    assert.ok(told);
    assert.match(told.raw, /This project forbids it\./);
    assertCallsAnswered(told);
    await assert.rejects(window.read("forbidden.txt"));
    assert.ok(await panel.getByRole("group", { name: /touch forbidden\.txt/ }).isVisible());
  });

  it("C3 a compaction is a boundary that expands to its summary, with which the next request begins", async () => {
    const panel = await window.newSession();
    const long = "The cart adds up its lines. ".repeat(60);
    window.plays({ blocks: [{ text: long }], usage: { input: 9000, output: 500 } });
    await say(panel, "explain the cart at length");
    await said(panel, "The cart adds up its lines.");
    await status(panel, /Done/);
    window.plays([{ text: "The cart was explained at length." }]);
    await window.command("Rondo: Compact Conversation");
    const boundary = panel.getByRole("log").getByText("Conversation compacted");
    await boundary.waitFor();
    assert.equal(await panel.getByText("The cart was explained at length.").count(), 0, "it is folded");
    await boundary.click();
    await panel.getByText("The cart was explained at length.").waitFor();
    window.plays([{ text: "Here I am again." }]);
    await say(panel, "go on");
    await said(panel, "Here I am again.");
    const { raw = "" } = window.requests.at(-1) ?? {};
    assert.match(raw, /The cart was explained at length\./);
    assert.doesNotMatch(raw, /The cart adds up its lines\. The cart/);
  });

  it("S1 a subagent has a card that opens its conversation; its last message is the result", async () => {
    const panel = await window.newSession();
    const input = { description: "Count the lines", prompt: "How many lines has the cart?", subagent_type: "explore" };
    window.plays(
      [{ text: "I ask for help." }, { call: { name: "task", input } }],
      [{ text: "I read it." }, read],
      [{ text: "It has some forty lines." }],
      [{ text: "Some forty, I am told." }],
    );
    await say(panel, "how long is the cart?");
    await said(panel, "Some forty, I am told.");
    await status(panel, /Done/);
    const parent = window.requests.at(-1);
    assert.ok(parent);
    assertCallsAnswered(parent);
    assert.match(parent.raw, /It has some forty lines\./);
    assert.doesNotMatch(parent.raw, /I read it\./, "the subagent's steps are its own");

    const card = panel.getByRole("group", { name: /Count the lines/ });
    await card.locator("summary").first().click();
    await card.getByText("I read it.").waitFor();
    await card.getByText("It has some forty lines.").first().waitFor();
    await press(panel, "Sessions");
    const list = panel.getByRole("region", { name: "Sessions" });
    await list.getByRole("button", { name: /^how long is the cart/ }).waitFor();
    assert.equal(await list.getByRole("button", { name: /^Count the lines|^How many lines/ }).count(), 0);
    await press(panel, "Back to the conversation");
  });

  it("H6 reports a silent model, and Stop ends the wait", async () => {
    const panel = await window.newSession();
    window.plays({ bytes: ": nothing yet\n\n", hang: true });
    await say(panel, "is anybody there?");
    await status(panel, /Not responding for/i);
    await panel.getByRole("group", { name: /^Nothing from/ }).waitFor();
    await press(panel, "Stop");
    await status(panel, /Stopped by you/);
    assert.equal(await panel.getByRole("group", { name: /^Nothing from/ }).count(), 0);
  });

  it("B2 asks when the budget is reached: a step can be finished, Stop ends the turn, Continue continues it", async () => {
    const panel = await window.newSession();
    const dear = { blocks: [run("touch dear.txt")], usage: { input: 20_000, output: 100 } };
    window.plays(dear, [{ text: "Half of it is done." }]);
    await say(panel, "spend");
    const card = await question(panel, /This session has cost/);
    assert.match(await card.innerText(), /1 step in \d+ s\.\s+The last step cost \$2\.01\./);
    await card.getByRole("button", { name: "Finish this step" }).click();
    await answer(panel, "Allow once", /command/);
    await said(panel, "Half of it is done.");
    await status(panel, /budget/);
    assert.equal(await window.read("dear.txt"), "");

    const asked = window.requests.length;
    await say(panel, "and the rest");
    await (await question(panel, /This session has cost/)).press("Escape");
    await status(panel, /budget/);
    assert.equal(window.requests.length, asked);

    window.plays([run("touch dearer.txt")], [{ text: "It was worth it." }]);
    await say(panel, "spend it all the same");
    const further = (await question(panel, /This session has cost/)).getByRole("radiogroup", { name: "Go on until" });
    await further.getByRole("radio", { name: "$3.00" }).press("ArrowRight");
    await answer(panel, "Continue", /This session has cost/);
    await answer(panel, "Allow once", /command/);
    await said(panel, "It was worth it.");
    assert.equal(await window.read("dearer.txt"), "");
  });

  it("C1 the context meter expands to tokens by category and the cost of the session and the day", async () => {
    const panel = await window.panel();
    await panel.getByRole("button", { name: /^Context/ }).click();
    const context = panel.getByRole("region", { name: "Context" });
    const rows = context.getByRole("table", { name: "Tokens by part" });
    for (const part of [/^System prompt/, /^Tools/, /^Messages/]) await rows.getByText(part).waitFor();
    assert.match(await context.innerText(), /This session\s+\$2\.\d\d[\s\S]*Today, all sessions\s+\$\d+\.\d\d/);
    await context.press("Escape");
    await said(panel, "It was worth it.");
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
