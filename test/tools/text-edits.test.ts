import assert from "node:assert/strict";
import fc from "fast-check";
import { applyEdits } from "../../src/tools/editing/plan-service-edit.ts";
import type { PlacedEdit } from "../../src/tools/host.ts";
import { randomly } from "../random.ts";

const edit = (from: [number, number], to: [number, number], text: string): PlacedEdit => ({
  from: { line: from[0], character: from[1] },
  to: { line: to[0], character: to[1] },
  text,
});

describe("edits of language services", () => {
  it("are applied together, by the lines of the text before all of them", () => {
    const edits = [
      edit([2, 0], [2, 1], "C"),
      edit([0, 1], [0, 1], "!"),
      edit([0, 1], [0, 1], "?"),
      edit([1, 0], [2, 0], ""),
    ];
    assert.equal(applyEdits("a\nb\nc\n", edits), "a!?\nC\n");
  });

  it("keep the file's line endings, and never cut one in two", () => {
    assert.equal(applyEdits("a\r\nb\r\n", [edit([0, 1], [0, 9], "\nx")]), "a\r\nx\r\nb\r\n");
    assert.equal(applyEdits("a\nb\r\nc", [edit([1, 1], [1, 5], "\r\nx")]), "a\nb\nx\r\nc");
    assert.equal(applyEdits("a\rb", [edit([1, 0], [1, 1], "c")]), "a\rc");
    assert.equal(applyEdits("a", [edit([9, 3], [9, 4], "b")]), "ab");
  });

  it("that overlap are refused", () => {
    assert.equal(applyEdits("abcd", [edit([0, 0], [0, 2], "x"), edit([0, 1], [0, 3], "y")]), undefined);
    assert.equal(applyEdits("abcd", [edit([0, 3], [0, 1], "x")]), undefined);
  });

  randomly("change what they name and nothing else", () => {
    const line: fc.Arbitrary<string> = fc.constantFrom("", "a", "bcd", "e f");
    const lines = fc.array(line, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(lines, fc.constantFrom("\n", "\r\n"), fc.nat(7), (all, ending, at) => {
        const row = at % all.length;
        const text = all.join(ending);
        const changed = applyEdits(text, [edit([row, 0], [row, 100], "new")]);
        assert.equal(changed, all.with(row, "new").join(ending));
      }),
    );
  });
});
