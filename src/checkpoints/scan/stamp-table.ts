/** Stamps of many files, to find those that have changed. Several threads share the work, because checking is slow. */
import { once } from "node:events";
import os from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import type { FileStamp } from "../files/file-state.ts";
import { TimeSlices } from "../files/time-slices.ts";
import { changedIn, fields, isUnchanged, takeBlock } from "./stat-blocks.ts";

/** Fewer files are checked faster by one thread. */
const minFilesForThreads = 20_000;

/** In the sources next to this file, in dist next to the bundle. */
const workerFile = path.join(
  import.meta.dirname,
  import.meta.filename.endsWith(".ts") ? "stat-worker.ts" : "stat-worker.cjs",
);

/** A message to a thread: changed names of slots, or the order to help checking all `size` slots, block by block. */
export type StatOrder =
  | { type: "names"; names: [slot: number, name: string][] }
  | { type: "check"; table: SharedArrayBuffer; next: SharedArrayBuffer; size: number };

interface StatThread {
  worker: Worker;
  gone: AbortController;
}

export class StampTable {
  readonly #slots = new Map<string, number>();
  readonly #names: string[] = [];
  #free: number[] = [];
  #shared = new SharedArrayBuffer(1024 * fields * 8);
  #stamps = new Float64Array(this.#shared);
  /** Slots of files that changed so recently that another change may give the same stamp. */
  #fresh = new Set<number>();
  #threads: StatThread[] = [];
  /** Slots whose names were not yet sent to the threads. */
  #unsent = new Set<number>();

  get size(): number {
    return this.#slots.size;
  }

  has(file: string): boolean {
    return this.#slots.has(file);
  }

  paths(): IterableIterator<string> {
    return this.#slots.keys();
  }

  get(file: string): FileStamp | undefined {
    const slot = this.#slots.get(file);
    if (slot === undefined) return undefined;
    const at = slot * fields;
    const [size = 0, mtime = 0, ctime = 0, ino = 0, mode = 0] = this.#stamps.subarray(at, at + fields);
    return mode === 0 ? undefined : { size, mtime, ctime, ino, mode };
  }

  put(file: string, { size, mtime, ctime, ino, mode }: FileStamp, fresh: boolean): void {
    const slot = this.#slots.get(file) ?? this.#addSlot(file);
    this.#stamps.set([size, mtime, ctime, ino, mode], slot * fields);
    if (fresh) this.#fresh.add(slot);
    else this.#fresh.delete(slot);
  }

  delete(file: string): void {
    const slot = this.#slots.get(file);
    if (slot === undefined) return;
    this.#slots.delete(file);
    this.#names[slot] = "";
    this.#unsent.add(slot);
    this.#fresh.delete(slot);
    this.#free.push(slot);
  }

  /** Adds a missing file, so that creating it counts as a change. */
  expect(file: string): void {
    this.put(file, { size: 0, mtime: 0, ctime: 0, ino: 0, mode: 0 }, false);
  }

  /** Returns the files whose stamps differ, or that may have changed without a new stamp. */
  async changed(): Promise<string[]> {
    const next = new SharedArrayBuffer(4);
    const size = this.#names.length;
    const threads = Promise.allSettled(this.size < minFilesForThreads ? [] : this.#askThreads(next, size));
    const found = new Set(this.#fresh);
    await this.#check(next, size, found);
    for (const result of await threads) {
      if (result.status === "fulfilled") for (const slot of result.value) found.add(slot);
      // The thread has ended without checking the blocks that it took.
      else await this.#check(new SharedArrayBuffer(4), size, found);
    }
    return this.#namesOf(found);
  }

  /** Like `changed`, but looks only at these files, and at those that changed recently. */
  changedAmong(files: readonly string[]): string[] {
    const slots = files.flatMap((file) => this.#slots.get(file) ?? []);
    const found = slots.filter((slot) => !isUnchanged(this.#names[slot] ?? "", this.#stamps, slot));
    return this.#namesOf(new Set([...this.#fresh, ...found]));
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
    this.#threads = [];
  }

  #namesOf(slots: ReadonlySet<number>): string[] {
    return [...slots].map((slot) => this.#names[slot] ?? "").filter((name) => name !== "");
  }

  async #check(next: SharedArrayBuffer, size: number, found: Set<number>): Promise<void> {
    const slices = new TimeSlices();
    for (let at = takeBlock(next); at < size; at = takeBlock(next)) {
      for (const slot of changedIn(at, size, this.#names, this.#stamps)) found.add(slot);
      await slices.yieldIfDue();
    }
  }

  #addSlot(file: string): number {
    const slot = this.#free.pop() ?? this.#names.length;
    if ((slot + 1) * fields > this.#stamps.length) this.#grow();
    this.#slots.set(file, slot);
    this.#names[slot] = file;
    this.#unsent.add(slot);
    return slot;
  }

  #grow(): void {
    const old = this.#stamps;
    this.#shared = new SharedArrayBuffer(this.#shared.byteLength * 2);
    this.#stamps = new Float64Array(this.#shared);
    this.#stamps.set(old);
  }

  #askThreads(next: SharedArrayBuffer, size: number): Promise<number[]>[] {
    const order = ({ worker }: StatThread, order: StatOrder) => worker.postMessage(order);
    if (this.#threads.length === 0) this.#start();
    else {
      const names = [...this.#unsent].map((slot): [number, string] => [slot, this.#names[slot] ?? ""]);
      for (const thread of this.#threads) order(thread, { type: "names", names });
    }
    this.#unsent.clear();
    return this.#threads.map(async (thread) => {
      order(thread, { type: "check", table: this.#shared, next, size });
      return (await once(thread.worker, "message", { signal: thread.gone.signal }))[0];
    });
  }

  #start(): void {
    const count = Math.min(3, os.availableParallelism() - 1);
    this.#threads = Array.from({ length: count }, () => {
      const worker = new Worker(workerFile, { workerData: this.#names });
      const thread = { worker, gone: new AbortController() };
      worker.unref();
      // Callers learn of it by `gone`.
      worker.on("error", () => {});
      worker.once("exit", () => {
        this.#threads = this.#threads.filter((other) => other !== thread);
        thread.gone.abort(new Error("a thread that checks files has ended"));
      });
      return thread;
    });
  }
}
