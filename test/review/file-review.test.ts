import assert from "node:assert/strict";
import fc from "fast-check";
import { becomes, type TextEdit } from "../../src/review/edits.ts";
import { FileReview } from "../../src/review/file-review.ts";
import { baseText, type Changes, currentText, unchanged } from "../../src/review/hunks.ts";
import { randomly } from "../random.ts";

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
    this.track = FileReview.begin(text);
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
    const track = FileReview.begin(before);
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
    const track = FileReview.begin(before);
    track.agentWrote(changed);
    track.userEdited([], `zero\n${changed}`);
    assert.equal(currentText(track.changes), `zero\n${changed}`);
    assert.equal(baseText(track.changes), `zero\n${before}`);
  });

  it("reviews a change again whose removal is undone after something else was accepted", () => {
    const both = changed.replace("six", "6");
    for (const remove of ["reject", "type"] as const) {
      const desk = new Desk(before);
      desk.agent(both);
      if (remove === "reject") desk.reject(0);
      else desk.user(both.replace("2", "two"));
      desk.track.accept(0);
      desk.undo();
      assert.equal(hunks(desk), 1);
      assert.equal(baseText(desk.track.changes), before.replace("six", "6"));
      assert.equal(currentText(desk.track.changes), both);
    }
  });

  it("counts the undo of a user's edit as the user's after something was accepted, whatever came before it", () => {
    const desk = new Desk(before);
    desk.agent(changed.replace("six", "6"));
    desk.reject(0);
    desk.user(desk.text.replace("four", "4"));
    desk.track.accept(undefined);
    desk.undo();
    assert.equal(hunks(desk), 0);
    desk.undo();
    assert.equal(hunks(desk), 1);
  });

  it("reviews a change that is redone after something else was accepted, but not a user's edit", () => {
    const desk = new Desk(before);
    desk.agent(changed);
    desk.user(changed.replace("four", "4"));
    desk.agent(desk.text.replace("six", "6"));
    desk.undo();
    desk.undo();
    desk.track.accept(0);
    desk.redo();
    assert.equal(hunks(desk), 0);
    desk.redo();
    assert.equal(hunks(desk), 1);
    assert.equal(baseText(desk.track.changes), changed.replace("four", "4"));
  });

  it("follows an undo or redo of several edits at once", () => {
    const last = changed.replace("four", "4").replace("six", "6");
    const start = (accept: boolean) => {
      const desk = new Desk(before);
      desk.agent(changed);
      desk.agent(changed.replace("six", "6"));
      desk.user(last);
      if (accept) {
        desk.undo();
        desk.undo();
        desk.track.accept(0);
      }
      return desk.track;
    };
    const track = start(false);
    track.undone([], before);
    assert.deepEqual(track.changes, unchanged(before));
    track.redone([], last);
    assert.equal(currentText(track.changes), last);
    assert.equal(baseText(track.changes), before.replace("four", "4"));
    assert.equal(track.changes.hunks.length, 2);
    // The agent's edit is among those that are redone, and one of the user.
    const accepted = start(true);
    accepted.redone([], last);
    assert.equal(baseText(accepted.changes), changed.replace("four", "4"));
    assert.equal(currentText(accepted.changes), last);
    // A reject is among those that are undone.
    const desk = new Desk(before);
    desk.agent(changed);
    desk.reject(0);
    desk.user(before.replace("four", "4"));
    desk.track.accept(undefined);
    desk.track.undone([], changed);
    assert.equal(baseText(desk.track.changes), before);
  });

  it("knows the changes in texts from before the review again, to which it was led", () => {
    const open = becomes(unchanged(before), changed, "agent");
    const older = changed.replace("six", "SIX");
    const track = new FileReview({ type: "changed" }, open);
    track.undone([between(changed, older)], older);
    assert.equal(track.changes.hunks.length, 1);
    assert.equal(baseText(track.changes), before.replace("six", "SIX"));
    // One edit removes the hunk and changes another line.
    track.userEdited([], before.replace("five", "5"));
    assert.equal(track.changes.hunks.length, 0);
    track.undone([], older);
    assert.equal(track.changes.hunks.length, 1);
  });

  it("counts an undo or redo to a text that it does not know as the user's", () => {
    const desk = new Desk(before);
    desk.agent(changed);
    desk.reject(0);
    desk.track.undone([], "older\n");
    assert.deepEqual(desk.track.changes, unchanged("older\n"));

    const later = new FileReview({ type: "changed" }, becomes(unchanged(before), changed, "agent"));
    later.redone([], changed.replace("six", "SIX"));
    assert.equal(later.changes.hunks.length, 1);
    assert.equal(baseText(later.changes), before.replace("six", "SIX"));

    const track = new FileReview({ type: "changed" }, becomes(unchanged(before), changed, "agent"));
    track.redone([], before);
    assert.deepEqual(track.changes, unchanged(before));
    track.userEdited([], before.replace("five", "5"));
    track.undone([], before);
    track.undone([], changed);
    assert.equal(track.changes.hunks.length, 1, "the state before the redo is known");
  });

  it("keeps what can be redone when the agent writes the same text", () => {
    const desk = new Desk(before);
    desk.agent(changed);
    desk.undo();
    desk.track.agentWrote(before);
    desk.redo();
    assert.equal(hunks(desk), 1);
  });

  it("knows 100 texts of the undo stack", () => {
    for (const [edits, known] of [
      [98, 1],
      [99, 0],
    ] as const) {
      const desk = new Desk(before);
      desk.agent(changed);
      desk.reject(0);
      for (let at = 0; at < edits; at++) desk.user(`${desk.text}${at}\n`);
      desk.track.undone([], changed);
      assert.equal(hunks(desk), known, `${edits} edits`);
    }
  });

  it("accepts and rejects one hunk or all", () => {
    const both = changed.replace("six", "6");
    const open = () => {
      const desk = new Desk(before);
      desk.agent(both);
      return desk;
    };
    assert.equal(currentText(open().track.without(0)), before.replace("six", "6"));
    assert.equal(currentText(open().track.without(1)), changed);
    assert.equal(currentText(open().track.without(undefined)), before);
    const one = open();
    one.track.accept(1);
    assert.equal(baseText(one.track.changes), before.replace("six", "6"));
    const all = open();
    all.track.accept(undefined);
    assert.equal(baseText(all.track.changes), both);
  });

  it("uses the reported edits where they lead to the text", () => {
    const track = FileReview.begin("one\ntwo\n");
    track.agentWrote("one\nnew\ntwo\n");
    // The user replaces all three lines, of which the agent's stays as it is.
    const edit = { startLine: 0, startCharacter: 0, endLine: 3, endCharacter: 0, text: "1\nnew\n2\n" };
    track.userEdited([edit], "1\nnew\n2\n");
    assert.deepEqual(track.changes.hunks, [{ baseStart: 1, baseCount: 0, start: 1, count: 1 }]);
    assert.equal(baseText(track.changes), "1\n2\n");
  });

  it("knows whether the agent created the file", () => {
    assert.equal(FileReview.begin("").state.type, "changed");
    const track = FileReview.begin(undefined);
    track.agentWrote("new\n");
    assert.equal(track.state.type, "created");
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
  it("V4 knows a text in which nothing is under review also after an accept in another one", () => {
    const review = FileReview.begin("a\nb\nc\nd\n");
    review.replaced([], "a\nb\n1\n2\n3\nc\nd\n");
    review.agentWrote("a\nb\n2\nc\n");
    assert.equal(review.changes.hunks.length, 3);
    review.accept(0);
    review.replaced([], "a\nb\nc\nd\n");
    assert.deepEqual(review.changes, unchanged("a\nb\nc\nd\n"));
  });

  randomly("returns to each earlier state when everything is undone and redone", () => {
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

  randomly("never loses text, and ends without hunks", () => {
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
