/** What `npm run shape` counts in sources. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { countsOf, sourcesOf } from "../../scripts/shape-counts.mjs";
import { filesByKind } from "../../scripts/shape-kinds.mjs";

describe("npm run shape", () => {
  let checkout: string;
  beforeEach(() => {
    checkout = mkdtempSync(path.join(os.tmpdir(), "rondo-shape-"));
    for (const folder of ["src", "webview"]) mkdirSync(path.join(checkout, folder));
  });
  afterEach(() => rmSync(checkout, { recursive: true, force: true }));

  function write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(checkout, file)), { recursive: true });
    writeFileSync(path.join(checkout, file), text);
  }
  /** Returns the places of what is counted under a name. */
  function places(what: string): string[] {
    const found = countsOf(sourcesOf(checkout)).find((measure) => measure.what.includes(what));
    assert.ok(found);
    assert.equal(found.count, found.places.length);
    return found.places;
  }

  it("counts hand-written modules and components", () => {
    for (const file of ["src/a.ts", "src/b/c.ts", "webview/D.svelte", "src/e.d.ts", "webview/f.css"]) write(file, "");
    for (const type of ["ts", "json"]) write(`src/providers/catalog/models.${type}`, "");
    assert.deepEqual(places("hand-written"), ["src/a.ts", "src/b/c.ts", "webview/D.svelte"]);
  });

  it("finds small files with one importer, however they are imported", () => {
    const once = {
      "src/one.ts": `import type { A } from "./lib/a.ts"; import { b } from "./lib/b.ts"; import "./lib/long.ts";`,
      "src/two.ts": `export * from "./lib/c.ts"; const d = await import("./lib/d.ts"); import "./lib/b.ts";`,
      "src/three.ts": `let e: typeof import("./lib/e.ts"); import "zod";`,
      "webview/F.svelte": `<script lang="ts">import { g } from "../src/lib/g.ts";</script><p>{g}</p>`,
    };
    for (const [file, text] of Object.entries(once)) write(file, text);
    for (const name of ["a", "b", "c", "d", "e", "g"]) write(`src/lib/${name}.ts`, "//\n".repeat(60));
    write("src/lib/long.ts", "//\n".repeat(61));
    write("src/lib/unused.ts", "");
    const small = ["a", "c", "d", "e", "g"].map((name) => `src/lib/${name}.ts`);
    assert.deepEqual(places("one importer"), small);
  });

  it("finds functions that only pass on", () => {
    write(
      "src/a.ts",
      [
        "function plain(a, b) { return other(b, a); }",
        "const arrow = async (a) => await this.#inner.run(a);",
        "class C { method(...all) { this.x?.call(...all); } }",
        // These say something of their own.
        "function more(a) { return other(a, 1); }",
        "function less(a, b) { return other(a); }",
        "const nothing = () => other();",
        "const test = (word) => /^a/.test(word);",
        "const known = (word) => ['a'].includes(word);",
        "function two(a) { log(); return other(a); }",
        "const initial = (a = 1) => other(a);",
        "const unpacked = ({ a }) => other(a);",
      ].join("\n"),
    );
    write(
      "webview/B.svelte",
      `<script lang="ts">\nlet a = 1;\n</script>\n\n<button onclick={(event) => press(event)}>A</button>`,
    );
    assert.deepEqual(places("pass on"), ["src/a.ts:1", "src/a.ts:2", "src/a.ts:3", "webview/B.svelte:5"]);
  });

  it("finds bags of callbacks where they are declared and where they are filled", () => {
    write(
      "src/a.ts",
      [
        "interface Bag { one(): void; two?: (() => void) | undefined; name: string }",
        "type Inline = { one: () => void; two: (a: Never) => void };",
        "interface Small { one(): void; name: string }",
        "interface Class { one(): void; two(): void }",
        "interface Never { one(): void; two(): void }",
        "class A implements Class { constructor(bag: Readonly<Bag>, it: Class, small: Small) {} }",
        "function take({ one }: Inline | undefined) {}",
        "new A({ one() {}, two: () => {} }); take({ one: () => {}, two });",
        "const kept = { one() {}, two() {} };",
      ].join("\n"),
    );
    assert.deepEqual(places("as types"), ["src/a.ts:1 Bag", "src/a.ts:2 Inline"]);
    assert.deepEqual(places("as object literals"), ["src/a.ts:8"]);
  });

  it("finds the files that know one of a kind by name", () => {
    for (const folder of ["scripts", "docs"]) mkdirSync(path.join(checkout, folder));
    write(
      "src/all.ts",
      `import a from "./web-fetch.ts"; const all = [cerebras, ollama, autoCompact, LoopCard, showTrace];`,
    );
    write("src/tools/web-fetch.ts", `const name = "web_fetch";`);
    write("src/reasons.ts", `const why = \`It reads a page with web_fetch \${often}.\`;`);
    write("src/silent.ts", `// web_fetch\nimport "./loop"; const text = "A loop of reasoning and its trace";`);
    write("src/providers/a.ts", `const type = "reasoning";`);
    write("webview/Part.svelte", `{#if part.type === "reasoning"}<b title={webFetch}></b>{/if}`);
    write("docs/tools.md", "`web_fetch` fetches");
    for (const file of [
      "docs/settings.md",
      "docs/spec.md",
      "docs/develop/spec.md",
      "src/providers/catalog/models.ts",
      "src/providers/catalog/models.json",
      "src/base/key-variables.ts",
      "src/query/setting-options.ts",
    ]) {
      write(file, "`web_fetch`");
    }
    // What a script has written into them is not written by hand.
    write("README.md", "Tools: <!-- Written: tools -->web_fetch<!-- End --> and others");
    write("package.json", `{ "tools": { "$comment": "Written by a script.", "enum": ["web_fetch"] }, "name": "a" }`);
    const found = filesByKind(checkout).map(({ example, own, others }) => ({ example, own, others }));
    const nobodyElse = ["cerebras", "ollama", "autoCompact", "loop", "trace"].map((example) => ({
      example,
      own: [],
      others: ["src/all.ts"],
    }));
    const byName = (a: { example: string }, b: { example: string }) => a.example.localeCompare(b.example);
    const tool = {
      example: "web_fetch",
      own: ["src/tools/web-fetch.ts"],
      others: ["src/reasons.ts", "webview/Part.svelte", "docs/tools.md"],
    };
    const part = { example: "reasoning", own: [], others: ["webview/Part.svelte"] };
    assert.deepEqual(found.sort(byName), [...nobodyElse, tool, part].sort(byName));
  });

  it("fails for an example that is gone", () => {
    for (const folder of ["scripts", "docs"]) mkdirSync(path.join(checkout, folder));
    assert.throws(() => filesByKind(checkout), /Nothing names cerebras/);
  });
});
