import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { codeEditor } from "../../src/extension/host/language-services.ts";
import { codeAction } from "../../src/tools/built-in/code-action.ts";
import { diagnostics } from "../../src/tools/built-in/diagnostics.ts";
import { renameSymbol } from "../../src/tools/built-in/rename-symbol.ts";
import { symbols } from "../../src/tools/built-in/symbols.ts";
import type { Editor, Host } from "../../src/tools/host.ts";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { stopwatch } from "../timing.ts";
import { planOf, refusalOf } from "../tools/context.ts";

const { signal } = new AbortController();
const { Error: Wrong, Warning, Hint } = vscode.DiagnosticSeverity;

describe("code intelligence of the editor", () => {
  let folder: string;
  let editor: Editor & vscode.Disposable;
  let host: Host;
  let found: vscode.DiagnosticCollection;
  const own: vscode.Disposable[] = [];

  beforeEach(async () => {
    const [open] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(open);
    folder = await realpath(await mkdtemp(path.join(open.uri.fsPath, "editor-")));
    editor = codeEditor();
    found = vscode.languages.createDiagnosticCollection("rondo-test");
    own.push(editor, found);
    const node = nodeHost({ folders: [folder], trusted: true, overflowDir: path.join(folder, ".outputs") });
    host = { ...node, editor };
  });

  afterEach(async () => {
    for (const one of own.splice(0)) one.dispose();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const at = (name: string) => path.join(folder, name);
  const uri = (name: string) => vscode.Uri.file(at(name));
  const place = (name: string, line: number) => new vscode.Location(uri(name), new vscode.Position(line - 1, 0));

  function problem(line: number, message: string, severity = Wrong, code?: string): vscode.Diagnostic {
    const one = new vscode.Diagnostic(new vscode.Range(line - 1, 2, line - 1, 5), message, severity);
    one.source = "lint";
    if (code !== undefined) one.code = code;
    return one;
  }

  async function run(tool: Tool, input: Record<string, unknown>): Promise<string> {
    const plan = await planOf(tool, input, { host });
    return (await plan.run(() => {})).output;
  }

  it("T11 lists the problems of one file, the worst first, and of all files", async () => {
    await writeFile(at("a.txt"), "one\ntwo\nthree\n");
    found.set(uri("a.txt"), [
      problem(1, "Odd", Hint),
      problem(2, "Meh\n  really", Warning),
      problem(3, "Bad", Wrong, "E1"),
    ]);
    found.set(uri("b.txt"), [problem(1, "Worse")]);
    assert.equal(
      await run(diagnostics, { path: "a.txt" }),
      "a.txt\n  3:3 error Bad [lint(E1)]\n  2:3 warning Meh really [lint]\n  1:3 hint Odd [lint]",
    );
    const all = await run(diagnostics, {});
    assert.match(all, /a\.txt\n {2}3:3 error Bad/);
    assert.match(all, /b\.txt\n {2}1:3 error Worse/);
    found.clear();
    assert.equal(await run(diagnostics, { path: "a.txt" }), "No problems.");
  });

  it("T11 reports nothing about protected files, and about outside files only on request", async () => {
    found.set(uri(".env"), [problem(1, "PASSWORD=1 is not")]);
    found.set(vscode.Uri.file("/elsewhere/x.txt"), [problem(1, "far away")]);
    const all = await run(diagnostics, {});
    assert.doesNotMatch(all, /PASSWORD|far away/);
    const plan = await planOf(diagnostics, { path: ".env" }, { host });
    assert.deepEqual(
      plan.requires.map(({ permission, pattern, protection }) => [permission, pattern, protection]),
      [["read", ".env", "secret"]],
    );
  });

  it("waits until problems have settled, within a time limit", async () => {
    const name = "slow.slowtest";
    const fresh = stopwatch();
    assert.deepEqual(await editor.settledProblems(at(name), 2_000, signal), []);
    assert.ok(fresh() < 900, "nobody ever spoke of such files");
    found.set(uri(name), [problem(1, "before")]);
    await wait(100);
    const started = Date.now();
    const settled = editor.settledProblems(at(name), 2_000, signal);
    setTimeout(() => found.set(uri(name), [problem(1, "early")]), 500);
    setTimeout(() => found.set(uri(name), [problem(1, "late")]), 700);
    assert.deepEqual(
      (await settled).map(({ message }) => message),
      ["late"],
    );
    assert.ok(Date.now() - started >= 950);
    const restless = setInterval(() => found.set(uri(name), [problem(1, `at ${Date.now()}`)]), 100);
    const again = stopwatch();
    await editor.settledProblems(at(name), 600, signal);
    clearInterval(restless);
    assert.ok(again() < 1_500);
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error("stopped")), 50);
    await assert.rejects(editor.settledProblems(at(name), 2_000, stop.signal));
  });

  it("T11 finds definitions and references of a symbol on or near its line, without showing lines of protected files", async () => {
    await writeFile(at("a.code"), "// head\n\nconst total = $sum(total2);\n");
    await writeFile(at("b.code"), "  function $sum() {}\n");
    await writeFile(at(".env"), "SECRET=1\n");
    const asked: string[] = [];
    const pattern = { pattern: "**/*.code" };
    const answer = (document: vscode.TextDocument, position: vscode.Position) => {
      asked.push(
        `${position.line}:${position.character} ${document.getText().slice(document.offsetAt(position)).slice(0, 4)}`,
      );
      return [place("b.code", 1), place(".env", 1)];
    };
    own.push(
      vscode.languages.registerDefinitionProvider(pattern, { provideDefinition: answer }),
      vscode.languages.registerReferenceProvider(pattern, { provideReferences: answer }),
    );
    const input = { path: "a.code", symbol: "$sum" };
    const expected = "b.code:1: function $sum() {}\n(1 place in protected files is not shown)";
    assert.equal(await run(symbols, { action: "definition", line: 3, ...input }), expected);
    assert.equal(await run(symbols, { action: "references", line: 1, ...input }), expected);
    assert.deepEqual(asked, ["2:14 $sum", "2:14 $sum"]);
    for (const [symbol, line] of [
      ["otal", 3],
      ["$sum", 30],
    ] as const) {
      const refused = await refusalOf(() => run(symbols, { action: "definition", path: "a.code", symbol, line }));
      assert.match(refused, /is not on line/);
    }
    const none = await refusalOf(() => run(symbols, { action: "definition", path: "none.code", symbol: "a", line: 1 }));
    assert.match(none, /cannot be opened/);
  });

  it("T11 lists the symbols of a file, and those of the workspace by name", async () => {
    await writeFile(at("a.code"), "class Cart {\n  total() {}\n}\n");
    const range = (line: number) => new vscode.Range(line, 0, line, 5);
    const { Class, Method, Function: Fn } = vscode.SymbolKind;
    own.push(
      vscode.languages.registerDocumentSymbolProvider(
        { pattern: "**/*.code" },
        {
          provideDocumentSymbols() {
            const cart = new vscode.DocumentSymbol("Cart", "", Class, new vscode.Range(0, 0, 2, 1), range(0));
            cart.children.push(new vscode.DocumentSymbol("total", "", Method, range(1), range(1)));
            return [cart];
          },
        },
      ),
      vscode.languages.registerWorkspaceSymbolProvider({
        provideWorkspaceSymbols: (query) => [
          new vscode.SymbolInformation(`${query}Two`, Fn, "Cart", place("b.code", 7)),
          new vscode.SymbolInformation("KEY", Fn, "", place(".env", 1)),
        ],
      }),
    );
    assert.equal(
      await run(symbols, { action: "document", path: "a.code" }),
      "a.code:1 class Cart\na.code:2 method Cart.total",
    );
    const all = await run(symbols, { action: "workspace", symbol: "sum" });
    assert.match(all, /b\.code:7 function Cart\.sumTwo/);
    assert.doesNotMatch(all, /KEY/);
  });

  it("T11 renames a symbol by the provider of its language, in open and closed files", async () => {
    await writeFile(at("a.code"), "let total = 1;\n");
    await writeFile(at("b.code"), "use(total);\n");
    await vscode.workspace.openTextDocument(uri("b.code"));
    own.push(
      vscode.languages.registerRenameProvider(
        { pattern: "**/*.code" },
        {
          provideRenameEdits(document, position, name) {
            if (name === "let") throw new Error("let is a keyword");
            assert.equal(document.getText(document.getWordRangeAtPosition(position)), "total");
            const edit = new vscode.WorkspaceEdit();
            for (const file of ["a.code", "b.code"]) edit.replace(uri(file), new vscode.Range(0, 4, 0, 9), name);
            if (name === "made") edit.insert(uri("made.code"), new vscode.Position(0, 0), "x");
            return edit;
          },
        },
      ),
    );
    const input = { path: "a.code", line: 1, symbol: "total" };
    assert.match(await run(renameSymbol, { ...input, new_name: "sum" }), /^2 files changed/);
    assert.equal(await readFile(at("a.code"), "utf8"), "let sum = 1;\n");
    assert.equal(await readFile(at("b.code"), "utf8"), "use(sum);\n");
    await writeFile(at("d.code"), "let total = 1;\n");
    const again = { ...input, path: "d.code" };
    assert.match(await refusalOf(() => run(renameSymbol, { ...again, new_name: "let" })), /let is a keyword/);
    assert.match(await refusalOf(() => run(renameSymbol, { ...again, new_name: "made" })), /what is no file yet/);
    await writeFile(at("c.text"), "total\n");
    const other = await refusalOf(() => run(renameSymbol, { ...input, path: "c.text", new_name: "sum" }));
    assert.match(other, /No language service renames|refuse the rename/);
  });

  it("T11 lists and applies code actions that only edit, of the kind that is asked for", async () => {
    await writeFile(at("a.code"), "b a\n");
    const { QuickFix, SourceOrganizeImports } = vscode.CodeActionKind;
    const action = (title: string, kind: vscode.CodeActionKind, more: Partial<vscode.CodeAction> = {}) =>
      Object.assign(new vscode.CodeAction(title, kind), more);
    const sorted = new vscode.WorkspaceEdit();
    sorted.replace(uri("a.code"), new vscode.Range(0, 0, 0, 3), "a b");
    own.push(
      vscode.languages.registerCodeActionsProvider(
        { pattern: "**/*.code" },
        {
          provideCodeActions: (_document, _range, { only }) =>
            only?.contains(SourceOrganizeImports)
              ? [action("Sort", SourceOrganizeImports, { edit: sorted, command: { command: "count", title: "" } })]
              : [
                  action("Fix it", QuickFix, { edit: sorted }),
                  action("Run it", QuickFix, { command: { command: "run", title: "" } }),
                  action("Not now", QuickFix, { edit: sorted, disabled: { reason: "busy" } }),
                ],
        },
      ),
    );
    const input = { path: "a.code", line: 1 };
    assert.equal(await run(codeAction, input), "These can be applied:\n- Fix it (quickfix)");
    assert.match(await refusalOf(() => run(codeAction, { ...input, title: "Run it" })), /runs a command/);
    const organize = { ...input, kind: "source.organizeImports" };
    assert.match(await run(codeAction, { ...organize, title: "Sort" }), /^1 file changed/);
    assert.equal(await readFile(at("a.code"), "utf8"), "a b\n");
  });

  it("T11 says what is missing, and when there is no editor", async () => {
    assert.match(await refusalOf(() => run(symbols, { action: "workspace" })), /symbol is missing/);
    assert.match(await refusalOf(() => run(symbols, { action: "document" })), /path is missing/);
    assert.match(
      await refusalOf(() => run(symbols, { action: "references", path: "a" })),
      /symbol and line are missing/,
    );
    host = { ...host, editor: undefined };
    assert.match(await refusalOf(() => run(diagnostics, {})), /There is no editor/);
    assert.match(await refusalOf(() => run(symbols, { action: "document", path: "a" })), /There is no editor/);
  });
});
