/** Runs the user's hooks at the start of a session, for each prompt, and at the end (K4). */
import { newID } from "../../chat/ids.ts";
import type { PromptInput } from "../../chat/prompt-input.ts";
import { ownWords } from "../../chat/words.ts";
import { pendingPrompt } from "../context/context.ts";
import type { HookOutcome, Hooks } from "../hooks.ts";
import type { ChatAccess } from "../turn.ts";
import { IntakeError } from "./intake-error.ts";

/** A closing editor waits no longer than this. */
const sessionEndTimeoutMs = 2_000;

/** Returns the prompt with the additions of hooks. @throws IntakeError if they block it */
export async function runPromptHooks(hooks: Hooks, input: PromptInput, signal: AbortSignal): Promise<PromptInput> {
  if (!hooks.has("UserPromptSubmit")) return input;
  const outcome = await hooks.fire("UserPromptSubmit", undefined, { prompt: ownWords(input.parts) }, signal);
  if (outcome.decision === "deny" || outcome.stop !== undefined) {
    const why = outcome.reason || outcome.stop || "It gave no reason.";
    throw new IntakeError("prompt-invalid", `A hook blocked the message: ${why}`);
  }
  return { ...input, parts: [...input.parts, ...partsOf(outcome)] };
}

/** Call it when the first prompt is stored, which gets the additions of hooks. */
export async function runSessionStartHooks(turn: ChatAccess & { hooks: Hooks }): Promise<void> {
  const { user } = pendingPrompt(turn.chat);
  if (!user || !turn.hooks.has("SessionStart")) return;
  const source = turn.chat.messages.length > 1 ? "resume" : "startup";
  const outcome = await turn.hooks.fire("SessionStart", source, { source }, turn.signal);
  for (const part of partsOf(outcome)) {
    const base = { id: newID("prt"), sessionID: user.sessionID, messageID: user.id };
    turn.emit({ type: "part", part: { ...part, ...base } });
  }
}

export async function runSessionEndHooks(hooks: Hooks): Promise<void> {
  await hooks.fire("SessionEnd", "other", { reason: "other" }, AbortSignal.timeout(sessionEndTimeoutMs));
}

/** Returns the text of hooks as parts of a prompt: for the model, and for the user. */
function partsOf({ additionalContext, messages }: HookOutcome) {
  return [
    ...additionalContext.map((text) => ({ type: "text" as const, text, synthetic: true })),
    ...messages.map((text) => ({ type: "text" as const, text, ignored: true })),
  ];
}
