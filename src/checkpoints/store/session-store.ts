/** Stores one session: its change log and its blobs. */
import path from "node:path";
import type { FileState } from "../files/file-state.ts";
import type { TimeSlices } from "../files/time-slices.ts";
import { BlobStore } from "./blobs.ts";
import { ChangeHistory } from "./change-history.ts";
import { ChangeLog, type LogLine } from "./change-log.ts";
import { enforceDiskLimit } from "./disk-limit.ts";
import { markInUse } from "./in-use.ts";
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
