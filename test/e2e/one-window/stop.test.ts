/** Stop at every stage of a turn. */
import assert from "node:assert/strict";
import { secondMs, stopwatch } from "../../timing.ts";
import { heldAnswer } from "../held-answer.ts";
import { assertCallsAnswered } from "../model-requests.ts";
import { press, question, said, say, status, transcript } from "../panel-actions.ts";
import { processCount } from "../processes.ts";
import { sharedWindow, type Window } from "../window.ts";

describe("Stop", () => {
  let window: Window;
  before(async () => {
    window = await sharedWindow();
  });

  /** Checks that the next prompt is answered, and that its request is valid. */
  async function assertGoesOn(): Promise<void> {
    window.plays([{ text: "Here I am again." }]);
    const panel = await window.panel();
    await say(panel, "go on");
    await said(panel, "Here I am again.");
    const last = window.requests.at(-1);
    assert.ok(last);
    assertCallsAnswered(last);
  }

  it("L11 closes the connection within a second during a reply and keeps the received text", async () => {
    window.plays(heldAnswer().answer);
    const panel = await window.panel();
    await say(panel, "talk");
    await said(panel, "word9 ");
    const elapsed = stopwatch();
    await press(panel, "Stop");
    assert.ok(window.requests[0]);
    await window.requests[0].left;
    const took = elapsed();
    assert.ok(took < secondMs, `the connection was closed after ${took} ms`);
    await status(panel, /Stopped by you/);
    const kept = await transcript(panel);
    assert.match(kept, /word0 word1 .*word9/);
    assert.doesNotMatch(kept, /word79/);
    await assertGoesOn();
    assert.match(window.requests.at(-1)?.raw ?? "", /word0 word1 /, "the model is shown what it had said");
  });

  it("L11 ends the whole process tree of a command that ignores SIGTERM within a second", async () => {
    const panel = await window.newSession();
    const command = "trap '' TERM; (sleep 9731.5 & sleep 9731.6); sleep 9731.7";
    window.plays([{ call: { name: "bash", input: { command } } }]);
    await say(panel, "sleep");
    await (await question(panel, /command/)).press("Control+Enter");
    await status(panel, /Running trap/);
    await processCount(window.marker, "sleep\u00009731.", 2);
    const elapsed = stopwatch();
    await press(panel, "Stop");
    await processCount(window.marker, "9731.", 0);
    const took = elapsed();
    assert.ok(took < secondMs, `all processes were gone after ${took} ms`);
    await status(panel, /Stopped by you/);
    await assertGoesOn();
  });

  it("L11 withdraws an open question and writes nothing", async () => {
    const panel = await window.newSession();
    window.plays([{ call: { name: "write", input: { file_path: "new.txt", content: "new" } } }]);
    await say(panel, "write");
    await question(panel, /new\.txt/);
    await press(panel, "Stop");
    await status(panel, /Stopped by you/);
    assert.equal(await panel.getByRole("alertdialog").count(), 0);
    await assert.rejects(window.read("new.txt"));
    await assertGoesOn();
  });

  it("Escape in the composer stops", async () => {
    const panel = await window.newSession();
    window.plays(heldAnswer().answer);
    await say(panel, "talk");
    await said(panel, "word5 ");
    await panel.getByRole("textbox", { name: "Message" }).press("Escape");
    await status(panel, /Stopped by you/);
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
