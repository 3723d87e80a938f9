/** Begins the turns of prompts that wait in the queue while no turn runs, or that are to interrupt the one that does (Q2). */

import type { Chat } from "../../chat/apply.ts";
import { IntakeError } from "./intake-error.ts";
import { forNextStep, type PromptQueue } from "./prompt-queue.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { SessionPrompts } from "./session-prompts.ts";
import type { SessionTurns } from "./session-turns.ts";

interface WaitingParts {
  chat: Chat;
  deps: Pick<SessionDeps, "sendsWaiting" | "log">;
  queue: PromptQueue;
  prompts: Pick<SessionPrompts, "takeFirst">;
  turns: Pick<SessionTurns, "isRunning" | "run" | "endAll" | "waitForCurrent">;
  /** Prepares the session for a turn. @throws IntakeError if it has ended for good */
  prepare(): Promise<void>;
  /** Aborted when the session closes. */
  closing: AbortSignal;
}

export class WaitingPrompts {
  readonly #parts: WaitingParts;

  constructor(parts: WaitingParts) {
    this.#parts = parts;
  }

  /**
   * Interrupts the turn and begins a new one with the queued prompts for the next step, or else with the first of the
   * others. `first`: id of the prompt that goes before all. Does nothing when it, or any, is no longer queued.
   * @throws IntakeError
   */
  async sendNow(first?: string): Promise<void> {
    const { queue, turns, prepare } = this.#parts;
    const isGone = () => queue.isEmpty || (first !== undefined && !queue.has(first));
    if (isGone()) return;
    await prepare();
    await turns.endAll("user");
    await turns.waitForCurrent();
    if (turns.isRunning || isGone()) return;
    if (first !== undefined) await queue.putFirst(first);
    if (!turns.isRunning && !queue.isEmpty) await this.#run();
  }

  /** Begins a turn with the first prompt that waits for the end of one, unless a plan waits for its answer. */
  async sendDue(): Promise<void> {
    const { chat, deps, queue, turns, prepare, closing } = this.#parts;
    const isDue = () => deps.sendsWaiting && !turns.isRunning && !queue.isEmpty && chat.requests.length === 0;
    if (!isDue() || closing.aborted) return;
    try {
      await prepare();
      if (isDue()) await this.#run();
    } catch (error) {
      // It stays in the queue: another window has been faster, or the session has ended for good.
      if (!(error instanceof IntakeError)) deps.log.bug(error);
    }
  }

  async #run(): Promise<void> {
    const { chat, prompts, turns } = this.#parts;
    await turns.run(async () => {
      const isOwnTurn = forNextStep(chat).length === 0;
      return () => isOwnTurn && prompts.takeFirst();
    });
  }
}
