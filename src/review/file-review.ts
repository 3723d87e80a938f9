/** Review of one file. Follows every change of its text; makes none itself. */
import * as z from "zod/mini";
import { areAlike, withoutSpaces, wordsOf } from "./alignment.ts";
import { type Author, becomes, edited, type TextEdit, withEnding } from "./edits.ts";
import {
  accept,
  acceptAll,
  append,
  baseText,
  type Changes,
  type ConflictChoice,
  commonEnding,
  currentText,
  endingOfLine,
  hunksAt,
  isEnded,
  type MixedLines,
  newLines,
  oldLines,
  reject,
  rejectAll,
  unchanged,
} from "./hunks.ts";
import { differences, hasWords, type LineHunk, splitLines } from "./line-diff.ts";
import { endingOf, isText, linesAfter, linesOf, type NewText } from "./live-text.ts";
import { type Arrival, UndoHistory } from "./undo-history.ts";

/** The encoding of a file whose texts under review have not all had the same one, or that was not read to the byte. */
export const noEncoding = "";

/**
 * The encoding (VS Code's name) in which the text under review and the one before it have their bytes, or `noEncoding`.
 * Undefined: only tools have written the file, which keep its encoding.
 */
const bytes = { encoding: z.optional(z.string()) };

/** What the agent has done to the file as a whole. Its text is under review in each case. */
export const ReviewState = z.discriminatedUnion("type", [
  z.object({ type: z.literal("changed"), ...bytes }),
  /** Rejecting everything deletes the file, and those of its folders (URIs) that the agent has made and nobody uses. */
  z.object({ type: z.literal("created"), folders: z._default(z.array(z.string()), []), ...bytes }),
  /** The file is gone. Rejecting writes it again. */
  z.object({ type: z.literal("deleted"), ...bytes }),
  /** Rejecting everything moves the file back. `from`: its former URI. */
  z.object({ type: z.literal("moved"), from: z.string(), ...bytes }),
]);
export type ReviewState = z.infer<typeof ReviewState>;

/** A text that a review has had. */
export type ReviewMoment = UndoHistory["present"];

export class FileReview {
  #state: ReviewState;
  #changes: Changes;
  readonly #history: UndoHistory;

  constructor(state: ReviewState, changes: Changes) {
    this.#state = state;
    this.#changes = changes;
    this.#history = new UndoHistory(changes);
  }

  /**
   * Begins a review before the agent's first change. `before` is undefined for a new file.
   * @param folders those that the agent makes for it
   */
  static begin(before: string | undefined, folders: string[] = []): FileReview {
    return new FileReview(
      before === undefined ? { type: "created", folders } : { type: "changed" },
      unchanged(before ?? ""),
    );
  }

  get state(): ReviewState {
    return this.#state;
  }

  get changes(): Changes {
    return this.#changes;
  }

  /** Whether something waits for a decision: a hunk, or the file as a whole, which may be empty. */
  get isOpen(): boolean {
    return this.#changes.hunks.length > 0 || this.#state.type !== "changed";
  }

  /** Tells in which encoding the file had its bytes before and after a change of the agent, which follows or is known. */
  hadEncoding(encoding: string): void {
    const known = this.isOpen ? this.#state.encoding : undefined;
    this.#state = { ...this.#state, encoding: known === undefined || known === encoding ? encoding : noEncoding };
  }

  agentWrote(text: string): void {
    // The agent has written a deleted file again.
    if (this.#state.type === "deleted") this.#state = { ...this.#state, type: "changed" };
    if (text === currentText(this.#changes)) return;
    this.#changes = becomes(this.#changes, text, "agent");
    this.#history.push(this.#changes, "opens");
  }

  /** @returns false if nothing is left to review, since the agent had created the file */
  agentDeleted(): boolean {
    if (this.#state.type === "created" && baseText(this.#changes) === "") return false;
    this.agentWrote("");
    this.#state = { ...encodingIn(this.#state), type: "deleted" };
    return true;
  }

  /** `to` is the new URI. A created file stays one, and a file that is back at its first place is not moved. */
  agentMoved(from: string, to: string): void {
    const known = encodingIn(this.#state);
    if (this.#state.type === "changed" || this.#state.type === "deleted")
      this.#state = { ...known, type: "moved", from };
    else if (this.#state.type === "moved" && this.#state.from === to) this.#state = { ...known, type: "changed" };
  }

  /** A formatter has rewritten the text, as part of the agent's write. */
  formatted(edits: readonly TextEdit[], text: NewText): void {
    this.#take(edits, text, "formatter");
    this.#history.push(this.#changes, "plain");
  }

  /** Takes a change during a save, as formatters make it. A change of words is the user's, who may type meanwhile. */
  saving(edits: readonly TextEdit[], text: NewText): void {
    const old = this.#changes.text;
    const lines = linesAfter(old, edits, text);
    if (wordsOf(old.join("")) === wordsOf(lines.join(""))) this.formatted(edits, text);
    else this.userEdited(edits, text);
  }

  get moment(): ReviewMoment {
    return this.#history.present;
  }

  /**
   * What was taken for edits of the user since then were a formatter's, as far back as no word has changed. Returns
   * whether the review has changed.
   */
  formattedSince(moment: ReviewMoment): boolean {
    const changes = this.#history.formattedSince(moment, (before, lines) => becomes(before, lines, "formatter"));
    if (changes) this.#changes = changes;
    return changes !== undefined;
  }

  /** `text` is the result. It counts where the edits do not lead to it. */
  userEdited(edits: readonly TextEdit[], text: NewText): void {
    const before = this.#changes;
    // The user has written a deleted file again.
    if (this.#state.type === "deleted") this.#state = { ...this.#state, type: "changed" };
    this.#take(edits, text, "user");
    this.#pushEdit(before, edits);
  }

  #pushEdit(before: Changes, edits: readonly TextEdit[]): void {
    if (this.#changes === before) return;
    const isClosed = sizeOf(this.#changes) < sizeOf(before);
    this.#history.push(this.#changes, isClosed ? "closes" : edits.length === 1 && isTyped(edits) ? "typed" : "plain");
  }

  /** Takes a text that another program has written. */
  replaced(edits: readonly TextEdit[], text: NewText): void {
    const before = this.#changes;
    const lines = linesOf(text);
    const known = this.#history.known(lines);
    if (known && this.#state.type !== "deleted") {
      this.#changes = known;
      this.#pushEdit(before, edits);
      return;
    }
    if (!known) this.#changes = withoutLost(before, lines);
    this.userEdited(edits, text);
  }

  /** Takes a text that differs at most in its line endings. If all of them have changed, that is nobody's change. */
  relined(text: string): void {
    const [ending, old] = [commonEnding(splitLines(text)), commonEnding(this.#changes.text)];
    if (ending === undefined || old === undefined || ending === old) return;
    this.#changes = withEnding(this.#changes, ending);
    this.#history.push(this.#changes, "plain");
  }

  undone(edits: readonly TextEdit[], text: NewText): void {
    const lines = linesAfter(this.#changes.text, edits, text);
    this.#arrive(this.#history.undo(lines), edits, text);
  }

  redone(edits: readonly TextEdit[], text: NewText): void {
    const lines = linesAfter(this.#changes.text, edits, text);
    this.#arrive(this.#history.redo(lines), edits, text);
  }

  /** Accepts a hunk, or everything. */
  accept(index: number | undefined): void {
    const lines = hunksAt(this.#changes, index).flatMap((hunk) => newLines(this.#changes, hunk));
    this.#changes = index === undefined ? acceptAll(this.#changes) : accept(this.#changes, index);
    // The present bytes are the former ones of what comes next.
    if (index === undefined || !this.isOpen) this.#state = { type: "changed" };
    this.#history.accepted(this.#changes, lines);
  }

  /** Returns the result of an accept in which the agent's lines come back where the user has changed them. `resolved` follows. */
  chosen(index: number | undefined, choice: ConflictChoice): Changes {
    return index === undefined ? acceptAll(this.#changes, choice) : accept(this.#changes, index, choice);
  }

  /** Returns the result of a reject. The review changes when `rejected` reports that the file has that text. */
  without(index: number | undefined, mixed: MixedLines = "drop"): Changes {
    return index === undefined ? rejectAll(this.#changes, mixed) : reject(this.#changes, index, mixed);
  }

  rejected(outcome: Changes): void {
    this.resolved(outcome);
  }

  /** The file has the text of `chosen`. Like a reject it is one step of the document's undo stack. */
  resolved(outcome: Changes): void {
    this.#changes = outcome;
    this.#history.push(outcome, "closes", true);
  }

  /** The file on disk has the present text. */
  saved(): void {
    this.#history.saved();
  }

  /** The file as a whole is as before: moved back, or written again. */
  restored(): void {
    this.#state = { type: "changed" };
  }

  /** A decision was taken back. */
  reopened(state: ReviewState, changes: Changes): void {
    const isText = currentText(changes) === currentText(this.#changes);
    this.#state = state;
    this.#changes = changes;
    if (isText) this.#history.renewed(changes);
    else this.#history.push(changes, "opens");
  }

  /** Another window has told what is under review in this text. */
  followed(state: ReviewState, changes: Changes): void {
    const left = new Set(agentsLines(changes));
    const accepted = agentsLines(this.#changes).filter((line) => !left.has(line));
    this.#state = state;
    this.#changes = changes;
    this.#history.renewed(changes, accepted);
  }

  #arrive(arrival: Arrival, edits: readonly TextEdit[], text: NewText): void {
    if (arrival.type === "known") {
      this.#changes = arrival.changes;
      return;
    }
    const { text: old } = this.#changes;
    const lines = linesAfter(old, edits, text);
    const isReview = arrival.type === "review";
    const mine = isReview ? withReturned(old, lines, arrival.isAgents) : withoutReturned(old, lines, arrival.isAgents);
    if (!isReview && mine.length === lines.length) this.#take(edits, text, "user");
    else {
      this.#changes = becomes(this.#changes, mine, "user");
      this.#changes = becomes(this.#changes, lines, "agent");
    }
    this.#history.arrived(this.#changes);
  }

  #take(edits: readonly TextEdit[], text: NewText, author: Author): void {
    if (typeof text !== "string" && !hasEnding(this.#changes.text, text.ending)) {
      this.#changes = withEnding(this.#changes, text.ending);
    }
    const exact = edits.reduce((now, edit) => edited(now, edit, author), this.#changes);
    const isExact = edits.length > 0 && isText(exact.text, edits, text);
    if (isExact && edits.every(({ startLine, endLine }) => endLine - startLine <= maxTypedLines)) {
      this.#changes = exact;
      return;
    }
    const lines = isExact ? exact.text : linesOf(text);
    // A checkout or a stash may bring back a text that was under review.
    const known = author === "user" ? this.#history.known(lines) : undefined;
    this.#changes = known ?? (isExact ? exact : this.#whole(lines, text, author));
  }

  #whole(lines: readonly string[], text: NewText, author: Author): Changes {
    const ending = author === "agent" ? undefined : endingOf(text, lines);
    const { base, text: old } = this.#changes;
    const isSame = ending === undefined || (old.length > 0 ? old : base).every((line) => hasEnding([line], ending));
    return becomes(isSame ? this.#changes : withEnding(this.#changes, ending), lines, author);
  }
}

const encodingIn = ({ encoding }: ReviewState): Pick<ReviewState, "encoding"> =>
  encoding === undefined ? {} : { encoding };

const agentsLines = (changes: Changes): string[] =>
  changes.pieces.flatMap((piece) => newLines(changes, piece)).filter((line) => line.trim() !== "");

/** Number of lines that are under review. */
const sizeOf = ({ pieces }: Changes): number =>
  pieces.reduce((sum, { baseCount, count }) => sum + baseCount + count, 0);

/** Returns the old lines together with the new ones that are not the agent's, or in their place. */
function withReturned(old: readonly string[], fresh: readonly string[], isAgents: (line: number) => boolean): string[] {
  const lines: string[] = [];
  let from = 0;
  for (const { baseStart, baseCount, start, count } of differences(old, fresh)) {
    const returned = fresh.slice(start, start + count).filter((_, at) => !isAgents(start + at));
    const isReplaced = count > 0 && returned.length === count;
    append(lines, old.slice(from, isReplaced ? baseStart : baseStart + baseCount));
    append(lines, returned);
    from = baseStart + baseCount;
  }
  append(lines, old.slice(from));
  return lines;
}

/** Returns the new lines without those of the agent that were not there. */
function withoutReturned(
  old: readonly string[],
  fresh: readonly string[],
  isAgents: (line: number) => boolean,
): readonly string[] {
  const returned = new Set<number>();
  for (const { start, count } of differences(old, fresh)) {
    for (let line = start; line < start + count; line++) if (isAgents(line)) returned.add(line);
  }
  return fresh.filter((_, line) => !returned.has(line));
}

/** An edit of more lines may be a program's, which has read the file again. */
const maxTypedLines = 20;

const isTyped = (edits: readonly TextEdit[]): boolean =>
  edits.every(({ startLine, endLine, text }) => startLine === endLine && !/[\r\n]/.test(text));

/** Whether the first line that has an ending has this one. */
function hasEnding(lines: readonly string[], ending: string): boolean {
  const first = lines[0];
  return first === undefined || !isEnded(first) || endingOfLine(first) === ending;
}

// Tells which hunks are gone when another program has replaced the text: after a switch of branches, for example. Pure.

/**
 * Ends the hunks of which nothing is left in `lines`. What stands there now is not the agent's, so it must not be taken
 * for its change, which a reject would replace with lines of another branch. A line that was only formatted is left.
 */
function withoutLost(changes: Changes, lines: readonly string[]): Changes {
  const edits = differences(changes.text, lines);
  return changes.hunks.reduceRight(
    (now, hunk, index) => (isLost(hunk, changes, edits, lines) ? accept(now, index) : now),
    changes,
  );
}

function isLost(hunk: LineHunk, changes: Changes, edits: readonly LineHunk[], lines: readonly string[]): boolean {
  const { text } = changes;
  const end = hunk.start + hunk.count;
  if (hunk.count === 0 && edits.some((edit) => isReplaced(hunk, edit, changes, lines))) return true;
  const touching = edits.filter(({ baseStart, baseCount }) =>
    hunk.count > 0
      ? baseStart < end && baseStart + baseCount > hunk.start
      : (baseStart < hunk.start && baseStart + baseCount > hunk.start) || isAll(baseCount, text),
  );
  if (touching.length === 0) return false;
  const kept = Array.from({ length: hunk.count }, (_, at) => hunk.start + at).some(
    (line) => !touching.some(({ baseStart, baseCount }) => line >= baseStart && line < baseStart + baseCount),
  );
  if (kept) return false;
  const fresh = new Set(touching.flatMap(({ start, count }) => lines.slice(start, start + count)).map(wordsOf));
  return !text.slice(hunk.start, end).some((line) => wordsOf(line) !== "" && fresh.has(wordsOf(line)));
}

/** Whether nothing is left of the text: then nothing tells, either, where at its edges lines had been removed. */
const isAll = (count: number, text: readonly string[]): boolean => count > 0 && count === text.length;

/** Whether other lines stand now where the agent has removed some, or some of these beside others. */
function isReplaced(hunk: LineHunk, edit: LineHunk, changes: Changes, lines: readonly string[]): boolean {
  const { baseStart, baseCount, start, count } = edit;
  if (baseStart > hunk.start || baseStart + baseCount < hunk.start) return false;
  const old = oldLines(changes, hunk).filter(hasWords);
  const fresh = lines.slice(start, start + count).filter(hasWords);
  const [oldWords, freshWords] = [old.map(wordsOf), fresh.map(wordsOf)];
  // On another branch a removed line may stand in another version.
  if (baseCount > 0) return freshWords.some((words) => oldWords.some((one) => areVersions(one, words)));
  // All of them are back, perhaps formatted.
  if (freshWords.join("\n") === oldWords.join("\n")) return fresh.length > 0;
  const kept = new Set(old.map(withoutSpaces));
  return fresh.some((line) => !kept.has(withoutSpaces(line)));
}

const areVersions = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a) || areAlike(a, b);
