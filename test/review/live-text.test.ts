import assert from "node:assert/strict";
import fc from "fast-check";
import type { TextEdit } from "../../src/review/edits.ts";
import { splitLines } from "../../src/review/line-diff.ts";
import { endingOf, isText, linesAfter, linesOf } from "../../src/review/live-text.ts";
import { randomly } from "../random.ts";

/** A document as an editor has it: the text and its one line ending, read line by line. `reads` counts whole readings. */
class Document {
  reads = 0;
  readonly ending: string;
  readonly #lines: string[];

  constructor(text: string, ending = "\n") {
    this.ending = ending;
    this.#lines = text.split(ending);
  }

  get lineCount(): number {
    return this.#lines.length;
  }

  line(at: number): string {
    return this.#lines[at] ?? "";
  }

  read(): string {
    this.reads += 1;
    return this.#lines.join(this.ending);
  }

  /** Returns the document after an edit, which it carries out by positions. */
  after({ startLine, startCharacter, endLine, endCharacter, text }: TextEdit): Document {
    const before = [...this.#lines.slice(0, startLine), this.line(startLine).slice(0, startCharacter)];
    const behind = [this.line(endLine).slice(endCharacter), ...this.#lines.slice(endLine + 1)];
    return new Document(before.join(this.ending) + text + behind.join(this.ending), this.ending);
  }
}

const place = (document: Document, line: number, character: number) => {
  const at = line % document.lineCount;
  return { line: at, character: character % (document.line(at).length + 1) };
};

const positions = fc.tuple(fc.nat(40), fc.nat(6), fc.nat(40), fc.nat(6));
const endings = fc.constantFrom("\n", "\r\n");
const texts = fc.array(fc.constantFrom("a", "b", "ab", ""), { maxLength: 8 });

describe("the lines of a document under review", () => {
  randomly("V21 after an edit are those of the document, and it is not read as a whole", () => {
    fc.assert(
      fc.property(texts, texts, positions, endings, (lines, fresh, [a, b, c, d], ending) => {
        const document = new Document(lines.join(ending), ending);
        const [one, other] = [place(document, a, b), place(document, c, d)];
        const isForward = one.line < other.line || (one.line === other.line && one.character <= other.character);
        const [start, end] = isForward ? [one, other] : [other, one];
        const edit: TextEdit = {
          startLine: start.line,
          startCharacter: start.character,
          endLine: end.line,
          endCharacter: end.character,
          text: fresh.join(ending),
        };
        const after = document.after(edit);
        const before = splitLines(document.read());
        assert.deepEqual(linesAfter(before, [edit], after), splitLines(after.read()));
        assert.equal(after.reads, 1);
      }),
      { numRuns: 2000 },
    );
  });

  it("V21 after several edits, named by their places before, from the last to the first", () => {
    const document = new Document("a\nb\nc\nd\n");
    const edits = [
      { startLine: 3, startCharacter: 0, endLine: 3, endCharacter: 1, text: "x\ny" },
      { startLine: 0, startCharacter: 0, endLine: 2, endCharacter: 0, text: "" },
    ];
    const after = edits.reduce((now, edit) => now.after(edit), document);
    assert.deepEqual(linesAfter(splitLines(document.read()), edits, after), ["c\n", "x\n", "y\n"]);
    assert.equal(after.reads, 0);
  });

  it("V21 are read where the edits do not lead to them", () => {
    const lines = ["a\n", "b\n", "c\n"];
    const edit = { startLine: 1, startCharacter: 0, endLine: 1, endCharacter: 1, text: "x" };
    for (const text of ["a\ny\nc\n", "a\nx\n", "a\nx\nc", "a\nx\nc\nd\n", ""]) {
      assert.deepEqual(linesAfter(lines, [edit], new Document(text)), splitLines(text), JSON.stringify(text));
      assert.deepEqual(linesAfter(lines, [edit], text), splitLines(text), JSON.stringify(text));
    }
    assert.deepEqual(linesAfter(lines, [], new Document("a\nB\nc\n")), ["a\n", "B\n", "c\n"]);
  });

  it("V21 differ from a text in the lines of any of its edits", () => {
    const lines = ["a\n", "x\n", "y\n", "c\n", "z\n"];
    const edits = [
      { startLine: 1, startCharacter: 0, endLine: 1, endCharacter: 1, text: "x\ny" },
      { startLine: 3, startCharacter: 0, endLine: 3, endCharacter: 1, text: "z" },
    ];
    assert.ok(isText(lines, edits, new Document("a\nx\ny\nc\nz\n")));
    for (const text of ["a\n?\ny\nc\nz\n", "a\nx\n?\nc\nz\n", "a\nx\ny\nc\n?\n", "a\nx\ny\nc\nz\n\n"])
      assert.ok(!isText(lines, edits, new Document(text)), JSON.stringify(text));
    assert.ok(isText(["a\n"], [], new Document("a\n")));
    assert.ok(!isText(["a\n"], [], new Document("b\n")));
    assert.ok(!isText(["a\n"], [], new Document("a")));
    assert.ok(isText([], [], new Document("")));
  });

  it("V23 have one ending, several or none", () => {
    assert.equal(endingOf(new Document("a", "\r\n"), []), "\r\n");
    for (const [text, ending] of [
      ["a\nb\nc", "\n"],
      ["a\r\nb\r\n", "\r\n"],
      ["a\rb\r", "\r"],
      ["a\nb\r\n", undefined],
      ["a\r\nb\nc", undefined],
      ["a", undefined],
      ["", undefined],
    ] as const)
      assert.equal(endingOf(text, linesOf(text)), ending, JSON.stringify(text));
  });
});
