/**
 * Reviews of texts that a file had and may have again: after a stash, a switch of branches, or a restore. A review is
 * recognized by its text. Pure.
 */
import { withoutSpaces } from "./alignment.ts";
import type { FileReview, ReviewState } from "./file-review.ts";
import { accept, baseText, type Changes, currentText, isMixed, newLines, oldLines } from "./hunks.ts";
import type { LineHunk } from "./line-diff.ts";

export interface PastReview {
  state: ReviewState;
  changes: Changes;
}

/** Texts of one file, and characters of all. */
const maxTexts = 8;
const maxChars = 32 << 20;

/** Line endings do not count: git changes them. A file that is gone has no text. */
type TextKey = string | undefined;

export class PastReviews {
  /** By URI, oldest first. */
  readonly #files = new Map<string, Map<TextKey, PastReview>>();
  #chars = 0;
  /** Number of changes, to tell whether there was one. */
  changes = 0;

  has(uri: string): boolean {
    return this.#files.has(uri);
  }

  /** The files that have reviews. */
  uris(): Iterable<string> {
    return this.#files.keys();
  }

  /** Remembers the review, which is about to lose its text. A decided one is forgotten. */
  keep(uri: string, file: FileReview): void {
    const { state, changes } = file;
    const text = textOf({ state, changes });
    this.drop(uri, text);
    if (file.isOpen) this.#add(uri, { state, changes });
  }

  /** Returns and forgets the review of this text. */
  take(uri: string, text: string | undefined): PastReview | undefined {
    const found = this.#files.get(uri)?.get(keyOf(text));
    if (found) this.drop(uri, text);
    return found;
  }

  /** Returns the review that was kept last. */
  last(uri: string): PastReview | undefined {
    return this.of(uri).at(-1);
  }

  drop(uri: string, text: string | undefined): void {
    const texts = this.#files.get(uri);
    const old = texts?.get(keyOf(text));
    if (!texts || !old) return;
    this.changes++;
    this.#chars -= charsOf(old);
    texts.delete(keyOf(text));
    if (texts.size === 0) this.#files.delete(uri);
  }

  /** The same change is accepted in all texts. */
  accepted(uri: string, lines: AcceptedLines): void {
    for (const [key, past] of [...(this.#files.get(uri) ?? [])]) {
      const left = withoutAccepted(past.changes, lines);
      if (left === past.changes) continue;
      const text = textOf(past);
      if (left.hunks.length === 0 && past.state.type === "changed") this.drop(uri, text);
      else this.#replace(uri, key, past, { ...past, changes: left });
    }
  }

  #replace(uri: string, key: TextKey, old: PastReview, review: PastReview): void {
    this.#files.get(uri)?.set(key, review);
    this.changes++;
    this.#chars += charsOf(review) - charsOf(old);
  }

  /** Adds a review that another window kept. */
  add(uri: string, { state, changes }: PastReview): void {
    this.drop(uri, textOf({ state, changes }));
    this.#add(uri, { state, changes });
  }

  /** Returns the reviews of a file, oldest first. */
  of(uri: string): PastReview[] {
    return [...(this.#files.get(uri)?.values() ?? [])];
  }

  *entries(): Generator<[uri: string, review: PastReview]> {
    for (const [uri, texts] of this.#files) for (const review of texts.values()) yield [uri, review];
  }

  #add(uri: string, review: PastReview): void {
    const texts = this.#files.get(uri) ?? new Map<TextKey, PastReview>();
    // The file that changed last comes last.
    this.#files.delete(uri);
    this.#files.set(uri, texts);
    texts.set(keyOf(textOf(review)), review);
    this.changes++;
    this.#chars += charsOf(review);
    if (texts.size > maxTexts) this.#dropOldest(uri);
    for (const [other] of this.#files) {
      if (this.#chars <= maxChars) return;
      while (this.#chars > maxChars && this.#files.has(other)) this.#dropOldest(other);
    }
  }

  #dropOldest(uri: string): void {
    const [oldest] = this.#files.get(uri)?.values() ?? [];
    if (oldest) this.drop(uri, textOf(oldest));
  }
}

/** The lines of accepted hunks without their spaces, by which the same change is known in another text. */
export interface AcceptedLines {
  fresh: ReadonlySet<string>;
  old: ReadonlySet<string>;
}

export function acceptedLines(changes: Changes, hunks: readonly LineHunk[]): AcceptedLines {
  const [fresh, old] = [new Set<string>(), new Set<string>()];
  for (const hunk of hunks) {
    for (const line of newLines(changes, hunk)) fresh.add(withoutSpaces(line));
    for (const line of agentsLines(changes, hunk)) fresh.add(withoutSpaces(line));
    for (const line of oldLines(changes, hunk)) old.add(withoutSpaces(line));
  }
  return { fresh, old };
}

/** Returns what the agent wrote in a hunk: the user may have changed it meanwhile, and added to it. */
function agentsLines(changes: Changes, hunk: LineHunk): string[] {
  const former = new Set(oldLines(changes, hunk));
  return newLines(changes, hunk).flatMap((line, at) => {
    const mark = changes.marks[hunk.start + at];
    if (mark === "mine") return [];
    // Lines that the user has replaced together with the agent's are old ones.
    return isMixed(mark) ? mark.agent.filter((agents) => !former.has(agents)) : [line];
  });
}

/** Returns the changes with the hunks accepted that were accepted elsewhere. */
export function withoutAccepted(changes: Changes, { fresh, old }: AcceptedLines): Changes {
  const isAccepted = (hunk: LineHunk) => {
    const lines = agentsLines(changes, hunk);
    return lines.length > 0
      ? lines.every((line) => fresh.has(withoutSpaces(line)))
      : oldLines(changes, hunk).every((line) => old.has(withoutSpaces(line)));
  };
  return changes.hunks.reduceRight((now, hunk, index) => (isAccepted(hunk) ? accept(now, index) : now), changes);
}

const keyOf = (text: string | undefined): TextKey => text?.replaceAll(/\r\n?/g, "\n");
/** Returns the text that the file has in a review; undefined: there is no file. */
export const textOf = ({ state, changes }: PastReview): string | undefined =>
  state.type === "deleted" ? undefined : currentText(changes);
const charsOf = ({ changes }: PastReview): number => baseText(changes).length + currentText(changes).length;
