/** Identifies a process beyond its id, which the system gives again to others. */
import { readFileSync } from "node:fs";
import os from "node:os";
import * as z from "zod/mini";
import { attempt } from "../attempt.ts";
import { systemErrorCode } from "./system-errors.ts";

export const ProcessIdentity = z.object({
  pid: z.int(),
  host: z.string(),
  /** Start time of the process as the system counts it, because process ids are reused. Not known on all systems. */
  processStart: z.optional(z.string()),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

let own: ProcessIdentity | undefined;

export function thisProcess(): ProcessIdentity {
  const start = own ? undefined : processStatus(process.pid)?.start;
  own ??= { pid: process.pid, host: os.hostname(), ...(start !== undefined && { processStart: start }) };
  return own;
}

export function isThisProcess({ pid, host }: ProcessIdentity): boolean {
  return pid === process.pid && host === os.hostname();
}

/** Whether the process has surely ended; false for one on another computer. */
export function hasEnded({ pid, host, processStart }: ProcessIdentity): boolean {
  if (host !== os.hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === "ESRCH";
  }
  const now = processStatus(pid);
  if (!now) return false;
  // In the states Z and X the process has ended, but its parent has not yet read the exit status.
  return now.state === "Z" || now.state === "X" || (processStart !== undefined && now.start !== processStart);
}

/** Returns undefined on systems other than Linux, where a process is identified by its id alone. */
function processStatus(pid: number): { state: string; start: string } | undefined {
  if (process.platform !== "linux") return undefined;
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"), undefined);
  // The second field is a name in parentheses, which may contain any character.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields && { state: fields[0] ?? "", start: fields[19] ?? "" };
}
