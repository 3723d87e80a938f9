import assert from "node:assert/strict";
import fc from "fast-check";
import { FileReview } from "../../src/extension/review/file-review.ts";
import { baseText, type Changes, currentText, type TextEdit } from "../../src/extension/review/hunks.ts";

const before = "one\ntwo\nthree\nfour\nfive\nsix\n";
const changed = "one\n2\nthree\nfour\nfive\nsix\n";

/** Returns the change that an editor reports for a new text: the one differing range, in whole lines where possible. */
function between(from: string, to: string): TextEdit {
  let head = 0;
  while (head < Math.min(from.length, to.length) && from[head] === to[head]) head++;
  let tail = 0;
  while (tail < Math.min(from.length, to.length) - head && from[from.length - 1 - tail] === to[to.length - 1 - tail])
    tail++;
  const position = (offset: number) => {
    const lines = from.slice(0, offset).split("\n");
    return { line: lines.length - 1, character: (lines.at(-1) ?? "").length };
  };
  const [start, end] = [position(head), position(from.length - tail)];
  return {
    startLine: start.line,
    startCharacter: start.character,
    endLine: end.line,
    endCharacter: end.character,
    text: to.slice(head, to.length - tail),
  };
}

/** A document with an undo stack, under review. */
class Desk {
  readonly track: FileReview;
  text: string;
  #past: string[] = [];
  #future: string[] = [];

  constructor(text: string) {
    this.text = text;
    this.track = new FileReview(text);
  }

  agent(text: string): void {
    if (text === this.text) return;
    this.#go(text);
    this.track.agentWrote(text);
  }

  user(text: string): void {
    if (text === this.text) return;
    const edit = between(this.text, text);
    this.#go(text);
    this.track.userEdited([edit], text);
  }

  reject(index: number | undefined): void {
    const outcome = this.track.without(index);
    const text = currentText(outcome);
    if (text === this.text) return;
    this.#go(text);
    this.track.rejected(outcome);
  }

  undo(): boolean {
    const text = this.#past.pop();
    if (text === undefined) return false;
    this.#future.push(this.text);
    const edit = between(this.text, text);
    this.text = text;
    this.track.undone([edit], text);
    return true;
  }

  redo(): boolean {
    const text = this.#future.pop();
    if (text === undefined) return false;
    this.#past.push(this.text);
    const edit = between(this.text, text);
    this.text = text;
    this.track.redone([edit], text);
    return true;
  }

  #go(text: string): void {
    this.#past.push(this.text);
    this.#future = [];
    this.text = text;
  }
}

const hunks = (desk: Desk): number => desk.track.changes.hunks.length;

describe("a file under review", () => {
  it("loses a hunk when the agent's edit is undone, and regains it when it is redone", () => {
    const desk = new Desk(before);
    desk.agent(changed);
    desk.undo();
    assert.equal(hunks(desk), 0);
    desk.redo();
    assert.equal(hunks(desk), 1);
    assert.equal(baseText(desk.track.changes), before);
  });

  it("regains a hunk when its reject is undone", () => {
    const desk = new Desk(before);
    desk.agent(changed);
    desk.reject(0);
    assert.equal(desk.text, before);
    desk.undo();
    assert.equal(hunks(desk), 1);
    desk.redo();
    assert.equal(hunks(desk), 0);
  });

  it("treats the undo of an accepted change, and its redo, as the user's own", () => {
    const desk = new Desk(before);
    desk.agent(changed);
    desk.track.accept(0);
    desk.undo();
    assert.equal(hunks(desk), 0);
    assert.equal(baseText(desk.track.changes), before);
    desk.redo();
    assert.equal(hunks(desk), 0);
    assert.equal(baseText(desk.track.changes), changed);
  });

  it("keeps an accepted change accepted when a later one is undone", () => {
    const desk = new Desk(before);
    desk.agent(changed);
    desk.agent(changed.replace("six", "6"));
    desk.track.accept(0);
    desk.undo();
    assert.equal(hunks(desk), 0);
    assert.equal(baseText(desk.track.changes), changed);
  });

  it("regains a hunk when the user's own removal of it is undone", () => {
    const desk = new Desk(before);
    desk.agent(changed);
    desk.user(before);
    assert.equal(hunks(desk), 0);
    desk.undo();
    assert.equal(hunks(desk), 1);
  });

  it("follows undo to texts from before the first change, and back", () => {
    const track = new FileReview(before);
    track.agentWrote(changed);
    track.undone([between(changed, before)], before);
    const older = before.replace("six", "SIX");
    track.undone([between(before, older)], older);
    assert.equal(track.changes.hunks.length, 0);
    track.redone([between(older, before)], before);
    track.redone([between(before, changed)], changed);
    assert.equal(track.changes.hunks.length, 1);
    assert.equal(baseText(track.changes), before);
  });

  it("uses the resulting text when the reported edits do not match it", () => {
    const track = new FileReview(before);
    track.agentWrote(changed);
    track.userEdited([], `zero\n${changed}`);
    assert.equal(currentText(track.changes), `zero\n${changed}`);
    assert.equal(baseText(track.changes), `zero\n${before}`);
  });

  it("knows that the agent created the file", () => {
    const track = new FileReview(undefined);
    track.agentWrote("new\n");
    assert.equal(track.created, true);
    assert.equal(currentText(track.without(0)), "");
  });
});

const lines = fc
  .array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "long line\n"), { maxLength: 10 })
  .map((all) => all.join(""));
const steps = fc.array(fc.record({ author: fc.constantFrom("agent" as const, "user" as const), text: lines }), {
  minLength: 1,
  maxLength: 8,
});

describe("a file under review, at random", () => {
  it("returns to each earlier state when everything is undone and redone", () => {
    fc.assert(
      fc.property(lines, steps, (start, steps) => {
        const desk = new Desk(start);
        const seen: Changes[] = [desk.track.changes];
        for (const { author, text } of steps) {
          if (text === desk.text) continue;
          desk[author](text);
          seen.push(desk.track.changes);
        }
        for (let at = seen.length - 2; desk.undo(); at--) assert.deepEqual(desk.track.changes, seen[at]);
        for (let at = 1; desk.redo(); at++) assert.deepEqual(desk.track.changes, seen[at]);
      }),
      { numRuns: 3000 },
    );
  });

  it("never loses text, and ends without hunks", () => {
    const acts = fc.array(
      fc.oneof(
        fc.record({ act: fc.constantFrom("agent" as const, "user" as const), text: lines }),
        fc.record({ act: fc.constantFrom("accept" as const, "reject" as const), index: fc.nat(3) }),
        fc.record({ act: fc.constantFrom("undo" as const, "redo" as const) }),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(lines, acts, (start, acts) => {
        const desk = new Desk(start);
        for (const act of acts) {
          if (act.act === "agent" || act.act === "user") desk[act.act](act.text);
          else if (act.act === "accept") desk.track.accept(act.index);
          else if (act.act === "reject") desk.reject(act.index);
          else desk[act.act]();
          assert.equal(currentText(desk.track.changes), desk.text);
        }
        desk.track.accept(undefined);
        assert.equal(hunks(desk), 0);
        assert.equal(currentText(desk.track.changes), desk.text);
      }),
      { numRuns: 1000 },
    );
  });
});
