/** A running command, and the call that waits for it. */
import { type StopCause, stopCauseOf } from "../../chat/stopped.ts";
import type { CallCommand, CommandEnd, CommandOutcome, CommandToRun, OverflowFile, Terminal } from "../host.ts";
import { countLines, tailOf } from "../text/text.ts";
import { Shortener, wholeIn } from "../text/truncate.ts";
import { PlainTextRenderer } from "./plain-text.ts";
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
  /** Its last line while it waits for input, and who can answer it. */
  waits: { prompt: string; by: "nobody" | "user" } | undefined;
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
      onWaiting: (prompt, by = "nobody") => {
        this.waits = prompt === undefined ? undefined : { prompt, by };
        this.onChange();
      },
    });
    this.waits = undefined;
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
  #timeLimit: NodeJS.Timeout | undefined;
  /** What is left of its time while it waits for the user, who may take any time; undefined while the time runs. */
  #leftMs: number | undefined;
  #limitAt = 0;
  #graceTimer: NodeJS.Timeout | undefined;
  #cause: CommandCallEnd = { type: "aborted", by: "user" };
  #letGo: (end: CommandCallEnd) => void = () => {};

  /** `graceMs`: how long the command may wait for input. */
  constructor(job: CommandJob, { signal, timeoutMs, progress }: CallCommand, graceMs: number) {
    this.job = job;
    this.#signal = signal;
    this.#graceMs = graceMs;
    this.#report = new Throttle(progressIntervalMs, () => progress(job.output.last, job.output.lines));
    this.#limit(timeoutMs);
    job.onChange = this.#changed;
    signal.addEventListener("abort", this.#abort, { once: true });
    const letGo = new Promise<CommandCallEnd>((resolve) => {
      this.#letGo = resolve;
    });
    const ended = job.ended.then((end) => (end.type === "aborted" ? this.#cause : end));
    this.outcome = Promise.race([ended, letGo]).finally(() => this.#leave());
  }

  end(by: StopCause): void {
    this.#end({ type: "aborted", by });
  }

  letGo(id: string): void {
    this.#leave();
    this.#letGo({ type: "detached", id });
  }

  readonly #abort = () => this.end(stopCauseOf(this.#signal));

  readonly #changed = () => {
    this.#report.call();
    const { waits } = this.job;
    clearTimeout(this.#graceTimer);
    this.#pause(waits?.by === "user");
    if (waits?.by !== "nobody") return;
    const { prompt } = waits;
    this.#graceTimer = setTimeout(() => this.#end({ type: "waiting", prompt }), this.#graceMs);
  };

  #limit(ms: number): void {
    this.#limitAt = Date.now() + ms;
    this.#timeLimit = setTimeout(() => this.#end({ type: "timeout" }), ms);
  }

  #pause(isPaused: boolean): void {
    if (isPaused === (this.#leftMs !== undefined)) return;
    if (isPaused) {
      clearTimeout(this.#timeLimit);
      this.#leftMs = Math.max(0, this.#limitAt - Date.now());
    } else {
      this.#limit(this.#leftMs ?? 0);
      this.#leftMs = undefined;
    }
  }

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

// The output of one command: shortened for the model, its last lines for the panel, and stored in full.

const recentLength = 8_000;

class CommandOutput {
  readonly #openFile: () => OverflowFile;
  readonly #plain = new PlainTextRenderer((text) => this.#pass(text));
  #file: OverflowFile | undefined;
  /** Whether the file gets all output as it arrives, not only output that is too long to be shown. */
  #keepsAll = false;
  #unread = this.#shortener();
  #lineEnds = 0;
  #recent = "";
  /** The unfinished line at the last read, to not return it twice. */
  #openRead = "";

  constructor(openFile: () => OverflowFile) {
    this.#openFile = openFile;
  }

  push(text: string): void {
    this.#plain.push(text);
  }

  get lines(): number {
    const open = this.#recent.endsWith("\n") || this.#recent === "" ? this.#plain.open : " ";
    return this.#lineEnds + (open === "" ? 0 : 1);
  }

  get last(): string {
    const all = (this.#recent + this.#plain.open).trimEnd();
    return all.split("\n").slice(-20).join("\n");
  }

  /** Stores all output from now on, because it will be read in pieces with `take`. */
  keepAll(): void {
    if (this.#keepsAll) return;
    if (!this.#unread.cut) this.#append(this.#unread.shown(""));
    this.#keepsAll = true;
  }

  take(): string {
    const open = this.#plain.open === this.#openRead ? "" : this.#plain.open;
    this.#openRead = this.#plain.open;
    const where = this.keptIn === undefined ? "The full output could not be saved" : wholeIn(this.keptIn);
    const unread = this.#unread.shown(where);
    this.#unread = this.#shortener();
    return unread + open;
  }

  end(): void {
    this.#plain.end();
    this.#file?.close();
  }

  /** Undefined if it was not stored completely. */
  get keptIn(): string | undefined {
    return this.#file?.isWhole ? this.#file.path : undefined;
  }

  #shortener(): Shortener {
    return new Shortener((text) => {
      if (!this.#keepsAll) this.#append(text);
    });
  }

  #pass(text: string): void {
    this.#unread.push(text);
    if (this.#keepsAll) this.#append(text);
    this.#lineEnds += countLines(text) - (text.endsWith("\n") ? 0 : 1);
    this.#recent = tailOf(text.length > recentLength ? text : this.#recent + text, recentLength);
  }

  #append(text: string): void {
    if (text === "") return;
    this.#file ??= this.#openFile();
    this.#file.append(text);
  }
}
