/** What people read where a call's result is written for the model. */
import { english, localized, msg } from "../l10n/l10n.ts";

/** From the offset `at` on, the result is written for the model; people read `text` in its place. */
export interface CallWords {
  at: number;
  text: string;
}

/** Shown where nothing may be written or run; with it, the panel offers to trust the workspace. */
export const untrustedWords = msg(
  "This workspace is not trusted, so nothing is written or run in it. Reading and searching work.",
);

/** Returns the result as people read it. Records of 0.4.0 and before have no words of their own for people. */
export function wordsForPeople(result: string, words: CallWords | undefined): string {
  if (words) return `${result.slice(0, words.at)}${localized(words.text)}`.trim();
  for (const [start, people] of oldWords) if (result.startsWith(start)) return localized(people);
  return result;
}

const oldWords = [
  [english("The user refused this call and stopped the turn."), msg("You denied this.")],
  [english("The user refused this call and says: "), msg("You denied this, with words.")],
  [english("old_string was not found in "), msg("The text was not found; the model tries again.")],
  [
    english("Interrupted: Rondo was closed while this ran."),
    msg("Rondo was closed while this ran. It may have taken effect in part."),
  ],
  [english("Tool execution aborted"), msg("Stopped.")],
] as const;

/** What people read about a call that they have denied. */
export function denialWords(words: string): string {
  return words === "" ? msg("You denied this.") : msg("You denied this: “{0}”", words);
}
