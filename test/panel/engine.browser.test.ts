/** Sessions of the real loop, drawn as they go: the panel shows what the engine says, not what fixtures think it says. */

import assert from "node:assert/strict";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import type { ChatEvent } from "../../src/loop/events.ts";
import { agent } from "../agent.ts";
import { isSummary } from "../loop/compacting.ts";
import { type Harness, harnesses, until } from "../loop/harness.ts";
import { failure, type Script } from "../scripted-model.ts";
import { button, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

/** In ms: commands are run, beside a browser. */
const patience = 15_000;

const bash = (command: string) => ({ call: "bash", input: { command } });
const isHelper = ({ system }: { system: string }) => system.includes("I AM helper.");
const agents = new AgentCatalog([agent("helper", { description: "Looks around." })]);

describe("a real session in the panel", () => {
  const open = harnesses();

  /** The panel as it was before the first prompt, and a way to show all that has happened since. */
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

  it("S1 a subagent that asks, works, and is read afterwards", async () => {
    const main = [
      [{ call: "task", input: { description: "find the thing", prompt: "Look.", subagent_type: "helper" } }],
      ["Done."],
    ];
    const helper = [[bash("touch found.txt")], ["It is **there**."]];
    const script: Script = (request) => (isHelper(request) ? helper : main).shift() ?? { fail: failure("invalid") };
    const h = open(script, { project: { agents }, rules: [{ permission: "task", pattern: "*", action: "allow" }] });
    const { panel, show } = await watch(h);
    const turn = h.turn("Find it.");
    await until(() => h.chat.requests.length > 0, patience);
    await show();
    const card = panel.page.getByRole("group", { name: "helper find the thing", exact: true });
    assert.match((await card.locator("summary").textContent()) ?? "", /waiting for you/);
    assert.match(
      await panel.page.getByRole("alertdialog").innerText(),
      /The subagent helper asks\.[\s\S]*touch found.txt/,
    );
    await h.answerNext({ type: "once" });
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

  it("C3 a conversation that is compacted, and goes on", async () => {
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
    assert.deepEqual(await log.getByRole("article", { name: "Rondo" }).allInnerTexts(), ["One.", "Two."]);
    await log.locator("summary", { hasText: "Conversation compacted by you" }).click();
    await log.getByRole("heading", { name: "So far" }).waitFor();
  });

  it("T6 a call that comes again and again", async () => {
    const look = { call: "read", input: { file_path: "a.txt" } };
    const h = open([[look], [look], [look], ["I stop."]], { files: { "a.txt": "x" } });
    const { panel, show } = await watch(h);
    const turn = h.turn("Try.");
    await until(() => h.chat.requests.length > 0, patience);
    await show();
    assert.match(await panel.page.getByRole("alertdialog").innerText(), /Read a\.txt: 3 times in this turn/);
    await button(panel, "Deny").waitFor();
    await h.answerNext({ type: "deny", words: "Enough." });
    await turn;
    await show();
    assert.match(await panel.page.getByRole("log").innerText(), /I stop\./);
  });

  it("Q2 prompts that wait, and then are said", async () => {
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
});
