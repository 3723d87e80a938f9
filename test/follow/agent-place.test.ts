import assert from "node:assert/strict";
import type { CallMetadata, ToolPart, ToolState } from "../../src/chat/message.ts";
import { placeOfCall } from "../../src/extension/follow/agent-place.ts";

describe("the place of a tool call", () => {
  const part = (tool: string, state: ToolState): ToolPart => ({
    ...{ id: "prt_1", sessionID: "ses_1", messageID: "msg_1", type: "tool", callID: "call_1" },
    ...{ tool, state },
  });
  const running = (tool: string, input: Record<string, unknown>) =>
    placeOfCall(part(tool, { status: "running", input, start: 0 }));
  const done = (metadata: CallMetadata) =>
    placeOfCall(part("edit", { status: "completed", input: {}, output: "", title: "", metadata, start: 0, end: 1 }));
  const patched = (path: string, patch: string) => done({ diff: { path, added: 0, removed: 0, patch } });

  it("is the lines that are read", () => {
    const path = "src/a.ts";
    assert.deepEqual(running("read", { file_path: path }), { path, action: "reads", at: { type: "start" } });
    assert.deepEqual(running("read", { file_path: path, offset: 10, limit: 5 }), {
      ...{ path, action: "reads" },
      at: { type: "lines", first: 9, last: 13 },
    });
    assert.deepEqual(running("read", { file_path: path, offset: 10 })?.at, { type: "lines", first: 9, last: 9 });
  });

  it("is the text that an edit looks for, until the change is there", () => {
    const path = "src/a.ts";
    const at = { type: "text", text: "old" };
    assert.deepEqual(running("edit", { file_path: path, old_string: "old" }), { path, action: "writes", at });
    assert.deepEqual(running("multi_edit", { file_path: path, edits: [{ old_string: "old" }, { old_string: "b" }] }), {
      ...{ path, action: "writes", at },
    });
  });

  it("is the first change of a diff, also of one that only removes lines, creates or moves a file", () => {
    const path = "src/a.ts";
    const lines = (first: number, last: number) => ({ path, action: "writes", at: { type: "lines", first, last } });
    assert.deepEqual(patched(path, "@@ -9,4 +9,5 @@\n one\n-two\n+2\n+2.5\n three\n+3.5\n four"), lines(9, 10));
    assert.deepEqual(patched(path, "@@ -4,3 +4,2 @@\n one\n-two\n three"), lines(4, 4));
    assert.deepEqual(patched(path, "@@ -0,0 +1,2 @@\n+one\n+two"), lines(0, 1));
    assert.deepEqual(patched(`src/old.ts → ${path}`, "@@ -1 +1 @@\n-a\n+b"), lines(0, 0));
    assert.deepEqual(patched(path, ""), { path, action: "writes", at: { type: "start" } });
  });

  it("is nowhere for calls that wait for an answer, failed, or are about no file", () => {
    const input = { file_path: "src/a.ts", old_string: "a" };
    assert.equal(placeOfCall(part("edit", { status: "pending", input, raw: "" })), undefined);
    assert.equal(placeOfCall(part("edit", { status: "error", input, error: "no", start: 0, end: 1 })), undefined);
    assert.equal(running("bash", { command: "ls" }), undefined);
    assert.equal(running("read", { file_path: 5 }), undefined);
    assert.equal(done({}), undefined);
  });
});
