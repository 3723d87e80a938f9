/** rename_symbol and code_action, with an editor whose services propose what a test says. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { codeAction } from "../../src/tools/built-in/code-action.ts";
import { renameSymbol } from "../../src/tools/built-in/rename-symbol.ts";
import type { Editor, Host, ServiceAction, ServiceEdit } from "../../src/tools/host.ts";
import { planOf, refusalOf } from "./context.ts";
import { TestWorkspace } from "./workspace.ts";

describe("T11 changes by the language services", () => {
  let work: TestWorkspace;
  let edits: ServiceEdit[];
  let actions: ServiceAction[];

  beforeEach(() => {
    work = new TestWorkspace();
    work.put("a.ts", "let total = 1;\n");
    work.put("b.ts", "use(total);\r\n");
    edits = [replacing("a.ts", 4), replacing("b.ts", 4)];
    actions = [
      { title: "Add import", kind: "quickfix", edits },
      { title: "Restart the server", kind: "", edits: undefined },
    ];
  });
  afterEach(() => work.dispose());

  /** Replaces 5 characters of the first line by "sum". */
  function replacing(name: string, character: number): ServiceEdit {
    const path = work.path(name);
    const [from, to] = [character, character + 5].map((at) => ({ line: 0, character: at }));
    assert.ok(from && to);
    return { path, known: readFileSync(path, "utf8"), edits: [{ from, to, text: "sum" }] };
  }

  function host(of: Host = work.host): Host {
    const none = async () => [];
    const editor: Editor = {
      ...{ watches: async () => true, problems: none, settledProblems: none },
      ...{ definition: none, references: none, symbols: none },
      rename: async () => edits,
      actions: async () => actions,
    };
    return { ...of, editor };
  }

  const rename = (of?: Host) =>
    planOf(
      renameSymbol,
      { path: "a.ts", line: 1, symbol: "total", new_name: "sum" },
      { host: host(of), seen: work.seen },
    );
  const act = (title?: string) =>
    planOf(codeAction, { path: "a.ts", line: 1, ...(title && { title }) }, { host: host() });

  it("are previewed, require the permission for each file, and are written with their line endings", async () => {
    const plan = await rename();
    assert.equal(plan.title, "Rename total to sum");
    assert.equal(plan.preview.type === "diffs" && plan.preview.diffs.length, 2);
    assert.deepEqual(
      plan.requires.map(({ permission, pattern }) => `${permission} ${pattern}`),
      ["edit a.ts", "edit b.ts"],
    );
    assert.deepEqual(plan.writes, [work.path("a.ts"), work.path("b.ts")]);
    assert.equal(readFileSync(work.path("a.ts"), "utf8"), "let total = 1;\n", "nothing is written before");
    const { output } = await plan.run(() => {});
    assert.match(output, /^2 files changed\.[\s\S]*let sum = 1;/);
    assert.equal(readFileSync(work.path("a.ts"), "utf8"), "let sum = 1;\n");
    assert.equal(readFileSync(work.path("b.ts"), "utf8"), "use(sum);\r\n");
    assert.equal(work.seen.has(work.path("a.ts")), false, "a file that was not read is not known now");
  });

  it("remind of a file that is named as the symbol was", async () => {
    work.put("total.ts", "let total = 1;\n");
    edits = [replacing("total.ts", 4)];
    const { output } = await (await rename()).run(() => {});
    assert.match(output, /total\.ts has the old name: move it/);
  });

  it("T12 keep what was read known", async () => {
    const found = await work.host.workspace.open("a.ts", new AbortController().signal);
    assert.ok(found.type === "text");
    work.seen.set(found.file.path, found.file.version);
    await (await rename()).run(() => {});
    const after = await work.host.workspace.open("a.ts", new AbortController().signal);
    assert.equal(after.type === "text" && after.file.version, work.seen.get(found.file.path));
  });

  it("change all files or none", async () => {
    const plan = await rename();
    work.put("b.ts", "other(total);\n");
    await assert.rejects(
      plan.run(() => {}),
      /has changed since it was read[\s\S]*Nothing was changed/,
    );
    assert.equal(readFileSync(work.path("a.ts"), "utf8"), "let total = 1;\n");
  });

  it("ask for protected files, and touch no secret that was not read", async () => {
    work.put("AGENTS.md", "Keep total.\n");
    edits = [replacing("AGENTS.md", 5)];
    assert.deepEqual(
      (await rename()).requires.map(({ protection }) => protection),
      ["settings"],
    );
    work.put(".env", "KEY=total\n");
    edits = [replacing("a.ts", 4), replacing(".env", 4)];
    assert.match(await refusalOf(rename), /\.env needs permission to be read/);
  });

  it("are refused in an untrusted workspace, for another text of the file, and if nothing would change", async () => {
    const untrusted = new TestWorkspace({ trusted: false });
    assert.match(await refusalOf(() => rename(untrusted.host)), /not trusted/);
    untrusted.dispose();
    work.put("a.ts", "let all = 1;\n");
    assert.match(await refusalOf(rename), /The editor has another text of a\.ts/);
    edits = [];
    assert.match(await refusalOf(rename), /change nothing there/);
  });

  it("are listed with their kind, without those whose effects are not known", async () => {
    const plan = await act();
    assert.deepEqual(plan.writes, []);
    assert.deepEqual(
      plan.requires.map(({ permission }) => permission),
      ["read"],
    );
    assert.equal((await plan.run(() => {})).output, "These can be applied:\n- Add import (quickfix)");
  });

  it("are chosen by their title", async () => {
    const plan = await act("Add import");
    assert.equal(plan.title, "Add import in a.ts");
    await plan.run(() => {});
    assert.equal(readFileSync(work.path("a.ts"), "utf8"), "let sum = 1;\n");
    assert.match(await refusalOf(() => act("Restart the server")), /runs a command of the editor/);
    assert.match(await refusalOf(() => act("Else")), /no such action there\. These can be applied:\n- Add import/);
  });
});
