/**
 * A worker whose code is loaded when it is first needed. What a model has written may keep a library busy for hours; a
 * worker can be ended, and the page goes on meanwhile.
 *
 * VS Code allows workers of a webview only from `blob:` (https://code.visualstudio.com/api/extension-guides/webview), so
 * the code is text of a module. A worker of this origin keeps to the page's policy: it can load nothing and evaluate
 * nothing.
 */
import { localized, t } from "../../src/l10n/l10n.ts";
import type { WorkerAnswer, WorkerJob } from "../workers/jobs.ts";

interface LateWorkerOptions {
  /** Loads the module with the worker's code. */
  load(): Promise<{ default: string }>;
  /** Longest time of a job. */
  limitMs: number;
}

/** Loading and compiling may be slow; a worker that has not begun by then never will. */
const startMs = 20_000;
/** Without a job for this time, it gives its memory back. */
const idleMs = 60_000;

/** `message`: in the language of the panel. */
export type JobResult<Output> = { ok: true; output: Output } | { ok: false; message: string };

interface QueuedJob<Input, Output> {
  input: Input;
  done(result: JobResult<Output>): void;
}

export class LateWorker<Input, Output> {
  readonly #options: LateWorkerOptions;
  #worker: Worker | undefined;
  #code: Promise<string> | undefined;
  #queue: QueuedJob<Input, Output>[] = [];
  #active: QueuedJob<Input, Output> | undefined;
  #id = 0;
  #timer = 0;
  #isStarting = false;

  constructor(options: LateWorkerOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  run(input: Input): Promise<JobResult<Output>> {
    return new Promise((done) => {
      this.#queue.push({ input, done });
      void this.#next();
    });
  }

  async #next(): Promise<void> {
    if (this.#active || this.#isStarting) return;
    if (this.#queue.length === 0) {
      this.#after(idleMs, () => this.#end());
      return;
    }
    if (!this.#worker) return await this.#start();
    const job = this.#queue.shift();
    if (!job) return;
    this.#active = job;
    this.#after(this.#options.limitMs, () => this.#fail(t("It takes too long to draw.")));
    this.#worker.postMessage({ id: ++this.#id, input: job.input } satisfies WorkerJob<Input>);
  }

  async #start(): Promise<void> {
    this.#isStarting = true;
    try {
      this.#code ??= this.#options.load().then((module) => module.default);
      const url = URL.createObjectURL(new Blob([await this.#code], { type: "text/javascript" }));
      const worker = new Worker(url);
      this.#worker = worker;
      this.#after(startMs, () => this.#giveUp());
      worker.addEventListener("message", ({ data }: MessageEvent<WorkerAnswer<Output>>) => {
        if (data.type === "ready") URL.revokeObjectURL(url);
        if (worker === this.#worker) this.#take(data);
      });
      worker.addEventListener("error", () => worker === this.#worker && this.#giveUp());
    } catch {
      this.#code = undefined;
      this.#giveUp();
    }
  }

  #take(answer: WorkerAnswer<Output>): void {
    if (answer.type === "ready") {
      this.#isStarting = false;
      void this.#next();
      return;
    }
    const job = this.#active;
    if (!job || answer.id !== this.#id) return;
    this.#active = undefined;
    // A worker has no language.
    if (answer.type === "failed") job.done({ ok: false, message: localized(answer.message) });
    else job.done({ ok: true, output: answer.output });
    void this.#next();
  }

  /** Ends the worker in the midst of a job. The next job begins a new one. */
  #fail(message: string): void {
    const job = this.#active;
    this.#end();
    job?.done({ ok: false, message });
    void this.#next();
  }

  /** The worker cannot be had, or has broken down: no job would fare better. */
  #giveUp(): void {
    const jobs = [...(this.#active ? [this.#active] : []), ...this.#queue.splice(0)];
    this.#end();
    const message = t("The part of Rondo that draws it could not be loaded.");
    for (const job of jobs) job.done({ ok: false, message });
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#active = undefined;
    this.#isStarting = false;
  }

  #after(ms: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(act, ms);
  }
}
