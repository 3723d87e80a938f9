/** The window is reloaded, the panel hidden, the extension host killed: nothing is lost, nothing is doubled. */
import assert from "node:assert/strict";
import { message, question, say, status, transcript } from "./hands.ts";
import { processCount, processes } from "./processes.ts";
import { assertCallsAnswered } from "./requests.ts";
import { openWindow, type Window } from "./window.ts";

const long = Array.from({ length: 80 }, (_, at) => `word${at}`).join(" ");
const talk = { blocks: [{ text: long, pieces: 80 }], delay: 60 };
const run = (command: string) => ({ call: { name: "bash", input: { command } } });

describe("what outlives the window", () => {
  let window: Window;
  before(async () => {
    window = await openWindow();
  });
  after(() => window?.close());

  /** Both prompts are there once, and the model is shown all of it in a request that is whole. */
  async function assertGoesOn(first: string): Promise<void> {
    window.plays([{ text: "Here I am again." }]);
    const panel = await window.panel();
    await say(panel, "go on");
    await status(panel, /Done/);
    const said = await transcript(panel);
    for (const words of [first, "go on", "Here I am again."]) {
      assert.equal(said.split(words).length - 1, 1, `"${words}" in: ${said}`);
    }
    const last = window.requests.at(-1);
    assert.ok(last);
    assertCallsAnswered(last);
    assert.equal(last.raw.split(first).length - 1, 1, "the model is told the first prompt once");
  }

  it("R3 keeps what was said when the window is reloaded in mid-stream", async () => {
    window.plays(talk);
    await say(await window.panel(), "talk to me");
    await (await window.panel()).getByText("word9 ").first().waitFor();
    const panel = await window.reload();
    await status(panel, /Interrupted/);
    const said = await transcript(panel);
    assert.match(said, /word0 word1 .*word8/);
    assert.equal(said.split("word5 ").length, 2, "nothing is doubled");
    assert.doesNotMatch(said, /word79/);
    await assertGoesOn("talk to me");
  });

  it("R3 ends a running command when the window is reloaded, and says so to the model", async () => {
    let panel = await window.newSession();
    window.plays([run("echo begun; sleep 8642.1")]);
    await say(panel, "run it");
    await (await question(panel, /command/)).press("Control+Enter");
    await processCount("sleep\u00008642.1", 1);
    panel = await window.reload();
    await processCount("8642.1", 0);
    await panel.getByRole("group", { name: /^Run echo begun/ }).waitFor();
    await assertGoesOn("run it");
    assert.match(window.requests.at(-1)?.raw ?? "", /Interrupted|aborted/);
  });

  it("R3 withdraws an open question when the window is reloaded; nothing is written", async () => {
    let panel = await window.newSession();
    window.plays([{ call: { name: "write", input: { file_path: "new.txt", content: "new" } } }]);
    await say(panel, "write it");
    await question(panel, /new\.txt/);
    panel = await window.reload();
    await panel.getByRole("group", { name: /^Write new\.txt/ }).waitFor();
    assert.equal(await panel.getByRole("alertdialog").count(), 0);
    await assert.rejects(window.read("new.txt"));
    await assertGoesOn("write it");
  });

  it("keeps the draft when the window is reloaded, and when the panel is hidden", async () => {
    let panel = await window.newSession();
    await message(panel).fill("half a thought");
    panel = await window.reload();
    assert.equal(await message(panel).inputValue(), "half a thought");
    await message(panel).pressSequentially(", and the other half");
    await window.command("View: Toggle Secondary Side Bar Visibility");
    await panel.waitForFunction("false").catch(() => {});
    await window.command("Rondo: Focus Chat");
    panel = await window.panel();
    assert.equal(await message(panel).inputValue(), "half a thought, and the other half");
    await message(panel).fill("");
  });

  it("shows the same when the panel was hidden in mid-stream", async () => {
    let panel = await window.newSession();
    window.plays(talk);
    await say(panel, "talk to me");
    await panel.getByText("word9 ").first().waitFor();
    await window.command("View: Toggle Secondary Side Bar Visibility");
    await panel.waitForFunction("false").catch(() => {});
    await window.command("Rondo: Focus Chat");
    panel = await window.panel();
    await status(panel, /Done/);
    assert.ok((await transcript(panel)).includes(long), "each word is there once and in order");
    assert.equal(await panel.getByRole("article").count(), 2);
    await assertGoesOn("talk to me");
  });

  it("R3 has the session after the extension host was killed in mid-run", async () => {
    let panel = await window.newSession();
    window.plays([{ text: "I begin." }, run("echo begun; sleep 8642.2")]);
    await say(panel, "run it");
    await (await question(panel, /command/)).press("Control+Enter");
    await processCount("sleep\u00008642.2", 1);
    const hosts = processes("--type=extensionHost", window.marker);
    assert.equal(hosts.length, 1);
    for (const host of hosts) process.kill(host, "SIGKILL");
    panel = await window.reload();
    await panel.getByText("I begin.").first().waitFor();
    await panel.getByRole("group", { name: /^Run echo begun/ }).waitFor();
    await assertGoesOn("run it");
    assert.match(window.requests.at(-1)?.raw ?? "", /Interrupted: Rondo was closed/);
  });
});
