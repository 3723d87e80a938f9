/** What is kept of a session on disk: its log and its blobs. */
import path from "node:path";
import type { FileState } from "../files/file-state.ts";
import type { Pace } from "../files/time-slices.ts";
import { Blobs } from "./blobs.ts";
import { History } from "./change-history.ts";
import { type Line, Log } from "./change-log.ts";
import { makeRoom } from "./disk-limit.ts";
import { hold } from "./in-use.ts";

export interface KeptOptions {
  /** Of the store, which many sessions share. */
  folder: string;
  sessionID: string;
  /** Of the whole store, in bytes. */
  limitBytes: number;
  log(line: string): void;
}

export class Kept {
  readonly blobs: Blobs;
  readonly #options: KeptOptions;
  readonly #folder: string;
  readonly #log: Log;
  #release: (() => void) | undefined;
  /** In the whole store when it was last looked at, in bytes; undefined: not yet. */
  #used: number | undefined;
  /** `blobs.written` at that time. */
  #looked = 0;
  #told = false;

  constructor(options: KeptOptions) {
    this.#options = options;
    this.#folder = path.join(options.folder, options.sessionID);
    this.#log = new Log(this.#folder);
    this.blobs = new Blobs(path.join(this.#folder, "blobs"));
  }

  history(): History {
    return new History(this.#log.read());
  }

  /** @returns whether it is on disk */
  append(line: Line): boolean {
    try {
      this.#release ??= hold(this.#folder);
      this.#log.append(line);
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  /** @returns whether the content can be brought back */
  keep(state: FileState, bytes: Buffer | undefined): boolean {
    if (state.type !== "file") return state.type !== "special";
    if (!bytes || this.blobs.has(state.hash)) return this.blobs.has(state.hash);
    if ((this.#used ?? 0) + this.blobs.written - this.#looked + bytes.length > this.#options.limitBytes) {
      this.#tell("Checkpoints: the limit is reached by sessions that are in use; no more contents are kept.");
      return false;
    }
    try {
      this.#release ??= hold(this.#folder);
      this.blobs.put(state.hash, bytes);
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  /** Where much was written since the last time, the oldest sessions make room. */
  async makeRoom(pace: Pace): Promise<void> {
    const { folder, limitBytes } = this.#options;
    if (!this.#release) return;
    if (this.#used !== undefined && this.blobs.written - this.#looked < limitBytes / 20) return;
    try {
      this.#looked = this.blobs.written;
      this.#used = await makeRoom(folder, limitBytes, pace);
    } catch (error) {
      this.#fail(error);
    }
  }

  close(): void {
    this.#release?.();
    this.#release = undefined;
  }

  #fail(error: unknown): void {
    this.#tell(`Checkpoints cannot be kept: ${error instanceof Error ? error.message : String(error)}`);
  }

  #tell(line: string): void {
    if (!this.#told) this.#options.log(line);
    this.#told = true;
  }
}
