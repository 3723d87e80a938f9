/** Marks which processes use a session of the store: one file per process in the session's folder. */
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { systemErrorCode } from "../../base/node/system-errors.ts";

/** Age up to which a process of another machine counts as running. */
const foreignMarkMaxAgeMs = 24 * 3600 * 1000;

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs under another user.
    return systemErrorCode(error) === "EPERM";
  }
}

/** Marks a session as in use. @returns a function that removes the mark */
export function markInUse(folder: string): () => void {
  const mark = path.join(folder, `held-${process.pid}-${randomBytes(4).toString("hex")}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(mark, os.hostname(), { mode: 0o600 });
  return () => rmSync(mark, { force: true });
}

export function isInUse(folder: string): boolean {
  return readdirSync(folder).some((name) => {
    const pid = /^held-(\d+)-/.exec(name)?.[1];
    if (pid === undefined) return false;
    const mark = path.join(folder, name);
    if (readFileSync(mark, "utf8") === os.hostname()) return isRunning(Number(pid));
    return Date.now() - statSync(mark).mtimeMs < foreignMarkMaxAgeMs;
  });
}
