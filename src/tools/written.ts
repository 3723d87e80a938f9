/** What is said about files that changed, before a write and after it. */
import { compare, inContext } from "./diff.ts";

export function staleSentence(path: string): string {
  return `${path} has changed since it was read: read it again, then repeat the change.`;
}

/** Empty when the file holds what was written. */
export function formatterNote(written: string, now: string): string {
  const expected = written.startsWith("\ufeff") ? written.slice(1) : written;
  const hunks = compare(expected, now);
  if (hunks.length === 0) return "";
  return `\nThe editor changed it on save (a formatter, perhaps). These lines are other than what was written; they read now:\n${inContext(hunks, 100)}`;
}
