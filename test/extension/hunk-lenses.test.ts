/** The lines of actions in a file with very many hunks. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { HunkLenses } from "../../src/extension/review/hunk-lenses.ts";
import { Review } from "../../src/extension/review/review.ts";

describe("lines of actions above very many hunks", () => {
  let folder: string;
  let review: Review;
  let lenses: HunkLenses;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "rondo-lenses-"));
    review = new Review({ storage: undefined, warn: (message) => assert.fail(message) });
    lenses = new HunkLenses(review);
  });
  afterEach(async () => {
    lenses.dispose();
    review.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function show(hunks: number): Promise<vscode.TextEditor> {
    const lines = Array.from({ length: hunks * 20 }, (_, at) => `line ${at}\n`);
    const before = lines.join("");
    const after = lines.map((line, at) => (at % 20 === 5 ? `changed ${at}\n` : line)).join("");
    const uri = vscode.Uri.file(path.join(folder, `${hunks}.txt`));
    await writeFile(uri.fsPath, after);
    const editor = await vscode.window.showTextDocument(uri);
    review.agentChanged({ uri, before, after, encoding: undefined, movedFrom: undefined, folders: [] });
    assert.equal(review.changes(uri)?.hunks.length, hunks);
    return editor;
  }

  const accepts = (document: vscode.TextDocument) =>
    lenses
      .provideCodeLenses(document)
      .filter(({ command }) => command?.title === "Accept")
      .map(({ range }) => range.start.line);

  it("are above each of 100", async () => {
    const { document } = await show(100);
    assert.equal(accepts(document).length, 100);
  });

  it("are above those near the visible lines, and follow them", async () => {
    const editor = await show(500);
    const { document } = editor;
    const first = accepts(document);
    assert.ok(first.length >= 15 && first.length < 50, `${first.length} of 500`);
    assert.equal(first[0], 5);
    const titles = lenses.provideCodeLenses(document).map(({ command }) => command?.title);
    assert.ok(titles.includes("1 of 500"));
    const asked = new Promise((resolve) => lenses.onDidChangeCodeLenses(resolve));
    editor.revealRange(new vscode.Range(9905, 0, 9905, 0), vscode.TextEditorRevealType.AtTop);
    await asked;
    const last = accepts(document);
    assert.ok(last.includes(9905) && last.length < 50, `${last.length} of 500`);
    const [, index] =
      lenses.provideCodeLenses(document).find(({ range }) => range.start.line === 9905)?.command?.arguments ?? [];
    assert.equal(index, 495);
  });
});
