/** Cases of `edit`: a table of our own, then those collected from other agents. */
import assert from "node:assert/strict";
import { chmodSync, statSync } from "node:fs";
import path from "node:path";
import { EditWorkspace } from "../tools/edit-tools.ts";
import { collectedCases } from "./collected.ts";
import { type EditCase, fileOf, judge, type Outcome, textOf } from "./edit-cases.ts";

/** Texts before and after an edit, or the reason for its refusal. */
const table: [
  title: string,
  before: string,
  old: string,
  by: string,
  after: string | { refused: RegExp },
  all?: true,
][] = [
  ["unique word", "this is an oldString!", "oldString", "newString", "this is an newString!"],
  ["two lines replaced", "line1\nline2\nline3", "line1\nline2", "newline1\nnewline2", "newline1\nnewline2\nline3"],
  ["start of file", "start of file\nrest of content", "start of file", "beginning", "beginning\nrest of content"],
  ["simple word", "Original content", "Original", "New", "New content"],
  ["line with its newline", "before\nto delete\nafter", "to delete\n", "", "before\nafter"],
  ["preceding newline plus line", "keep\ndelete me\nkeep", "\ndelete me", "", "keep\nkeep"],
  ["two occurrences, deletion", "alpha\nbeta\nalpha\n", "alpha\n", "", { refused: /occurs \d+ times/ }],
  ["word three times", "foo foo foo", "foo", "bar", { refused: /occurs \d+ times/ }],
  ["letter in a word", "hello world", "l", "L", { refused: /occurs \d+ times/ }],
  [
    "first of several is not silently taken",
    "line1\nline2\nline1\nline3\n",
    "line1\n",
    "new_line\n",
    { refused: /occurs \d+ times/ },
  ],
  ["exactly one occurrence", "foo", "foo", "bar", "bar", true],
  ["delete all", "x1x2x3", "x", "", "123", true],
  ["overlapping matches, no replace_all", "aaa", "aa", "b", { refused: /occurs \d+ times/ }],
  ["empty old on a non-empty file", "existing content", "", "new content", { refused: /old_string is empty/ }],
  ["empty old, empty existing file", "", "", "new content", "new content"],
  ["$' literal", "foo", "foo", "bar$'baz", "bar$'baz"],
  ["$` literal", "prefix-middle-suffix", "middle", "new$`content", "prefix-new$`content-suffix"],
  ["$1$2 literal", "test string", "test", "$1$2replacement", "$1$2replacement string"],
  ["$$ literal", "price value", "value", "$$100", "price $$100"],
  [
    "regex with $ at the end",
    "| select('match', '^[sv]d[a-z]$')",
    "'^[sv]d[a-z]$'",
    "'^[sv]d[a-z]$' # updated",
    "| select('match', '^[sv]d[a-z]$' # updated)",
  ],
  [
    "all $ forms at once",
    "a\nb\nc",
    "b",
    "cost=$100 pid=$$ match=$& rest=$'",
    "a\ncost=$100 pid=$$ match=$& rest=$'\nc",
  ],
  [". does not match any char", "axb a.b", "a.b", "ok", "axb ok"],
  ["backslash digit in new", "(a)", "(a)", "\\1\\0", "\\1\\0"],
  ["regex characters, replace_all", "a.b a.b axb", "a.b", "c", "c c axb", true],
  ["literal \\n (backslash n) in file", 'print("a\\nb")', '"a\\nb"', '"a\\tb"', 'print("a\\tb")'],
  ["delete word everywhere", "remove this remove that remove everything", "remove ", "", "this that everything", true],
  ["a regex literal", "const regex = /[a-z]+/g;", "/[a-z]+/g", "/[A-Z]+/g", "const regex = /[A-Z]+/g;"],
  [
    "un-indented old against indented file",
    "def foo():\n    x = 1\n    y = 2\n    return x + y\n",
    "x = 1\ny = 2",
    "x = 10\ny = 20",
    "def foo():\n    x = 10\n    y = 20\n    return x + y\n",
  ],
  [
    "CRLF file, CRLF strings",
    "alpha\r\nbeta\r\ngamma\r\n",
    "alpha\r\nbeta\r\ngamma",
    "alpha\r\nbeta-updated\r\ngamma",
    "alpha\r\nbeta-updated\r\ngamma\r\n",
  ],
  [
    "LF file, old LF, new CRLF",
    "alpha\nbeta\ngamma\n",
    "alpha\nbeta\ngamma",
    "alpha\r\nbeta-updated\r\ngamma",
    "alpha\nbeta-updated\ngamma\n",
  ],
  [
    "LF file, mixed strings",
    "alpha\nbeta\ngamma\n",
    "alpha\nbeta\r\ngamma",
    "alpha\r\nbeta\nomega",
    "alpha\nbeta\nomega\n",
  ],
  [
    "replace_all LF blocks",
    "alpha\nbeta\nalpha\nbeta\n",
    "alpha\nbeta",
    "alpha\nbeta-updated",
    "alpha\nbeta-updated\nalpha\nbeta-updated\n",
    true,
  ],
  [
    "replace_all CRLF blocks, LF strings",
    "alpha\r\nbeta\r\nalpha\r\nbeta\r\n",
    "alpha\nbeta",
    "alpha\nbeta-updated",
    "alpha\r\nbeta-updated\r\nalpha\r\nbeta-updated\r\n",
    true,
  ],
  [
    "CRLF file, old ends with newline",
    "first\r\nsecond\r\nthird\r\n",
    "second\n",
    "REPLACED\n",
    "first\r\nREPLACED\r\nthird\r\n",
  ],
  ["CRLF file, two lines of text", "line one\r\nline two\r\n", "line two", "line three", "line one\r\nline three\r\n"],
  [
    "CRLF function body",
    "function test() {\r\n    return true;\r\n}\r\n",
    "    return true;",
    "    return false;",
    "function test() {\r\n    return false;\r\n}\r\n",
  ],
  ["last line changed, no newline added", "first line\nsecond line", "second line", "2nd", "first line\n2nd"],
  ["several final newlines kept", "a\n\n\n", "a", "b", "b\n\n\n"],
  [
    "BOM file, first visible line",
    "\ufeffusing System;\nclass Test {}\n",
    "using System;",
    "using Up;",
    "\ufeffusing Up;\nclass Test {}\n",
  ],
  ["BOM and CJK", "\ufeff你好世界\n", "你好世界", "再见世界", "\ufeff再见世界\n"],
  [
    "emoji with ZWJ sequence",
    "family: 👨\u200d👩\u200d👧\u200d👦 end",
    "👨\u200d👩\u200d👧\u200d👦",
    "👪",
    "family: 👪 end",
  ],
  ["NFD file, NFD old", "cafe\u0301 au lait\n", "cafe\u0301", "coffee", "coffee au lait\n"],
  [
    "smart quotes in file, ASCII in old",
    "console.log(‘hello’);\n",
    "console.log('hello');",
    "console.log('world');",
    "console.log('world');\n",
  ],
  ["U+2028 line separator is not a line end", "a\u2028b\nc\n", "c", "d", "a\u2028b\nd\n"],
  ["Turkish i unaffected", "İstanbul istanbul", "istanbul", "x", "İstanbul x"],
  ["tab to spaces", "before\tafter", "\t", "    ", "before    after"],
  [
    "mixed tabs and spaces",
    "function() {\n\t    mixed indentation\n}",
    "\t    mixed indentation",
    "    proper indentation",
    "function() {\n    proper indentation\n}",
  ],
  [
    "tabs in file, spaces in old",
    'func main() {\n\tfmt.Println("hello")\n}\n',
    'func main() {\n    fmt.Println("hello")\n}',
    'func main() {\n    fmt.Println("bye")\n}',
    'func main() {\n\tfmt.Println("bye")\n}\n',
  ],
  [
    "trailing space in old only",
    'func main() {\n\tfmt.Println("hi")\n}\n',
    'func main() {\n\tfmt.Println("hi") \n}',
    "x",
    "x\n",
  ],
  [
    "one missing comma",
    "const myConfig = {\n  enableFeature: true,\n  retries: 3\n};",
    "const myConfig = {\n  enableFeature: true\n  retries: 3\n};",
    "const myConfig = {\n  enableFeature: false,\n  retries: 5\n};",
    { refused: /was not found/ },
  ],
  ["old_string copied with read-tool line numbers", "alpha\nbeta\n", "     1\talpha\n     2\tbeta", "x", "x\n"],
];

describe("T12 edit compared with other tools", () => {
  let work: EditWorkspace;
  beforeEach(() => {
    work = new EditWorkspace();
  });
  afterEach(() => work.dispose());

  for (const [title, before, old_string, new_string, after, replace_all = false] of table) {
    it(title, async () => {
      const file = work.put("f.txt", before);
      const input = { file_path: file, old_string, new_string, replace_all };
      if (typeof after === "string") await work.run("edit", input);
      else assert.match(await work.refusal("edit", input), after.refused);
      assert.equal(work.text("f.txt"), typeof after === "string" ? after : before);
    });
  }

  it("missing fields and fields of the wrong type", async () => {
    work.put("f.txt", "x x");
    for (const wrong of [{ old_string: undefined }, { new_string: undefined }, { replace_all: "false" }]) {
      const input = { file_path: "f.txt", old_string: "x", new_string: "y", ...wrong };
      await assert.rejects(work.run("edit", input), new RegExp(Object.keys(wrong)[0] ?? ""));
    }
    assert.equal(work.text("f.txt"), "x x");
  });

  describe("collected cases", () => {
    for (const one of collectedCases<EditCase>("edit")) {
      it(`${one.id} ${one.title}`, async function () {
        const { before, name, input } = fileOf(one);
        // Root may write what is read-only, and then it is written.
        if (one.setup?.mode === "0444" && process.getuid?.() === 0) return this.skip();
        const file = path.join(work.folder, name);
        if (before) work.put(name, before);
        if (before && one.setup?.mode) chmodSync(file, Number.parseInt(one.setup.mode, 8));
        if (one.expect.asks_or_refuses) {
          const needs = await work.needs("edit", { file_path: file, ...input }).catch(() => undefined);
          assert.ok(!needs || needs.some(({ permission }) => permission === "external_directory"));
          return;
        }
        const outcome: Outcome = await work.run("edit", { file_path: file, ...input }).then(
          () => ({ bytes: work.bytes(name) }),
          (error: unknown) => ({ error: textOf(error), bytes: before && work.bytes(name) }),
        );
        judge(one, before, outcome);
        if (one.expect.mode) assert.equal(statSync(file).mode & 0o777, Number.parseInt(one.expect.mode, 8));
      });
    }
  });
});
