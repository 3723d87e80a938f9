/** The texts of a `Story` that a switch of branches or a stash has taken away, and whether their reviews can be known. */
import type { Changes } from "../../src/review/hunks.ts";
import type { HunkWords, Moment } from "./story-fates.ts";
import { textOf, wordOf } from "./story-rows.ts";

/** A text that a switch of branches or a stash has taken away. */
interface Shelved extends Moment {
  changes: Changes;
  /** Number of texts that had been put away before. */
  kept: number;
  /** Whether the text has been there since, or its review cannot be known any more. */
  wasBack: boolean;
}

/** Whether two texts differ at most in their line endings. */
export const isSameText = (a: string, b: string): boolean => a.replaceAll("\r\n", "\n") === b.replaceAll("\r\n", "\n");

export class Shelf {
  #texts: Shelved[] = [];

  put(moment: Moment, changes: Changes, kept: number): void {
    this.#texts.push({ ...moment, changes, kept, wasBack: false });
  }

  /** Returns the text that was put away last. */
  take(): Shelved | undefined {
    return this.#texts.pop();
  }

  /** What was accepted is not to be decided again when it comes back. */
  decided({ inText, inBase }: HunkWords): void {
    for (const shelved of this.#texts) {
      const { rows, changes } = shelved;
      shelved.wasBack ||= rows.some(({ word }) => inText.has(word));
      shelved.wasBack ||= changes.base.some((line) => inBase.has(wordOf(line)));
    }
  }

  /** A text of which nothing was under review is known only as long as the history of the review holds. */
  forgetUnreviewed(): void {
    for (const shelved of this.#texts) shelved.wasBack ||= shelved.changes.hunks.length === 0;
  }

  /** This text is there now. */
  see(text: string): void {
    for (const shelved of this.#texts) shelved.wasBack ||= isSameText(textOf(shelved.rows), text);
  }
}
