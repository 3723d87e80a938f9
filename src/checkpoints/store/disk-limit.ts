/** Keeps the store within its limit: deletes whole sessions, least recently changed first, never one in use. */
import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { attempt } from "../../base/attempt.ts";
import type { TimeSlices } from "../files/time-slices.ts";
import { ChangeLog } from "./change-log.ts";
import { isInUse } from "./in-use.ts";

/** Size of a session that only says that it was deleted. */
const markerBytes = 200;

/** @returns the size of the store afterwards, in bytes */
export async function enforceDiskLimit(store: string, limitBytes: number, slices: TimeSlices): Promise<number> {
  const sessions: { folder: string; bytes: number; changedAt: number }[] = [];
  for (const entry of readdirSync(store, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === "scratch") continue;
    const folder = path.join(store, entry.name);
    // Another process is deleting it, or was killed while doing so.
    if (entry.name.startsWith("trash-")) rmSync(folder, { recursive: true, force: true });
    else {
      const changedAt = attempt(() => statSync(path.join(folder, "log.jsonl")).mtimeMs, 0);
      sessions.push({ folder, bytes: await folderSize(folder, slices), changedAt });
    }
  }
  let total = sessions.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { folder, bytes } of sessions.toSorted((a, b) => a.changedAt - b.changedAt)) {
    if (total <= limitBytes) break;
    if (bytes <= markerBytes) continue;
    if (removeSession(store, folder)) total -= bytes;
    await slices.yieldIfDue();
  }
  return total;
}

/** Returns whether the session was deleted. */
function removeSession(store: string, folder: string): boolean {
  const target = path.join(store, `trash-${randomBytes(6).toString("hex")}`);
  try {
    if (isInUse(folder)) return false;
    renameSync(folder, target);
    // Another process opened it at the same moment, so it is put back.
    if (isInUse(target)) {
      renameSync(target, folder);
      return false;
    }
    rmSync(target, { recursive: true, force: true });
    new ChangeLog(folder).append({ type: "dropped", at: Date.now() });
    return true;
  } catch {
    // Another process deleted it first.
    return false;
  }
}

async function folderSize(folder: string, slices: TimeSlices): Promise<number> {
  let total = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile())
      total += lstatSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
    await slices.yieldIfDue();
  }
  return total;
}
