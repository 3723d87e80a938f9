/** Order, groups and words of the list of sessions. */
import assert from "node:assert/strict";
import type { SessionSummary } from "../../src/chat/session-views.ts";
import { groupSessions, wishOf } from "../../webview/sessions/session-groups.ts";

const now = new Date(2026, 4, 20, 12).getTime();
const hour = 3_600_000;

function session(id: string, change: Partial<SessionSummary> = {}): SessionSummary {
  return {
    ...{ id, title: id, state: "idle", updatedAt: now - hour, messages: 2, doing: "" },
    ...{
      toReview: { changes: 0, files: 0 },
      worktree: undefined,
      remedy: "none",
      tokens: 0,
      cost: 0,
      elsewhere: false,
      match: undefined,
    },
    ...change,
  };
}

describe("the groups of sessions", () => {
  it("what waits comes first, then what runs, then what is to be looked at, then the days", () => {
    const groups = groupSessions(
      [
        session("old", { updatedAt: now - 30 * hour }),
        session("plain"),
        session("failed long ago", { state: "error", updatedAt: now - 100 * hour }),
        session("failed", { state: "error" }),
        session("changed", { updatedAt: now - 400 * hour, toReview: { changes: 6, files: 4 } }),
        session("done", { state: "done", updatedAt: now }),
        session("runs", { state: "running", updatedAt: now }),
        session("asks", { state: "asks", updatedAt: now - 50 * hour }),
      ],
      now,
    );
    assert.deepEqual(
      groups.map(({ name, members }) => [name, ...members.map(({ id }) => id)]),
      [
        ["Now", "asks", "runs"],
        ["To look at", "done", "failed", "changed"],
        ["Today", "plain"],
        ["Yesterday", "old"],
        ["Last 7 days", "failed long ago"],
      ],
    );
  });

  it("says what a session wants or does", () => {
    const toReview = { changes: 6, files: 1 };
    assert.equal(wishOf(session("a", { state: "asks", doing: "Run npm test" })), "Waits for you: Run npm test");
    assert.equal(wishOf(session("a", { state: "running" })), "Running");
    assert.equal(
      wishOf(session("a", { state: "error", doing: "The key was refused." })),
      "Failed: The key was refused.",
    );
    assert.equal(wishOf(session("a", { toReview })), "6 changes in 1 file to review");
    assert.equal(wishOf(session("a", { state: "done", toReview })), "Done · 6 changes in 1 file to review");
    assert.equal(wishOf(session("a")), "");
  });
});
