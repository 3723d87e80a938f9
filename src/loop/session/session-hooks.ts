/** Runs the user's hooks for a session: at its start, for each prompt, and at its end (K4). */

import type { PromptInput } from "../../chat/prompt-input.ts";
import { ownWords } from "../../chat/words.ts";
import { msg } from "../../l10n/l10n.ts";
import type { HookOutcome, Hooks } from "../hooks.ts";
import { IntakeError } from "./intake-error.ts";

/** A closing editor waits no longer than this. */
const sessionEndTimeoutMs = 2_000;

type HookPart = ReturnType<typeof partsOf>[number];

/** SessionStart runs before all other hooks, SessionEnd after them, each at most once. */
export class SessionHooks {
  readonly #hooks: Hooks;
  #begun: Promise<void> | undefined;
  /** What SessionStart hooks have said, until a message takes it. */
  #said: HookPart[] = [];

  constructor(hooks: Hooks) {
    this.#hooks = hooks;
  }

  /** @returns whether a SessionStart hook ran now: it may have changed the project's files */
  async begin(source: "startup" | "resume", signal: AbortSignal): Promise<boolean> {
    const isFirst = this.#begun === undefined && this.#hooks.has("SessionStart");
    this.#begun ??= this.#start(source, signal);
    await this.#begun;
    return isFirst;
  }

  /** Returns the prompt with the additions of hooks. @throws IntakeError if they block it */
  async submit(input: PromptInput, signal: AbortSignal): Promise<PromptInput> {
    if (!this.#hooks.has("UserPromptSubmit")) return input;
    const outcome = await this.#hooks.fire("UserPromptSubmit", undefined, { prompt: ownWords(input.parts) }, signal);
    if (outcome.decision === "deny" || outcome.stop !== undefined) {
      const why = outcome.reason || outcome.stop || msg("It gave no reason.");
      throw new IntakeError("prompt-invalid", msg("A hook blocked the message: {0}", why));
    }
    return { ...input, parts: [...input.parts, ...partsOf(outcome)] };
  }

  /** Returns the additions of SessionStart hooks, which belong to the first message that is stored. */
  takeSaid(): HookPart[] {
    return this.#said.splice(0);
  }

  /** `reason`: how the last turn ended. Does nothing if the session never began. */
  async end(reason: string): Promise<void> {
    if (!this.#begun) return;
    await this.#begun;
    await this.#hooks.fire("SessionEnd", reason, { reason }, AbortSignal.timeout(sessionEndTimeoutMs));
  }

  async #start(source: string, signal: AbortSignal): Promise<void> {
    if (!this.#hooks.has("SessionStart")) return;
    this.#said = partsOf(await this.#hooks.fire("SessionStart", source, { source }, signal));
  }
}

/** Returns the text of hooks as parts of a prompt: for the model, and for the user. */
function partsOf({ additionalContext, messages }: HookOutcome) {
  return [
    ...additionalContext.map((text) => ({ type: "text" as const, text, synthetic: true })),
    ...messages.map((text) => ({ type: "text" as const, text, ignored: true })),
  ];
}
