/** Restores through open documents, and comparison with a checkpoint (spec E1). */
import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import type { SessionCheckpoints } from "../../src/checkpoints/session-checkpoints.ts";
import { checkpointText, compareWith, editorCheckpoints } from "../../src/extension/checkpoints/editor-checkpoints.ts";
import { Review } from "../../src/extension/review/review.ts";
import { StepChanges } from "../../src/extension/review/step-changes.ts";

const { signal } = new AbortController();

describe("checkpoints in the editor", () => {
  let folder: string;
  let storage: string;
  let review: Review;
  let changes: StepChanges;
  let checkpoints: SessionCheckpoints;
  const told: string[] = [];

  beforeEach(async () => {
    const [open] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(open);
    folder = await realpath(await mkdtemp(path.join(open.uri.fsPath, "checkpoints-")));
    storage = await mkdtemp(path.join(os.tmpdir(), "rondo-checkpoints-"));
    told.length = 0;
    review = new Review({ storage: undefined, warn: (line) => told.push(line) });
    changes = new StepChanges({ review, tell: (line) => told.push(line) });
    checkpoints = editorCheckpoints({
      storage: vscode.Uri.file(storage),
      sessionID: "ses_one",
      folders: () => (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
      isApart: false,
      log: { warn: (line: string) => told.push(line) },
      review,
      changes,
    });
  });

  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await checkpoints.close();
    changes.dispose();
    review.dispose();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    await rm(storage, { recursive: true, force: true, maxRetries: 5 });
    assert.deepEqual(told, []);
  });

  const at = (name: string) => path.join(folder, name);
  const shown = (name: string) => `${path.basename(folder)}/${name}`;
  const disk = (name: string) => readFile(at(name), "utf8");

  /** Writes like a command, without the editor. */
  async function change(files: Record<string, string>): Promise<string> {
    const begun = checkpoints.begin();
    await checkpoints.ready("unknown", signal);
    for (const [name, text] of Object.entries(files)) await writeFile(at(name), text);
    assert.equal((await checkpoints.end())?.files.length, Object.keys(files).length);
    return begun;
  }

  async function until(what: string, holds: () => boolean): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      if (holds()) return;
      await wait(30);
    }
    assert.fail(`never: ${what}`);
  }

  it("restores an open file in its document, where it can be undone", async () => {
    await writeFile(at("a.txt"), "one\r\ntwo\r\n");
    const begun = await change({ "a.txt": "changed\r\n" });
    const document = await vscode.workspace.openTextDocument(at("a.txt"));
    await vscode.window.showTextDocument(document);
    await checkpoints.preview(begun, signal);
    assert.deepEqual(await checkpoints.restore(begun, [shown("a.txt")], signal), {
      restored: [shown("a.txt")],
      left: [],
    });
    assert.equal(await disk("a.txt"), "one\r\ntwo\r\n");
    assert.deepEqual([document.getText(), document.isDirty], ["one\r\ntwo\r\n", false]);
    await vscode.commands.executeCommand("undo");
    assert.match(document.getText(), /^changed\r?\n$/);
  });

  it("treats unsaved changes as the user's, and keeps them unless the file is chosen", async () => {
    await writeFile(at("a.txt"), "one\n");
    const begun = await change({ "a.txt": "two\n" });
    const document = await vscode.workspace.openTextDocument(at("a.txt"));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), "mine ");
    assert.ok(await vscode.workspace.applyEdit(edit));
    const { files } = await checkpoints.preview(begun, signal);
    assert.deepEqual(
      files.map(({ path, edited }) => [path, edited]),
      [[shown("a.txt"), "user"]],
    );
    await checkpoints.restore(begun, [], signal);
    assert.equal(document.getText(), "mine two\n");
    await checkpoints.preview(begun, signal);
    await checkpoints.restore(begun, [shown("a.txt")], signal);
    assert.deepEqual([document.getText(), await disk("a.txt"), document.isDirty], ["one\n", "one\n", false]);
  });

  it("restores bytes that the editor would change, and deletes open files", async () => {
    await writeFile(at("mixed.txt"), "a\r\nb\nc");
    await writeFile(at("latin"), Buffer.from([0xe9, 0x0a]));
    const begun = await change({ "mixed.txt": "x\n", latin: "y\n", "new.txt": "z\n" });
    for (const name of ["mixed.txt", "latin", "new.txt"]) await vscode.workspace.openTextDocument(at(name));
    const { files } = await checkpoints.preview(begun, signal);
    const { left } = await checkpoints.restore(
      begun,
      files.map(({ path }) => path),
      signal,
    );
    assert.deepEqual(left, []);
    assert.equal(await disk("mixed.txt"), "a\r\nb\nc");
    assert.deepEqual(await readFile(at("latin")), Buffer.from([0xe9, 0x0a]));
    await assert.rejects(disk("new.txt"), { code: "ENOENT" });
    await checkpoints.undo(signal);
    assert.deepEqual([await disk("mixed.txt"), await disk("latin"), await disk("new.txt")], ["x\n", "y\n", "z\n"]);
  });

  it("compares the checkpoint's text with the current one", async () => {
    await writeFile(at("a.txt"), "one\n");
    const begun = await change({ "a.txt": "two\n", "b.txt": "new\n" });
    const texts = vscode.workspace.registerTextDocumentContentProvider("rondo-checkpoint", {
      provideTextDocumentContent: checkpointText,
    });
    try {
      await compareWith(checkpoints, begun, signal);
      await until("the comparison", () =>
        vscode.workspace.textDocuments.some(
          ({ uri, getText }) => uri.scheme === "rondo-checkpoint" && uri.path === at("a.txt") && getText() === "one\n",
        ),
      );
    } finally {
      texts.dispose();
    }
  });
});
