/** Takes the prompts of a session: checks them, lets hooks add to them, and stores them in its chat. */

import { newID } from "../../base/ids.ts";
import type { Chat } from "../../chat/apply.ts";
import type { ChatEvent, Queued } from "../../chat/events.ts";
import type { PromptInput } from "../../chat/prompt-input.ts";
import { msg } from "../../l10n/l10n.ts";
import { pendingPrompt } from "../context/context.ts";
import type { Choices, ConfigResolver } from "../setup/agent-config.ts";
import { checkPrompt, storePrompt } from "./intake.ts";
import { IntakeError } from "./intake-error.ts";
import { forNextStep, type PromptQueue } from "./prompt-queue.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { SessionHooks } from "./session-hooks.ts";
import { markSession } from "./termination.ts";

interface PromptParts {
  chat: Chat;
  choices: Choices;
  deps: Pick<SessionDeps, "limits" | "facts">;
  resolver: ConfigResolver;
  hooks: SessionHooks;
  queue: PromptQueue;
  emit(event: ChatEvent): void;
  /** Aborted when the session closes. */
  closing: AbortSignal;
}

export class SessionPrompts {
  readonly #parts: PromptParts;

  constructor(parts: PromptParts) {
    this.#parts = parts;
  }

  /** @throws IntakeError */
  check(input: PromptInput): void {
    const { chat, choices, deps, resolver, closing } = this.#parts;
    if (closing.aborted) {
      throw new IntakeError("session-terminated", msg("This session is closed. Start a new one."));
    }
    checkPrompt(input, { chat, choices, agents: resolver.project.agents, limits: deps.limits() });
  }

  /** Runs SessionStart hooks, if none has run yet. */
  async beginHooks(signal: AbortSignal): Promise<void> {
    const { chat, hooks, resolver } = this.#parts;
    const source = chat.messages.length > 0 ? "resume" : "startup";
    if (await hooks.begin(source, signal)) resolver.refresh();
  }

  /** @throws IntakeError if its agent no longer exists */
  store(input: Omit<PromptInput, "noReply">): void {
    const { chat, choices, deps, resolver, emit } = this.#parts;
    const { agents } = resolver.project;
    markSession({ chat, emit }, undefined);
    storePrompt(input, { chat, choices, agents, facts: deps.facts, emit });
    this.storeSaid();
  }

  /** Adds what SessionStart hooks have said to the newest prompt. */
  storeSaid(): void {
    const { chat, hooks, emit } = this.#parts;
    const { user } = pendingPrompt(chat);
    if (!user) return;
    for (const part of hooks.takeSaid()) {
      const base = { id: newID("prt"), sessionID: user.sessionID, messageID: user.id };
      emit({ type: "part", part: { ...part, ...base } });
    }
  }

  /** Takes the prompts that wait for the next step. */
  takeQueued(): void {
    this.#take(forNextStep(this.#parts.chat));
  }

  /** Takes the first prompt of the queue, to begin a turn with it. */
  takeFirst(): void {
    this.#take(this.#parts.chat.queue.slice(0, 1));
  }

  #take(taken: readonly Queued[]): void {
    const { queue, resolver } = this.#parts;
    if (taken.length === 0) return;
    resolver.refresh();
    queue.take(taken, resolver.project.agents, (input) => this.store(input));
  }
}
