/** What Rondo says outside of its panel. */
import assert from "node:assert/strict";
import { endSentence, questionSentence, waitingWords } from "../../src/chat/attention.ts";
import type { PermissionRequest, Preview } from "../../src/chat/requests.ts";

const command: Preview = {
  ...{ type: "command", command: "rm -rf build", cwd: "/w", shell: "bash", timeoutMs: 1000 },
  ...{ parts: [], connectors: [], allowed: [] },
};

function permission(preview: Preview, ...sentences: string[]): PermissionRequest {
  return {
    ...{ kind: "permission", id: "req_1", sessionID: "ses_1", messageID: "m", partID: "p", callID: "c", tool: "bash" },
    ...{ permission: "bash", patterns: [], title: "Run rm", reason: "", always: [], noAlways: "", preview },
    reasons: sentences.map((sentence) => ({ risk: "deletes", sentence, detail: "", marks: [] })),
  };
}

describe("U3 a question as a sentence of a notification", () => {
  it("says what the command does that is worst", () => {
    const request = permission(command, "It deletes 214 files.", "No rule allows rm yet.");
    assert.equal(questionSentence(request), "Rondo wants to run a command that deletes 214 files.");
  });

  it("keeps a reason that is a sentence of its own", () => {
    const request = permission(command, "No rule allows npm test yet.");
    assert.equal(questionSentence(request), "Rondo wants to run a command. No rule allows npm test yet.");
  });

  it("holds no link, no line break and no invisible character of the model, and is short", () => {
    const name = `[click](command:rondo.allow)\n\u202Etxt.exe ${"x".repeat(500)}`;
    const text = questionSentence(permission({ type: "path", path: name, outside: { start: 0, end: 1 } }));
    assert.doesNotMatch(text, /[[\]\n\u202E]/);
    assert.match(text, /\(U\+202E\)/);
    assert.ok(text.length <= 200);
    assert.doesNotMatch(endSentence("done", name), /[[\]\n\u202E]/);
  });

  it("counts questions, and names the session that has ended", () => {
    assert.equal(waitingWords(1), "1 question waits for you");
    assert.equal(waitingWords(3), "3 questions wait for you");
    assert.equal(endSentence("done", "Fix the cart"), "Rondo is done: Fix the cart");
    assert.equal(endSentence("failed", ""), "Rondo has stopped with an error.");
  });
});
