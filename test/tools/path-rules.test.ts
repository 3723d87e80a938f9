/** Rules that forbid paths hold for every tool, under every name of the path (T8). */
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { PermissionMode } from "../../src/chat/permission-mode.ts";
import type { Rule } from "../../src/chat/requests.ts";
import { ruledHost } from "../../src/loop/permissions/ruled-host.ts";
import { judge, type RuleBook, strictest } from "../../src/loop/permissions/rules.ts";
import { diagnostics } from "../../src/tools/built-in/diagnostics.ts";
import { symbols } from "../../src/tools/built-in/symbols.ts";
import type { Editor } from "../../src/tools/host.ts";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { ToolError } from "../../src/tools/tool.ts";
import { planOf } from "./context.ts";
import { TestWorkspace } from "./workspace.ts";

const allowing = (...permissions: string[]): Rule[] =>
  permissions.map((permission) => ({ permission, pattern: "*", action: "allow" }));
const reading = (action: Rule["action"], ...patterns: string[]): Rule[] =>
  patterns.map((pattern) => ({ permission: "read", pattern, action }));

const bookOf = (user: readonly Rule[], mode: PermissionMode = "default"): RuleBook => ({ mode, user, workspace: [] });

describe("T8 rules that forbid paths", () => {
  let work: TestWorkspace;

  before(async () => {
    work = new TestWorkspace();
    for (const name of ["private/x.txt", "private/deep/y.txt", "sub/private/z.txt", "open/a.txt", "sub/b.txt"])
      work.put(name, "KEY\n");
    work.put("private/n.ipynb", JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
    symlinkSync("private", work.path("link"));
    symlinkSync("../private/x.txt", work.path("open/alias.txt"));
    symlinkSync("open/alias.txt", work.path("chain.txt"));
    mkdirSync(path.join(work.root, "out/private"), { recursive: true });
    work.put("../out/private/o.txt", "KEY\n");
    work.put("../out/b.txt", "KEY\n");
    // Read before the rules were made; the other files were not.
    for (const file_path of ["private/x.txt", "open/a.txt", "sub/b.txt"]) await work.run("read", { file_path });
  });
  after(() => work.dispose());

  /** A call that cannot even be prepared counts as refused. */
  async function decide(tool: string, input: Record<string, unknown>, book: RuleBook): Promise<Rule["action"]> {
    try {
      const { requires } = await work.plan(tool, input, undefined, book);
      return strictest(requires.map((need) => judge(need, tool, book)));
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      assert.doesNotMatch(error.message, /KEY/);
      return "deny";
    }
  }

  const denied = [...reading("deny", "**/private/**"), ...allowing("edit", "write", "bash", "grep", "glob")];

  const spellings = (): string[] => [
    ...["private/x.txt", "./private/x.txt", "private//x.txt", "private/./x.txt", "open/../private/x.txt"],
    ...["private/deep/../x.txt", work.path("private/x.txt"), `../${path.basename(work.folder)}/private/x.txt`],
    ...["link/x.txt", "open/alias.txt", "chain.txt", "./link/./x.txt", "link/deep/../x.txt"],
    ...["sub/private/z.txt", "private/deep/y.txt"],
    ...(process.platform === "linux" ? [`/proc/self/root${work.path("private/x.txt")}`] : []),
  ];

  const changes = (file: string): Record<string, Record<string, unknown>> => ({
    read: { file_path: file },
    grep: { pattern: "KEY", path: file },
    edit: { file_path: file, old_string: "KEY", new_string: "x" },
    multi_edit: { file_path: file, edits: [{ old_string: "KEY", new_string: "x" }] },
    write: { file_path: file, content: "x" },
    apply_patch: { input: `*** Begin Patch\n*** Update File: ${file}\n@@\n-KEY\n+x\n*** End Patch` },
  });

  for (const mode of ["default", "acceptEdits", "bypassPermissions"] as const) {
    it(`deny every tool under every spelling, in ${mode}`, async () => {
      const allowed: string[] = [];
      for (const file of spellings()) {
        for (const [tool, input] of Object.entries(changes(file))) {
          if ((await decide(tool, input, bookOf(denied, mode))) !== "deny") allowed.push(`${tool} ${file}`);
        }
      }
      assert.deepEqual(allowed, []);
    });
  }

  const patches: Record<string, string> = {
    delete: "*** Delete File: private/x.txt",
    add: "*** Add File: private/new.txt\n+x",
    "move out": "*** Update File: private/x.txt\n*** Move to: open/x.txt\n@@\n-KEY\n+x",
    "move in": "*** Update File: open/a.txt\n*** Move to: private/a.txt\n@@\n-KEY\n+x",
  };
  for (const [what, patch] of Object.entries(patches)) {
    it(`deny a patch that would ${what}`, async () => {
      const input = { input: `*** Begin Patch\n${patch}\n*** End Patch` };
      assert.equal(await decide("apply_patch", input, bookOf(denied, "bypassPermissions")), "deny");
    });
  }

  it("deny a cell of a notebook, and a new file", async () => {
    const cell = { notebook_path: "private/n.ipynb", new_source: "x", edit_mode: "insert" };
    assert.equal(await decide("notebook_edit", cell, bookOf(denied)), "deny");
    assert.equal(await decide("write", { file_path: "private/new/a.txt", content: "" }, bookOf(denied)), "deny");
  });

  it("leave everything else as it was", async () => {
    for (const file of ["open/a.txt", "sub/b.txt", "privates/x.txt", "open/private.txt"]) {
      if (file.startsWith("privates") || file.includes("private.")) work.put(file, "KEY\n");
      await work.run("read", { file_path: file });
      for (const [tool, input] of Object.entries(changes(file)))
        assert.notEqual(await decide(tool, input, bookOf(denied)), "deny", `${tool} ${file}`);
    }
    assert.equal(await decide("bash", { command: "cat open/a.txt sub/b.txt" }, bookOf(denied)), "allow");
    assert.equal(await decide("read", { file_path: "open/a.txt" }, bookOf(denied)), "allow");
  });

  const patterns = (): [pattern: string, covered: string[], free: string[]][] => [
    ["**/private/**", ["private", "private/x.txt", "sub/private/z.txt"], ["open/a.txt"]],
    ["private/**", ["private", "private/deep/y.txt"], ["sub/private/z.txt"]],
    ["private", ["private", "private/x.txt", "private/deep/y.txt"], ["sub/private/z.txt"]],
    ["private/", ["private/x.txt"], ["open/a.txt"]],
    ["./private/*", ["private/x.txt", "private/deep/y.txt"], ["sub/private/z.txt"]],
    ["open/../private/**", ["private/x.txt"], ["open/a.txt"]],
    ["PRIVATE/**", ["private/x.txt"], ["open/a.txt"]],
    ["sub/**/z.txt", ["sub/private/z.txt"], ["sub/b.txt"]],
    ["sub/**/b.txt", ["sub/b.txt"], ["sub/private/z.txt"]],
    ["*.ipynb", ["private/n.ipynb"], ["private/x.txt"]],
    ["private\\x.txt", ["private/x.txt"], ["private/deep/y.txt"]],
    [`${work.folder}/private/**`, ["private/x.txt", "link/x.txt"], ["sub/private/z.txt"]],
    ["open/alias.txt", ["open/alias.txt"], ["private/x.txt"]],
    ["link", ["link/x.txt"], ["private/x.txt"]],
    [`${work.root}/out/private`, ["../out/private/o.txt"], ["private/x.txt"]],
  ];

  it("are read as people write them", async () => {
    for (const [pattern, covered, free] of patterns()) {
      const book = bookOf(reading("deny", pattern));
      for (const file of covered)
        assert.equal(await decide("read", { file_path: file }, book), "deny", `${pattern} ${file}`);
      for (const file of free)
        assert.equal(await decide("read", { file_path: file }, book), "allow", `${pattern} ${file}`);
    }
  });

  it("may begin with ~", async () => {
    const host = nodeHost({ folders: [work.folder], trusted: true, overflowDir: path.join(work.root, "o") });
    const { names } = await host.workspace.locate("~/secret/x");
    assert.ok(names.includes("~/secret/x") || os.homedir().startsWith(work.root));
    assert.equal(await decide("read", { file_path: "~/secret/x" }, bookOf(reading("deny", "~/secret"))), "deny");
    assert.equal(await decide("read", { file_path: "~/secrets/x" }, bookOf(reading("deny", "~/secret"))), "ask");
  });

  it("have exceptions: the last rule that matches wins", async () => {
    const book = bookOf([...reading("deny", "private/**"), ...reading("allow", "private/x.txt")]);
    assert.equal(await decide("read", { file_path: "private/x.txt" }, book), "allow");
    assert.equal(await decide("read", { file_path: "private/deep/y.txt" }, book), "deny");
    assert.equal(
      await decide("bash", { command: "cat private/x.txt" }, bookOf([...book.user, ...allowing("bash")])),
      "allow",
    );
  });

  it("that ask let edits ask, too, and hold in Accept edits but not in Bypass", async () => {
    const user = [...reading("ask", "private/**"), ...allowing("edit", "bash")];
    for (const [tool, input] of [
      ["read", { file_path: "private/x.txt" }],
      ["write", { file_path: "private/new.txt", content: "" }],
      ["bash", { command: "cat private/x.txt" }],
    ] as const) {
      assert.equal(await decide(tool, input, bookOf(user)), "ask", tool);
      assert.equal(await decide(tool, input, bookOf(user, "acceptEdits")), "ask", tool);
      assert.equal(await decide(tool, input, bookOf(user, "bypassPermissions")), "allow", tool);
    }
  });

  describe("leave files out of searches", () => {
    async function outputOf(tool: string, input: Record<string, unknown>, user: readonly Rule[]): Promise<string> {
      const plan = await work.plan(tool, input, undefined, bookOf(user));
      return (await plan.run(() => {})).output;
    }
    for (const action of ["deny", "ask"] as const) {
      for (const [tool, input] of [
        ["glob", { pattern: "**/*.txt" }],
        ["grep", { pattern: "KEY" }],
        ["grep", { pattern: "KEY", output_mode: "content" }],
        ["grep", { pattern: "KEY", output_mode: "count" }],
        ["grep", { pattern: "KEY", glob: "**/private/**" }],
      ] as const) {
        it(`${tool} ${JSON.stringify(input)}, with rules that ${action}, and says so`, async () => {
          const output = await outputOf(tool, input, reading(action, "**/private/**"));
          const [note = ""] = output.split("\n").slice(-1);
          assert.match(note, /^\(\d+ files are not (listed|searched): .*a permission rule names them\./);
          assert.doesNotMatch(output.replace(note, ""), /(^|\/)private\//m);
        });
      }
    }

    it("but not out of a folder that asks by the same rule, once that is allowed", async () => {
      assert.match(await outputOf("grep", { pattern: "KEY" }, reading("ask", "*")), /private\/x\.txt/);
      assert.match(await outputOf("grep", { pattern: "KEY", path: "private" }, reading("ask", "private/**")), /x\.txt/);
    });

    it("and name the count again after the rules have changed", async () => {
      const of = async (pattern: string) =>
        (await outputOf("grep", { pattern: "KEY" }, reading("deny", pattern))).split("\n").at(-1);
      assert.match((await of("open/a.txt")) ?? "", /^\(1 file is not searched/);
      assert.match((await of("sub/**")) ?? "", /^\(2 files are not searched/);
    });

    it("outside of the workspace as well", async () => {
      const folder = path.join(work.root, "out");
      const rules: Rule[] = [{ permission: "external_directory", pattern: `${folder}/private/**`, action: "deny" }];
      const output = await outputOf("grep", { pattern: "KEY", path: folder }, rules);
      assert.match(output, /b\.txt\n/);
      assert.doesNotMatch(output, /o\.txt/);
    });

    it("under names relative to an inner workspace folder", async () => {
      const host = nodeHost({
        folders: [work.folder, work.path("sub")],
        trusted: true,
        overflowDir: path.join(work.root, "o"),
      });
      const book = bookOf(reading("deny", "private/z.txt"));
      const { workspace } = ruledHost(host, { tool: "grep", book, lineage: [] });
      assert.equal((await workspace.locate("sub/private/z.txt")).restricted, true);
      const filter = workspace.searchFilter(await workspace.locate("."));
      assert.equal(filter.isExcluded("sub/private/z.txt"), true);
      assert.equal(filter.isExcluded("sub/b.txt"), false);
    });
  });

  describe("hold for commands", () => {
    const refused = [
      ...["cat private/x.txt", "cat ./private/x.txt", "head -n1 private//x.txt", "cat private/*", "cat p*/x.txt"],
      ...["cat */x.txt", "cd private && cat x.txt", "cat link/x.txt", "cat chain.txt", "cat < private/x.txt"],
      ...[
        "grep -r KEY .",
        "grep -r KEY",
        "rg KEY",
        "rg KEY private",
        "grep -rn KEY sub",
        "tar cf - .",
        "tar czf a.tgz private",
      ],
      ...["cp private/x.txt open/y.txt", "cp -r private open/copy", "mv private open/p", "rm -r private"],
      ...["echo x > private/new.txt", "echo x >> private/x.txt", "sed -i s/a/b/ private/x.txt", "tee private/x.txt"],
      ...["awk 1 private/x.txt", "sort private/x.txt", "diff private/x.txt open/a.txt", "wc -l sub/private/z.txt"],
      ...[
        "find private -type f -exec cat {} +",
        "cat open/../private/x.txt",
        "python3 private/x.txt",
        "ls && cat private/x.txt",
      ],
      ...[
        "bash -c 'cat private/x.txt'",
        'cat "$(pwd)/private/x.txt"',
        "for f in private/*; do cat $f; done",
        "cat p{rivate,}/x.txt",
        "python3 -c \"print(open('private/x.txt').read())\"",
        "node -e \"require('fs').readFileSync('private/x.txt')\"",
        "find . -name x.txt | xargs cat",
        'd=private; cat "$d/x.txt"',
        "cat $PWD/private/x.txt",
        "cat pr[i]vate/x.txt",
        'cat "$UNKNOWN/private/x.txt"',
        "xargs cat < private/x.txt",
        "git show HEAD:private/x.txt",
        "git diff private",
      ],
    ];
    for (const command of refused) {
      it(`refuse ${command}`, async () => {
        // What is known only when it runs asks; the rest is refused.
        const expected = /[$|]/.test(command) ? /^(ask|deny)$/ : /^deny$/;
        for (const mode of ["default", "bypassPermissions"] as const)
          assert.match(await decide("bash", { command }, bookOf(denied, mode)), expected, mode);
        // Also when the rule for commands comes first.
        assert.match(await decide("bash", { command }, bookOf(denied.toReversed())), expected);
      });
    }

    const free = ["cat open/a.txt", "echo private/x.txt", "grep -r KEY open", "ls", "git status", "npm run private"];
    for (const command of free) {
      it(`do not touch ${command}`, async () => {
        const { requires } = await work.plan(
          "bash",
          { command },
          undefined,
          bookOf(reading("deny", "**/secretive/**")),
        );
        const bare = await work.plan("bash", { command });
        const needs = (all: typeof requires) => all.map(({ command: _, ...need }) => need);
        assert.deepEqual(needs(requires), needs(bare.requires));
      });
    }
  });

  it("hide problems and symbols", async () => {
    const file = work.path("private/x.txt");
    const editor: Editor = {
      watches: async () => true,
      problems: async () => [{ path: file, line: 1, column: 1, severity: "error", message: "KEY", source: "" }],
      settledProblems: async () => [],
      definition: async () => [{ path: file, line: 1, text: "KEY" }],
      references: async () => [{ path: file, line: 1, text: "KEY" }],
      symbols: async () => [{ path: file, line: 1, text: "", name: "KEY", kind: "class", container: "" }],
      rename: async () => [],
      actions: async () => [],
    };
    const book = bookOf(denied);
    for (const [tool, input] of [
      [diagnostics, {}],
      [symbols, { action: "workspace", symbol: "KEY" }],
      [symbols, { action: "references", symbol: "x", path: "open/a.txt", line: 1 }],
    ] as const) {
      const host = ruledHost({ ...work.host, editor }, { tool: tool.name, book, lineage: [] });
      const { output } = await (await planOf(tool, input, { host })).run(() => {});
      assert.doesNotMatch(output, /KEY|private/, tool.name);
    }
    const host = ruledHost({ ...work.host, editor }, { tool: "symbols", book, lineage: [] });
    const { requires } = await planOf(symbols, { action: "document", path: "private/x.txt" }, { host });
    assert.equal(strictest(requires.map((need) => judge(need, "symbols", book))), "deny");
  });

  it("of an agent hold as those of the user do", async () => {
    const agent = { name: "a", source: "workspace" as const, permission: reading("deny", "private/**") };
    const book = bookOf(allowing("*"));
    const { workspace } = ruledHost(work.host, { tool: "grep", book, lineage: [agent] });
    assert.equal(workspace.searchFilter(await workspace.locate(".")).isExcluded("private/x.txt"), true);
    await work.run("read", { file_path: "private/x.txt" });
    const [need] = await work.needs("write", { file_path: "private/x.txt", content: "" });
    assert.ok(need);
    assert.equal(judge(need, "write", book, [agent]).decision, "deny");
  });

  it("cost nothing without such rules", () => {
    const call = { tool: "bash", book: bookOf(allowing("bash", "edit")), lineage: [] };
    assert.equal(ruledHost(work.host, call), work.host);
  });
});
