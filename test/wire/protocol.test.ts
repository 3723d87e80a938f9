/** What the panel sends is read by one schema, and a fault in it, such as a kind that is there twice, stops every message. */
import assert from "node:assert/strict";
import { ToHost } from "../../src/chat/protocol.ts";

type Messages = { [T in ToHost["type"]]: Extract<ToHost, { type: T }> };

const rule = { permission: "bash", pattern: "npm test", action: "allow" } as const;
const requestID = "per_1";
const messageID = "msg_1";
const path = "src/cart.ts";
const id = "ses_1";

/** One of each kind: the type demands it of every new one. */
const messages: Messages = {
  ready: { type: "ready" },
  prompt: { type: "prompt", text: "Round the totals", attachments: [], agents: ["explore"], when: "next-step" },
  "panel-focus": { type: "panel-focus", on: true },
  stop: { type: "stop" },
  "new-session": { type: "new-session" },
  "open-session": { type: "open-session", id },
  "close-tab": { type: "close-tab", id },
  "delete-session": { type: "delete-session", id },
  "set-place": { type: "set-place", worktree: true },
  "choose-second-model": { type: "choose-second-model" },
  worktree: { type: "worktree", id, action: "merge" },
  "show-rivals": { type: "show-rivals" },
  "hide-rivals": { type: "hide-rivals" },
  "compare-rivals": { type: "compare-rivals" },
  merge: { type: "merge", id, solve: true, remove: false },
  "rename-session": { type: "rename-session", id, title: "Totals" },
  "list-sessions": { type: "list-sessions", query: "" },
  "export-session": { type: "export-session", id, format: "markdown" },
  "import-session": { type: "import-session" },
  "fork-after": { type: "fork-after", messageID: "msg_1" },
  fork: { type: "fork", messageID },
  compact: { type: "compact", goOn: true, keep: "the names of the tables" },
  earlier: { type: "earlier", before: messageID },
  "open-child": { type: "open-child", sessionID: id },
  "show-context": { type: "show-context" },
  answer: {
    type: "answer",
    requestID,
    answer: { kind: "permission", type: "always", rules: [rule], scope: "session" },
  },
  judge: { type: "judge", requestID, command: "npm test" },
  "try-rules": { type: "try-rules", requestID, rules: [rule] },
  "show-rules": { type: "show-rules" },
  "hide-rules": { type: "hide-rules" },
  "show-trace": { type: "show-trace" },
  "hide-trace": { type: "hide-trace" },
  "export-trace": { type: "export-trace" },
  "remove-rule": { type: "remove-rule", rule, source: "workspace" },
  explain: { type: "explain", command: "npm test" },
  "end-command": { type: "end-command", id: "1" },
  "to-background": { type: "to-background", callID: "call_1" },
  "end-call": { type: "end-call", callID: "call_1" },
  "show-terminal": { type: "show-terminal" },
  server: { type: "server", name: "files", action: "sign-in" },
  "preview-restore": { type: "preview-restore", messageID },
  restore: { type: "restore", messageID, paths: [path], chat: true },
  "answer-again": { type: "answer-again", messageID: "msg_1", paths: ["src/a.ts"] },
  "undo-restore": { type: "undo-restore" },
  "finish-restore": { type: "finish-restore" },
  compare: { type: "compare", messageID },
  "set-mode": { type: "set-mode", mode: "plan" },
  "set-model": { type: "set-model", providerID: "anthropic", modelID: "claude" },
  withdraw: { type: "withdraw", queuedID: "q_1" },
  "send-queued-now": { type: "send-queued-now" },
  "send-one-now": { type: "send-one-now", queuedID: "q_1" },
  "set-queued-time": { type: "set-queued-time", queuedID: "q_1", when: "after-turn" },
  "edit-queued": { type: "edit-queued", queuedID: "q_1", text: "And the changelog" },
  "move-queued": { type: "move-queued", queuedID: "q_1", to: 0 },
  "set-agent": { type: "set-agent", name: "build" },
  attach: { type: "attach" },
  detach: { type: "detach", index: 0 },
  "list-commands": { type: "list-commands" },
  "list-values": { type: "list-values", command: "a:b", argument: "city", value: "B", given: { state: "NY" } },
  "write-commit-message": { type: "write-commit-message" },
  "stop-asking": { type: "stop-asking" },
  "list-editor-contexts": { type: "list-editor-contexts" },
  "attach-editor-context": { type: "attach-editor-context", kind: "problems" },
  "open-file": { type: "open-file", path, line: 15 },
  "check-files": { type: "check-files", paths: ["src/a.ts"] },
  "open-diff": { type: "open-diff", requestID },
  "open-link": { type: "open-link", url: "https://example.com" },
  copy: { type: "copy", text: "totals" },
  review: { type: "review", action: "accept", path },
  follow: { type: "follow", on: true },
  "show-comment": { type: "show-comment", id: "c_1" },
  "remove-comment": { type: "remove-comment", id: "c_1" },
  "send-comments": { type: "send-comments" },
  "open-plan": { type: "open-plan", messageID },
  "retry-now": { type: "retry-now" },
  "try-again": { type: "try-again" },
  "continue-turn": { type: "continue-turn" },
  "look-for-models": { type: "look-for-models" },
  "open-key-form": { type: "open-key-form", providerID: "" },
  "check-key": { type: "check-key", key: "sk-1", providerID: "", address: "" },
  "check-server": { type: "check-server", address: "http://localhost:11434", key: "" },
  "close-form": { type: "close-form" },
  "start-with": { type: "start-with", modelID: "claude" },
  "use-found": { type: "use-found", providerID: "ollama" },
  "open-provider-page": { type: "open-provider-page", providerID: "anthropic", page: "keys" },
  "sign-in-to-copilot": { type: "sign-in-to-copilot" },
  "pull-model": { type: "pull-model" },
  "open-tour": { type: "open-tour" },
  "set-key": { type: "set-key" },
  "show-models": { type: "show-models" },
  "hide-models": { type: "hide-models" },
  "ask-provider": { type: "ask-provider", providerID: "openrouter" },
  "set-thinking": { type: "set-thinking", level: "high" },
  "manage-trust": { type: "manage-trust" },
  "open-settings": { type: "open-settings", query: "rondo.prices" },
  "set-time-limit": { type: "set-time-limit", seconds: 7200 },
  "set-reply-limit": { type: "set-reply-limit", replies: 0 },
  "run-fix": { type: "run-fix", fix: "show-log" },
  "show-log": { type: "show-log" },
  draft: { type: "draft", sessionID: id, text: "Round" },
};

describe("messages of the panel", () => {
  for (const [type, message] of Object.entries(messages)) {
    it(`${type} arrives as it was sent`, () => assert.deepEqual(ToHost.parse(message), message));
  }

  it("are refused if they are of no known kind", () => {
    assert.equal(ToHost.safeParse({ type: "no-such-kind" }).success, false);
  });
});
