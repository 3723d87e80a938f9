import assert from "node:assert/strict";
import { applyPatch } from "diff";
import fc from "fast-check";
import * as z from "zod/mini";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { ToolRegistry } from "../../src/tools/registry.ts";
import { testSummary } from "../../src/tools/run-command/command-result.ts";
import { compare, toFileDiff } from "../../src/tools/text/diff.ts";
import { countLines, endingAround, isCrlf, splitLines, withLineFeeds } from "../../src/tools/text/text.ts";
import { outputLimit, Shortener } from "../../src/tools/text/truncate.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { randomly } from "../random.ts";

describe("text", () => {
  randomly("splitting and counting lines agree", () => {
    assert.deepEqual(splitLines(""), []);
    assert.deepEqual(splitLines("\n"), [""]);
    assert.deepEqual(splitLines("a\r\nb\rc\n\nd"), ["a", "b\rc", "", "d"]);
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "\n", "\r\n", "\r")), (pieces) => {
        const text = pieces.join("");
        return splitLines(text).length === countLines(text);
      }),
    );
  });

  randomly("finds positions again after line endings were normalized", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "\n", "\r\n", "\r")), (pieces) => {
        const text = pieces.join("");
        const { lf, indexIn } = withLineFeeds(text);
        for (let index = 0; index <= lf.length; index++) {
          assert.equal(text.slice(0, indexIn(index)).replaceAll("\r\n", "\n"), lf.slice(0, index));
        }
      }),
    );
  });

  it("recognizes line endings", () => {
    assert.deepEqual(["a\r\nb\r\n", "a\r\nb\n", "\na\r\n", "a", "a\n"].map(isCrlf), [true, false, false, false, false]);
    assert.equal(endingAround("a\r\nb\n", 0), "\r\n");
    assert.equal(endingAround("a\r\nb\n", 3), "\n");
    assert.equal(endingAround("a\r\nb", 3), "\r\n");
    assert.equal(endingAround("ab", 1), "\n");
  });
});

describe("diff", () => {
  const file = (lines: number) => Array.from({ length: lines }, (_, index) => `line ${index + 1}\n`).join("");

  randomly("its patches lead from the old text to the new", () => {
    const text = fc
      .array(fc.constantFrom("a\n", "b\n", "c\n", "d\n", "\n"), { maxLength: 30 })
      .map((lines) => lines.join(""));
    fc.assert(
      fc.property(text, text, fc.boolean(), (before, after, isOpen) => {
        const end = isOpen && after !== "" ? after.slice(0, -1) : after;
        const { patch } = toFileDiff("f", compare(before, end));
        return applyPatch(before, `--- f\n+++ f\n${patch}\n`) === end;
      }),
      { numRuns: 300 },
    );
  });

  it("counts added and removed lines", () => {
    const { added, removed } = toFileDiff("f", compare(file(100), file(100).replace("line 50\n", "x\ny\n")));
    assert.deepEqual({ added, removed }, { added: 2, removed: 1 });
    assert.deepEqual(compare("a", "a"), []);
  });

  it("shortens a long patch, and does not compare texts that differ too much", () => {
    const diff = toFileDiff("f", compare(file(20_000), file(20_000).replaceAll("line", "row")));
    assert.deepEqual([diff.added, diff.removed], [20_000, 20_000]);
    assert.ok(diff.patch.split("\n").length <= 1_001);
    assert.match(diff.patch, /\n\\ \d+ more lines are not shown$/);
  });
});

describe("truncate", () => {
  const shortened = (pieces: string[]) => {
    let spilled = "";
    const shortener = new Shortener((text) => {
      spilled += text;
    });
    for (const piece of pieces) shortener.push(piece);
    return { shown: shortener.shown("See it"), spilled, cut: shortener.cut, lines: shortener.lines };
  };

  it("T9 leaves text within the limits unchanged", () => {
    const text = "x\n".repeat(outputLimit.lines);
    assert.deepEqual(shortened([text]), { shown: text, spilled: "", cut: false, lines: outputLimit.lines });
  });

  randomly("T9 keeps the beginning and end of longer text, and saves all of it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 9_000 }), { minLength: 5, maxLength: 20 }),
        fc.constantFrom("a\n", "abcdefg", "👪"),
        (sizes, unit) => {
          const pieces = sizes.map((size) => unit.repeat(size));
          const all = pieces.join("");
          const { shown, spilled, cut, lines } = shortened(pieces);
          assert.equal(lines, countLines(all));
          assert.equal(cut, all.length > outputLimit.characters || lines > outputLimit.lines);
          if (!cut) return;
          assert.equal(spilled, all);
          assert.ok(shown.length < outputLimit.characters + 200 && shown.isWellFormed());
          const [head = "", tail = ""] = shown.split(/\n\[… \d+ lines, \d+ characters left out\. See it …\]\n/);
          assert.ok(head !== "" && tail !== "" && all.startsWith(head) && all.endsWith(tail));
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("test summary", () => {
  const outputs: [runner: string, output: string, fact: string | undefined][] = [
    ["mocha", "\n  13 passing (20ms)\n  1 failing\n", "1 of 14 failed"],
    ["mocha", "  1 pending\n  13 passing (2s)\n", "13 passed"],
    ["jest", "Test Suites: 1 failed, 2 total\nTests:       2 failed, 12 passed, 14 total\n", "2 of 14 failed"],
    ["vitest", " Test Files  1 passed (1)\n      Tests  14 passed (14)\n", "14 passed"],
    ["pytest", "=== 1 failed, 13 passed in 0.12s ===\n", "1 of 14 failed"],
    ["node:test", "# tests 3\n# pass 2\n# fail 1\n", "1 of 3 failed"],
    ["node:test", "ℹ pass 3\nℹ fail 0\n", "3 passed"],
    ["cargo", "test result: ok. 2 passed; 0 failed;\n\ntest result: FAILED. 3 passed; 1 failed;\n", "1 of 6 failed"],
    ["playwright", "  14 passed (3.2s)\n", "14 passed"],
    ["none", "all is well, 3 things\n", undefined],
  ];
  for (const [runner, output, fact] of outputs) {
    it(`of ${runner}: ${fact}`, () => assert.equal(testSummary(output)?.fact, fact));
  }
});

describe("registry", () => {
  const tool = (name: string) =>
    defineTool({
      name,
      description: `does ${name}`,
      sideEffect: "none",
      input: z.object({}),
      prepare: async () => ({
        title: name,
        preview: { type: "text", text: "" },
        requires: [],
        writes: [],
        run: async () => ({ output: "", metadata: {} }),
      }),
    });

  it("T2 keeps the order, offers enabled tools, and looks up all", () => {
    const registry = new ToolRegistry({ disabled: ["c"] });
    for (const name of ["b", "c", "a"]) registry.register(tool(name));
    assert.deepEqual(registry.names(), ["b", "c", "a"]);
    assert.deepEqual(registry.definitions(), [
      { name: "b", description: "does b", schema: { type: "object", properties: {} } },
      { name: "a", description: "does a", schema: { type: "object", properties: {} } },
    ]);
    assert.equal(registry.get("c")?.name, "c");
    assert.equal(registry.get("d"), undefined);
    assert.deepEqual(
      ["a", "c"].map((name) => registry.isDisabled(name)),
      [false, true],
    );
  });

  it("T2 accepts a name once", () => {
    const registry = new ToolRegistry();
    registry.register(tool("a"));
    assert.throws(() => registry.register(tool("a")), { message: 'A tool named "a" is registered already.' });
  });

  it("offers the core tools in few tokens", () => {
    const registry = new ToolRegistry();
    for (const core of coreTools) registry.register(core);
    assert.deepEqual(registry.names(), ["bash", "read", "write", "edit", "glob", "grep"]);
    assert.ok(JSON.stringify(registry.definitions()).length < 7_000);
  });
});
