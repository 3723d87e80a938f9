/** P3: every way to go on with a session asks the user's memory file first. */
import assert from "node:assert/strict";
import { ModelError } from "../../src/loop/model.ts";
import type { Project } from "../../src/loop/setup/project.ts";
import { replay } from "../../src/record/replay.ts";
import { type Harness, harnesses } from "./harness.ts";

describe("P3 the user's memory file ends a session", () => {
  const open = harnesses();
  const ended = { code: "session-terminated", message: /memory file .* says \(done\)/ };
  const ending = { endings: [{ target: "all", reason: "done" }] } satisfies Partial<Project>;

  function marked(h: Harness): string | undefined {
    h.transcript.flush();
    return replay(h.transcript.path).chat.session.terminated?.by;
  }

  it("P3 before an answer is tried again", async () => {
    const project: Partial<Project> = {};
    const h = open([{ fail: new ModelError("auth", "No key.", "") }, ["Never."]], { project });
    await h.turn();
    Object.assign(project, ending);
    const messages = h.chat.messages.length;
    await assert.rejects(h.session.tryAgain(), ended);
    assert.deepEqual([h.model.requests.length, h.chat.messages.length, marked(h)], [1, messages, "memory"]);
    project.endings = [];
    await assert.rejects(h.session.tryAgain(), ended, "also when the line is gone");
  });

  it("P3 before queued messages are sent now: the turn is not stopped, and answers what it had taken before", async () => {
    const project: Partial<Project> = {};
    const read = { call: "read", input: { file_path: "a.txt" } };
    const before = async () => {
      await h.send("Later.");
      Object.assign(project, ending);
      await assert.rejects(h.session.sendQueuedNow(), ended);
      await assert.rejects(h.send("More."), ended);
    };
    const h: Harness = open([{ say: [read], before }, ["Done."]], { project, files: { "a.txt": "one\n" } });
    const end = await h.turn();
    assert.equal(end.reason, "end_turn");
    const last = JSON.stringify(h.model.requests.at(-1));
    assert.match(last, /Later/);
    assert.doesNotMatch(last, /More/);
    assert.equal(marked(h), "memory");
  });

  it("P3 and Stop does not replace that mark", async () => {
    const project: Partial<Project> = {};
    const before = async () => {
      Object.assign(project, ending);
      await assert.rejects(h.send("More."), ended);
      void h.session.stop();
    };
    const h: Harness = open([{ say: ["Half"], before }], { project });
    assert.equal((await h.turn()).reason, "interrupted");
    assert.equal(marked(h), "memory");
    await assert.rejects(h.session.compact(), ended);
  });
});
