/** One command on its way, and the call that waits for it. */
import type { CallCommand, CommandEnd, CommandOutcome, OverflowFile, ShellCommand, Terminal } from "../host.ts";
import { CommandOutput } from "./command-output.ts";
import { Throttle } from "./throttle.ts";

/** ms between two reports of a call's output. */
const progressIntervalMs = 100;

/** A command, whoever waits for it. */
export class CommandJob {
  readonly command: string;
  /** ms since 1970 */
  readonly startedAt = Date.now();
  readonly output: CommandOutput;
  readonly ended: Promise<CommandEnd>;
  /** Called when there is more output, and when it begins or ceases to wait. */
  onChange: () => void = () => {};
  /** What it asks, when it waits for someone to type. */
  prompt: string | undefined;
  readonly #stop = new AbortController();

  /** `openFile` is called when there is output that must be kept. */
  constructor(
    terminal: Terminal,
    { command, cwd }: Pick<ShellCommand, "command" | "cwd">,
    openFile: () => OverflowFile,
  ) {
    this.command = command;
    this.output = new CommandOutput(openFile);
    this.ended = this.#run(terminal, cwd);
  }

  /** Ends it with all that it started; `ended` resolves when nothing is left. */
  stop(reason: DOMException | undefined): void {
    this.#stop.abort(reason);
  }

  async #run(terminal: Terminal, cwd: string): Promise<CommandEnd> {
    const end = await terminal.run({
      command: this.command,
      cwd,
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

/** A call that waits for a job: until it ends, or is let go. */
export class WaitingCall {
  readonly job: CommandJob;
  readonly outcome: Promise<CommandCallEnd>;
  readonly #signal: AbortSignal;
  readonly #grace: number;
  readonly #report: Throttle;
  readonly #timeLimit: NodeJS.Timeout;
  #graceTimer: NodeJS.Timeout | undefined;
  /** Why it is ended, when it is not by itself. */
  #cause: CommandCallEnd = { type: "aborted" };
  #letGo: (end: CommandCallEnd) => void = () => {};

  /** `grace`: ms that the command may wait for someone to type. */
  constructor(job: CommandJob, { signal, timeoutMs, progress }: CallCommand, grace: number) {
    this.job = job;
    this.#signal = signal;
    this.#grace = grace;
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

  /** Ends the command, as the user wants it. */
  end(): void {
    this.#end({ type: "aborted" });
  }

  /** The call is answered at once; the command goes on as `id`. */
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
    this.#graceTimer = setTimeout(() => this.#end({ type: "waiting", prompt }), this.#grace);
  };

  #end(cause: CommandCallEnd): void {
    this.#cause = cause;
    this.job.stop(cause.type === "timeout" ? new DOMException("It took too long.", "TimeoutError") : undefined);
  }

  #leave(): void {
    clearTimeout(this.#timeLimit);
    clearTimeout(this.#graceTimer);
    this.#report.stop();
    // Who has taken the job over listens by now.
    if (this.job.onChange === this.#changed) this.job.onChange = () => {};
    this.#signal.removeEventListener("abort", this.#abort);
  }
}
