/** Stamps of very many files, and which of them have changed: the one thing that takes time, so several threads share it. */
import { once } from "node:events";
import os from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import type { Stamp } from "../files/file-state.ts";
import { Pace } from "../files/time-slices.ts";
import { block, changedIn, fields } from "./stat-blocks.ts";

/** Fewer files are looked at faster than a thread is asked. */
const worthThreads = 20_000;

/** Beside this file in the sources, beside its bundle in dist. */
const workerFile = path.join(
  import.meta.dirname,
  import.meta.filename.endsWith(".ts") ? "stat-worker.ts" : "stat-worker.cjs",
);

/** To a thread: names that are new in these slots; then to look at all `size` slots, block by block, together with the others. */
export type StatOrder =
  | { type: "names"; names: [slot: number, name: string][] }
  | { type: "look"; table: SharedArrayBuffer; next: SharedArrayBuffer; size: number };

interface Thread {
  worker: Worker;
  gone: AbortController;
}

export class StampTable {
  readonly #slots = new Map<string, number>();
  readonly #names: string[] = [];
  #free: number[] = [];
  #shared = new SharedArrayBuffer(1024 * fields * 8);
  #stamps = new Float64Array(this.#shared);
  /** Changed so recently that another change may show the same stamp. */
  #fresh = new Set<number>();
  #threads: Thread[] = [];
  /** Slots whose names the threads have not heard of. */
  #untold = new Set<number>();

  get size(): number {
    return this.#slots.size;
  }

  has(file: string): boolean {
    return this.#slots.has(file);
  }

  paths(): IterableIterator<string> {
    return this.#slots.keys();
  }

  get(file: string): Stamp | undefined {
    const slot = this.#slots.get(file);
    if (slot === undefined) return undefined;
    const [size = 0, mtime = 0, ctime = 0, ino = 0, mode = 0] = this.#stamps.subarray(
      slot * fields,
      (slot + 1) * fields,
    );
    return mode === 0 ? undefined : { size, mtime, ctime, ino, mode };
  }

  put(file: string, { size, mtime, ctime, ino, mode }: Stamp, fresh: boolean): void {
    const slot = this.#slots.get(file) ?? this.#take(file);
    this.#stamps.set([size, mtime, ctime, ino, mode], slot * fields);
    if (fresh) this.#fresh.add(slot);
    else this.#fresh.delete(slot);
  }

  delete(file: string): void {
    const slot = this.#slots.get(file);
    if (slot === undefined) return;
    this.#slots.delete(file);
    this.#names[slot] = "";
    this.#untold.add(slot);
    this.#fresh.delete(slot);
    this.#free.push(slot);
  }

  /** It is not there, and its coming would be a change. */
  expect(file: string): void {
    this.put(file, { size: 0, mtime: 0, ctime: 0, ino: 0, mode: 0 }, false);
  }

  /** The files that do not look as their stamps say, or may look so and still have changed. */
  async changed(): Promise<string[]> {
    const next = new SharedArrayBuffer(4);
    const size = this.#names.length;
    const others = Promise.allSettled(this.size < worthThreads ? [] : this.#ask(next, size));
    const found = new Set(this.#fresh);
    await this.#lookAt(next, size, found);
    for (const other of await others) {
      if (other.status === "fulfilled") for (const slot of other.value) found.add(slot);
      // Blocks that it had taken nobody has looked at.
      else await this.#lookAt(new SharedArrayBuffer(4), size, found);
    }
    return [...found].map((slot) => this.#names[slot] ?? "").filter((name) => name !== "");
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
    this.#threads = [];
  }

  async #lookAt(next: SharedArrayBuffer, size: number, found: Set<number>): Promise<void> {
    const pace = new Pace();
    for (let at = block(next); at < size; at = block(next)) {
      for (const slot of changedIn(at, size, this.#names, this.#stamps)) found.add(slot);
      await pace.next();
    }
  }

  #take(file: string): number {
    const slot = this.#free.pop() ?? this.#names.length;
    if ((slot + 1) * fields > this.#stamps.length) this.#grow();
    this.#slots.set(file, slot);
    this.#names[slot] = file;
    this.#untold.add(slot);
    return slot;
  }

  #grow(): void {
    const old = this.#stamps;
    this.#shared = new SharedArrayBuffer(this.#shared.byteLength * 2);
    this.#stamps = new Float64Array(this.#shared);
    this.#stamps.set(old);
  }

  #ask(next: SharedArrayBuffer, size: number): Promise<number[]>[] {
    const order = ({ worker }: Thread, order: StatOrder) => worker.postMessage(order);
    if (this.#threads.length === 0) this.#start();
    else {
      const names = [...this.#untold].map((slot): [number, string] => [slot, this.#names[slot] ?? ""]);
      for (const thread of this.#threads) order(thread, { type: "names", names });
    }
    this.#untold.clear();
    return this.#threads.map(async (thread) => {
      order(thread, { type: "look", table: this.#shared, next, size });
      const [slots] = await once(thread.worker, "message", { signal: thread.gone.signal });
      return slots;
    });
  }

  #start(): void {
    const count = Math.min(3, os.availableParallelism() - 1);
    this.#threads = Array.from({ length: count }, () => {
      const worker = new Worker(workerFile, { workerData: this.#names });
      const thread = { worker, gone: new AbortController() };
      worker.unref();
      // Who waits for it hears of it by `gone`.
      worker.on("error", () => {});
      worker.once("exit", () => {
        this.#threads = this.#threads.filter((other) => other !== thread);
        thread.gone.abort(new Error("a thread that looks at files has ended"));
      });
      return thread;
    });
  }
}
