import assert from "node:assert/strict";
import fc from "fast-check";
import { FileReview } from "../../src/review/file-review.ts";
import { baseText, currentText, isMixed } from "../../src/review/hunks.ts";
import { randomly } from "../random.ts";

const base = [
  "import a",
  "import b",
  "",
  "function one() {",
  "  return 1",
  "}",
  "",
  "function two() {",
  "  return 2",
  "}",
];
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
const with1 = base.with(4, "  return first()");
const with2 = with1.with(8, "  return second()");

function review(): FileReview {
  const file = FileReview.begin(text(base));
  file.agentWrote(text(with2));
  return file;
}
const replacedBy = (lines: readonly string[]) => {
  const file = review();
  file.replaced([], text(lines));
  return file;
};

describe("a text from another program", () => {
  it("V4 ends a hunk of which no line is left, so that no reject puts old lines into other text", () => {
    const file = replacedBy(["something", "else", "entirely"]);
    assert.equal(file.changes.hunks.length, 0);
    assert.equal(baseText(file.changes), currentText(file.changes));
    assert.equal(replacedBy(base).changes.hunks.length, 0);
  });

  it("V4 leaves the hunks that it does not touch, and keeps foreign lines through a reject", () => {
    const file = replacedBy(["// other", ...with2.toSpliced(8, 1, "  return 'theirs'")]);
    assert.equal(file.changes.hunks.length, 1);
    assert.equal(currentText(file.without(undefined)), text(["// other", ...base.with(8, "  return 'theirs'")]));
  });

  it("V4 leaves a hunk whose lines were only formatted", () => {
    const file = replacedBy(with2.map((line) => line.replace("  return", "    return").replace("()", " ( ) ;")));
    assert.equal(file.changes.hunks.length, 2);
  });

  it("V21 has the same lines as before where only what a formatter changes tells them apart", () => {
    const file = FileReview.begin("one;\ntwo;\nthree;\n{\n");
    file.agentWrote("zero;\none;\ntwo;\nthree;\n{\n");
    file.replaced([], "above\nzero\none\ntwo\nthree\n}\nbelow\n");
    assert.deepEqual(file.changes.marks.map(isMixed), [false, true, false, false, false, false, false]);
    assert.equal(currentText(file.without(undefined)), "above\none\ntwo\nthree\n}\nbelow\n");
  });

  describe("where the agent has removed lines", () => {
    const removedFrom = (lines: readonly string[], at: number, cut: number, now: readonly string[]) => {
      const file = FileReview.begin(text(lines));
      file.agentWrote(text(lines.toSpliced(at, cut)));
      file.replaced([], text(now));
      return { hunks: file.changes.hunks.length, rejected: currentText(file.without(undefined)) };
    };

    it("V4 ends the change when nothing is left of the text, also at its first and last line", () => {
      for (const [at, now] of [
        [0, []],
        [0, ["another"]],
        [1, []],
        [1, ["another"]],
      ] as const) {
        assert.deepEqual(removedFrom(["first()", "last()"], at, 1, now), { hunks: 0, rejected: text(now) });
      }
    });

    it("V4 ends the change when the lines are back, formatted or in the version of another branch", () => {
      for (const now of [
        ["one()", "  two();", "three()"],
        ["one()", "two(", "three()"],
        ["one()", "two() // changed"],
      ]) {
        assert.deepEqual(removedFrom(["one()", "two()", "three()"], 1, 1, now), { hunks: 0, rejected: text(now) });
      }
    });

    it("V4 leaves the change when other lines change elsewhere, or one of several is back", () => {
      const lines = ["one()", "two()", "three()", "four()"];
      assert.deepEqual(removedFrom(lines, 1, 1, ["one()", "three()", "other()"]), {
        hunks: 1,
        rejected: text(["one()", "two()", "three()", "other()"]),
      });
      assert.deepEqual(removedFrom(lines, 1, 2, ["one()", "two()", "four()"]), { hunks: 1, rejected: text(lines) });
    });
  });

  randomly("V4 keeps every line of a text that shares none with the agent's, whatever it is", () => {
    const line = fc.constantFrom("x", "y", "z", "");
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const file = replacedBy(lines);
        assert.equal(currentText(file.changes), text(lines));
        assert.equal(currentText(file.without(undefined)), text(lines));
      }),
    );
  });
});
