/** Keeps the store within its limit: whole sessions go, those first that were longest without a change, never one in use. */
import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { Pace } from "../files/time-slices.ts";
import { Log } from "./change-log.ts";
import { isHeld } from "./in-use.ts";

interface Kept {
  folder: string;
  bytes: number;
  /** ms since 1970 */
  changed: number;
}

const trash = /^trash-/;
/** Bytes. */
const markSize = 200;

/** @returns the bytes that are left in use */
export async function makeRoom(store: string, limit: number, pace: Pace): Promise<number> {
  const sessions: Kept[] = [];
  for (const entry of readdirSync(store, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === "scratch") continue;
    const folder = path.join(store, entry.name);
    // Another process is at it, or was ended at it.
    if (trash.test(entry.name)) rmSync(folder, { recursive: true, force: true });
    else sessions.push({ folder, bytes: await sizeOf(folder, pace), changed: changedAt(folder) });
  }
  let total = sessions.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { folder, bytes } of sessions.toSorted((a, b) => a.changed - b.changed)) {
    if (total <= limit) break;
    // Nothing but the mark of what has gone.
    if (bytes <= markSize) continue;
    if (remove(store, folder)) total -= bytes;
    await pace.next();
  }
  return total;
}

/** @returns whether it is gone */
function remove(store: string, folder: string): boolean {
  const target = path.join(store, `trash-${randomBytes(6).toString("hex")}`);
  try {
    if (isHeld(folder)) return false;
    renameSync(folder, target);
    // Somebody has opened it at the same time: it is theirs again.
    if (isHeld(target)) {
      renameSync(target, folder);
      return false;
    }
    rmSync(target, { recursive: true, force: true });
    new Log(folder).append({ type: "dropped", at: Date.now() });
    return true;
  } catch {
    // Another process was faster.
    return false;
  }
}

async function sizeOf(folder: string, pace: Pace): Promise<number> {
  let total = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile())
      total += lstatSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
    await pace.next();
  }
  return total;
}

function changedAt(folder: string): number {
  try {
    return statSync(path.join(folder, "log.jsonl")).mtimeMs;
  } catch {
    return 0;
  }
}
