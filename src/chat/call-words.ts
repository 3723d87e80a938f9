/** What people read where a call's result is written for the model. */

/** From the offset `at` on, the result is written for the model; people read `text` in its place. */
export interface CallWords {
  at: number;
  text: string;
}

/** Shown where nothing may be written or run; with it, the panel offers to trust the workspace. */
export const untrustedWords =
  "This workspace is not trusted, so nothing is written or run in it. Reading and searching work.";

/** Returns the result as people read it. Records of 0.4.0 and before have no words of their own for people. */
export function wordsForPeople(result: string, words: CallWords | undefined): string {
  if (words) return `${result.slice(0, words.at)}${words.text}`.trim();
  for (const [start, people] of oldWords) if (result.startsWith(start)) return people;
  return result;
}

const oldWords = [
  ["The user refused this call and stopped the turn.", "You denied this."],
  ["The user refused this call and says: ", "You denied this, with words."],
  ["old_string was not found in ", "The text was not found; the model tries again."],
  [
    "Interrupted: Rondo was closed while this ran.",
    "Rondo was closed while this ran. It may have taken effect in part.",
  ],
  ["Tool execution aborted", "Stopped."],
] as const;

/** What people read about a call that they have denied. */
export function denialWords(words: string): string {
  return words === "" ? "You denied this." : `You denied this: “${words}”`;
}
