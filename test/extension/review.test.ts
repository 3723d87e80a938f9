import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { putText } from "../../src/extension/host/documents.ts";
import { BaselineProvider, beforeUri } from "../../src/extension/review/baseline-provider.ts";
import { Decorations } from "../../src/extension/review/decorations.ts";
import { HunkLenses } from "../../src/extension/review/hunk-lenses.ts";
import { Review } from "../../src/extension/review/review.ts";
import { reviewCommands } from "../../src/extension/review/review-commands.ts";

const before = "one\ntwo\nthree\nfour\nfive\nsix\n";
const after = "one\n2\nthree\nfour\n4.5\nfive\n";

describe("review in the editor", () => {
  let folder: string;
  let storage: vscode.Uri;
  let review: Review;
  const told: string[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "rondo-review-"));
    storage = vscode.Uri.file(path.join(folder, "storage"));
    review = new Review({ storage, warn: (message) => told.push(message) });
    told.length = 0;
  });

  afterEach(async () => {
    await review.flush();
    review.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    assert.deepEqual(told, []);
  });

  async function file(text: string, name = "file.txt"): Promise<vscode.Uri> {
    const uri = vscode.Uri.file(path.join(folder, name));
    await writeFile(uri.fsPath, text);
    return uri;
  }

  /** Writes like the workspace. */
  async function agentWrites(uri: vscode.Uri, text: string): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(uri);
    const end = review.begin(uri, document.getText());
    assert.ok(await putText(document, text));
    await document.save();
    end(document.getText());
    return document;
  }

  const disk = (uri: vscode.Uri) => readFile(uri.fsPath, "utf8");
  const hunks = (uri: vscode.Uri) => review.changes(uri)?.hunks.length ?? 0;

  async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let i = 0; i < 100; i++) {
      if (await holds()) return;
      await wait(30);
    }
    assert.fail(`never: ${what}`);
  }

  async function type(document: vscode.TextDocument, line: number, character: number, text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(line, character), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  }

  it("lists the files with their hunks and lines", async () => {
    const uri = await file(before);
    await agentWrites(uri, after);
    assert.deepEqual(review.files(), [
      {
        path: uri.fsPath,
        relative: vscode.workspace.asRelativePath(uri),
        ...{ state: "changed", changedLines: [], movedFrom: "", hunks: 3, total: 3, added: 2, removed: 2 },
      },
    ]);
  });

  it("T12 restores exactly the old text of a rejected hunk, also on disk, and keeps the user's later edits", async () => {
    const uri = await file("one\r\ntwo\r\nthree\r\nfour");
    const document = await agentWrites(uri, "one\r\n2\r\nzwei\r\nthree\r\nvier\r\nfünf\r\n");
    assert.equal(hunks(uri), 2);
    await type(document, 0, 0, "mine ");
    await document.save();
    await review.reject(uri, 0);
    assert.equal(await disk(uri), "mine one\r\ntwo\r\nthree\r\nvier\r\nfünf\r\n");
    await review.reject(uri, 0);
    assert.equal(await disk(uri), "mine one\r\ntwo\r\nthree\r\nfour");
    assert.equal(hunks(uri), 0);
  });

  it("does not save the user's unsaved changes", async () => {
    const uri = await file(before);
    const document = await agentWrites(uri, after);
    await type(document, 0, 0, "draft ");
    await review.reject(uri);
    assert.equal(document.getText(), `draft ${before}`);
    assert.equal(await disk(uri), after);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("accepts a hunk without changing the text", async () => {
    const uri = await file(before);
    const document = await agentWrites(uri, after);
    await review.accept(uri, 0);
    assert.equal(hunks(uri), 2);
    assert.equal(document.isDirty, false);
    await review.reject(uri);
    assert.equal(await disk(uri), before.replace("two", "2"));
  });

  it("follows undo and redo of the agent's edit, one step each", async () => {
    const uri = await file(before);
    const document = await agentWrites(uri, after);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("undo");
    assert.equal(document.getText(), before);
    assert.equal(hunks(uri), 0);
    await vscode.commands.executeCommand("redo");
    assert.equal(document.getText(), after);
    assert.equal(hunks(uri), 3);
  });

  it("reviews a rejected hunk again when the reject is undone", async () => {
    const uri = await file(before);
    const document = await agentWrites(uri, after);
    await review.reject(uri, 1);
    assert.equal(hunks(uri), 2);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("undo");
    assert.equal(document.getText(), after);
    assert.equal(hunks(uri), 3);
  });

  it("deletes a file that the agent created when all of it is rejected", async () => {
    const uri = vscode.Uri.file(path.join(folder, "new.txt"));
    const end = review.begin(uri, undefined);
    await writeFile(uri.fsPath, "new\n");
    end("new\n");
    assert.equal(hunks(uri), 1);
    await review.reject(uri, 0);
    await assert.rejects(stat(uri.fsPath));
    assert.deepEqual(review.uris(), []);
  });

  it("works on closed files, including mixed line endings", async () => {
    const old = "one\r\ntwo\nthree\r\nfour\n";
    const uri = await file(old);
    const end = review.begin(uri, old);
    await writeFile(uri.fsPath, old.replace("two", "2"));
    end(old.replace("two", "2"));
    await review.reject(uri, 0);
    assert.equal(await disk(uri), old);
  });

  it("keeps byte order mark and encoding through a reject", async () => {
    const uri = vscode.Uri.file(path.join(folder, "utf16.txt"));
    const bytes = Buffer.from("\uFEFFein\r\nzwei\r\n", "utf16le");
    await writeFile(uri.fsPath, bytes);
    await agentWrites(uri, "eins\r\nzwei\r\n");
    await review.reject(uri, 0);
    assert.deepEqual(await readFile(uri.fsPath), bytes);
  });

  it("V23 counts what a formatter does at the user's save as nobody's, and what he types as his", async () => {
    const uri = await file(before, "file.rondofmt");
    const formatter = vscode.languages.registerDocumentFormattingEditProvider(
      { pattern: "**/*.rondofmt" },
      {
        provideDocumentFormattingEdits: (document) =>
          [...Array(document.lineCount).keys()]
            .map((line) => document.lineAt(line))
            .filter(({ text }) => text !== "" && !text.endsWith(";"))
            .map(({ range }) => vscode.TextEdit.insert(range.end, ";")),
      },
    );
    const document = await agentWrites(uri, after);
    const editor = vscode.workspace.getConfiguration("editor");
    await editor.update("formatOnSave", true, vscode.ConfigurationTarget.Global);
    try {
      await vscode.window.showTextDocument(document);
      await type(document, 5, 0, "mine ");
      assert.ok(await document.save());
      assert.equal(await disk(uri), "one;\n2;\nthree;\nfour;\n4.5;\nmine five;\n");
      assert.deepEqual(review.files()[0]?.changedLines, []);
      await review.reject(uri);
      // Saving the rejected text formats the old lines.
      assert.equal(document.getText(), "one;\ntwo;\nthree;\nfour;\nmine five;\nsix;\n");
    } finally {
      await editor.update("formatOnSave", undefined, vscode.ConfigurationTarget.Global);
      formatter.dispose();
    }
  });

  it("attributes changes by other programs to the user", async () => {
    const uri = await file(before);
    await agentWrites(uri, after);
    await writeFile(uri.fsPath, after.replace("three", "THREE"));
    await until("the change on disk is seen", () => review.before(uri)?.includes("THREE") ?? false);
    assert.equal(hunks(uri), 3);
    await review.reject(uri);
    assert.equal(await disk(uri), before.replace("three", "THREE"));
  });

  it("follows a renamed file, and ends with a deleted one", async () => {
    const uri = await file(before);
    await agentWrites(uri, after);
    const renamed = vscode.Uri.file(path.join(folder, "renamed.txt"));
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(uri, renamed);
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until("the hunks are under the new name", () => hunks(renamed) === 3);
    assert.equal(review.files().length, 1);
    await review.reject(renamed, 0);
    assert.equal(await disk(renamed), after.replace("2", "two"));
    await rm(renamed.fsPath);
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await until("nothing waits for review", () => review.files().length === 0);
  });

  it("continues when the agent writes again while hunks are open", async () => {
    const uri = await file(before);
    await agentWrites(uri, after);
    await agentWrites(uri, after.replace("three", "3"));
    assert.equal(review.before(uri), before);
    await review.reject(uri);
    assert.equal(await disk(uri), before);
  });

  it("R3 continues after a reload, and attributes changes made meanwhile to the user", async () => {
    const uri = await file(before);
    await agentWrites(uri, after);
    await review.accept(uri, 0);
    await review.flush();
    review.dispose();
    await vscode.workspace.fs.writeFile(uri, Buffer.from(`zero\n${after}`));
    review = new Review({ storage, warn: (message) => told.push(message) });
    await review.load();
    assert.equal(hunks(uri), 2);
    await review.reject(uri);
    assert.equal(await disk(uri), `zero\n${before.replace("two", "2")}`);
  });

  it("forgets accepted and rejected hunks, also after a reload", async () => {
    const uri = await file(before);
    await agentWrites(uri, after);
    await review.flush();
    await review.accept(uri);
    await review.flush();
    const next = new Review({ storage, warn: () => {} });
    await next.load();
    assert.deepEqual(next.files(), []);
    next.dispose();
  });

  it("R3 continues reviews that version 0.4.0 has kept", async () => {
    const changed = await file(after);
    const made = await file("agent\nof both\n", "made.txt");
    const keep = async (uri: vscode.Uri, kept: object) => {
      const name = `${createHash("sha1").update(uri.toString()).digest("hex")}.json`;
      const json = JSON.stringify({ version: 1, uri: uri.toString(), ...kept });
      await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(storage, "review", name), Buffer.from(json));
    };
    await keep(changed, { created: false, base: before, text: after });
    await keep(made, { created: true, base: "of both\n", text: "agent\nof both\n" });
    await review.load();
    const rows = () => review.files().map(({ relative, state, hunks }) => [path.basename(relative), state, hunks]);
    const waiting = [
      ["file.txt", "changed", 3],
      ["made.txt", "new", 1],
    ];
    assert.deepEqual(rows(), waiting);
    // They are there for the next window as well.
    await review.flush();
    review.dispose();
    review = new Review({ storage, warn: (message) => told.push(message) });
    await review.load();
    assert.deepEqual(rows(), waiting);
    await review.reject(changed);
    assert.equal(await disk(changed), before);
    await review.accept(made);
    assert.deepEqual(review.uris(), []);
  });

  it("skips a state that cannot be read", async () => {
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(storage, "review", "x.json"), Buffer.from('{"version":1'));
    await review.load();
    assert.deepEqual(review.files(), []);
  });

  describe("visible editors", () => {
    let decorations: Decorations;
    let lenses: HunkLenses;
    let texts: BaselineProvider;
    let commands: Record<string, (...args: unknown[]) => unknown>;

    beforeEach(() => {
      lenses = new HunkLenses(review);
      decorations = new Decorations(review, lenses);
      texts = new BaselineProvider(review);
      commands = reviewCommands(review);
    });

    afterEach(() => {
      decorations.dispose();
      lenses.dispose();
      texts.dispose();
    });

    it("shows a line of actions above each hunk", async () => {
      const uri = await file(before);
      await agentWrites(uri, after);
      const shown = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri);
      assert.deepEqual(
        shown.filter(({ range }) => range.start.line === 1).map(({ command }) => command?.title),
        ["Accept", "Reject", "Comment", "1 line removed", "$(arrow-up)", "1 of 3", "$(arrow-down)"],
      );
      assert.deepEqual([...new Set(shown.map(({ range }) => range.start.line))], [1, 4, 6]);
    });

    it("ignores a late click on an action line", async () => {
      const uri = await file(before);
      const document = await agentWrites(uri, after);
      const [lens] = lenses.provideCodeLenses(document);
      const press = () => commands["rondo.acceptHunk"]?.(...(lens?.command?.arguments ?? []));
      await press();
      await press();
      assert.equal(hunks(uri), 2);
    });

    it("moves from hunk to hunk, across files and around", async () => {
      const a = await file(before, "a.txt");
      const b = await file(before, "b.txt");
      await agentWrites(a, after);
      await agentWrites(b, after.replace("4.5\n", ""));
      await vscode.window.showTextDocument(a);
      const seen: string[] = [];
      for (let i = 0; i < 6; i++) {
        await commands["rondo.nextHunk"]?.();
        const editor = vscode.window.activeTextEditor;
        seen.push(`${path.basename(editor?.document.uri.fsPath ?? "")}:${editor?.selection.active.line}`);
      }
      assert.deepEqual(seen, ["a.txt:1", "a.txt:4", "a.txt:6", "b.txt:1", "b.txt:5", "a.txt:1"]);
      await commands["rondo.previousHunk"]?.();
      assert.equal(path.basename(vscode.window.activeTextEditor?.document.uri.fsPath ?? ""), "b.txt");
    });

    it("accepts and rejects at the cursor", async () => {
      const uri = await file(before);
      const editor = await vscode.window.showTextDocument(await agentWrites(uri, after));
      editor.selection = new vscode.Selection(4, 1, 4, 1);
      await commands["rondo.rejectHunk"]?.();
      assert.equal(await disk(uri), after.replace("4.5\n", ""));
      editor.selection = new vscode.Selection(1, 0, 1, 0);
      await commands["rondo.acceptHunk"]?.();
      assert.equal(hunks(uri), 1);
      editor.selection = new vscode.Selection(2, 0, 2, 0);
      await commands["rondo.acceptHunk"]?.();
      assert.equal(hunks(uri), 1);
    });

    it("recognizes the change in the gutter's peek view, and a line of the Source Control view", async () => {
      const uri = await file(before);
      await agentWrites(uri, after);
      const lineChanges = [{ modifiedStartLineNumber: 2 }, { modifiedStartLineNumber: 5 }];
      await commands["rondo.rejectHunk"]?.(uri, lineChanges, 1);
      assert.equal(await disk(uri), after.replace("4.5\n", ""));
      await commands["rondo.rejectFile"]?.({ resourceUri: uri });
      assert.equal(await disk(uri), before);
    });

    it("accepts and rejects files by path, and all of them", async () => {
      const uris = await Promise.all(["a", "b", "c", "d"].map((name) => file(before, name)));
      for (const uri of uris) await agentWrites(uri, after);
      const [a, b, c, d] = uris;
      assert.ok(a && b && c && d);
      await commands["rondo.acceptFile"]?.(a.fsPath);
      await commands["rondo.rejectFile"]?.(b.fsPath);
      assert.deepEqual(review.uris().map(String), [c, d].map(String));
      assert.equal(await disk(a), after);
      assert.equal(await disk(b), before);
      await commands["rondo.rejectAll"]?.();
      assert.equal(await disk(c), before);
      assert.equal(await disk(d), before);
      assert.deepEqual(review.uris(), []);
      assert.deepEqual(
        review.files().map(({ state, hunks, total }) => [state, hunks, total]),
        [
          ["accepted", 0, 3],
          ["rejected", 0, 3],
          ["rejected", 0, 3],
          ["rejected", 0, 3],
        ],
      );
      review.forgetDecided();
      assert.deepEqual(review.files(), []);
    });

    it("gives the old text to diffs, and an updated one after a hunk is accepted", async () => {
      const uri = await file(before);
      await agentWrites(uri, after);
      const document = await vscode.workspace.openTextDocument(beforeUri(uri));
      assert.equal(document.getText(), before);
      await review.accept(uri, 0);
      await until("the document has the accepted lines", () => document.getText() === before.replace("two", "2"));
      await commands["rondo.reviewChanges"]?.();
    });
  });
});
