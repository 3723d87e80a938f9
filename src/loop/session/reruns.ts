/** Begins the turns that answer again, or further, what was said before: no prompt begins them. */

import { msg } from "../../l10n/l10n.ts";
import { waitingCalls } from "../calls/close-calls.ts";
import { pendingPrompt } from "../context/context.ts";
import { addSyntheticMessage } from "../context/synthetic-message.ts";
import { modelOf } from "../setup/agent-config.ts";
import { reminders } from "../setup/system-prompt.ts";
import type { Turn } from "../turn.ts";
import type { SessionState } from "./create-turn.ts";
import { IntakeError } from "./intake-error.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { SessionTurns } from "./session-turns.ts";
import { markSession } from "./termination.ts";

interface RerunParts {
  deps: Pick<SessionDeps, "facts" | "log">;
  state: SessionState;
  turns: Pick<SessionTurns, "isRunning" | "mayAsk" | "run" | "waitForCurrent">;
  /** Prepares the session for a turn. @throws IntakeError if it has ended for good */
  prepare(): Promise<void>;
  /** Rewinds to before a message. @throws IntakeError while a turn runs */
  rewind(messageID: string): Promise<void>;
}

export class Reruns {
  readonly #parts: RerunParts;

  constructor(parts: RerunParts) {
    this.#parts = parts;
  }

  /** Answers the newest user message again after an error. Does nothing while a turn runs. @throws IntakeError */
  async tryAgain(): Promise<void> {
    await this.#run(() => {});
  }

  /**
   * Goes back to a user message and answers it again: what came after it is set aside, as by a rewind.
   * @throws IntakeError while a turn runs, or for a message that is not the user's
   */
  async answerAgain(messageID: string): Promise<void> {
    const { state, turns, rewind } = this.#parts;
    await turns.waitForCurrent();
    const { messages } = state.chat;
    const at = messages.findIndex(({ info }) => info.id === messageID);
    if (messages[at]?.info.role !== "user")
      throw new IntakeError("prompt-invalid", msg("Only a message of yours can be answered again."));
    const next = messages[at + 1];
    if (next) await rewind(next.info.id);
    await this.tryAgain();
  }

  /** Goes on with a turn that was broken off. Does nothing while a turn runs. @throws IntakeError */
  async continueTurn(): Promise<void> {
    const { chat } = this.#parts.state;
    await this.#run((turn) => {
      const { user } = pendingPrompt(chat);
      // A prompt without any reply is answered as it stands.
      if (user && chat.messages.at(-1)?.info.role === "assistant") {
        addSyntheticMessage(turn, user, reminders.brokenOff);
      }
    });
  }

  /** Goes on with a turn that waited for the user when its window was closed: the question opens again. */
  askAgain(): void {
    const { deps, state, turns } = this.#parts;
    if (turns.isRunning || !turns.mayAsk || waitingCalls(state.chat).length === 0) return;
    turns
      .run(async () => () => markSession(state, undefined), true)
      .catch((error: unknown) => {
        // Another window has been faster, and asks.
        if (!(error instanceof IntakeError)) deps.log.bug(error);
      });
  }

  /** Runs a turn that answers what was said before, by the model that is chosen now. Does nothing while a turn runs. */
  async #run(begin: (turn: Turn) => void): Promise<void> {
    const { state, turns, prepare } = this.#parts;
    await turns.waitForCurrent();
    if (turns.isRunning || state.chat.messages.length === 0) return;
    await prepare();
    if (turns.isRunning) return;
    await turns.run(async () => (turn) => {
      this.#answerAsChosen();
      begin(turn);
      markSession(state, undefined);
    });
  }

  /** A message that is answered again is answered by the model that is chosen now, not by the one of its first answer. */
  #answerAsChosen(): void {
    const { deps, state } = this.#parts;
    const { user } = pendingPrompt(state.chat);
    const agents = state.resolver.project.agents.all();
    // An agent that is gone is what the turn then ends with.
    const agent = agents.find(({ name }) => name === user?.agent);
    if (agent) state.resolver.choose(modelOf(agent, state.choices.model, deps.facts));
  }
}
