/** Sessions of the real loop, drawn live, so that the panel is not tested with fixtures alone. */

import assert from "node:assert/strict";
import type { ChatEvent } from "../../src/chat/events.ts";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import { askUser } from "../../src/tools/built-in/ask-user.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { todoWrite } from "../../src/tools/built-in/todo-write.ts";
import { agent } from "../agent.ts";
import { isSummary } from "../loop/compacting.ts";
import { type Harness, harnesses, until } from "../loop/harness.ts";
import { failure, type Script } from "../scripted-model.ts";
import { button, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const bash = (command: string) => ({ call: "bash", input: { command } });
const isHelper = ({ system }: { system: string }) => system.includes("I AM helper.");
const agents = new AgentCatalog([agent("helper", { description: "Looks around." })]);

describe("a real session in the panel", () => {
  const open = harnesses();

  /** The panel before the first prompt, and a function that shows all events since. */
  async function watch(h: Harness): Promise<{ panel: PanelPage; show: () => Promise<void> }> {
    const panel = await panelWith(f.snapshot(structuredClone(h.chat)));
    let shown = 0;
    const show = async () => {
      const news: ChatEvent[] = h.events.slice(shown);
      shown = h.events.length;
      await panel.post({ type: "events", events: news });
    };
    return { panel, show };
  }

  it("S1 a subagent asks, works, and can be read afterwards", async () => {
    const main = [
      [{ call: "task", input: { description: "find the thing", prompt: "Look.", subagent_type: "helper" } }],
      ["Done."],
    ];
    const helper = [[bash("touch found.txt")], ["It is **there**."]];
    const script: Script = (request) => (isHelper(request) ? helper : main).shift() ?? { fail: failure("invalid") };
    const h = open(script, { project: { agents }, rules: [{ permission: "task", pattern: "*", action: "allow" }] });
    const { panel, show } = await watch(h);
    const turn = h.turn("Find it.");
    await until(() => h.chat.requests.length > 0);
    await show();
    const card = panel.page.getByRole("group", { name: "helper find the thing", exact: true });
    assert.match((await card.locator("summary").textContent()) ?? "", /waiting for you/);
    assert.match(
      await panel.page.getByRole("alertdialog").innerText(),
      /The subagent helper asks\.[\s\S]*touch found.txt/,
    );
    await h.answerNext({ kind: "permission", type: "once" });
    await turn;
    await show();
    assert.equal(await panel.page.getByRole("alertdialog").count(), 0);
    await card.locator("summary").click();
    await card.getByRole("article", { name: "Task" }).getByText("Look.").waitFor();
    const said = card.getByRole("article", { name: "helper" });
    await said.getByRole("group", { name: "Ran touch found.txt" }).waitFor();
    await said.getByText("It is there.").waitFor();
    await panel.page.getByRole("article", { name: "Rondo" }).getByText("Done.", { exact: true }).waitFor();
    assert.equal(await panel.page.getByRole("article", { name: "You" }).count(), 1);
    assert.deepEqual(await panel.sentOf("open-child"), []);
  });

  it("C3 a conversation is compacted and continues", async () => {
    const replies = [["One."], ["Two."]];
    const script: Script = (request) =>
      isSummary(request) ? ["## So far\n\nOne was **said**."] : (replies.shift() ?? { fail: failure("invalid") });
    const h = open(script);
    const { panel, show } = await watch(h);
    await h.turn("First.");
    await h.session.compact();
    await h.turn("Second.");
    await show();
    const log = panel.page.getByRole("log");
    assert.deepEqual(await log.getByRole("article", { name: "You" }).locator("p").allInnerTexts(), [
      "First.",
      "Second.",
    ]);
    const answers = log.getByRole("article", { name: "Rondo" }).locator("p");
    assert.deepEqual(await answers.allInnerTexts(), ["One.", "Two."]);
    await log.locator("summary", { hasText: "Conversation compacted by you" }).click();
    await log.getByRole("heading", { name: "So far" }).waitFor();
  });

  it("T6 a call is repeated", async () => {
    const look = { call: "read", input: { file_path: "a.txt" } };
    const h = open([[look], [look], [look], ["I stop."]], { files: { "a.txt": "x" } });
    const { panel, show } = await watch(h);
    const turn = h.turn("Try.");
    await until(() => h.chat.requests.length > 0);
    await show();
    assert.match(
      await panel.page.getByRole("alertdialog").innerText(),
      /The same call, 3 times in this turn:[\s\S]*Read a\.txt/,
    );
    const card = panel.page.getByRole("alertdialog");
    await card.getByRole("button", { name: "Continue", exact: true }).waitFor();
    await card.getByRole("button", { name: "Stop", exact: true }).waitFor();
    await h.answerNext({ kind: "loop", type: "hint", words: "Enough." });
    await turn;
    await show();
    assert.match(await panel.page.getByRole("log").innerText(), /I stop\./);
  });

  it("Q2 prompts are queued and then sent", async () => {
    let free = () => {};
    const freed = new Promise<void>((resolve) => {
      free = resolve;
    });
    const h = open([{ say: ["One."], before: () => freed }, ["Two."]]);
    const { panel, show } = await watch(h);
    const turn = h.turn("First.");
    await h.send("Second.");
    await show();
    const queue = panel.page.getByRole("list", { name: "Queue" });
    assert.match(await queue.innerText(), /Second\./);
    free();
    await turn;
    await show();
    assert.equal(await queue.count(), 0);
    assert.equal(await panel.page.getByRole("article", { name: "You" }).count(), 2);
  });

  /** Passes the panel's clicks to the session. */
  async function pass(h: Harness, panel: PanelPage): Promise<void> {
    for (const { requestID, answer } of await panel.sentOf("answer")) {
      h.session.answer(requestID, answer);
    }
  }

  it("T7 the user edits a command before it runs", async () => {
    const h = open([[bash("touch one.txt")], ["Done."]]);
    const { panel, show } = await watch(h);
    const turn = h.turn("Do it.");
    await until(() => h.chat.requests.length > 0);
    await show();
    assert.match(await panel.page.getByRole("region", { name: "Command" }).innerText(), /touch one\.txt/);
    await panel.page.waitForTimeout(450);
    await button(panel, "Edit command").click();
    await panel.page.getByRole("textbox", { name: "Command" }).fill("touch two.txt");
    assert.ok(await button(panel, "Allow once").isDisabled(), "a command that is not judged yet cannot be allowed");
    while ((await panel.sentOf("judge")).length === 0) await panel.page.waitForTimeout(20);
    for (const { requestID, command } of await panel.sentOf("judge")) {
      await panel.post({ type: "judged", requestID, judgement: await h.session.judge(command) });
    }
    await button(panel, "Allow once").and(panel.page.locator('[aria-disabled="false"]')).waitFor();
    await panel.page.keyboard.press("Control+Enter");
    await pass(h, panel);
    await turn;
    await show();
    assert.equal(h.read("two.txt"), "");
    assert.throws(() => h.read("one.txt"));
    await panel.page.getByRole("group", { name: "Ran touch two.txt" }).waitFor();
  });

  it("T11 questions of the model are answered, and to-dos listed", async () => {
    const options = [{ label: "Half up" }, { label: "Half to even", description: "Nearer to the truth." }];
    const input = { questions: [{ question: "How is it rounded?", header: "Rounding", options }] };
    const list = { todos: [{ content: "Round", status: "in_progress" }] };
    const script = [[{ call: "todo_write", input: list }], [{ call: "ask_user", input }], ["Done."]];
    const h = open(script, { tools: [...coreTools, askUser, todoWrite] });
    const { panel, show } = await watch(h);
    const turn = h.turn("Round it.");
    await until(() => h.chat.requests.length > 0);
    await show();
    assert.match(await panel.page.locator(".Todo").innerText(), /0 of 1 · Round/);
    await panel.page.getByRole("radiogroup", { name: "How is it rounded?", exact: true }).waitFor();
    await panel.page.waitForTimeout(450);
    await panel.page.getByRole("alertdialog").press("2");
    await button(panel, "Answer").click();
    await pass(h, panel);
    await turn;
    await show();
    assert.match(h.results()[1] ?? "", /How is it rounded\?\n→ Half to even/);
    assert.equal(await panel.page.getByRole("alertdialog").count(), 0);
    await panel.page.getByRole("group", { name: "Asked How is it rounded?" }).waitFor();
  });

  it("E1 a conversation is rewound and restored", async () => {
    const h = open([["One."], ["Two."]]);
    const { panel, show } = await watch(h);
    await h.turn("First.");
    await h.turn("Second.");
    const second = h.chat.messages.findLast(({ info }) => info.role === "user")?.info.id ?? "";
    await h.session.rewind(second);
    await show();
    assert.deepEqual(await panel.page.getByRole("article", { name: "You" }).locator("p").allInnerTexts(), ["First."]);
    assert.match(await panel.page.getByRole("group", { name: "Restored" }).innerText(), /2 messages set aside/);
    await h.session.rewind(null);
    await show();
    assert.equal(await panel.page.getByRole("article", { name: "You" }).count(), 2);
    assert.equal(await panel.page.getByRole("group", { name: "Restored" }).count(), 0);
  });
});
