/** How far a restore got that ended with its process. */
import { hasEnded, isThisProcess, type ProcessIdentity } from "../../base/node/process-identity.ts";
import type { FileState, FoundFile } from "../files/file-state.ts";
import { lstat, sameState } from "../files/file-state.ts";
import type { Transition } from "../store/change-log.ts";

/** A restore that takes longer has ended, also where it cannot be told whether its process has. */
const longestRestoreMs = 10 * 60_000;

/** Whether another process is still at a restore. `by` is undefined if the log does not tell who began it. */
export function isUnderWay({ by, at }: { by: ProcessIdentity | undefined; at: number }): boolean {
  return by !== undefined && !isThisProcess(by) && Date.now() - at <= longestRestoreMs && !hasEnded(by);
}

/**
 * Files of a restore. `done`: restored. `open`: as before the restore. `torn`: the restore was cut off while it wrote
 * them, so nothing in them is anybody else's. `changed`: anything else, so changed since.
 */
export interface RestoreProgress {
  done: Transition[];
  open: Transition[];
  torn: Transition[];
  changed: Transition[];
}

/** `find` returns the current state in the form that can be compared with the given one, `content` a saved content. */
export function progressOf(
  files: readonly Transition[],
  find: (path: string, other: FileState) => FoundFile,
  content: (hash: string) => Buffer | undefined,
): RestoreProgress {
  const progress: RestoreProgress = { done: [], open: [], torn: [], changed: [] };
  for (const file of files) {
    const { path, before, after } = file;
    if (sameState(find(path, after).state, after)) progress.done.push(file);
    else if (sameState(find(path, before).state, before)) progress.open.push(file);
    else if (isTorn(file, find(path, after), content)) progress.torn.push(file);
    else progress.changed.push(file);
  }
  return progress;
}

function isTorn(
  { path, before, after }: Transition,
  now: FoundFile,
  content: (hash: string) => Buffer | undefined,
): boolean {
  // What is in the way of a folder, or a folder in the way, is removed before the new one takes its place.
  if (now.state.type === "missing") return (before.type === "folder") !== (after.type === "folder");
  if (before.type !== "file" || after.type !== "file" || now.state.type !== "file" || !now.bytes) return false;
  // Only a file with several names is written in place.
  if ((lstat(path)?.nlink ?? 1) < 2 || ![before.mode, after.mode].includes(now.state.mode)) return false;
  const from = content(before.hash);
  const to = content(after.hash);
  return from !== undefined && to !== undefined && isPartlyWritten(now.bytes, from, to);
}

/**
 * Whether a write of `to` over `from` that was cut off leaves `bytes`: a beginning of `to`, then the rest of `from`. The
 * rest is cut off last, and the mode set after that.
 */
export function isPartlyWritten(bytes: Buffer, from: Buffer, to: Buffer): boolean {
  if (bytes.equals(to)) return true;
  let written = 0;
  while (written < bytes.length && written < to.length && bytes[written] === to[written]) written++;
  // The two may agree beyond the place of the cut, so any cut up to there will do.
  return bytes.length === Math.max(written, from.length) && bytes.subarray(written).equals(from.subarray(written));
}
