import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";

describe("the extension host of a real VS Code", () => {
  it("has the sample workspace open and trusted", async () => {
    const [folder, ...others] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    assert.equal(others.length, 0);
    assert.equal(folder.uri.scheme, "file");
    assert.equal(vscode.workspace.isTrusted, true);
    const found = await vscode.workspace.findFiles("package.json");
    assert.deepEqual(
      found.map((uri) => uri.fsPath),
      [path.join(folder.uri.fsPath, "package.json")],
    );
  });

  it("edits and saves a file on this machine's disk", async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const uri = vscode.Uri.joinPath(folder.uri, "host-smoke.txt");
    await vscode.workspace.fs.writeFile(uri, Buffer.from("one\n"));
    const document = await vscode.workspace.openTextDocument(uri);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(1, 0), "two\n");
    assert.equal(await vscode.workspace.applyEdit(edit), true);
    assert.equal(document.isDirty, true);
    assert.equal(await document.save(), true);
    assert.equal(await readFile(uri.fsPath, "utf8"), "one\ntwo\n");
    await vscode.workspace.fs.delete(uri);
  });
});
