/** The plan "Agentic Loop + Tool Registry", phases 3 and 4: the registry and the six core tools. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { ToolRegistry } from "../../src/tools/registry.ts";
import { defineTool, type Tool } from "../../src/tools/tool.ts";
import { type Harness, harnesses } from "../loop/harness.ts";
import type { Said } from "../scripted-model.ts";
import { queries } from "./query-runs.ts";

function tool(name: string): Tool {
  return defineTool({
    name,
    sideEffect: "none",
    description: `The tool ${name}.`,
    input: z.object({ path: z.string() }),
    prepare: async () => ({
      title: name,
      preview: { type: "text", text: "" },
      requires: [],
      writes: [],
      run: async () => ({ output: name, metadata: {} }),
    }),
  });
}

describe("Registry plan: registry", () => {
  const open = queries();

  it("T2 TestRegistry_RegisterGet: a tool is found by its name and registered once", () => {
    const registry = new ToolRegistry();
    registry.register(tool("one"));
    assert.equal(registry.get("one")?.name, "one");
    assert.equal(registry.get("two"), undefined);
    assert.throws(() => registry.register(tool("one")), /registered already/);
  });

  it("T2 TestRegistry_Disable: disabled tools are not offered but can be looked up", () => {
    const registry = new ToolRegistry({ disabled: ["two", "three"] });
    for (const name of ["one", "two", "three"]) registry.register(tool(name));
    assert.deepEqual(
      ["one", "two", "three"].map((name) => registry.isDisabled(name)),
      [false, true, true],
    );
    assert.deepEqual(
      registry.definitions().map(({ name }) => name),
      ["one"],
    );
    assert.equal(registry.get("two")?.name, "two");
  });

  it("T2 TestRegistry_Names: always in the order of registration", () => {
    const registry = new ToolRegistry({ disabled: ["a"] });
    for (const name of ["c", "a", "b"]) registry.register(tool(name));
    assert.deepEqual(registry.names(), ["c", "a", "b"]);
    assert.deepEqual(registry.names(), registry.names());
  });

  it("T2 TestRegistry_ToolDefinitions: valid in the format of each provider", async () => {
    const answers = [[{ text: "Hello." }]];
    const anthropic = await open(answers, { tools: ["read"] });
    await anthropic.result();
    const openai = await open(answers, { tools: ["read"], provider: "openai" });
    await openai.result();
    const schema = coreTools.find(({ name }) => name === "read")?.schema ?? assert.fail();
    assert.equal(schema["type"], "object");
    const [theirs] = z.array(z.looseObject({})).parse(anthropic.requests[0]?.body["tools"]);
    assert.equal(theirs?.["name"], "read");
    assert.deepEqual(theirs?.["input_schema"], schema);
    const [other] = z.array(z.looseObject({})).parse(openai.requests[0]?.body["tools"]);
    assert.equal(other?.["type"], "function");
    assert.partialDeepStrictEqual(other?.["function"], { name: "read", parameters: schema });
  });

  it("T3 each core tool has a name, a description, an input and a side effect", () => {
    const effects = Object.fromEntries(coreTools.map(({ name, sideEffect }) => [name, sideEffect]));
    assert.deepEqual(effects, {
      bash: "mutating",
      read: "read-only",
      write: "mutating",
      edit: "mutating",
      glob: "read-only",
      grep: "read-only",
    });
    for (const { description } of coreTools) assert.ok(description.length > 40);
  });
});

describe("Registry plan: core tools", () => {
  const open = harnesses();

  /** Runs the calls one after the other, and returns the results. */
  async function run(calls: [string, Record<string, unknown>][], files: Record<string, string> = {}): Promise<Harness> {
    const replies: Said[][] = calls.map(([call, input]) => [{ call, input }]);
    const h = open([...replies, ["Done."]], { files, mode: "bypassPermissions" });
    await h.turn();
    return h;
  }

  it("T10 TestBash: output and errors in order, exit code, time limit, long output truncated", async () => {
    const h = await run([
      ["bash", { command: "echo one; echo two >&2; echo three" }],
      ["bash", { command: "exit 3" }],
      ["bash", { command: "sleep 10", timeout: 60 }],
      ["bash", { command: "seq 20000" }],
    ]);
    const [said, failed, late, long] = h.results();
    assert.equal(said, "one\ntwo\nthree");
    assert.match(failed ?? "", /3/);
    assert.match(late ?? "", /60 ms|timed out|time/i);
    assert.ok((long?.length ?? 0) <= 31_000, "about 30,000 characters");
    const [, , , cut] = h.calls;
    assert.ok(cut?.state.status === "completed" && cut.state.metadata.outputFile !== undefined, "the whole is kept");
  });

  it("T10 TestFileRead: numbered lines, ranges, at most 2,000, long lines truncated, missing files", async () => {
    const many = Array.from({ length: 2500 }, (_, at) => `l${at + 1}`).join("\n");
    const h = await run(
      [
        ["read", { file_path: "a.txt" }],
        ["read", { file_path: "a.txt", offset: 2, limit: 1 }],
        ["read", { file_path: "many.txt" }],
        ["read", { file_path: "wide.txt" }],
        ["read", { file_path: "b.txt" }],
      ],
      { "a.txt": "one\ntwo\nthree\n", "many.txt": many, "wide.txt": "x".repeat(5000) },
    );
    const [whole, part, first, wide, missing] = h.results();
    assert.equal(whole, "1\tone\n     2\ttwo\n     3\tthree");
    assert.match(part ?? "", /^2\ttwo$/m);
    assert.doesNotMatch(part ?? "", /one|three/);
    assert.match(first ?? "", /\tl2000$/m);
    assert.doesNotMatch(first ?? "", /\tl2001$/m);
    assert.ok((wide?.length ?? 0) < 2200);
    assert.match(missing ?? "", /^ERROR .*b\.txt/);
  });

  it("T10 TestFileWrite: creates files and parents, replaces files, writes empty ones; reports the line count", async () => {
    const h = await run(
      [
        ["write", { file_path: "deep/er/new.txt", content: "one\ntwo\n" }],
        ["read", { file_path: "old.txt" }],
        ["write", { file_path: "old.txt", content: "new\n" }],
        ["write", { file_path: "empty.txt", content: "" }],
      ],
      { "old.txt": "old\n" },
    );
    assert.match(h.results()[0] ?? "", /2 lines/);
    assert.equal(h.read("deep/er/new.txt"), "one\ntwo\n");
    assert.equal(h.read("old.txt"), "new\n");
    assert.equal(statSync(path.join(h.folder, "empty.txt")).size, 0);
  });

  it("T10 TestFileEdit: one match, all matches; no match and several matches are errors", async () => {
    const edit = (file_path: string, old_string: string, more = {}) =>
      ["edit", { file_path, old_string, new_string: "X", ...more }] as [string, Record<string, unknown>];
    const h = await run(
      [
        ["read", { file_path: "a.txt" }],
        edit("a.txt", "one"),
        edit("a.txt", "nothing like it"),
        edit("a.txt", "two"),
        edit("a.txt", "two", { replace_all: true }),
      ],
      { "a.txt": "one\ntwo\ntwo\n" },
    );
    const [, single, none, several, all] = h.results();
    assert.match(single ?? "", /X/, "answers with the change in context");
    assert.match(none ?? "", /^ERROR/);
    assert.match(several ?? "", /^ERROR .*2/);
    assert.doesNotMatch(all ?? "", /^ERROR/);
    assert.equal(h.read("a.txt"), "X\nX\nX\n");
  });

  it("T10 TestGlob: simple and recursive patterns, another folder, no match", async () => {
    const h = await run(
      [
        ["glob", { pattern: "*.ts" }],
        ["glob", { pattern: "**/*.ts" }],
        ["glob", { pattern: "*.ts", path: "src" }],
        ["glob", { pattern: "*.py" }],
      ],
      { "a.ts": "", "src/b.ts": "", "src/deep/c.ts": "" },
    );
    const [simple, recursive, other, none] = h.results().map((result) => result.split("\n").toSorted());
    assert.deepEqual(simple, ["a.ts"]);
    assert.deepEqual(recursive, ["a.ts", "src/b.ts", "src/deep/c.ts"]);
    assert.deepEqual(other, ["src/b.ts"]);
    assert.match(none?.[0] ?? "", /no /i);
  });

  it("T10 TestGrep: patterns, filters, output modes, case, context lines", async () => {
    const grep = (more: Record<string, unknown>) =>
      ["grep", { pattern: "needle", ...more }] as [string, Record<string, unknown>];
    const h = await run(
      [
        grep({ output_mode: "content" }),
        grep({ glob: "*.md" }),
        grep({ output_mode: "count", glob: "*.md" }),
        grep({ output_mode: "content", "-i": true, glob: "b.ts" }),
        grep({ output_mode: "content", "-C": 1, glob: "a.ts" }),
        grep({ output_mode: "content", head_limit: 1 }),
      ],
      { "a.ts": "before\nneedle\nafter\n", "b.ts": "NEEDLE\n", "c.md": "needle needle\nneedle\n" },
    );
    const [content, markdown, count, folded, around, limited] = h.results();
    assert.match(content ?? "", /a\.ts:2:needle/);
    assert.equal(markdown, "c.md");
    assert.match(count ?? "", /^c\.md:3$/);
    assert.match(folded ?? "", /NEEDLE/);
    assert.match(around ?? "", /before.*needle.*after/s);
    assert.equal((limited ?? "").split("\n").filter((line) => line.includes("needle")).length, 1);
  });
});
