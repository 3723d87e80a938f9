/** Checkpoints of a session that begin when they may: trust may be given, or a folder added, while it is open. */
import { noSessionCheckpoints, type SessionCheckpoints } from "../../checkpoints/session-checkpoints.ts";

interface LateOptions {
  /** Returns the folders to record; none if none may be. Asked before each step. */
  folders(): readonly string[];
  open(folders: readonly string[]): SessionCheckpoints;
}

export class LateCheckpoints implements SessionCheckpoints {
  readonly #options: LateOptions;
  #folders: readonly string[] = [];
  #opened = noSessionCheckpoints;
  /** Two must not write one session's store at once. */
  #closed: Promise<void> = Promise.resolve();

  constructor(options: LateOptions) {
    this.#options = options;
    this.#look();
  }

  begin(): string {
    this.#look();
    return this.#opened.begin();
  }

  expect(): void {
    const opened = this.#opened;
    void this.#closed.then(() => opened.expect());
  }

  async ready(writes: readonly string[] | "unknown", signal: AbortSignal): Promise<void> {
    await this.#closed;
    await this.#opened.ready(writes, signal);
  }

  end(): ReturnType<SessionCheckpoints["end"]> {
    return this.#opened.end();
  }

  preview(...about: Parameters<SessionCheckpoints["preview"]>): ReturnType<SessionCheckpoints["preview"]> {
    return this.#opened.preview(...about);
  }

  restore(...about: Parameters<SessionCheckpoints["restore"]>): ReturnType<SessionCheckpoints["restore"]> {
    return this.#opened.restore(...about);
  }

  undo(signal: AbortSignal): ReturnType<SessionCheckpoints["undo"]> {
    return this.#opened.undo(signal);
  }

  finish(signal: AbortSignal): ReturnType<SessionCheckpoints["finish"]> {
    return this.#opened.finish(signal);
  }

  restored(): ReturnType<SessionCheckpoints["restored"]> {
    return this.#opened.restored();
  }

  content(...about: Parameters<SessionCheckpoints["content"]>): ReturnType<SessionCheckpoints["content"]> {
    return this.#opened.content(...about);
  }

  background(isRunning: boolean): Promise<void> {
    return this.#opened.background(isRunning);
  }

  async close(): Promise<void> {
    await this.#closed;
    await this.#opened.close();
  }

  #look(): void {
    const folders = this.#options.folders();
    if (folders.join("\0") === this.#folders.join("\0")) return;
    const former = this.#opened;
    this.#closed = this.#closed.then(() => former.close());
    this.#folders = folders;
    this.#opened = folders.length > 0 ? this.#options.open(folders) : noSessionCheckpoints;
  }
}
