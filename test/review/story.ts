/**
 * A file that many change while it is under review, against a model that knows whose each line is: each line begins with
 * a word of its own.
 */
import assert from "node:assert/strict";
import { type DecidedFile, decisionsFrom, storedDecisions, takenBack } from "../../src/review/decisions.ts";
import type { TextEdit } from "../../src/review/edits.ts";
import { FileReview } from "../../src/review/file-review.ts";
import { currentText, isMixed, rejectAll } from "../../src/review/hunks.ts";
import { splitLines } from "../../src/review/line-diff.ts";
import { acceptedLines, PastReviews } from "../../src/review/past-reviews.ts";
import { reviewOf, storedReview } from "../../src/review/stored-review.ts";
import { isSameText, Shelf } from "./shelf.ts";
import { checkReview } from "./story-check.ts";
import {
  backTo,
  copyOf,
  decideFates,
  type Fate,
  type Fates,
  type Moment,
  removeByAgent,
  settle,
  wordsOf,
} from "./story-fates.ts";
import { marksByWord, type Row, rowFrom, textOf, wordOf, words } from "./story-rows.ts";
import { UndoStack } from "./undo-stack.ts";

const uri = "file:///a";
/** Number of texts of a file whose reviews are kept. */
const maxTexts = 8;

/** A file with its review, and the model of both. */
export class Story {
  review: FileReview;
  rows: Row[];
  ending = "\n";
  indent = "";
  semicolon = "";
  fates: Fates = new Map();
  #next = 0;
  #stack: UndoStack;
  #past = new PastReviews();
  #kept = 0;
  #commit: Row[];
  #shelf = new Shelf();
  /** A line of the former text that someone has written again may be there twice when a decision is taken back. */
  #mayRepeat = false;
  #decisions: { decided: DecidedFile; fates: Fates }[] = [];

  constructor(lines: number) {
    this.rows = Array.from({ length: lines }, () => this.#fresh("user"));
    this.review = FileReview.begin(this.text);
    this.#stack = new UndoStack(this.#moment());
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
    this.rows = rows;
    const tookOver = removeByAgent(this.fates, new Set(rows.map(({ word }) => word)));
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
    if (this.text !== old) this.#stack.push(this.#moment());
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
      this.#stack.push(this.#moment());
    }
  }

  decide(action: "accept" | "reject", index: number | undefined, mixed: "keep" | "drop"): void {
    const { changes, state } = this.review;
    if (changes.hunks.length === 0) return;
    const before = copyOf(this.fates);
    const at = index === undefined ? undefined : index % changes.hunks.length;
    const hunks = at === undefined ? changes.hunks : changes.hunks.slice(at, at + 1);
    const concerned = wordsOf(hunks, changes);
    decideFates(this.fates, { action, mixed, ...concerned });
    if (action === "accept") {
      this.review.accept(at);
      this.#stack.invalidate(this.#moment());
    } else {
      const outcome = this.review.without(at, mixed);
      const left = new Set(outcome.base.map(wordOf));
      for (const [word, fate] of this.fates) if (fate.gone === "no" && !left.has(word)) fate.gone = "user";
      this.#adopt(currentText(outcome));
      this.review.rejected(outcome);
      this.#stack.push(this.#moment());
    }
    const decided = {
      ...{ uri, action, state, hunk: at, before: changes },
      outcome: this.review.changes,
      isDeleted: false,
    };
    this.#decisions.push({ decided, fates: before });
    if (action === "accept") {
      this.#past.accepted(uri, acceptedLines(changes, hunks));
      this.#shelf.decided(concerned);
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
      settle(this.fates, this.review.changes, (word) => fates.get(word)?.owner === "agent");
    }
    // A line that the user has made of the agent's stays or goes as he says.
    const left = new Set((["keep", "drop"] as const).flatMap((mixed) => words(currentText(rejectAll(changes, mixed)))));
    // A reject that is taken back removes lines again which it had brought back; they are in the former text then.
    for (const [word] of mine)
      assert.ok(left.has(word), `the user's ${word} is lost with a decision that is taken back`);
    if (old !== this.text) {
      this.#stack.push(this.#moment());
      return;
    }
    this.#stack.invalidate(this.#moment());
    this.#shelf.forgetUnreviewed();
  }

  undo(): void {
    this.#walk("undone");
  }

  redo(): void {
    this.#walk("redone");
  }

  #walk(way: "undone" | "redone"): void {
    const moment = this.#stack.go(way);
    if (!moment) return;
    const edits = [this.#everything(this.rows.length, moment.rows)];
    this.rows = [...moment.rows];
    this.review[way](edits, this.text);
    this.#readStyle();
    if (moment.isValid) {
      this.fates = backTo(moment.fates, this.fates);
    } else {
      settle(this.fates, this.review.changes, () => false);
      this.#stack.renew(this.#moment());
    }
  }

  commit(): void {
    this.#commit = [...this.rows];
  }

  /** A switch of branches or a stash: the committed text takes the place of this one. */
  leave(): void {
    this.#shelf.put(this.#moment(), this.review.changes, this.#kept);
    this.#fromDisk(this.#commit, true);
  }

  /** A switch to another branch, on which others have replaced some of the committed lines. */
  checkout(at: number, cut: number, put: number): void {
    this.#shelf.put(this.#moment(), this.review.changes, this.#kept);
    const style = this.#commit[0] ?? { indent: "", semicolon: "", ending: "\n" };
    const fresh = Array.from({ length: put }, () => ({ ...style, word: this.#fresh("user").word, typed: "" }));
    // Nobody can tell whether a removed line that stands on the other branch is the one of the former text.
    this.#mayRepeat ||= this.#commit.some(({ word }) => this.#fate(word).gone === "agent");
    this.#fromDisk(this.#commit.toSpliced(at % (this.#commit.length + 1), cut, ...fresh), true);
  }

  /** The text that left last comes back. */
  comeBack(): void {
    const shelved = this.#shelf.take();
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

  #closed(): void {
    this.#shelf.forgetUnreviewed();
    this.#stack = new UndoStack(this.#moment());
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
      settle(this.fates, this.review.changes, () => isKnown);
    }
    this.#stack.push(this.#moment());
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
    this.#stack.push(this.#moment());
  }

  check(): void {
    this.#shelf.see(this.text);
    checkReview(this.review.changes, {
      text: this.text,
      rows: this.rows,
      fates: this.fates,
      mayRepeat: this.#mayRepeat,
    });
  }
}
