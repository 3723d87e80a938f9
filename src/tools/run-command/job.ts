/** A running command, and the call that waits for it. */
import type { CallCommand, CommandEnd, CommandOutcome, CommandToRun, OverflowFile, Terminal } from "../host.ts";
import { CommandOutput } from "./command-output.ts";
import { Throttle } from "./throttle.ts";

const progressIntervalMs = 100;

export class CommandJob {
  readonly command: string;
  /** In ms since 1970. */
  readonly startedAt = Date.now();
  readonly output: CommandOutput;
  readonly ended: Promise<CommandEnd>;
  /** Called on new output, and when the command starts or stops waiting for input. */
  onChange: () => void = () => {};
  /** Its last line while it waits for input. */
  prompt: string | undefined;
  readonly #stop = new AbortController();

  constructor(terminal: Terminal, toRun: CommandToRun, openFile: () => OverflowFile) {
    this.command = toRun.command;
    this.output = new CommandOutput(openFile);
    this.ended = this.#run(terminal, toRun);
  }

  /** Terminates its process tree; `ended` resolves when no process is left. */
  stop(reason: DOMException | undefined): void {
    this.#stop.abort(reason);
  }

  async #run(terminal: Terminal, { command, cwd, outsideSandbox }: CommandToRun): Promise<CommandEnd> {
    const end = await terminal.run({
      command,
      cwd,
      outsideSandbox,
      signal: this.#stop.signal,
      onOutput: (text) => {
        this.output.push(text);
        this.onChange();
      },
      onWaiting: (prompt) => {
        this.prompt = prompt;
        this.onChange();
      },
    });
    this.prompt = undefined;
    this.output.end();
    return end;
  }
}

type CommandCallEnd = CommandOutcome["end"];

/** A call that waits for a job until it ends or moves to the background. */
export class WaitingCall {
  readonly job: CommandJob;
  readonly outcome: Promise<CommandCallEnd>;
  readonly #signal: AbortSignal;
  readonly #graceMs: number;
  readonly #report: Throttle;
  readonly #timeLimit: NodeJS.Timeout;
  #graceTimer: NodeJS.Timeout | undefined;
  #cause: CommandCallEnd = { type: "aborted" };
  #letGo: (end: CommandCallEnd) => void = () => {};

  /** `graceMs`: how long the command may wait for input. */
  constructor(job: CommandJob, { signal, timeoutMs, progress }: CallCommand, graceMs: number) {
    this.job = job;
    this.#signal = signal;
    this.#graceMs = graceMs;
    this.#report = new Throttle(progressIntervalMs, () => progress(job.output.last, job.output.lines));
    this.#timeLimit = setTimeout(() => this.#end({ type: "timeout" }), timeoutMs);
    job.onChange = this.#changed;
    signal.addEventListener("abort", this.#abort, { once: true });
    const letGo = new Promise<CommandCallEnd>((resolve) => {
      this.#letGo = resolve;
    });
    const ended = job.ended.then((end) => (end.type === "aborted" ? this.#cause : end));
    this.outcome = Promise.race([ended, letGo]).finally(() => this.#leave());
  }

  end(): void {
    this.#end({ type: "aborted" });
  }

  letGo(id: string): void {
    this.#leave();
    this.#letGo({ type: "detached", id });
  }

  readonly #abort = () => this.end();

  readonly #changed = () => {
    this.#report.call();
    const { prompt } = this.job;
    clearTimeout(this.#graceTimer);
    if (prompt === undefined) return;
    this.#graceTimer = setTimeout(() => this.#end({ type: "waiting", prompt }), this.#graceMs);
  };

  #end(cause: CommandCallEnd): void {
    this.#cause = cause;
    this.job.stop(cause.type === "timeout" ? new DOMException("It took too long.", "TimeoutError") : undefined);
  }

  #leave(): void {
    clearTimeout(this.#timeLimit);
    clearTimeout(this.#graceTimer);
    this.#report.stop();
    // The background may listen by now.
    if (this.job.onChange === this.#changed) this.job.onChange = () => {};
    this.#signal.removeEventListener("abort", this.#abort);
  }
}
