/** The editing tools in a real editor (T11, T12). */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { type EditorHost, vscodeHost } from "../../src/extension/host/vscode-host.ts";
import { applyPatch } from "../../src/tools/built-in/apply-patch.ts";
import { edit } from "../../src/tools/built-in/edit.ts";
import { notebookEdit } from "../../src/tools/built-in/notebook-edit.ts";
import { read } from "../../src/tools/built-in/read.ts";
import type { Host } from "../../src/tools/host.ts";
import { nobodyToAsk, noDelegate, type Tool, type ToolResult } from "../../src/tools/tool.ts";

describe("edits in the editor", () => {
  let folder: string;
  let editor: EditorHost;
  let host: Host;
  const seen = new Map<string, string>();
  let found: vscode.DiagnosticCollection;
  const written: [name: string, before: string | undefined, after: string | undefined][] = [];

  before(() => {
    const watch = {
      begin: (uri: vscode.Uri, before: string | undefined) => (after: string | undefined) => {
        written.push([path.basename(uri.fsPath), before, after]);
      },
    };
    editor = vscodeHost({
      watch,
      terminal: () => ({ mode: "separate", shell: "", passEnvironment: [] }) as const,
      sandbox: () => "off" as const,
      secrets: () => [],
      state: [],
      markersFolder: path.join(os.tmpdir(), "rondo-markers"),
    });
    host = editor.forSession(path.join(os.tmpdir(), "rondo-outputs"));
    found = vscode.languages.createDiagnosticCollection("rondo-edits");
  });

  after(() => {
    found.dispose();
    editor.dispose();
  });

  beforeEach(async () => {
    const [open] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(open);
    folder = await realpath(await mkdtemp(path.join(open.uri.fsPath, "edits-")));
    written.length = 0;
  });

  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const at = (name: string) => path.join(folder, name);
  const put = (name: string, text: string) => writeFile(at(name), text);
  const text = (name: string) => readFile(at(name), "utf8");

  async function run(tool: Tool, input: Record<string, unknown>): Promise<ToolResult> {
    const { signal } = new AbortController();
    const context = { host, callID: "call-1", seen, signal, delegate: noDelegate, askUser: nobodyToAsk };
    const plan = await tool.prepare(tool.input.parse(input), context);
    return await plan.run(() => {});
  }

  /** Opens the file and types at its beginning, without saving. */
  async function typed(name: string, words: string): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(at(name));
    const change = new vscode.WorkspaceEdit();
    change.insert(document.uri, new vscode.Position(0, 0), words);
    assert.ok(await vscode.workspace.applyEdit(change));
    return document;
  }

  it("T12 finds a near match in the unsaved buffer, and keeps its line endings", async () => {
    await put("a.txt", "if a:\r\n\tb()\r\n\tc()\r\n");
    const document = await typed("a.txt", "# typed\r\n");
    const { output } = await run(edit, {
      file_path: at("a.txt"),
      old_string: "    b()\n    c()",
      new_string: "    b()\n    d()",
    });
    assert.match(output, /old_string differed in indentation/);
    assert.equal(await text("a.txt"), "# typed\r\nif a:\r\n\tb()\r\n\td()\r\n");
    assert.ok(!document.isDirty);
  });

  it("T11 an edit is saved while VS Code asks a slow listener about another save, as auto-save makes them", async () => {
    await put("a.txt", "one\n");
    const document = await vscode.workspace.openTextDocument(at("a.txt"));
    const isIt = (event: { document: vscode.TextDocument }) => event.document === document;
    const saves: Thenable<boolean>[] = [];
    const slow = vscode.workspace.onWillSaveTextDocument((event) => {
      if (isIt(event)) event.waitUntil(new Promise((resolve) => setTimeout(resolve, 500)));
    });
    const autoSave = vscode.workspace.onDidChangeTextDocument((event) => {
      if (isIt(event) && saves.length === 0) saves.push(document.save());
    });
    try {
      await run(edit, { file_path: at("a.txt"), old_string: "one", new_string: "two" });
      assert.deepEqual(await Promise.all(saves), [true]);
    } finally {
      slow.dispose();
      autoSave.dispose();
    }
    assert.equal(await text("a.txt"), "two\n");
    assert.ok(!document.isDirty);
    assert.deepEqual(written, [["a.txt", "one\n", "two\n"]]);
  });

  it("T11 a patch changes, creates, moves and deletes files, and the review is told about each", async () => {
    await put("a.txt", "one\ntwo\n");
    await put("b.txt", "b\n");
    await put("gone.txt", "x\n");
    await run(read, { file_path: at("gone.txt") });
    await typed("a.txt", "typed\n");
    const patch = `*** Begin Patch\n*** Update File: ${at("a.txt")}\n one\n-two\n+2\n*** Add File: ${at("new/n.txt")}\n+n\n*** Update File: ${at("b.txt")}\n*** Move to: ${at("c.txt")}\n-b\n+c\n*** Delete File: ${at("gone.txt")}\n*** End Patch`;
    const { metadata } = await run(applyPatch, { input: patch });
    assert.equal(await text("a.txt"), "typed\none\n2\n");
    assert.equal(await text("new/n.txt"), "n\n");
    assert.equal(await text("c.txt"), "c\n");
    assert.ok(!existsSync(at("b.txt")) && !existsSync(at("gone.txt")));
    assert.equal(metadata.diffs?.length, 5);
    assert.deepEqual(written, [
      ["a.txt", "typed\none\ntwo\n", "typed\none\n2\n"],
      ["n.txt", undefined, "n\n"],
      ["c.txt", undefined, "c\n"],
      ["b.txt", "b\n", undefined],
      ["gone.txt", "x\n", undefined],
    ]);
  });

  it("T11 a patch that cannot be applied completely changes nothing", async () => {
    await put("a.txt", "one\n");
    await put("b.txt", "b\n");
    await typed("b.txt", "typed ");
    await run(read, { file_path: at("b.txt") });
    const patch = `*** Begin Patch\n*** Update File: ${at("a.txt")}\n-one\n+1\n*** Delete File: ${at("b.txt")}\n*** End Patch`;
    await assert.rejects(run(applyPatch, { input: patch }), /unsaved changes.*Nothing was changed\.$/);
    assert.equal(await text("a.txt"), "one\n");
    assert.equal(await text("b.txt"), "b\n");
  });

  it("T11 edits a cell of an open notebook", async () => {
    const notebook = {
      cells: [{ cell_type: "markdown", id: "a", metadata: {}, source: ["one"] }],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    };
    const json = `${JSON.stringify(notebook, null, 1)}\n`;
    await put("n.ipynb", json);
    await run(read, { file_path: at("n.ipynb") });
    await run(notebookEdit, { notebook_path: at("n.ipynb"), cell_id: "a", new_source: "two" });
    assert.equal(await text("n.ipynb"), json.replace("one", "two"));
  });

  it("T11 reports the problems that the edit caused, and not the earlier ones", async () => {
    await put("a.txt", "bad\nfine\nend\n");
    const uri = vscode.Uri.file(at("a.txt"));
    const wrong = (line: number) => new vscode.Diagnostic(new vscode.Range(line, 0, line, 3), "is bad");
    await vscode.workspace.openTextDocument(uri);
    found.set(uri, [wrong(0)]);
    const looks = vscode.workspace.onDidChangeTextDocument(({ document }) => {
      const lines = document.getText().split("\n");
      found.set(
        document.uri,
        lines.flatMap((line, number) => (line === "bad" ? [wrong(number)] : [])),
      );
    });
    try {
      const { output } = await run(edit, { file_path: at("a.txt"), old_string: "fine\n", new_string: "new\nbad\n" });
      assert.match(output, /\n\nNew problems in .*a\.txt after this edit:\nline 3: error is bad$/);
    } finally {
      looks.dispose();
    }
  });
});
