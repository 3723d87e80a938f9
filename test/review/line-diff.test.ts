import assert from "node:assert/strict";
import fc from "fast-check";
import { commonEnds, differences, type LineHunk, lineChanges, splitLines } from "../../src/review/line-diff.ts";
import { randomly } from "../random.ts";

const lines = (...words: string[]) => words.map((word) => `${word}\n`);

/** Returns the old and the new lines of each hunk. */
function shown(base: readonly string[], text: readonly string[]): [old: string, fresh: string][] {
  const part = (all: readonly string[], start: number, count: number) =>
    all
      .slice(start, start + count)
      .map((line) => line.trimEnd())
      .join("|");
  return differences(base, text).map(({ baseStart, baseCount, start, count }) => [
    part(base, baseStart, baseCount),
    part(text, start, count),
  ]);
}

/** The length of the longest common subsequence, by the textbook's table. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const one of a) {
    const next = [0];
    for (const [at, other] of b.entries())
      next.push(one === other ? (row[at] ?? 0) + 1 : Math.max(next[at] ?? 0, row[at + 1] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}

const replaced = (hunks: readonly LineHunk[]) => hunks.reduce((sum, { baseCount }) => sum + baseCount, 0);

describe("lines of a text", () => {
  randomly("are whole, whatever their endings, and are the text again", () => {
    const endings = fc.array(fc.constantFrom("a", "bc", "\r", "\n", "\r\n"), { maxLength: 12 });
    fc.assert(
      fc.property(endings, (pieces) => {
        const text = pieces.join("");
        const found = splitLines(text);
        assert.equal(found.join(""), text);
        for (const line of found.slice(0, -1)) assert.match(line, /^[^\r\n]*(?:\r\n|\r|\n)$/);
        if (text !== "") assert.match(found.at(-1) ?? "", /^(?:[^\r\n]+|[^\r\n]*(?:\r\n|\r|\n))$/);
      }),
    );
  });

  it("may be as long as a text can be", () => {
    const long = "x".repeat(1 << 28);
    assert.deepEqual(splitLines(`${long}\nend`), [`${long}\n`, "end"]);
  });

  it("end with their line ending, of any of the three kinds", () => {
    assert.deepEqual(splitLines("a\nb\r\nc\rd"), ["a\n", "b\r\n", "c\r", "d"]);
    assert.deepEqual(splitLines("\n\r\n\r"), ["\n", "\r\n", "\r"]);
    assert.deepEqual(splitLines("ab cd\nef gh"), ["ab cd\n", "ef gh"]);
    assert.deepEqual(splitLines("end\n"), ["end\n"]);
    assert.deepEqual(splitLines(""), []);
  });
});

describe("replacements of lines", () => {
  it("name the lines that go, counted from 0, and the text that comes", () => {
    assert.deepEqual(lineChanges("a\nb\nc\nd\n", "a\nB\nB2\nc\n"), [
      { from: 1, to: 2, lines: "B\nB2\n" },
      { from: 3, to: 4, lines: "" },
    ]);
    assert.deepEqual(lineChanges("a\nb\n", "a\nnew\nb\n"), [{ from: 1, to: 1, lines: "new\n" }]);
    assert.deepEqual(lineChanges("a\n", "a\n"), []);
  });

  randomly("lead from one text to the other", () => {
    const text = fc
      .tuple(
        fc.array(fc.constantFrom("a\n", "b\r\n", "c\r", "}\n", "\n"), { maxLength: 12 }),
        fc.constantFrom("", "end"),
      )
      .map(([some, last]) => some.join("") + last);
    fc.assert(
      fc.property(text, text, (before, after) => {
        const all = splitLines(before);
        for (const { from, to, lines } of lineChanges(before, after).reverse()) all.splice(from, to - from, lines);
        assert.equal(all.join(""), after);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a comparison of lines", () => {
  randomly("keeps as many lines as possible where each occurs once", () => {
    const order = fc.shuffledSubarray(
      Array.from({ length: 9 }, (_, at) => `line ${at}\n`),
      { minLength: 0 },
    );
    fc.assert(
      fc.property(order, order, (base, text) => {
        assert.equal(replaced(differences(base, text)), base.length - longestCommon(base, text));
      }),
      { numRuns: 1000 },
    );
  });

  it("keeps the longer of two parts that changed places", () => {
    assert.deepEqual(shown(lines("a", "b", "c", "d", "e"), lines("c", "d", "e", "a", "b")), [
      ["a|b", ""],
      ["", "a|b"],
    ]);
  });

  it("is guided by lines that occur once, not by those that are everywhere", () => {
    const base = lines("x", "x", "only", "x");
    assert.deepEqual(shown(base, lines("x", "only", "x", "x")), [
      ["x", ""],
      ["", "x"],
    ]);
    // `x` occurs twice in one of the texts.
    assert.deepEqual(shown(lines("p", "x", "q"), lines("x", "r", "x", "s")), [
      ["p", ""],
      ["q", "r|x|s"],
    ]);
    assert.deepEqual(shown(lines("x", "a", "b", "x"), lines("a", "b", "x", "c")), [
      ["x", ""],
      ["", "c"],
    ]);
  });

  it("is not guided by brackets and blank lines, even if they occur once", () => {
    assert.deepEqual(shown(lines("a", "{", "["), lines("{", "[", "a")), [
      ["", "{|["],
      ["{|[", ""],
    ]);
  });

  it("leaves equal ends out first, also where their lines occur often", () => {
    assert.deepEqual(shown(lines("a", "x"), lines("b", "x", "y", "x")), [["a", "b|x|y"]]);
    assert.deepEqual(shown(lines("x", "a"), lines("x", "y", "x", "b")), [["a", "y|x|b"]]);
  });

  it("shows lines that were only added or only removed as one change, brackets included", () => {
    const outer = lines("f {", "}");
    const both = lines("f {", "if {", "}", "}");
    assert.deepEqual(shown(outer, both), [["", "if {|}"]]);
    assert.deepEqual(shown(both, outer), [["if {|}", ""]]);
  });

  it("counts the equal lines at both ends once each", () => {
    assert.deepEqual(commonEnds(lines("a", "b", "c", "d"), lines("a", "x", "b", "c", "d")), [1, 3]);
    assert.deepEqual(commonEnds(lines("a", "a"), lines("a")), [1, 0]);
    assert.deepEqual(commonEnds(lines("b", "a"), lines("a")), [0, 1]);
    assert.deepEqual(commonEnds(lines("a", "b"), lines("a", "b")), [2, 0]);
    assert.deepEqual(commonEnds(lines("a"), lines("b")), [0, 0]);
  });

  it("shows a rewritten block as one change, whatever brackets in it are equal", () => {
    assert.deepEqual(shown(lines("old 1", "}", "old 2"), lines("new 1", "}", "new 2")), [
      ["old 1|}|old 2", "new 1|}|new 2"],
    ]);
    assert.deepEqual(shown(lines("old 1", "", "{", "old 2"), lines("new 1", "", "{", "new 2")), [
      ["old 1||{|old 2", "new 1||{|new 2"],
    ]);
  });

  it("keeps changes apart that have a line with words between them", () => {
    assert.deepEqual(shown(lines("old 1", "same", "same", "old 2"), lines("new 1", "same", "same", "new 2")), [
      ["old 1", "new 1"],
      ["old 2", "new 2"],
    ]);
    assert.deepEqual(shown(lines("old 1", "7", "7", "old 2"), lines("new 1", "7", "7", "new 2")), [
      ["old 1", "new 1"],
      ["old 2", "new 2"],
    ]);
  });

  it("keeps an added or removed line apart from a rewritten one, though only a bracket is between them", () => {
    assert.deepEqual(shown(lines("}", "old"), lines("added", "}", "new")), [
      ["", "added"],
      ["old", "new"],
    ]);
    assert.deepEqual(shown(lines("old", "}"), lines("new", "}", "added")), [
      ["old", "new"],
      ["", "added"],
    ]);
    assert.deepEqual(shown(lines("gone", "}", "old"), lines("}", "new")), [
      ["gone", ""],
      ["old", "new"],
    ]);
    assert.deepEqual(shown(lines("old", "}", "gone"), lines("new", "}")), [
      ["old", "new"],
      ["gone", ""],
    ]);
  });

  it("takes long texts with many changes", () => {
    const base = Array.from({ length: 30_000 }, (_, at) => `line ${at}\n`);
    const text = base.map((line, at) => (at % 3 === 1 ? `new ${line}` : line));
    const hunks = differences(base, text);
    assert.equal(hunks.length, 10_000);
    assert.deepEqual(hunks.at(-1), { baseStart: 29_998, baseCount: 1, start: 29_998, count: 1 });
  });

  it("finds 1,000 changes between lines that occur often, and makes one of 1,001", () => {
    const changed = (count: number) => {
      const base = new Array<string>(count + 1).fill("same\n");
      const text = base.flatMap((line, at) => (at === 0 ? [line] : [`new ${at}\n`, line]));
      return differences(base, text).length;
    };
    assert.equal(changed(1000), 1000);
    assert.equal(changed(1001), 1);
  });
});
