import assert from "node:assert/strict";
import fc from "fast-check";
import { FileReview, type ReviewState } from "../../src/review/file-review.ts";
import { baseText, type Changes, currentText } from "../../src/review/hunks.ts";
import { readReview, reviewOf, storedReview } from "../../src/review/stored-review.ts";
import { randomly } from "../random.ts";

const uri = "file:///a.txt";
const states: readonly ReviewState[] = [
  { type: "changed" },
  { type: "created", folders: ["file:///new"] },
  { type: "deleted" },
  { type: "moved", from: "file:///b.txt" },
];
const lines = fc.array(fc.constantFrom("a\n", "b\n", "  b\n", "c\n", "\n"), { maxLength: 8 });
const shown = ({ hunks, marks, text, base }: Changes) => ({ hunks, marks: [...marks], text, base });

/** A review in which the agent, the user and the agent again have written. */
function written(state: ReviewState, [first, second, third, fourth]: readonly string[]): FileReview {
  const file = new FileReview(state, FileReview.begin(first ?? "").changes);
  file.agentWrote(second ?? "");
  file.replaced([], third ?? "");
  file.agentWrote(fourth ?? "");
  return file;
}

describe("a stored review", () => {
  randomly("V4 is read as it was written, with the marks of the user's lines", () => {
    const texts = fc.tuple(lines, lines, lines, lines).map((all) => all.map((one) => one.join("")));
    fc.assert(
      fc.property(texts, fc.constantFrom(...states), (texts, state) => {
        const file = written(state, texts);
        const stored = readReview(JSON.parse(JSON.stringify(storedReview(uri, file))));
        assert.ok(stored);
        const read = reviewOf(stored);
        assert.equal(stored.uri, uri);
        assert.deepEqual(read.state, file.state);
        assert.deepEqual(shown(read.changes), shown(file.changes));
      }),
      { numRuns: 1000 },
    );
  });

  it("V4 of version 0.4 is read, a created file as one without folders of the agent", () => {
    const former = { version: 1, uri, base: "a\nb\n", text: "a\nB\nc\n" };
    for (const created of [true, false]) {
      const stored = readReview({ ...former, created });
      assert.ok(stored);
      assert.deepEqual(stored.state, created ? { type: "created", folders: [] } : { type: "changed" });
      const { changes } = reviewOf(stored);
      assert.equal(baseText(changes), "a\nb\n");
      assert.equal(currentText(changes), "a\nB\nc\n");
      assert.equal(changes.hunks.length, 1);
    }
  });

  it("V4 with pieces or marks that do not fit keeps both texts, and what differs is the agent's", () => {
    const good = { version: 2, uri, state: { type: "changed" }, base: "a\nb\nc\n", text: "a\nB\nc\nd\n" };
    const pieces = [
      [],
      [[0, 0, 0, 0]],
      [[1, 1, 1, 1]],
      [[3, 0, 3, 1]],
      [
        [1, 1, 1, 1],
        [3, 0, 3, 2],
      ],
      [
        [3, 0, 3, 1],
        [1, 1, 1, 1],
      ],
      [[0, 9, 0, 9]],
    ];
    for (const one of pieces) {
      const stored = readReview({ ...good, pieces: one, mine: [99], mixed: [[7, []]] });
      assert.ok(stored);
      const { changes } = reviewOf(stored);
      assert.equal(baseText(changes), good.base);
      assert.equal(currentText(changes), good.text);
      assert.deepEqual(
        changes.hunks.map(({ start, count }) => [start, count]),
        [
          [1, 1],
          [3, 1],
        ],
        JSON.stringify(one),
      );
    }
  });

  it("V4 that is none is left out", () => {
    const good = storedReview(uri, written({ type: "changed" }, ["a\n", "b\n", "b\n", "c\n"]));
    assert.ok(readReview(good));
    for (const bad of [undefined, null, 1, "x", [], {}, { ...good, version: 3 }, { ...good, uri: 1 }])
      assert.equal(readReview(bad), undefined, JSON.stringify(bad));
    for (const bad of [
      { ...good, state: { type: "?" } },
      { ...good, pieces: [[0, 0, 0]] },
      { ...good, mine: [-1] },
    ])
      assert.equal(readReview(bad), undefined, JSON.stringify(bad));
    assert.equal(readReview({ ...good, mixed: [[0.5, []]] }), undefined);
  });
});
