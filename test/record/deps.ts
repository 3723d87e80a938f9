import assert from "node:assert/strict";
import type { SessionDeps } from "../../src/loop/session.ts";
import { defaultLimits } from "../../src/loop/turn.ts";

/** What a session needs beside what a test of the record is about. A bug is a failure. */
export const plainDeps = {
  limits: () => defaultLimits,
  platform: "linux",
  rules: () => ({ user: [], workspace: [] }),
  keepRules() {},
  titles: false,
  onLoopEvent() {},
  onNote() {},
  onBug: (error) => assert.fail(String(error)),
} satisfies Partial<SessionDeps>;
