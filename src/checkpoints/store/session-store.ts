/** Stores one session: its change log and its blobs. */

import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { attempt } from "../../base/attempt.ts";
import type { FileState } from "../files/file-state.ts";
import type { TimeSlices } from "../files/time-slices.ts";
import { BlobStore } from "./blobs.ts";
import { ChangeHistory } from "./change-history.ts";
import { ChangeLog, type LogLine } from "./change-log.ts";
import { isInUse, markInUse } from "./in-use.ts";
import { OtherSessions } from "./other-sessions.ts";

export interface SessionStoreOptions {
  /** Folder of the store, which all sessions share. */
  folder: string;
  sessionID: string;
  /** Maximum size of the whole store. */
  limitBytes: number;
  log(line: string): void;
}

export class SessionStore {
  readonly blobs: BlobStore;
  readonly others: OtherSessions;
  readonly #options: SessionStoreOptions;
  readonly #folder: string;
  readonly #log: ChangeLog;
  #release: (() => void) | undefined;
  /** Size of the whole store when it was last measured. */
  #measuredBytes: number | undefined;
  /** `blobs.writtenBytes` at that time. */
  #writtenWhenMeasured = 0;
  #hasReported = false;

  constructor(options: SessionStoreOptions) {
    this.#options = options;
    this.#folder = path.join(options.folder, options.sessionID);
    this.#log = new ChangeLog(this.#folder);
    this.others = new OtherSessions(options.folder, options.sessionID);
    this.blobs = new BlobStore(path.join(this.#folder, "blobs"));
  }

  history(): ChangeHistory {
    return new ChangeHistory(this.#log.read());
  }

  /** @returns whether the line is on disk */
  append(line: LogLine): boolean {
    return this.#write(() => this.#log.append(line));
  }

  /** Saves the content of a state. @returns whether the state can be restored */
  save(state: FileState, bytes: Buffer | undefined): boolean {
    if (state.type !== "file") return state.type !== "special";
    if (!bytes || this.blobs.has(state.hash)) return this.blobs.has(state.hash);
    const usedBytes = (this.#measuredBytes ?? 0) + this.blobs.writtenBytes - this.#writtenWhenMeasured;
    if (usedBytes + bytes.length > this.#options.limitBytes) {
      this.#reportOnce("Checkpoints: sessions in use have reached the size limit, so no more contents are saved.");
      return false;
    }
    return this.#write(() => this.blobs.put(state.hash, bytes));
  }

  /** Deletes the oldest sessions if much was written since the store was last measured. */
  async enforceLimit(slices: TimeSlices): Promise<void> {
    const { folder, limitBytes } = this.#options;
    if (!this.#release) return;
    const { writtenBytes } = this.blobs;
    if (this.#measuredBytes !== undefined && writtenBytes - this.#writtenWhenMeasured < limitBytes / 20) return;
    try {
      this.#measuredBytes = await enforceDiskLimit(folder, limitBytes, slices);
      this.#writtenWhenMeasured = writtenBytes;
    } catch (error) {
      this.#reportFailure(error);
    }
  }

  close(): void {
    this.#release?.();
    this.#release = undefined;
  }

  #write(write: () => void): boolean {
    try {
      this.#release ??= markInUse(this.#folder);
      write();
      return true;
    } catch (error) {
      this.#reportFailure(error);
      return false;
    }
  }

  #reportFailure(error: unknown): void {
    this.#reportOnce(`Checkpoints cannot be saved: ${error instanceof Error ? error.message : String(error)}`);
  }

  #reportOnce(line: string): void {
    if (!this.#hasReported) this.#options.log(line);
    this.#hasReported = true;
  }
}

// Keeps the store within its limit: deletes whole sessions, least recently changed first, never one in use.

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
