/** Runs the commands of a session, in the foreground and in the background. */

import { never } from "../../base/never.ts";
import type { BackgroundCommand } from "../../chat/events.ts";
import { type StopCause, stopCauseOf } from "../../chat/stopped.ts";
import { msg } from "../../l10n/l10n.ts";
import type { Background, CallCommand, CommandEnd, CommandOutcome, CommandToRun, Overflow, Terminal } from "../host.ts";
import { ToolError } from "../tool.ts";
import { type BackgroundNotes, type LostCommand, noBackgroundNotes } from "./background-notes.ts";
import { CommandJob, WaitingCall } from "./job.ts";
import { Throttle } from "./throttle.ts";

const mostRunning = 20;
const mostEnded = 20;
const listenIntervalMs = 250;
/** How long a foreground command may wait for input before it is terminated. */
const defaultInputGraceMs = 15_000;

/** Each session has its own; sessions may share the terminal. */
export function backgroundOf(
  terminal: Terminal,
  overflow: Overflow,
  grace = defaultInputGraceMs,
  notes = noBackgroundNotes,
): Background {
  return new SessionCommands(terminal, overflow, grace, notes);
}

type EndedState = Extract<BackgroundCommand["state"], { type: "ended" }>;

interface BackgroundJob {
  readonly job: CommandJob;
  end: EndedState | undefined;
  isStopped: boolean;
}

class SessionCommands implements Background {
  readonly #terminal: Terminal;
  readonly #overflow: Overflow;
  readonly #grace: number;
  readonly #calls = new Map<string, WaitingCall>();
  readonly #kept = new Map<string, BackgroundJob>();
  readonly #notes: BackgroundNotes;
  /** Commands that ended with an earlier window. */
  #lost: LostCommand[] = [];
  #begun: number | undefined;
  /** Set while the session is closed. */
  #isClosing = false;
  #toTell: BackgroundCommand[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #changed = new Throttle(listenIntervalMs, () => {
    for (const listener of this.#listeners) listener();
  });

  constructor(terminal: Terminal, overflow: Overflow, grace: number, notes: BackgroundNotes) {
    this.#terminal = terminal;
    this.#overflow = overflow;
    this.#grace = grace;
    this.#notes = notes;
    this.#lost = notes.lost(false);
    if (this.#lost.length > 0) this.#changed.call();
  }

  async run(command: CallCommand, callID: string): Promise<CommandOutcome> {
    if (command.signal.aborted)
      return { end: { type: "aborted", by: stopCauseOf(command.signal) }, output: "", outputFile: undefined };
    const call = new WaitingCall(this.#begin(command, callID), command, this.#grace);
    this.#calls.set(callID, call);
    const end = await call.outcome;
    this.#calls.delete(callID);
    const { output } = call.job;
    return { end, output: output.take(), outputFile: output.keptIn };
  }

  list(): readonly BackgroundCommand[] {
    return [
      ...this.#lost.map(({ shown }) => shown),
      ...[...this.#kept].map(([id, kept]) => toBackgroundCommand(id, kept)),
    ];
  }

  start(command: CommandToRun, callID: string): BackgroundCommand {
    if (this.#isFull()) {
      throw new ToolError(
        `${mostRunning} commands run in the background already. End one with bash_kill first.`,
        msg("{0} commands run in the background already.", mostRunning),
      );
    }
    const [id, kept] = this.#keep(this.#begin(command, callID), callID);
    return toBackgroundCommand(id, kept);
  }

  read(id: string): { text: string; outputFile: string | undefined } | undefined {
    const lost = this.#lost.find(({ shown }) => shown.id === id);
    if (lost) return { text: lost.shown.last, outputFile: lost.outputFile };
    const output = this.#kept.get(id)?.job.output;
    return output && { text: output.take(), outputFile: output.keptIn };
  }

  async kill(id: string): Promise<boolean> {
    const kept = this.#kept.get(id);
    if (!kept || kept.end) return false;
    kept.isStopped = true;
    kept.job.stop(undefined);
    await kept.job.ended;
    return true;
  }

  detach(callID: string): boolean {
    const call = this.#calls.get(callID);
    if (!call || this.#isFull()) return false;
    call.letGo(this.#keep(call.job, callID)[0]);
    return true;
  }

  endCall(callID: string): boolean {
    const call = this.#calls.get(callID);
    call?.end("user");
    return call !== undefined;
  }

  takeEnded(): BackgroundCommand[] {
    const lost = this.#notes.lost(true);
    if (lost.length > 0) {
      this.#lost = lost;
      this.#changed.call();
    }
    const ended = [...lost.map(({ shown }) => shown), ...this.#toTell];
    this.#toTell = [];
    return ended;
  }

  listen(listener: () => void): () => void {
    // Wrapped, so that a listener added twice can be removed twice.
    const own = () => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  async endAll(by: StopCause): Promise<void> {
    this.#isClosing = by !== "user";
    const calls = [...this.#calls.values()];
    for (const call of calls) call.end(by);
    const kept = [...this.#kept.keys()].map((id) => this.kill(id));
    await Promise.all([...kept, ...calls.map(({ job }) => job.ended)]);
  }

  #isFull(): boolean {
    return [...this.#kept.values()].filter(({ end }) => !end).length >= mostRunning;
  }

  #begin(command: CommandToRun, callID: string): CommandJob {
    return new CommandJob(this.#terminal, command, () => this.#overflow.open(callID));
  }

  #keep(job: CommandJob, callID: string): [string, BackgroundJob] {
    this.#begun = (this.#begun ?? this.#notes.begun) + 1;
    const id = `bash_${this.#begun}`;
    this.#notes.add({ id, command: job.command, startedAt: job.startedAt }, this.#overflow.pathOf(callID));
    const kept: BackgroundJob = { job, end: undefined, isStopped: false };
    this.#kept.set(id, kept);
    job.output.keepAll();
    job.onChange = () => this.#changed.call();
    void job.ended.then((end) => this.#end(id, kept, end));
    this.#changed.call();
    return [id, kept];
  }

  #end(id: string, kept: BackgroundJob, end: CommandEnd): void {
    kept.end = { type: "ended", at: Date.now(), ...describeEnd(end) };
    this.#notes.ended(id, this.#isClosing && kept.isStopped);
    if (!kept.isStopped) this.#toTell.push(toBackgroundCommand(id, kept));
    const ended = [...this.#kept].filter(([, one]) => one.end);
    for (const [old] of ended.slice(0, -mostEnded)) this.#kept.delete(old);
    this.#changed.call();
  }
}

function toBackgroundCommand(id: string, { job, end }: BackgroundJob): BackgroundCommand {
  const { command, startedAt, waits, output } = job;
  const running: BackgroundCommand["state"] = waits ? { type: "waiting", ...waits } : { type: "running" };
  return { id, command, startedAt, state: end ?? running, lines: output.lines, last: output.last };
}

function describeEnd(end: CommandEnd): Pick<EndedState, "words" | "failed"> {
  switch (end.type) {
    case "exit":
      return { words: msg("exit code {0}", end.code), failed: end.code !== 0 };
    case "signal":
      return { words: msg("ended by {0}", end.signal), failed: true };
    case "aborted":
      return { words: msg("stopped"), failed: false };
    case "failed":
      return { words: msg("could not be started: {0}", end.message), failed: true };
    default:
      return never(end);
  }
}
