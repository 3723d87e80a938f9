/** Runs the turns of a session, one at a time, while no other process works in it. */

import { newID } from "../../base/ids.ts";
import type { ChatEvent, ExitReason } from "../../chat/events.ts";
import { type StopCause, Stopped } from "../../chat/stopped.ts";
import { msg } from "../../l10n/l10n.ts";
import { closeOpenCalls, interrupted, waitingCalls } from "../calls/close-calls.ts";
import { runTurn } from "../loop.ts";
import type { HeldLock } from "../storage.ts";
import type { Turn, TurnEnd } from "../turn.ts";
import { costOfSession } from "./budget.ts";
import { createTurn, type Running, type SessionState } from "./create-turn.ts";
import { deferred } from "./deferred.ts";
import { IntakeError } from "./intake-error.ts";
import type { PlanOffer } from "./plan-offer.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { SessionEvents } from "./session-events.ts";
import type { SessionPrompts } from "./session-prompts.ts";
import { killed, markSession } from "./termination.ts";

interface TurnParts {
  deps: SessionDeps;
  state: SessionState;
  events: SessionEvents;
  prompts: SessionPrompts;
  planOffer: PlanOffer;
  /** Called when the model was done with a turn, and the next one may begin. */
  onDone(): void;
  /** Aborted when the session closes. */
  closing: AbortSignal;
}

export class SessionTurns {
  /** Whether a turn has run here. */
  hasBegun = false;
  /** How the last turn ended. */
  lastEnd: ExitReason | undefined;
  readonly #parts: TurnParts;
  #running: Running | undefined;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** Whether a turn runs here, or waits for another process to end its own. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Whether a turn that ends, or comes back, may ask the user. */
  get mayAsk(): boolean {
    const { deps, closing } = this.#parts;
    return deps.attended && !closing.aborted;
  }

  /** Resolves when no turn runs, or the one that runs accepts prompts. */
  async waitForCurrent(): Promise<void> {
    for (let running = this.#running; running; running = this.#running) {
      await running.ready;
      if (!running.closed && this.#running === running) return;
      await running.done;
    }
  }

  /**
   * Runs a turn. `prepare` may take its time, as hooks do; what it returns adds the prompt or the request to the chat.
   * Stop ends both. `keepsQuestions`: the turn goes on with the questions that a closed window has left open.
   */
  async run(prepare: (signal: AbortSignal) => Promise<(turn: Turn) => void>, keepsQuestions = false): Promise<TurnEnd> {
    const { deps, state, prompts, planOffer } = this.#parts;
    const done = deferred<void>();
    const ready = deferred<void>();
    const abort = new AbortController();
    const running: Running = { abort, wake: undefined, done: done.promise, ready: ready.promise, closed: false };
    this.#running = running;
    let end: TurnEnd | undefined;
    let turn: Turn | undefined;
    let lock: HeldLock | undefined;
    try {
      const runID = newID("run");
      lock = await this.#acquire(runID, abort.signal);
      lock.lost.addEventListener("abort", () => abort.abort(new Stopped("elsewhere")));
      this.#begin(lock, keepsQuestions);
      await prompts.beginHooks(abort.signal);
      const start = await prepare(abort.signal);
      planOffer.withdraw();
      state.resolver.begin();
      state.takeQueued();
      turn = createTurn(runID, running, deps, state);
      start(turn);
      prompts.storeSaid();
      this.hasBegun = true;
      state.budget.begin(costOfSession(state.chat));
      ready.resolve();
      end = await runTurn(turn);
      return end;
    } finally {
      // Its clock must not outlive it.
      turn?.close();
      lock?.release();
      this.#running = undefined;
      this.lastEnd = end?.reason ?? this.lastEnd;
      if (end?.reason === "end_turn" && this.mayAsk) planOffer.offer();
      ready.resolve();
      done.resolve();
      if (end?.reason === "end_turn") this.#parts.onDone();
    }
  }

  /** Changes the record while no other process does. @throws IntakeError `session-locked` */
  async locked(change: () => void, timeout = this.#parts.deps.limits().queueTimeoutMs): Promise<void> {
    const { deps, closing } = this.#parts;
    await this.#running?.ready;
    const lock = this.#running ? undefined : await deps.lock.acquire(newID("run"), timeout, closing);
    try {
      if (lock) this.#begin(lock, true);
      change();
      deps.recorder.flush();
    } finally {
      lock?.release();
    }
  }

  /** Applies events of another process without recording them. */
  catchUp(happened: readonly ChatEvent[]): void {
    const { events, planOffer } = this.#parts;
    if (happened.length > 0) planOffer.withdraw();
    for (const event of happened) events.apply(event);
  }

  retryNow(): void {
    this.#running?.wake?.();
  }

  /** Ends the turn and all commands. */
  async endAll(by: StopCause): Promise<void> {
    this.#running?.abort.abort(new Stopped(by));
    await Promise.all([this.#running?.done, this.#parts.deps.host.background.endAll(by)]);
  }

  /** Applies events of other processes and closes the calls that they left open, questions only if they are not kept. @throws RecordError */
  #begin(lock: HeldLock, keepsQuestions: boolean): void {
    const { deps, state } = this.#parts;
    this.catchUp(lock.caughtUp);
    const kept = keepsQuestions && deps.attended ? waitingCalls(state.chat) : [];
    const wasBrokenOff = closeOpenCalls(state, interrupted, kept);
    if (wasBrokenOff) markSession(state, killed());
    deps.recorder.flush();
  }

  async #acquire(runID: string, signal: AbortSignal): Promise<HeldLock> {
    const { lock, limits } = this.#parts.deps;
    try {
      return await lock.acquire(runID, limits().queueTimeoutMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new IntakeError("session-locked", msg("Stopped while another process was still working in this session."));
    }
  }
}
