/** Bytes of a file that an edit keeps on disk (T12). */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import fc from "fast-check";
import { type Encoding, encode } from "../../src/tools/text/codec.ts";
import { randomly } from "../random.ts";
import { EditWorkspace } from "./edit-tools.ts";

const encodings: readonly Encoding[] = ["utf8", "utf8-bom", "utf16le", "utf16be"];
const endings: readonly [name: string, ends: readonly string[]][] = [
  ["LF", ["\n"]],
  ["CRLF", ["\r\n"]],
  ["mixed line endings", ["\r\n", "\n", "\n"]],
];

/** Lines before and after, where `|` is a line ending. */
const edits: readonly [title: string, old: string, by: string, before: string, after: string][] = [
  ["a word", "zwei", "2", "eins|  zwei 👪|drei", "eins|  2 👪|drei"],
  ["lines", "eins|  zwei", "eins|  2", "eins|  zwei 👪|drei", "eins|  2 👪|drei"],
  ["a deleted line", "  zwei 👪|", "", "eins|  zwei 👪|drei", "eins|drei"],
  ["indentation", "if a:|    b", "if a:|    c", "|\tif a:|\t\tb|x", "|\tif a:|\t\tc|x"],
  ["trailing space", "a|b|c", "a|B|c", "a \t|b|c|d", "a \t|B|c|d"],
  ["typography", '"a"|b', '"a"|c', "“a”|b|c|d", "“a”|c|c|d"],
];

describe("T12 an edit on disk", () => {
  let work: EditWorkspace;
  before(() => {
    work = new EditWorkspace();
  });
  after(() => work.dispose());

  for (const encoding of encodings) {
    for (const [ending, ends] of endings) {
      for (const final of [true, false]) {
        for (const [title, old, by, before, after] of edits) {
          it(`${encoding}, ${ending}, ${final ? "" : "no "}final newline: ${title}`, async () => {
            // Each line keeps its ending, so all bytes outside changed or deleted lines are the same.
            const lines = before.split("|");
            const endOf = (line: string) => ends[lines.indexOf(line) % ends.length] ?? "\n";
            const whole = (text: string) =>
              text
                .split("|")
                .map((line, index, all) =>
                  index < all.length - 1 || final ? line + endOf(lines[index] ?? line) : line,
                )
                .join("");
            // A deleted line includes its ending.
            const expected = by === "" ? `eins${endOf("eins")}drei${final ? endOf("drei") : ""}` : whole(after);
            work.seen.clear();
            work.put("f.txt", encode(whole(before), encoding), 0o640);
            await work.run("edit", {
              file_path: "f.txt",
              old_string: old.replaceAll("|", "\n"),
              new_string: by.replaceAll("|", "\n"),
            });
            assert.deepEqual(work.bytes("f.txt"), encode(expected, encoding));
            assert.equal(statSync(work.path("f.txt")).mode & 0o777, 0o640);
          });
        }
      }
    }
  }

  randomly("changes the matched bytes and no others", async () => {
    const piece = fc.constantFrom("a", "b", " ", "\t", "\n", "\r\n", "$&", "é", "“", "’", "👪", "\\n", "&lt;");
    const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        text,
        text,
        fc.constantFrom(...encodings),
        async (head, wanted, tail, by, encoding) => {
          const lf = (some: string) => some.replaceAll("\r\n", "\n");
          if (lf(wanted) === lf(by)) return;
          work.seen.clear();
          work.put("f.txt", encode(`${head}<${wanted}>${tail}`, encoding));
          await work.run("edit", { file_path: "f.txt", old_string: `<${wanted}>`, new_string: `<${by}>` });
          const bytes = work.bytes("f.txt");
          const before = encode(`${head}<`, encoding);
          const after = encode(`>${tail}`, encoding === "utf8-bom" ? "utf8" : encoding);
          // A byte order mark occurs only at the beginning.
          const rest = encoding.startsWith("utf16") ? after.subarray(2) : after;
          assert.ok(bytes.subarray(0, before.length).equals(before), "the bytes before");
          assert.ok(bytes.subarray(bytes.length - rest.length).equals(rest), "the bytes after");
          const middle = bytes.subarray(before.length, bytes.length - rest.length);
          const plain = encoding.startsWith("utf16") ? "utf16le" : "utf8";
          const found = encoding === "utf16be" ? Buffer.from(middle).swap16() : middle;
          assert.equal(lf(found.toString(plain)), lf(by));
        },
      ),
      { numRuns: 60 },
    );
  });
});
