/** Calls that are denied: what the model and the user are told, and whether the turn goes on. */
import { denialWords } from "../../chat/call-words.ts";
import { english, msg } from "../../l10n/l10n.ts";
import { hookSays } from "./call-hooks.ts";
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
  if (said !== "")
    return { ...denial, error: english(`The user refused this call and says: ${said}`), end: "continue" };
  const error = english("The user refused this call and stopped the turn.");
  return { ...denial, error, end: { reason: "blocked", error: undefined } };
}

/** Returns the denial of a call by a rule, a hook or the mode: the model may choose another way. */
export function notAllowed(why: string): DeniedCall {
  const error = english(`Not allowed: ${why} Choose another way, or tell the user what you would need.`);
  return { type: "denied", error, words: hookWords(why) ?? why, by: "others", end: "continue" };
}

/** Returns what people read where a hook has denied a call: it is their hook, and the model has to be told so. */
function hookWords(why: string): string | undefined {
  if (why === hookSays("")) return msg("A hook does not allow it.");
  const said = /^A hook of the user says: "(.*)"\.?$/s.exec(why)?.[1];
  return said === undefined ? undefined : msg("A hook says: “{0}”", said);
}
