/** A session in a folder of its own, for the tests of its lock. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { attempt } from "../../src/base/attempt.ts";
import { RecordLock } from "../../src/record/session-lock.ts";
import { Transcript } from "../../src/record/transcript.ts";

export const never = new AbortController().signal;

export const titled = (title: string) =>
  ({ type: "session", session: { id: "ses_1", createdAt: 1, title, cwd: "/" } }) as const;

/** Makes a new folder for each test of the present `describe`. */
export function lockedSession() {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-lock-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const record = () => path.join(folder, "ses_1.jsonl");
  const file = () => path.join(folder, "ses_1.lock");
  const claim = () => path.join(folder, "ses_1.claim");
  const content = () => JSON.parse(readFileSync(file(), "utf8"));

  function open(options: { lockTimeoutMs?: number; isAlive?: () => Promise<boolean> } = {}) {
    const transcript = new Transcript(record(), () => {});
    const lock = new RecordLock(transcript, { sessionID: "ses_1", lockTimeoutMs: 900_000, ...options });
    return { transcript, lock };
  }

  /** Writes the lock of a process with this id. */
  function lockFor(pid: number, more: object = {}): void {
    const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"), "");
    const processStart = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    const dates = { acquiredAt: new Date().toISOString(), expiresAt: new Date(Date.now() + 900_000).toISOString() };
    const who = { sessionId: "ses_1", runId: "run_1", pid, host: os.hostname(), processStart };
    writeFileSync(file(), JSON.stringify({ ...who, ...dates, token: randomUUID(), ...more }));
  }

  return { folder: () => folder, record, file, claim, content, open, lockFor };
}
