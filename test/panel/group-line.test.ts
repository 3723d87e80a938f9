/** Lines that stand for several calls. */
import assert from "node:assert/strict";
import type { ToolPart } from "../../src/chat/message.ts";
import { groupLine } from "../../webview/conversation/group-line.ts";
import { hrefOf, parseLink } from "../../webview/markdown/link-target.ts";
import * as f from "./fixtures.ts";

function line(...loose: f.LoosePart[]): string {
  const parts = f.rondo(loose).parts.filter((part): part is ToolPart => part.type === "tool");
  const { verb, object, rest } = groupLine(parts, f.cwd);
  return [verb, object, rest].join(" ").trim();
}
const grep = (pattern: string) => f.done("grep", { pattern }, {}, "");

describe("a line for several calls", () => {
  it("names two files, each once, and counts the others", () => {
    const read = (...paths: string[]) => line(...paths.map((path) => f.readDone(path, 1)));
    assert.equal(read("src/cart.ts", "src/cart.ts"), "Read cart.ts");
    assert.equal(read("src/cart.ts", "src/money.ts"), "Read cart.ts, money.ts");
    assert.equal(read("src/cart.ts", "src/cart.ts", "a.ts", "b.ts"), "Read cart.ts, a.ts and 1 more");
    assert.equal(read("a.ts", "b.ts", "c.ts", "d.ts"), "Read a.ts, b.ts and 2 more");
  });

  it("tells files of one name apart by their folders", () => {
    assert.equal(line(f.readDone("a/index.ts", 1), f.readDone("b/index.ts", 1)), "Read a/index.ts, b/index.ts");
  });

  it("names the files that were changed, not those of the arguments", () => {
    const patch = f.done("apply_patch", { patch: "*** Update File: x" }, { diffs: f.diffs }, "Edited.");
    assert.equal(line(patch, f.editDone("src/money.ts")), "Edited cart.ts, exact.ts and 1 more");
  });

  it("names one pattern of a search", () => {
    assert.equal(line(grep("round("), grep("round(")), "Searched round(");
    assert.equal(line(grep("a, b"), grep("c"), grep("d")), "Searched a, b and 2 more");
  });

  it("shows hidden characters of a name, and says something of a call without a path", () => {
    assert.equal(line(f.readDone("src/a\u202eb.ts", 1), f.readDone("c.ts", 1)), "Read a[U+202E]b.ts, c.ts");
    assert.match(line(f.done("edit", {}, {}, ""), f.editDone("a.ts")), /^Edited .*a\.ts$/);
  });
});

describe("a link to a file", () => {
  it("is read as the path and line that it was made of", () => {
    for (const path of ["src/a.ts", "a b/100%.ts", "%41.ts", "C#/x.cs", "a:12", "C:\\work\\a.ts", "/abs/a.ts"]) {
      for (const [line, lastLine] of [
        [undefined, undefined],
        [25, undefined],
        [25, 40],
      ]) {
        assert.deepEqual(parseLink(hrefOf(path, line, lastLine)), { type: "file", path, line, lastLine }, path);
      }
    }
  });

  it("leads to no address and to no other computer", () => {
    for (const path of ["https://example.com/a", "command:a", "//server/a", "\\\\server\\a", "a\u0000b"]) {
      assert.equal(parseLink(hrefOf(path, 1)), undefined, path);
    }
  });
});
