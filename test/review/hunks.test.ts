import assert from "node:assert/strict";
import fc from "fast-check";
import { becomes, edited } from "../../src/review/edits.ts";
import {
  accept,
  acceptAll,
  baseText,
  type Changes,
  currentText,
  end,
  isMixed,
  reject,
  rejectAll,
  unchanged,
} from "../../src/review/hunks.ts";
import { type LineHunk, splitLines } from "../../src/review/line-diff.ts";
import { randomly } from "../random.ts";

const before = "one\ntwo\nthree\nfour\nfive\nsix\n";

/** Checks the invariant: outside the hunks, base and text have the same lines, and both consist of whole lines. */
function check(changes: Changes): void {
  let base = 0;
  let text = 0;
  for (const piece of changes.pieces) {
    assert.ok(piece.baseCount + piece.count > 0, "a piece that changes nothing");
    assert.equal(piece.start - text, piece.baseStart - base, "lines lost between pieces");
    assert.ok(base === 0 || piece.start > text, "neighbours that are one");
    assert.deepEqual(changes.text.slice(text, piece.start), changes.base.slice(base, piece.baseStart));
    assert.ok(!changes.marks.slice(text, piece.start).some(isMixed), "a mixed line outside");
    base = piece.baseStart + piece.baseCount;
    text = piece.start + piece.count;
    assert.ok(!changes.marks.slice(piece.start, text).includes("mine"), "the user's line in a piece");
  }
  assert.deepEqual(changes.text.slice(text), changes.base.slice(base));
  assert.ok(!changes.marks.slice(text).some(isMixed), "a mixed line outside");
  assert.equal(changes.marks.length, changes.text.length);
  assert.deepEqual(splitLines(baseText(changes)), changes.base);
  assert.deepEqual(splitLines(currentText(changes)), changes.text);
  const inHunks = changes.hunks.map((hunk) => changes.marks.slice(hunk.start, end(hunk)));
  const isMine = (mark: unknown) => mark === "mine";
  assert.equal(changes.marks.filter(isMine).length, inHunks.flat().filter(isMine).length, "the user's line outside");
  // The hunks cover the pieces, in order, with only the user's lines between those of one hunk.
  const pieces = [...changes.pieces];
  for (const hunk of changes.hunks) {
    let line = hunk.start;
    let last: LineHunk | undefined;
    while (pieces[0] && end(pieces[0]) <= end(hunk)) {
      last = pieces.shift();
      for (; last && line < last.start; line++) assert.equal(changes.marks[line], "mine");
      line = last ? end(last) : line;
    }
    assert.equal(line, end(hunk));
    assert.equal(last && last.baseStart + last.baseCount, hunk.baseStart + hunk.baseCount);
  }
  assert.deepEqual(pieces, []);
}

const agent = (changes: Changes, text: string): Changes => becomes(changes, text, "agent");
const insertAt = (changes: Changes, line: number, character: number, text: string): Changes =>
  edited(changes, { startLine: line, startCharacter: character, endLine: line, endCharacter: character, text }, "user");

describe("hunks", () => {
  it("T12 a rejected hunk has the old text again, including line endings and a missing final newline", () => {
    const old = "a\r\nb\r\nc\nd";
    const changes = agent(unchanged(old), "a\nX\r\nc\nd\nE\n");
    check(changes);
    assert.equal(currentText(rejectAll(changes)), old);
    let one = changes;
    while (one.hunks.length > 0) one = reject(one, 0);
    assert.equal(currentText(one), old);
  });

  it("shows each change as a hunk of its own", () => {
    const changes = agent(unchanged(before), "one\n2\nthree\nfour\n4.5\nfive\n");
    assert.deepEqual(changes.hunks, [
      { baseStart: 1, baseCount: 1, start: 1, count: 1 },
      { baseStart: 4, baseCount: 0, start: 4, count: 1 },
      { baseStart: 5, baseCount: 1, start: 6, count: 0 },
    ]);
    assert.equal(currentText(reject(changes, 1)), "one\n2\nthree\nfour\nfive\n");
    assert.equal(baseText(accept(changes, 0)), "one\n2\nthree\nfour\nfive\nsix\n");
  });

  it("groups changes as people do, ignoring matching brackets and blank lines", () => {
    const old = "function a() {\n  one();\n}\n\nfunction b() {\n  two();\n}\n\nfunction c() {\n  three();\n}\n";
    const changes = agent(
      unchanged(old),
      old
        .replace(/function b[^}]*}\n\n/, "")
        .replace("three", "3")
        .concat("\nfunction d() {\n  four();\n}\n"),
    );
    assert.deepEqual(
      changes.hunks.map((hunk) => [
        changes.base.slice(hunk.baseStart, hunk.baseStart + hunk.baseCount).join(""),
        changes.text.slice(hunk.start, hunk.start + hunk.count).join(""),
      ]),
      [
        ["function b() {\n  two();\n}\n\n", ""],
        ["  three();\n", "  3();\n"],
        ["", "\nfunction d() {\n  four();\n}\n"],
      ],
    );
  });

  it("keeps the user's text beside the hunks during a reject", () => {
    const changes = agent(unchanged(before), "one\n2\nthree\nfour\nfive\nsix\n");
    const typed = insertAt(insertAt(changes, 0, 3, "!"), 4, 4, "\nmine");
    check(typed);
    assert.equal(typed.hunks.length, 1);
    assert.equal(currentText(reject(typed, 0)), "one!\ntwo\nthree\nfour\nfive\nmine\nsix\n");
  });

  it("keeps a line that the user adds right above or below a hunk", () => {
    const changes = agent(unchanged(before), "one\n2\nthree\nfour\nfive\nsix\n");
    const typed = insertAt(insertAt(changes, 2, 0, "below\n"), 1, 0, "above\n");
    check(typed);
    assert.equal(currentText(reject(typed, 0)), "one\nabove\ntwo\nbelow\nthree\nfour\nfive\nsix\n");
  });

  it("restores the old lines of a hunk that the user has edited", () => {
    const changes = agent(unchanged(before), "one\n2\nand\nmore\nthree\nfour\nfive\nSIX\n");
    const typed = insertAt(changes, 2, 3, " mine");
    check(typed);
    assert.equal(currentText(reject(typed, 0)), "one\ntwo\nthree\nfour\nfive\nSIX\n");
    assert.equal(currentText(acceptAll(typed)), "one\n2\nand mine\nmore\nthree\nfour\nfive\nSIX\n");
  });

  it("has no hunks once the user has restored the old text", () => {
    const changes = agent(unchanged(before), "one\n2\nthree\nfour\nfive\nsix\n");
    assert.deepEqual(becomes(changes, before, "user").hunks, []);
  });

  it("merges a further change by the agent into an open hunk", () => {
    const first = agent(unchanged(before), "one\n2\nthree\nfour\nfive\nsix\n");
    const second = agent(first, "one\n2\n3\nfour\nfive\nsix\n");
    check(second);
    assert.deepEqual(second.hunks, [{ baseStart: 1, baseCount: 2, start: 1, count: 2 }]);
    assert.equal(currentText(reject(second, 0)), before);
  });

  it("V21 a line that the user added inside a hunk is like their other lines once it is at its edge", () => {
    const typed = insertAt(agent(unchanged("old\n"), "1\n2\nold\n"), 1, 0, "mine\n");
    assert.equal(typed.hunks.length, 1);
    for (const [line, at] of [
      [0, 0],
      [2, 1],
    ] as const) {
      const removal = { startLine: line, startCharacter: 0, endLine: line + 1, endCharacter: 0, text: "" };
      const left = edited(typed, removal, "user");
      assert.deepEqual([left.hunks.length, left.marks], [1, [undefined, undefined, undefined]]);
      const more = { startLine: at * 2, startCharacter: 0, endLine: at * 2, endCharacter: 0, text: "more\n" };
      const next = edited(left, more, "agent");
      check(next);
      assert.equal(next.hunks.length, 2);
    }
  });

  it("never joins a line to one without a line ending", () => {
    const changes = agent(unchanged("a\nb"), "a\n");
    const typed = insertAt(changes, 1, 0, "c");
    check(typed);
    assert.equal(currentText(rejectAll(typed)), "a\nb\nc");
    assert.equal(currentText(acceptAll(typed)), "a\nc");
  });

  it("never joins a line to one without a line ending, whatever has changed above", () => {
    for (const above of ["", "x1\nx2\nx3\n"]) {
      const typed = insertAt(agent(unchanged("x\na\nb"), `${above}a\nb\n`), above === "" ? 2 : 5, 0, "c");
      check(typed);
      assert.equal(currentText(rejectAll(typed)), "x\na\nb\nc");
    }
  });

  it("keeps the user's text on a last line without a line ending", () => {
    const typed = insertAt(agent(unchanged("a\nb"), "A\nb"), 1, 1, "c");
    assert.equal(typed.hunks.length, 1);
    assert.equal(currentText(rejectAll(typed)), "a\nbc");
  });

  it("makes one hunk of two when the user deletes the lines between them", () => {
    const changes = agent(unchanged(before), "one\ntwo\n3\nfour\n5\nsix\n");
    const edit = { startLine: 3, startCharacter: 0, endLine: 4, endCharacter: 0, text: "" };
    const typed = edited(changes, edit, "user");
    check(typed);
    assert.deepEqual(typed.hunks, [{ baseStart: 2, baseCount: 2, start: 2, count: 2 }]);
    assert.equal(currentText(rejectAll(typed)), "one\ntwo\nthree\nfive\nsix\n");
  });

  it("compares a hunk again with the agent's change right above it", () => {
    const changes = agent(agent(unchanged(before), before.replace("two\n", "")), before.replace("one\n", ""));
    assert.deepEqual(changes.hunks, [{ baseStart: 0, baseCount: 1, start: 0, count: 0 }]);
  });

  it("leaves no hunk after accepting or rejecting all", () => {
    const changes = agent(unchanged(before), "1\ntwo\nthree\n4\nfive\nsix\n");
    assert.deepEqual(acceptAll(changes), unchanged("1\ntwo\nthree\n4\nfive\nsix\n"));
    assert.deepEqual(rejectAll(changes), unchanged(before));
  });

  it("compares long, completely different files quickly", () => {
    const text = (word: string) => Array.from({ length: 200_000 }, (_, i) => `${word} ${i}\n`).join("");
    const changes = agent(unchanged(text("old")), text("new"));
    assert.equal(changes.hunks.length, 1);
    assert.equal(currentText(reject(changes, 0)), text("old"));
  });
});

const line = fc
  .tuple(fc.constantFrom("a", "b", "c", "", "  x"), fc.constantFrom("\n", "\r\n"))
  .map((pair) => pair.join(""));
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("", "a", "end"))
  .map(([lines, last]) => lines.join("") + last);
const edit = fc.record({ at: fc.nat(), length: fc.nat(12), text: fc.oneof(text, fc.constantFrom("", "z", "\n")) });
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** Any edit as an editor's range, which never splits the two characters of a line ending. */
function ranged(changes: Changes, { at, length, text }: Edit) {
  const all = currentText(changes);
  const whole = (offset: number) => (all[offset - 1] === "\r" && all[offset] === "\n" ? offset - 1 : offset);
  const from = whole(at % (all.length + 1));
  const to = Math.max(from, whole(Math.min(from + length, all.length)));
  const position = (offset: number) => {
    const lines = splitLines(all.slice(0, offset));
    const last = lines.at(-1) ?? "";
    return /[\r\n]$/.test(last) || lines.length === 0
      ? { line: lines.length, character: 0 }
      : { line: lines.length - 1, character: last.length };
  };
  const [start, end] = [position(from), position(to)];
  return {
    after: all.slice(0, from) + text + all.slice(to),
    edit: {
      startLine: start.line,
      startCharacter: start.character,
      endLine: end.line,
      endCharacter: end.character,
      text,
    },
  };
}

const step = fc.oneof(
  fc.record({ type: fc.constant("agent" as const), edit }),
  fc.record({ type: fc.constant("user" as const), edit }),
  fc.record({ type: fc.constant("accept" as const), index: fc.nat(5) }),
  fc.record({ type: fc.constant("reject" as const), index: fc.nat(5) }),
);

const story = fc.tuple(text, fc.array(step, { maxLength: 12 })).map(([start, steps]) => {
  let changes = unchanged(start);
  for (const step of steps) {
    if (step.type === "agent" || step.type === "user") {
      changes = edited(changes, ranged(changes, step.edit).edit, step.type);
    } else {
      changes = (step.type === "accept" ? accept : reject)(changes, step.index);
    }
  }
  return changes;
});

describe("hunks, at random", () => {
  randomly("base and text differ only in the hunks", () => {
    fc.assert(fc.property(story, check), { numRuns: 2000 });
  });

  randomly("the text is the result of the edits", () => {
    fc.assert(
      fc.property(story, edit, fc.constantFrom("agent" as const, "user" as const), (changes, edit, author) => {
        const { after, edit: range } = ranged(changes, edit);
        assert.equal(currentText(edited(changes, range, author)), after);
        assert.equal(currentText(becomes(changes, after, author)), after);
      }),
      { numRuns: 2000 },
    );
  });

  randomly("an edit that changes nothing leaves the hunks as they are", () => {
    fc.assert(
      fc.property(
        story,
        edit,
        fc.constantFrom("agent" as const, "user" as const),
        (changes, { at, length }, author) => {
          const all = currentText(changes);
          const same = ranged(changes, { at, length, text: "" });
          const cut = all.length - same.after.length;
          const from = at % (all.length + 1);
          const start = all[from - 1] === "\r" && all[from] === "\n" ? from - 1 : from;
          assert.equal(edited(changes, { ...same.edit, text: all.slice(start, start + cut) }, author), changes);
          assert.equal(becomes(changes, all, author), changes);
        },
      ),
      { numRuns: 1000 },
    );
  });

  randomly("the agent's new lines above the hunks leave these as they are", () => {
    fc.assert(
      fc.property(story, (changes) => {
        fc.pre(changes.hunks.every(({ start }) => start > 0));
        const range = { startLine: 0, startCharacter: 0, endLine: 0, endCharacter: 0, text: "new\n" };
        assert.deepEqual(edited(changes, range, "agent").hunks, [
          { baseStart: 0, baseCount: 0, start: 0, count: 1 },
          ...changes.hunks.map((hunk) => ({ ...hunk, start: hunk.start + 1 })),
        ]);
      }),
      { numRuns: 1000 },
    );
  });

  randomly("the agent's edits never change the base, and rejecting everything gives the base", () => {
    fc.assert(
      fc.property(story, text, (changes, after) => {
        // What the user has made of the agent's lines becomes the user's text when the agent overwrites it.
        fc.pre(!changes.marks.some(isMixed));
        const next = agent(changes, after);
        check(next);
        assert.equal(baseText(next), baseText(changes));
        assert.equal(currentText(rejectAll(next)), baseText(changes));
      }),
      { numRuns: 2000 },
    );
  });

  randomly("the order of accepts and rejects does not matter", () => {
    const verdicts = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(story, verdicts, fc.infiniteStream(fc.nat()), (changes, verdicts, order) => {
        const wanted = changes.hunks.reduceRight(
          (now, _, index) => (verdicts[index] ? accept : reject)(now, index),
          changes,
        );
        let shuffled = changes;
        const open = changes.hunks.map((_, index) => index);
        for (const pick of order) {
          if (open.length === 0) break;
          const at = pick % open.length;
          const [index = 0] = open.splice(at, 1);
          shuffled = (verdicts[index] ? accept : reject)(shuffled, at);
          check(shuffled);
        }
        assert.deepEqual(shuffled, wanted);
        assert.deepEqual(wanted.hunks, []);
      }),
      { numRuns: 2000 },
    );
  });

  randomly("lines that the user added between the hunks remain after all rejects", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), fc.nat(), (changed, where) => {
        const lines = changed.map((_, i) => `line ${i}\n`);
        const old = lines.join("");
        const changes = agent(unchanged(old), lines.map((line, i) => (changed[i] ? `new ${line}` : line)).join(""));
        const at = where % (changed.length + 1);
        const inside = at > 0 && at < changed.length && changed[at - 1] && changed[at];
        fc.pre(!inside);
        const typed = insertAt(changes, at, 0, "mine\n");
        const wanted = lines.toSpliced(at, 0, "mine\n").join("");
        assert.equal(currentText(rejectAll(typed)), wanted);
      }),
    );
  });
});
