/** Windows on one folder, with one file, its disk, and what they share: each window gets the text at another time. */
import assert from "node:assert/strict";
import { type DecidedFile, decisionsFrom, storedDecisions, takenBack } from "../../src/review/decisions.ts";
import { FileReview } from "../../src/review/file-review.ts";
import {
  type Changes,
  currentText,
  end,
  hunksAt,
  isMixed,
  newLines,
  rejectAll,
  unchanged,
} from "../../src/review/hunks.ts";
import { splitLines } from "../../src/review/line-diff.ts";
import { acceptedLines, type PastReview, PastReviews } from "../../src/review/past-reviews.ts";
import { SharedFile, type SharedReview } from "../../src/review/shared-reviews.ts";
import { storedReview } from "../../src/review/stored-review.ts";
import { readShare, storedShare } from "../../src/review/stored-shares.ts";

const uri = "file:///a";
const wordOf = (line: string): string => line.trim().split(" ")[0] ?? "";

/** Words of lines, with what all windows must know of them. */
type Fate = "open" | "accepted" | "any";

export class Folder {
  disk: string;
  /** As it is on disk. */
  #share: string | undefined;
  readonly #log: string[] = [];
  /** What became of the agent's words. `any`: a decision on them was taken back, or did not hold for the text on disk. */
  readonly fates = new Map<string, Fate>();
  readonly windows: EditorWindow[];
  #next = 0;
  #ids = 0;

  constructor(lines: number, windows: number) {
    this.disk = this.fresh("u", lines);
    this.windows = Array.from({ length: windows }, () => new EditorWindow(this));
  }

  fresh(owner: "u" | "a", count: number): string {
    return Array.from({ length: count }, () => `${owner}${this.#next++}\n`).join("");
  }

  typed = (): string => ` t${this.#next++}`;
  id = (): string => `id${this.#ids++}`;

  get shared() {
    return this.#share === undefined ? undefined : readShare(JSON.parse(this.#share))?.shared;
  }

  /** Whether the review of this text is shared as the present one. */
  isPresent(text: string): boolean {
    const present = this.shared?.present;
    return present?.type === "open" && currentText(present.review.changes) === text;
  }

  share(shared: Parameters<typeof storedShare>[1]): void {
    this.#share = JSON.stringify(storedShare(uri, shared));
  }

  push(decided: DecidedFile): void {
    this.#log.push(JSON.stringify(storedDecisions([decided])));
  }

  pop(): DecidedFile | undefined {
    const last = this.#log.pop();
    return last === undefined ? undefined : decisionsFrom(JSON.parse(last))[0];
  }

  /** All events have arrived, and nothing is unsaved: a window whose file has changed on disk gives its changes up. */
  settle(): void {
    for (const window of this.windows) window.saveOrRevert();
    for (let rounds = 0; rounds < 3; rounds++) {
      for (const window of this.windows) {
        window.arrive();
        window.tell();
        window.take();
      }
    }
  }

  check(): void {
    for (const window of this.windows) window.check();
  }

  /** What holds when all events have arrived. */
  checkSettled(): void {
    const [first] = this.windows;
    assert.ok(first);
    for (const window of this.windows) {
      assert.equal(window.text, this.disk);
      assert.deepEqual(window.stored(), first.stored(), "the windows know different things");
      const open = window.openWords();
      for (const line of splitLines(this.disk)) {
        const fate = this.fates.get(wordOf(line));
        if (fate === "open") assert.ok(open.has(wordOf(line)), `${wordOf(line)} is not under review any more`);
        if (fate === "accepted") assert.ok(!open.has(wordOf(line)), `${wordOf(line)} is under review again`);
      }
    }
  }
}

export class EditorWindow {
  readonly #folder: Folder;
  text: string;
  #isDirty = false;
  /** The text on disk when the document was read or saved last. */
  #read: string;
  file: FileReview | undefined;
  #past = new PastReviews();
  #share: SharedFile;

  constructor(folder: Folder) {
    this.#folder = folder;
    this.text = folder.disk;
    this.#read = folder.disk;
    this.#share = new SharedFile(uri, this.#past, folder.id);
  }

  /** A reload, or a kill: what was not told is gone. An editor keeps unsaved text. */
  restart(how: "reload" | "kill"): void {
    if (how === "reload") this.tell();
    // Only the window itself knew how its unsaved text came about.
    else if (this.#isDirty) this.#decide(splitLines(this.text), "any");
    this.file = undefined;
    this.#past = new PastReviews();
    this.#share = new SharedFile(uri, this.#past, this.#folder.id);
    if (!this.#isDirty) this.text = this.#read = this.#folder.disk;
    this.take();
  }

  /** VS Code reports what is on disk. */
  arrive(): void {
    this.take();
    if (this.#isDirty || this.text === this.#folder.disk) return;
    this.text = this.#read = this.#folder.disk;
    this.#look();
  }

  /** Compares the review with the present text, as a window does that has no event of a change. */
  #look(): void {
    const { file } = this;
    if (!file) {
      const past = this.#takePast();
      if (past) this.file = new FileReview(past.state, past.changes);
      if (past) this.#share.knows("disk");
      return;
    }
    if (currentText(file.changes) === this.text) return;
    this.#past.keep(uri, file);
    const past = this.#takePast();
    if (past) file.reopened(past.state, past.changes);
    else {
      file.replaced([], this.text);
      if (this.#share.isEnded(this.text)) file.followed({ type: "changed" }, unchanged(this.text));
    }
    this.#share.knows("disk");
  }

  #takePast(): PastReview | undefined {
    const past = this.#past.take(uri, this.text);
    if (past) this.#undecide(past.changes);
    return past;
  }

  /** Takes over what the others have told. Returns whether the review has changed. */
  take(): boolean {
    const { shared } = this.#folder;
    if (!shared) return false;
    const taken = this.#share.takeOver(shared, this.file);
    if (this.file && !this.#folder.isPresent(this.text)) this.#undecide(this.file.changes);
    if (taken.type === "opens") {
      this.file = new FileReview(taken.review.state, taken.review.changes);
      this.#past.drop(uri, currentText(this.file.changes));
    }
    if (taken.type === "opens" || taken.type === "look") this.#look();
    return taken.type === "opens" || taken.type === "adopted";
  }

  tell(): void {
    this.take();
    const told = this.#share.told(this.file, {
      isSaved: !this.#isDirty,
      isOnDisk: () => !this.#isDirty && this.text === this.#folder.disk,
    });
    if (told) this.#told(told);
  }

  #told(told: SharedReview): void {
    this.#folder.share(told);
    this.#share.wasTold(told, this.file);
  }

  /** The agent of this window replaces lines. @param end whether the window lives on after the write */
  agent(at: number, cut: number, put: number, end: "told" | "killed"): void {
    this.arrive();
    if (this.#isDirty) return;
    const lines = splitLines(this.text);
    const from = at % (lines.length + 1);
    const fresh = this.#folder.fresh("a", put);
    const text = [...lines.slice(0, from), fresh, ...lines.slice(from + cut)].join("");
    if (text === this.text) return;
    const file = this.file ?? FileReview.begin(this.text);
    this.file = file;
    // What the user has made of the agent's line is the user's when the agent overwrites it.
    const overwritten = lines.slice(from, from + cut).filter((_, at) => isMixed(file.changes.marks[from + at]));
    this.#decide(overwritten, "any");
    const next = new FileReview(file.state, file.changes);
    next.agentWrote(text);
    this.#past.keep(uri, next);
    this.#share.knows("seen");
    this.tell();
    for (const word of splitLines(fresh).map(wordOf)) this.#folder.fates.set(word, "open");
    this.#write(text);
    if (end === "killed") {
      this.restart("kill");
      return;
    }
    this.#past.drop(uri, text);
    file.agentWrote(text);
    this.#share.knows("own");
    this.tell();
  }

  /** The user replaces lines, or types at the end of one, and does not save. */
  user(at: number, cut: number, put: number): void {
    const lines = splitLines(this.text);
    const from = at % (lines.length + 1);
    const line = lines[from];
    const text =
      put > 0 || line === undefined ? this.#folder.fresh("u", put) : `${line.trimEnd()}${this.#folder.typed()}\n`;
    const count = put > 0 ? cut : Math.max(1, cut);
    this.text = [...lines.slice(0, from), text, ...lines.slice(from + count)].join("");
    this.#isDirty = true;
    const to = Math.min(lines.length, from + count);
    this.file?.userEdited([{ startLine: from, startCharacter: 0, endLine: to, endCharacter: 0, text }], this.text);
    if (this.file) this.#share.knows("own");
  }

  /** VS Code does not save over a text that it has not read. */
  save(): void {
    if (!this.#isDirty || this.#read !== this.#folder.disk) return;
    this.#isDirty = false;
    this.#write(this.text);
    if (this.file) {
      this.#share.knows("own");
      this.tell();
      return;
    }
    this.take();
    const told = this.#share.toldSaved(this.text);
    if (told && !this.file) this.#told(told);
  }

  saveOrRevert(): void {
    this.save();
    if (!this.#isDirty) return;
    this.#isDirty = false;
    this.arrive();
  }

  accept(index: number | undefined): void {
    const moved = this.take();
    const { file } = this;
    if (!file?.isOpen || (moved && index !== undefined)) return;
    if (!this.#isDirty && this.#share.isBehind(file, this.#folder.disk)) return;
    const { state, changes: before } = file;
    const hunk = index === undefined ? undefined : index % before.hunks.length;
    const hunks = hunksAt(before, hunk);
    file.accept(hunk);
    this.#past.accepted(uri, acceptedLines(before, hunks));
    this.#share.accepted(before, hunk);
    // Where the file is unsaved, the same hunk may be another one on disk.
    const fate = this.#isDirty ? "any" : "accepted";
    this.#decide(
      hunks.flatMap((one) => newLines(before, one)),
      fate,
    );
    // With the line that the user has made of it, the agent's own line is accepted where it is still there.
    for (const { start, count } of hunks)
      for (const mark of before.marks.slice(start, start + count)) if (isMixed(mark)) this.#decide(mark.agent, "any");
    this.#decided({ uri, action: "accept", state, hunk, before, outcome: file.changes, isDeleted: false });
  }

  /** @param meanwhile what happens in other windows while VS Code writes the file */
  reject(index: number | undefined, meanwhile: () => void): void {
    const before = this.file?.changes;
    this.arrive();
    const { file } = this;
    if (!file?.isOpen || (before !== file.changes && index !== undefined)) return;
    const { state, changes } = file;
    const hunk = index === undefined ? undefined : index % changes.hunks.length;
    const outcome = file.without(hunk);
    if (this.#isDirty) this.text = currentText(outcome);
    else {
      // An edit changes the document at once, and the file when it is saved.
      this.text = currentText(outcome);
      meanwhile();
      if (this.#read !== this.#folder.disk) this.#isDirty = true;
      else this.#write(this.text);
    }
    file.rejected(outcome);
    if (!file.isOpen) this.#past.drop(uri, this.text);
    this.#decided({ uri, action: "reject", state, hunk, before: changes, outcome, isDeleted: false });
  }

  undoDecision(): void {
    const decided = this.#folder.pop();
    if (!decided) return;
    this.arrive();
    const file = this.file ?? new FileReview(decided.state, decided.outcome);
    // As `Decider` does, for a file that the window does not know.
    if (!this.file && currentText(decided.outcome) !== this.text) file.replaced([], this.text);
    const changes = takenBack(decided, file.changes);
    this.#decide([...decided.before.text, ...changes.text], "any");
    this.text = currentText(changes);
    if (!this.#isDirty) this.#write(this.text);
    file.reopened(decided.state, changes);
    this.file = file;
    this.#share.knows("own");
    this.tell();
  }

  #decided(decided: DecidedFile): void {
    this.#share.knows("own");
    this.tell();
    this.#folder.push(decided);
  }

  /** A hunk is decided as a whole: where an accepted line is part of one with undecided lines, it stays under review. */
  #undecide(changes: Changes): void {
    for (const { start, count } of changes.hunks) {
      const lines = changes.text.slice(start, start + count).flatMap((line, at) => {
        const mark = changes.marks[start + at];
        return isMixed(mark) ? [line, ...mark.agent] : [line];
      });
      const fates = lines.map((line) => this.#folder.fates.get(wordOf(line)));
      if (fates.includes("open") || fates.includes("any")) this.#decide(lines, "any", "accepted");
    }
  }

  #decide(lines: readonly string[], fate: Fate, only?: Fate): void {
    const { fates } = this.#folder;
    for (const word of lines.map(wordOf))
      if (fates.has(word) && fates.get(word) === (only ?? fates.get(word))) fates.set(word, fate);
  }

  #write(text: string): void {
    this.text = text;
    this.#folder.disk = text;
    this.#read = text;
  }

  openWords(): Set<string> {
    const { file } = this;
    if (!file) return new Set();
    return new Set(file.changes.pieces.flatMap((piece) => newLines(file.changes, piece)).map(wordOf));
  }

  /** Returns the review of the present text in a form that can be compared. */
  stored(): unknown {
    const { file } = this;
    return file?.isOpen ? storedReview(uri, file) : undefined;
  }

  check(): void {
    const { file } = this;
    if (!file) return;
    const { changes } = file;
    assert.equal(currentText(changes), this.text, "the review is of another text");
    const mixed = new Set(
      changes.pieces.flatMap(({ start, count }) =>
        changes.text.slice(start, start + count).filter((_, at) => isMixed(changes.marks[start + at])),
      ),
    );
    const left = new Set(rejectAll(changes, "drop").text.map(wordOf));
    const kept = new Set(rejectAll(changes, "keep").text.map(wordOf));
    for (const line of changes.text) {
      if (!line.startsWith("u")) continue;
      assert.ok(kept.has(wordOf(line)), `${wordOf(line)} of the user is lost`);
      assert.ok(left.has(wordOf(line)) || mixed.has(line), `${wordOf(line)} of the user goes unasked`);
    }
    assert.ok(changes.pieces.every((piece) => end(piece) <= changes.text.length));
  }
}
