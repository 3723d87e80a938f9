import assert from "node:assert/strict";
import { diagnostics } from "../../src/tools/built-in/diagnostics.ts";
import { symbols } from "../../src/tools/built-in/symbols.ts";
import type { CodePlace, CodeProblem, CodeSymbol, Editor, Host } from "../../src/tools/host.ts";
import type { PermissionRequirement, Tool } from "../../src/tools/tool.ts";
import { planOf } from "./context.ts";
import { TestWorkspace } from "./workspace.ts";

/** Returns an editor that always answers with this. */
function editorOf({ problems = [], places = [], named = [] }: Knows): Editor {
  return {
    watches: async () => true,
    problems: async (path) => problems.filter((one) => path === undefined || one.path === path),
    settledProblems: async () => problems,
    definition: async () => places,
    references: async () => places,
    symbols: async () => named,
    rename: async () => [],
    actions: async () => [],
  };
}

interface Knows {
  problems?: CodeProblem[];
  places?: CodePlace[];
  named?: CodeSymbol[];
}

describe("what tools report from the editor", () => {
  let work: TestWorkspace;

  beforeEach(() => {
    work = new TestWorkspace();
    work.put("src/a.ts", "a\n");
    work.put(".env", "SECRET=1\n");
    work.put("private/notes.txt", "hush\n");
    work.put(".rondoignore", "private/\n");
  });

  afterEach(() => work.dispose());

  const hostWith = (knows: Knows): Host => ({ ...work.host, editor: editorOf(knows) });
  const problem = (name: string, line: number, severity: CodeProblem["severity"] = "error"): CodeProblem => {
    return { path: work.path(name), line, column: 1, severity, message: `wrong ${name} ${line}`, source: "ts(1)" };
  };
  const place = (path: string, text: string): CodePlace => ({ path, line: 1, text });

  async function run(tool: Tool, input: Record<string, unknown>, knows: Knows) {
    const plan = await planOf(tool, input, { host: hostWith(knows) });
    return await plan.run(() => {});
  }

  async function needs(tool: Tool, input: Record<string, unknown>): Promise<string[]> {
    const plan = await planOf(tool, input, { host: hostWith({}) });
    const words = ({ permission, pattern, protection }: PermissionRequirement) =>
      `${permission} ${pattern} ${protection}`;
    return plan.requires.map((need) => words(need).replace(work.root, "ROOT"));
  }

  it("T11 requires the same permission as reading the file", async () => {
    assert.deepEqual(await needs(diagnostics, { path: "src/a.ts" }), ["read src/a.ts none"]);
    assert.deepEqual(await needs(diagnostics, { path: ".env" }), ["read .env secret"]);
    assert.deepEqual(await needs(symbols, { action: "document", path: "private/notes.txt" }), [
      "read private/notes.txt ignored",
    ]);
    const outside = await needs(symbols, { action: "references", path: "../x.ts", symbol: "a", line: 1 });
    assert.deepEqual(outside, ["read ROOT/x.ts none", "external_directory ROOT/x.ts none"]);
    assert.equal((await needs(diagnostics, {}))[0], "read . none");
    assert.equal((await needs(symbols, { action: "workspace", symbol: "a" }))[0], "read . none");
  });

  it("T11 counts the problems, shows the worst 100, and omits protected files", async () => {
    const hints = Array.from({ length: 120 }, (_, at) => problem("src/a.ts", at + 1, "hint"));
    const hidden = [
      problem(".env", 1),
      problem("private/notes.txt", 1),
      { ...problem("x", 1), path: "/elsewhere/x.ts" },
    ];
    const { output, metadata } = await run(diagnostics, {}, { problems: [...hints, problem("b.ts", 7), ...hidden] });
    assert.match(output, /^b\.ts\n {2}7:1 error wrong b\.ts 7 \[ts\(1\)\]\n\nsrc\/a\.ts\n {2}1:1 hint/);
    assert.match(output, /\(21 more are not shown; ask for one file\)$/);
    assert.doesNotMatch(output, /env|private|elsewhere/);
    assert.deepEqual(metadata, { fact: "1 error, 120 hints", tone: "bad" });
    const none = await run(diagnostics, { path: "src/a.ts" }, {});
    assert.deepEqual(none, { output: "No problems.", metadata: { fact: "no problems", tone: "good" } });
  });

  it("T11 shows the line of a location only if the file may be read without asking", async () => {
    const places = [
      place(work.path("src/a.ts"), "  export const a = 1;"),
      place(work.path(".env"), "SECRET=1"),
      place(work.path("private/notes.txt"), "hush"),
      place(`${work.root}/lib.ts`, "declare const lib"),
    ];
    const { output } = await run(symbols, { action: "references", path: "src/a.ts", symbol: "a", line: 1 }, { places });
    const shown = output.replace(work.root, "ROOT").split("\n");
    assert.deepEqual(shown, [
      "src/a.ts:1: export const a = 1;",
      "ROOT/lib.ts:1",
      "(2 places in protected files are not shown)",
    ]);
  });

  it("T11 shows a hundred symbols, with kind and container", async () => {
    const named = Array.from({ length: 103 }, (_, at) => {
      const name = `f${at}`;
      return {
        path: work.path("src/a.ts"),
        line: at + 1,
        text: "",
        name,
        kind: "function",
        container: at === 0 ? "" : "C",
      };
    });
    const { output } = await run(symbols, { action: "workspace", symbol: "f" }, { named });
    const lines = output.split("\n");
    assert.deepEqual(lines.slice(0, 2), ["src/a.ts:1 function f0", "src/a.ts:2 function C.f1"]);
    assert.deepEqual(lines.slice(100), ["(3 more are not shown)"]);
    assert.equal((await run(symbols, { action: "workspace", symbol: "f" }, {})).output, "Nothing was found.");
  });
});
