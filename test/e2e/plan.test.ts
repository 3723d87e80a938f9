/** Plans: their card, and both of its answers. */
import assert from "node:assert/strict";
import { toolNames } from "./model-requests.ts";
import { choose, chooseAgent, press, question, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const plan = [{ text: "1. Raise the rate to 0.2 in src/discount.js." }];
const edit = (rate: string, to: string) => ({
  call: {
    name: "edit",
    input: { file_path: "src/discount.js", old_string: `rate: ${rate}`, new_string: `rate: ${to}` },
  },
});

describe("plans", () => {
  let window: Window;
  before(async () => {
    window = await openWindow();
  });
  after(() => window?.close());

  const card = { name: /plan/i };

  it("Plan mode refuses edits and ends with the plan's card; Keep planning stays in it", async () => {
    const panel = await window.panel();
    await choose(panel, "Mode", "Plan");
    const original = await window.read("src/discount.js");
    window.plays([edit("0.15", "0.2")], plan);
    await say(panel, "raise the discount");
    const offered = await question(panel, card.name);
    await said(panel, "Raise the rate");
    assert.equal(await window.read("src/discount.js"), original);
    await offered.getByRole("button", { name: "Keep planning" }).click();
    await offered.waitFor({ state: "detached" });
    assert.ok(await panel.getByRole("button", { name: "Mode: Plan" }).isVisible());
    assert.match(window.requests.at(-1)?.raw ?? "", /The mode is Plan/);

    window.plays([{ text: "1. Raise the rate to 0.2.\n2. Run the tests." }]);
    await say(panel, "and how is it checked?");
    await question(panel, card.name);
    await said(panel, "Run the tests.");
    assert.equal(await window.read("src/discount.js"), original);
  });

  it("Start building continues in the chosen mode, and the edit is written", async () => {
    const panel = await window.panel();
    const offered = await question(panel, card.name);
    await offered.getByRole("radio", { name: "Accept edits" }).check();
    window.plays([edit("0.15", "0.2")], [{ text: "The rate is raised." }]);
    await offered.getByRole("button", { name: "Start building" }).click();
    await said(panel, "The rate is raised.");
    await status(panel, /Done/);
    assert.match(await window.read("src/discount.js"), /rate: 0\.2\b/);
    await panel.getByRole("button", { name: "Mode: Accept edits" }).waitFor();
    assert.match(window.requests.at(-1)?.raw ?? "", /The mode is no longer Plan/);
    assert.equal(await panel.getByRole("alertdialog").count(), 0);
  });

  it("the agent plan ends with the card too; Start building hands over to the agent build", async () => {
    const panel = await window.newSession();
    await chooseAgent(panel, "plan");
    window.plays(plan);
    await say(panel, "raise it further");
    const offered = await question(panel, card.name);
    assert.ok(await offered.getByRole("radio", { name: "Accept edits" }).isChecked(), "the mode stays");
    const tools = () => toolNames(window.requests.at(-1) ?? assert.fail());
    assert.ok(!tools().includes("edit"));
    window.plays([edit("0.2", "0.25")], [{ text: "It is raised further." }]);
    await offered.getByRole("button", { name: "Start building" }).click();
    await said(panel, "It is raised further.");
    await status(panel, /Done/);
    assert.ok(tools().includes("edit"));
    assert.match(await window.read("src/discount.js"), /rate: 0\.25/);
    await panel.getByRole("button", { name: /^Mode: [^,]*$/ }).waitFor();
    assert.equal(await panel.getByRole("alertdialog").count(), 0);
  });

  it("C8 with a fresh context the model builds from the plan alone, and the conversation stays; also after a reload", async () => {
    let panel = await window.newSession();
    await choose(panel, "Mode", "Plan");
    window.plays([{ text: "I looked around.\n\n# Plan\n1. Raise the rate to 0.3 in src/discount.js." }]);
    await say(panel, "raise the discount, whatever the accountant said");
    const offered = await question(panel, card.name);
    await offered.getByRole("radio", { name: "Accept edits" }).check();
    await offered.getByRole("checkbox", { name: /With a fresh context/ }).check();
    const rate = /rate: ([\d.]+)/.exec(await window.read("src/discount.js"))?.[1] ?? "";
    const read = { call: { name: "read", input: { file_path: "src/discount.js" } } };
    window.plays([read], [edit(rate, "0.3")], [{ text: "It is at 0.3." }]);
    await offered.getByRole("button", { name: "Start building" }).click();
    await said(panel, "It is at 0.3.");
    await status(panel, /Done/);
    assert.match(await window.read("src/discount.js"), /rate: 0\.3\b/);
    const raw = () => window.requests.at(-1)?.raw ?? "";
    assert.match(raw(), /built with a fresh context[\s\S]*# Plan\\n1\. Raise the rate to 0\.3/);
    assert.doesNotMatch(raw(), /accountant|I looked around/);
    await panel.getByText("Fresh context: only the plan goes on").waitFor();
    await panel.getByText("whatever the accountant said").first().waitFor();
    panel = await window.reload();
    await panel.getByText("Fresh context: only the plan goes on").waitFor();
    window.plays([{ text: "Nothing more." }]);
    await say(panel, "what is left?");
    await said(panel, "Nothing more.");
    assert.match(raw(), /# Plan\\n1\. Raise the rate to 0\.3/);
    assert.doesNotMatch(raw(), /accountant/);
  });

  it("a plan that was kept is offered again after a reload", async () => {
    let panel = await window.newSession();
    await chooseAgent(panel, "plan");
    window.plays(plan);
    await say(panel, "lower it again");
    await question(panel, card.name);
    await status(panel, /waiting for you/i);
    panel = await window.reload();
    await (await question(panel, card.name)).press("Escape");
    await press(panel, "New session");
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
