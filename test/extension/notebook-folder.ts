/** A folder with a notebook in the real VS Code, and the tools that change it. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import type { WriteWatch } from "../../src/extension/host/editor-workspace.ts";
import { type EditorHost, vscodeHost } from "../../src/extension/host/vscode-host.ts";
import { notebookEdit } from "../../src/tools/built-in/notebook-edit.ts";
import { read } from "../../src/tools/built-in/read.ts";
import { type Cell, parseNotebook } from "../../src/tools/notebook/cells.ts";
import { nobodyToAsk, noDelegate, type Tool, type ToolResult } from "../../src/tools/tool.ts";

export const outputs = [
  { name: "stdout", output_type: "stream", text: ["a\n", "b"] },
  { name: "stderr", output_type: "stream", text: ["careful\n"] },
  { ename: "ValueError", evalue: "no", output_type: "error", traceback: ["Traceback", "ValueError: no"] },
  {
    data: { "application/json": { a: [1] }, "image/png": "iVBORw0KGgo=", "text/html": ["<b>x</b>\n", "<i>y</i>"] },
    execution_count: 4,
    metadata: { size: 2 },
    output_type: "execute_result",
  },
  { data: { "text/plain": ["3"] }, metadata: {}, output_type: "display_data" },
];
export const cells = [
  { cell_type: "markdown", id: "intro", metadata: {}, source: ["# Title\n", "words"] },
  { cell_type: "code", execution_count: 4, id: "calc", metadata: {}, outputs, source: ["x = 1\n", "x"] },
  { cell_type: "code", execution_count: null, id: "last", metadata: { tags: ["t"] }, outputs: [], source: ["y = 2"] },
  { cell_type: "raw", id: "raw", metadata: {}, source: ["raw"] },
];
const metadata = { language_info: { name: "python" } };
const text = `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;

export class NotebookFolder {
  readonly folder: string;
  readonly file: string;
  readonly uri: vscode.Uri;
  readonly #editor: EditorHost;
  readonly #seen = new Map<string, string>();

  private constructor(folder: string, watch: WriteWatch) {
    this.folder = folder;
    this.file = path.join(folder, "n.ipynb");
    this.uri = vscode.Uri.file(this.file);
    this.#editor = vscodeHost({
      watch,
      terminal: () => ({ mode: "separate", shell: "", passEnvironment: [] }) as const,
      sandbox: () => "off" as const,
      secrets: () => [],
      state: [],
      markersFolder: path.join(os.tmpdir(), "rondo-markers"),
    });
  }

  static async make(watch: WriteWatch): Promise<NotebookFolder> {
    const [open] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(open);
    const made = new NotebookFolder(await realpath(await mkdtemp(path.join(open.uri.fsPath, "notebooks-"))), watch);
    await writeFile(made.file, text);
    return made;
  }

  async dispose(): Promise<void> {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    this.#editor.dispose();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async run(tool: Tool, input: Record<string, unknown>): Promise<ToolResult> {
    const { signal } = new AbortController();
    const host = this.#editor.forSession(path.join(os.tmpdir(), "rondo-outputs"));
    const context = { host, callID: "call-1", seen: this.#seen, signal, delegate: noDelegate, askUser: nobodyToAsk };
    const plan = await tool.prepare(tool.input.parse(input), context);
    return await plan.run(() => {});
  }

  read(): Promise<ToolResult> {
    return this.run(read, { file_path: this.file });
  }

  change(more: Record<string, unknown>): Promise<ToolResult> {
    return this.run(notebookEdit, { notebook_path: this.file, ...more });
  }

  async show(): Promise<vscode.NotebookDocument> {
    const notebook = await vscode.workspace.openNotebookDocument(this.uri);
    await vscode.window.showNotebookDocument(notebook);
    return notebook;
  }

  disk(): Promise<string> {
    return readFile(this.file, "utf8");
  }

  async cellsOnDisk(): Promise<Cell[]> {
    return parseNotebook(await this.disk(), "n.ipynb", "").cells;
  }
}

/** Types at the beginning of a cell, as the user would, without saving. */
export async function typeInto(notebook: vscode.NotebookDocument, cell: number, words: string): Promise<void> {
  const typing = new vscode.WorkspaceEdit();
  typing.insert(notebook.cellAt(cell).document.uri, new vscode.Position(0, 0), words);
  assert.ok(await vscode.workspace.applyEdit(typing));
  assert.ok(notebook.isDirty);
}

export const sourcesOf = (notebook: vscode.NotebookDocument): string[] =>
  notebook.getCells().map(({ document }) => document.getText());
