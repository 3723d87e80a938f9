/** Comments stay at their lines, whatever happens around them (spec V2). */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type AnchorEdit, afterEdits, anchorAt, foundAgain } from "../../src/extension/comments/anchor.ts";
import { randomly } from "../random.ts";

const text = ["a", "b", "c", "d", "e", "f"];

/** Applies an edit as an editor does. */
function applied(lines: readonly string[], { start, end, text }: AnchorEdit): string[] {
  const head = (lines[start.line] ?? "").slice(0, start.character);
  const tail = (lines[end.line] ?? "").slice(end.character);
  return [...lines.slice(0, start.line), ...(head + text + tail).split("\n"), ...lines.slice(end.line + 1)];
}

const at = (line: number, character = 0) => ({ line, character });
const edit = (from: number, to: number, text: string): AnchorEdit => ({ start: at(from), end: at(to), text });

function placeAfter(...edits: AnchorEdit[]) {
  const result = edits.reduce(applied, text);
  return afterEdits(anchorAt(text, 2, 3), edits, result);
}

describe("anchors of comments", () => {
  it("V2 move with lines above, and stay for lines below", () => {
    assert.deepEqual(placeAfter(edit(0, 0, "x\ny\n")), { start: 4, end: 5, lines: ["c", "d"], outdated: false });
    assert.deepEqual(placeAfter(edit(2, 2, "x\n")), { start: 3, end: 4, lines: ["c", "d"], outdated: false });
    assert.deepEqual(placeAfter(edit(0, 2, "")), { start: 0, end: 1, lines: ["c", "d"], outdated: false });
    assert.deepEqual(placeAfter(edit(4, 4, "x\n"), edit(5, 6, "")), {
      start: 2,
      end: 3,
      lines: ["c", "d"],
      outdated: false,
    });
  });

  it("V2 take in what is typed inside, and what replaces them", () => {
    assert.deepEqual(placeAfter(edit(3, 3, "x\n")), { start: 2, end: 4, lines: ["c", "x", "d"], outdated: false });
    assert.deepEqual(placeAfter(edit(2, 4, "1\n2\n3\n")), {
      start: 2,
      end: 4,
      lines: ["1", "2", "3"],
      outdated: false,
    });
    assert.deepEqual(placeAfter({ start: at(3, 1), end: at(3, 1), text: "\nx" }).lines, ["c", "d", "x"]);
  });

  it("V2 are outdated when nothing is left of them, and stay near", () => {
    assert.deepEqual(placeAfter(edit(2, 4, "")), { start: 2, end: 2, lines: ["c", "d"], outdated: true });
    assert.deepEqual(placeAfter(edit(0, 6, "")), { start: 0, end: 0, lines: ["c", "d"], outdated: true });
  });

  it("V2 are found again at the nearest equal lines, and are outdated where there are none", () => {
    const anchor = anchorAt(text, 2, 3);
    assert.deepEqual(foundAgain(anchor, ["c", "d", "x", "x", "c", "d", "c", "d"]), { ...anchor, start: 4, end: 5 });
    assert.deepEqual(foundAgain({ ...anchor, outdated: true }, text), anchor);
    assert.deepEqual(foundAgain(anchor, ["c"]), { start: 0, end: 0, lines: ["c", "d"], outdated: true });
    assert.deepEqual(foundAgain(anchor, []), { start: 0, end: 0, lines: ["c", "d"], outdated: true });
  });

  randomly("V2 whatever is edited outside of the lines, they stay the same", () => {
    const line = fc.constantFrom("", "x", "y", "zz");
    const edits = fc.array(fc.record({ where: fc.nat(), length: fc.nat(4), texts: fc.array(line, { maxLength: 4 }) }));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.array(line, { maxLength: 8 }), edits, (above, below, edits) => {
        let now = [...above, "mine 1", "mine 2", ...below];
        let anchor = anchorAt(now, above.length, above.length + 1);
        for (const { where, length, texts } of edits) {
          const { start, end } = anchor;
          // Whole lines above, or text from the end of their last line's successor on.
          const isAbove = where % 2 === 0;
          const from = isAbove ? where % (start + 1) : end + 1 + (where % (now.length - end));
          if (from > now.length - 1) continue;
          const to = isAbove ? Math.min(from + length, start) : Math.min(from + length, now.length - 1);
          const one = edit(from, to, texts.map((text) => `${text}\n`).join(""));
          now = applied(now, one);
          anchor = afterEdits(anchor, [one], now);
          assert.deepEqual(anchor.lines, ["mine 1", "mine 2"]);
          assert.deepEqual(now.slice(anchor.start, anchor.end + 1), ["mine 1", "mine 2"]);
        }
      }),
    );
  });

  randomly("V2 always lie within the text", () => {
    const place = fc.record({ line: fc.nat(6), character: fc.nat(1) });
    fc.assert(
      fc.property(place, place, fc.constantFrom("", "\n", "x\ny\n", "x"), (a, b, text) => {
        const [start, end] = a.line < b.line || (a.line === b.line && a.character <= b.character) ? [a, b] : [b, a];
        const lines = ["a", "b", "c", "d", "e", "f", "g"];
        const result = applied(lines, { start, end, text });
        const anchor = afterEdits(anchorAt(lines, 2, 3), [{ start, end, text }], result);
        assert.ok(anchor.start >= 0 && anchor.start <= anchor.end && anchor.end < result.length);
      }),
    );
  });
});
