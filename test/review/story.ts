/**
 * A file that many change while it is under review, against a model that knows whose each line is: each line begins with
 * a word of its own.
 */
import assert from "node:assert/strict";
import { type DecidedFile, decisionsFrom, storedDecisions, takenBack } from "../../src/review/decisions.ts";
import type { TextEdit } from "../../src/review/edits.ts";
import { FileReview } from "../../src/review/file-review.ts";
import { type Changes, currentText, isMixed, rejectAll } from "../../src/review/hunks.ts";
import { splitLines } from "../../src/review/line-diff.ts";
import { PastReviews } from "../../src/review/past-reviews.ts";
import { reviewOf, storedReview } from "../../src/review/stored-review.ts";
import { checkReview } from "./story-check.ts";
import {
  backTo,
  copyOf,
  type Fate,
  type Fates,
  marksByWord,
  type Row,
  rowFrom,
  textOf,
  wordOf,
  words,
} from "./story-rows.ts";

/** The rows at some time, and what was known of all words. */
interface Moment {
  rows: Row[];
  fates: Fates;
}

/** A text that a switch of branches or a stash has taken away. */
interface Shelved extends Moment {
  changes: Changes;
  /** Number of texts that had been put away before. */
  kept: number;
  /** Whether the text has been there since, or its review cannot be known any more. */
  wasBack: boolean;
}

const uri = "file:///a";
/** Number of texts of a file whose reviews are kept. */
const maxTexts = 8;

/** Whether two texts differ at most in their line endings. */
const isSameText = (a: string, b: string): boolean => a.replaceAll("\r\n", "\n") === b.replaceAll("\r\n", "\n");

/** A file with its review, and the model of both. */
export class Story {
  review: FileReview;
  rows: Row[];
  ending = "\n";
  indent = "";
  semicolon = "";
  fates: Fates = new Map();
  #next = 0;
  /** The editor's undo stack. `isValid`: the review knows the text, with these fates. */
  #stack: (Moment & { isValid: boolean })[];
  #at = 0;
  #past = new PastReviews();
  #kept = 0;
  #commit: Row[];
  #shelf: Shelved[] = [];
  /** A line of the former text that someone has written again may be there twice when a decision is taken back. */
  #mayRepeat = false;
  #decisions: { decided: DecidedFile; fates: Fates }[] = [];

  constructor(lines: number) {
    this.rows = Array.from({ length: lines }, () => this.#fresh("user"));
    this.review = FileReview.begin(this.text);
    this.#stack = [{ ...this.#moment(), isValid: true }];
    this.#commit = [...this.rows];
  }

  get text(): string {
    return textOf(this.rows);
  }

  #moment(): Moment {
    return { rows: [...this.rows], fates: copyOf(this.fates) };
  }

  #fresh(owner: "user" | "agent"): Row {
    const word = `${owner === "user" ? "u" : "a"}${this.#next++}`;
    this.fates.set(word, { owner, isMixed: false, gone: "no" });
    return { indent: this.indent, ending: this.ending, word, typed: "", semicolon: this.semicolon };
  }

  #fate(word: string): Fate {
    const fate = this.fates.get(word);
    assert.ok(fate, `unknown: ${word}`);
    return fate;
  }

  /** The text has changed in the editor, which can undo it. */
  #pushed(): void {
    this.#stack.splice(this.#at + 1);
    this.#stack.push({ ...this.#moment(), isValid: true });
    this.#at = this.#stack.length - 1;
  }

  /** The text is the same, but the review has changed. */
  #invalidated(): void {
    for (const moment of this.#stack) moment.isValid = false;
    this.#stack[this.#at] = { ...this.#moment(), isValid: true };
  }

  /** The agent replaces lines by its own, at several places at once. */
  agent(places: readonly { at: number; cut: number; put: number }[]): void {
    const rows = [...this.rows];
    for (const { at, cut, put } of places) {
      const fresh = Array.from({ length: put }, () => this.#fresh("agent"));
      rows.splice(at % (rows.length + 1), cut, ...fresh);
    }
    this.#agentWrote(rows);
  }

  /**
   * A command of the agent does the same to many lines, as `sed` does: gives them another first word, deletes them, or
   * puts a line of its own below each.
   */
  sed(first: number, every: number, what: "replace" | "delete" | "append"): void {
    const isMeant = (at: number) => at >= first && (at - first) % (every + 1) === 0;
    const rows = this.rows.flatMap((row, at) => {
      if (!isMeant(at)) return [row];
      if (what === "delete") return [];
      const fresh = this.#fresh("agent");
      return what === "append" ? [row, fresh] : [{ ...row, word: fresh.word }];
    });
    this.#agentWrote(rows);
  }

  #agentWrote(rows: Row[]): void {
    const old = this.text;
    const left = new Set(rows.map(({ word }) => word));
    this.rows = rows;
    let tookOver = false;
    for (const [word, fate] of this.fates) {
      if (fate.gone !== "no" || left.has(word)) continue;
      // What the user has made of the agent's line is the user's when the agent removes it.
      tookOver ||= fate.isMixed;
      if (fate.isMixed) Object.assign(fate, { owner: "user", isMixed: false });
      fate.gone = fate.owner === "user" ? "agent" : "user";
    }
    const formerBase = new Set(this.review.changes.base.map(wordOf));
    this.review.agentWrote(this.text);
    // It then stands in place of the line that the agent had replaced first.
    const base = new Set(this.review.changes.base.map(wordOf));
    const marks = marksByWord(this.review.changes);
    for (const [word, fate] of this.fates) {
      if (!tookOver || base.has(word)) continue;
      if (fate.gone === "agent") fate.gone = "user";
      // The replaced line may be there once more, brought by another branch in the place of the agent's.
      else if (formerBase.has(word) && fate.gone === "no" && marks.has(word))
        Object.assign(fate, { owner: "agent", isMixed: isMixed(marks.get(word)) });
    }
    if (this.text !== old) this.#pushed();
  }

  /** The user puts new lines in the place of some. */
  user(at: number, cut: number, put: number, how: "typed" | "whole" | "disk"): void {
    const from = at % (this.rows.length + 1);
    const [count, before] = [Math.min(cut, this.rows.length - from), this.rows.length];
    if (count + put === 0) return;
    const fresh = Array.from({ length: put }, () => this.#fresh("user"));
    if (how === "disk") {
      this.#fromDisk(this.rows.toSpliced(from, count, ...fresh));
      return;
    }
    const isShared = put > 0 && count > 0 && this.#touchesAgent(from, count);
    for (const { word } of this.rows.splice(from, count, ...fresh)) this.#fate(word).gone = "user";
    // New lines in the place of the agent's are theirs both.
    if (isShared) for (const { word } of fresh) this.#fate(word).isMixed = true;
    const text = textOf(fresh);
    const edit = { startLine: from, startCharacter: 0, endLine: from + count, endCharacter: 0, text };
    this.#typed(how === "whole" ? this.#everything(before) : edit);
  }

  /** Whether lines of the agent are among these, or lines that it has removed between them. */
  #touchesAgent(from: number, count: number): boolean {
    const { pieces } = this.review.changes;
    return pieces.some(({ start, count: lines }) => start < from + count && start + lines > from);
  }

  /** The user types at the end of a line. */
  type(at: number, isWhole: boolean): void {
    const row = this.rows[at % Math.max(1, this.rows.length)];
    if (!row) return;
    const line = this.rows.indexOf(row);
    const startCharacter = (row.indent + row.word + row.typed).length;
    const text = ` t${this.#next++}`;
    this.rows[line] = { ...row, typed: row.typed + text };
    const fate = this.#fate(row.word);
    if (fate.owner === "agent") fate.isMixed = true;
    const edit = { startLine: line, startCharacter, endLine: line, endCharacter: startCharacter, text };
    this.#typed(isWhole ? this.#everything(this.rows.length) : edit);
  }

  /** A program writes all lines again: with other line endings, indented, or with semicolons. */
  rewrite(what: "ending" | "indent" | "semicolon", author: "user" | "formatter" | "disk"): void {
    const { length } = this.rows;
    if (what === "ending") this.ending = this.ending === "\n" ? "\r\n" : "\n";
    else if (what === "indent") this.indent = this.indent === "" ? "  " : "";
    // Only a formatter's change of words is nobody's.
    else if (author === "formatter") this.semicolon = this.semicolon === "" ? ";" : "";
    const rows = this.rows.map((row) => ({ ...row, [what]: this[what] }));
    if (textOf(rows) === this.text) return;
    if (author === "disk") {
      this.#fromDisk(rows);
      return;
    }
    // A text may have come together from a formatted part and another one.
    for (const [at, { word, semicolon }] of this.rows.entries()) {
      const fate = this.#fate(word);
      if (author === "user" && fate.owner === "agent" && semicolon !== rows[at]?.semicolon) fate.isMixed = true;
    }
    this.rows = rows;
    // An editor names no lines when all endings change.
    if (author === "user") this.#typed(what === "ending" ? undefined : this.#everything(length));
    else {
      this.review.formatted(what === "ending" ? [] : [this.#everything(length)], this.text);
      this.#pushed();
    }
  }

  decide(action: "accept" | "reject", index: number | undefined, mixed: "keep" | "drop"): void {
    const { changes, state } = this.review;
    if (changes.hunks.length === 0) return;
    const before = copyOf(this.fates);
    const at = index === undefined ? undefined : index % changes.hunks.length;
    const hunks = at === undefined ? changes.hunks : changes.hunks.slice(at, at + 1);
    const inBase = (word: string) => hunks.some((hunk) => baseWords(hunk).includes(word));
    const baseWords = (hunk: (typeof hunks)[number]) =>
      changes.base.slice(hunk.baseStart, hunk.baseStart + hunk.baseCount).map(wordOf);
    const inText = new Set(hunks.flatMap(({ start, count }) => changes.text.slice(start, start + count).map(wordOf)));
    for (const [word, fate] of this.fates) {
      if (action === "accept") {
        if (inText.has(word)) Object.assign(fate, { owner: "user", isMixed: false });
        else if (fate.gone === "agent" && inBase(word)) fate.gone = "user";
      } else if (inText.has(word) && (fate.owner === "agent" || fate.isMixed)) {
        const isKept = fate.isMixed && mixed === "keep";
        Object.assign(fate, isKept ? { owner: "user", isMixed: false } : { gone: "user" });
      } else if (fate.gone === "agent" && inBase(word)) fate.gone = "no";
    }
    if (action === "accept") {
      this.review.accept(at);
      this.#invalidated();
    } else {
      const outcome = this.review.without(at, mixed);
      const left = new Set(outcome.base.map(wordOf));
      for (const [word, fate] of this.fates) if (fate.gone === "no" && !left.has(word)) fate.gone = "user";
      this.#adopt(currentText(outcome));
      this.review.rejected(outcome);
      this.#pushed();
    }
    const decided = {
      ...{ uri, action, state, hunk: at, before: changes },
      outcome: this.review.changes,
      isDeleted: false,
    };
    this.#decisions.push({ decided, fates: before });
    if (action === "accept") {
      this.#past.accepted(uri, changes, hunks);
      // The same change is not to be decided again.
      for (const shelved of this.#shelf) shelved.wasBack ||= shelved.rows.some(({ word }) => inText.has(word));
      for (const shelved of this.#shelf) shelved.wasBack ||= shelved.changes.base.some((line) => inBase(wordOf(line)));
    }
    if (!this.review.isOpen) this.#past.drop(uri, this.text);
  }

  /** Takes the last decision back. */
  undoDecision(): void {
    const last = this.#decisions.pop();
    if (!last) return;
    const { decided, fates } = last;
    const now = this.review.changes;
    const changes = takenBack(decided, now);
    const mine = [...this.fates].filter(([word, { owner, gone }]) => {
      return owner === "user" && gone !== "user" && fates.get(word)?.owner !== "agent";
    });
    const old = this.text;
    this.#adopt(currentText(changes));
    this.review.reopened(decided.state, changes);
    const isPlain = changes === decided.before;
    if (isPlain) this.fates = backTo(fates, this.fates);
    else {
      this.#mayRepeat ||= changes !== now;
      this.#settle((word) => fates.get(word)?.owner === "agent");
    }
    // A line that the user has made of the agent's stays or goes as he says.
    const left = new Set((["keep", "drop"] as const).flatMap((mixed) => words(currentText(rejectAll(changes, mixed)))));
    // A reject that is taken back removes lines again which it had brought back; they are in the former text then.
    for (const [word] of mine)
      assert.ok(left.has(word), `the user's ${word} is lost with a decision that is taken back`);
    if (old !== this.text) {
      this.#pushed();
      return;
    }
    this.#invalidated();
    this.#forgetUnreviewed();
  }

  undo(): void {
    const moment = this.#stack[this.#at - 1];
    if (moment) this.#walk(moment, this.#at - 1);
  }

  redo(): void {
    const moment = this.#stack[this.#at + 1];
    if (moment) this.#walk(moment, this.#at + 1);
  }

  #walk(moment: Moment & { isValid: boolean }, to: number): void {
    const edits = [this.#everything(this.rows.length, moment.rows)];
    this.rows = [...moment.rows];
    if (to < this.#at) this.review.undone(edits, this.text);
    else this.review.redone(edits, this.text);
    this.#at = to;
    this.#readStyle();
    if (moment.isValid) {
      this.fates = backTo(moment.fates, this.fates);
    } else {
      this.#settle(() => false);
      this.#stack[to] = { ...this.#moment(), isValid: true };
    }
  }

  commit(): void {
    this.#commit = [...this.rows];
  }

  /** A switch of branches or a stash: the committed text takes the place of this one. */
  leave(): void {
    this.#shelf.push({ ...this.#moment(), changes: this.review.changes, kept: this.#kept, wasBack: false });
    this.#fromDisk(this.#commit, true);
  }

  /** A switch to another branch, on which others have replaced some of the committed lines. */
  checkout(at: number, cut: number, put: number): void {
    this.#shelf.push({ ...this.#moment(), changes: this.review.changes, kept: this.#kept, wasBack: false });
    const style = this.#commit[0] ?? { indent: "", semicolon: "", ending: "\n" };
    const fresh = Array.from({ length: put }, () => ({ ...style, word: this.#fresh("user").word, typed: "" }));
    // Nobody can tell whether a removed line that stands on the other branch is the one of the former text.
    this.#mayRepeat ||= this.#commit.some(({ word }) => this.#fate(word).gone === "agent");
    this.#fromDisk(this.#commit.toSpliced(at % (this.#commit.length + 1), cut, ...fresh), true);
  }

  /** The text that left last comes back. */
  comeBack(): void {
    const shelved = this.#shelf.pop();
    if (!shelved || textOf(shelved.rows) === this.text) return;
    const { changes, fates, kept } = shelved;
    const isKept = !shelved.wasBack && this.#kept - kept < maxTexts;
    this.#fromDisk(shelved.rows, true, isKept ? fates : undefined);
    if (isKept)
      assert.deepEqual(storedReview(uri, this.review), storedReview(uri, new FileReview(this.review.state, changes)));
  }

  /** The file is gone for a moment, as on a branch that does not have it. */
  vanish(): void {
    this.#past.keep(uri, this.review);
    this.#kept++;
    this.#reloadPast();
    const past = this.#past.take(uri, this.text);
    assert.equal(past !== undefined, this.review.isOpen);
    this.review = past ? new FileReview(past.state, past.changes) : FileReview.begin(this.text);
    this.#closed();
  }

  reload(): void {
    this.review = reviewOf(JSON.parse(JSON.stringify(storedReview(uri, this.review))));
    this.#reloadPast();
    this.#decisions = this.#decisions.map(({ decided, fates }) => {
      const [stored] = decisionsFrom(JSON.parse(JSON.stringify(storedDecisions([decided]))));
      assert.ok(stored);
      return { decided: stored, fates };
    });
    this.#closed();
  }

  #reloadPast(): void {
    const stored = [...this.#past.entries()].map(([key, { state, changes }]) =>
      JSON.stringify(storedReview(key, new FileReview(state, changes))),
    );
    this.#past = new PastReviews();
    for (const one of stored) this.#past.add(uri, reviewOf(JSON.parse(one)));
  }

  /** A text of which nothing was under review is known only as long as the history of the review holds. */
  #forgetUnreviewed(): void {
    for (const shelved of this.#shelf) shelved.wasBack ||= shelved.changes.hunks.length === 0;
  }

  #closed(): void {
    this.#forgetUnreviewed();
    this.#stack = [{ ...this.#moment(), isValid: true }];
    this.#at = 0;
  }

  /** Another program has written the file. @param fates what is known of the words in a text that was there before */
  #fromDisk(rows: readonly Row[], isKnown = false, fates?: Fates): void {
    if (textOf(rows) === this.text) return;
    const gone = this.rows;
    const isSame = isSameText(textOf(rows), this.text);
    this.rows = [...rows];
    this.#readStyle();
    if (!isSame) {
      this.#past.keep(uri, this.review);
      this.#kept++;
      const past = this.#past.take(uri, this.text);
      if (past) this.review.reopened(past.state, past.changes);
      else this.review.replaced([], this.text);
    }
    this.review.relined(this.text);
    if (fates) this.fates = backTo(fates, this.fates);
    else {
      if (!isKnown)
        for (const { word } of gone) if (!rows.some((row) => row.word === word)) this.#fate(word).gone = "user";
      this.#settle(() => isKnown);
    }
    this.#pushed();
  }

  /**
   * Takes over what the review says of lines that the model does not predict one by one. What was the user's stays so.
   * @param mayReturn whether a word can be the agent's again
   */
  #settle(mayReturn: (word: string) => boolean): void {
    const { base, text } = this.review.changes;
    const fresh = marksByWord(this.review.changes);
    const [inBase, inText] = [new Set(base.map(wordOf)), new Set(text.map(wordOf))];
    for (const [word, fate] of this.fates) {
      // A removed line that is back with other spaces is in both.
      if (fresh.has(word) && !inBase.has(word)) {
        const isShared = isMixed(fresh.get(word));
        assert.ok(isShared || fate.owner === "agent" || mayReturn(word), `${word} is the agent's again`);
        Object.assign(fate, { owner: isShared ? fate.owner : "agent", isMixed: isShared, gone: "no" });
      } else if (inBase.has(word)) {
        Object.assign(fate, { owner: "user", isMixed: false, gone: inText.has(word) ? "no" : "agent" });
      } else fate.gone = "user";
    }
  }

  /** Takes the lines over that a decision leaves, which the model does not predict one by one. */
  #adopt(text: string): void {
    this.rows = splitLines(text).map((line) => {
      const row = rowFrom(line);
      this.#fate(row.word).gone = "no";
      return row;
    });
    this.#readStyle();
  }

  /** New lines are like those that are there. */
  #readStyle(): void {
    const [first] = this.rows;
    if (first) ({ indent: this.indent, semicolon: this.semicolon } = first);
    if (first?.ending) this.ending = first.ending;
  }

  #everything(lines: number, rows = this.rows): TextEdit {
    return { startLine: 0, startCharacter: 0, endLine: lines, endCharacter: 0, text: textOf(rows) };
  }

  #typed(edit: TextEdit | undefined): void {
    this.review.userEdited(edit ? [edit] : [], this.text);
    this.#pushed();
  }

  check(): void {
    for (const shelved of this.#shelf) shelved.wasBack ||= isSameText(textOf(shelved.rows), this.text);
    checkReview(this.review.changes, {
      text: this.text,
      rows: this.rows,
      fates: this.fates,
      mayRepeat: this.#mayRepeat,
    });
  }
}
