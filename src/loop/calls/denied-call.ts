/** Calls that are denied: what the model and the user are told, and whether the turn goes on. */
import { denialWords } from "../../chat/call-words.ts";
import type { CallEnd } from "./call-in-progress.ts";

export interface DeniedCall {
  type: "denied";
  error: string;
  /** For people. */
  words: string;
  by: "user" | "others";
  end: CallEnd;
}

/** Returns the denial of a call by the user; without `words` it ends the turn (T7). */
export function refusedByUser(words: string): DeniedCall {
  const said = words.trim();
  const denial = { type: "denied", words: denialWords(said), by: "user" } as const;
  if (said !== "") return { ...denial, error: `The user refused this call and says: ${said}`, end: "continue" };
  const error = "The user refused this call and stopped the turn.";
  return { ...denial, error, end: { reason: "blocked", error: undefined } };
}

/** Returns the denial of a call by a rule, a hook or the mode: the model may choose another way. */
export function notAllowed(why: string): DeniedCall {
  const error = `Not allowed: ${why} Choose another way, or tell the user what you would need.`;
  return { type: "denied", error, words: why.replace("A hook of the user", "A hook"), by: "others", end: "continue" };
}
