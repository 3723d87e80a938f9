import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { editorWorkspace } from "../../src/extension/host/editor-workspace.ts";
import type { Workspace } from "../../src/tools/host.ts";
import { nodeWorkspace } from "../../src/tools/node-host/workspace.ts";

const { signal } = new AbortController();

describe("I6 protected files in the editor", () => {
  let root: string;
  let workspace: Workspace;
  const ends: (string | undefined)[] = [];

  beforeEach(async () => {
    const [open] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(open);
    root = await realpath(await mkdtemp(path.join(open.uri.fsPath, "boundary-")));
    await mkdir(at("work/src"), { recursive: true });
    await mkdir(at("out"));
    await writeFile(at("out/a.txt"), "outside\n");
    await writeFile(at("work/src/a.txt"), "inside\n");
    const disk = nodeWorkspace([at("work")], true, ["*.cert"]);
    workspace = editorWorkspace(() => disk, { begin: () => (after) => ends.push(after) });
    ends.length = 0;
  });

  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });

  const at = (name: string) => path.join(root, name);

  async function swap(): Promise<void> {
    await rename(at("work/src"), at("work/old"));
    await symlink(at("out"), at("work/src"));
  }

  it("recognizes protected files, and reads the unsaved text of one", async () => {
    await writeFile(at("work/.env"), "KEY=1\n");
    await writeFile(at("work/.rondoignore"), "*.csv\n");
    const document = await vscode.workspace.openTextDocument(at("work/.env"));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), "typed ");
    assert.ok(await vscode.workspace.applyEdit(edit));
    const found = await workspace.open(await workspace.locate(".env"), signal);
    assert.ok(found.type === "text");
    assert.deepEqual([found.file.protection, found.file.text, found.file.unsaved], ["secret", "typed KEY=1\n", true]);
    assert.equal((await workspace.locate("people.csv")).protection, "ignored");
    assert.equal((await workspace.locate("a.cert")).protection, "secret");
    assert.equal((await workspace.locate(".vscode/tasks.json")).protection, "settings");
    assert.equal(workspace.searchFilter(await workspace.locate(".")).isExcluded(".env"), true);
    assert.equal(await workspace.look(await workspace.locate("src")), "folder");
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("writes and deletes nothing when the path now leads elsewhere", async () => {
    const location = await workspace.locate("src/a.txt");
    const fresh = await workspace.locate("src/new.txt");
    const found = await workspace.open(location, signal);
    assert.ok(found.type === "text");
    await swap();
    const elsewhere = { name: "ToolError", message: /now leads elsewhere/ };
    await assert.rejects(workspace.open(location, signal), elsewhere);
    await assert.rejects(workspace.write(location, "x\n", found.file.version, signal), elsewhere);
    await assert.rejects(workspace.write(fresh, "x\n", "missing", signal), elsewhere);
    await assert.rejects(workspace.remove(location, found.file.version, signal), elsewhere);
    assert.deepEqual(await readdir(at("out")), ["a.txt"]);
    assert.equal(await readFile(at("out/a.txt"), "utf8"), "outside\n");
    assert.deepEqual(ends, []);
  });

  it("deletes a file only as it was read, and never one with unsaved changes", async () => {
    const location = await workspace.locate("src/a.txt");
    const read = async () => {
      const found = await workspace.open(location, signal);
      assert.ok(found.type === "text");
      return found.file.version;
    };
    await assert.rejects(workspace.remove(location, "another", signal), /has changed since it was read/);
    const document = await vscode.workspace.openTextDocument(at("work/src/a.txt"));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), "typed ");
    await vscode.workspace.applyEdit(edit);
    await assert.rejects(workspace.remove(location, await read(), signal), /unsaved changes/);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await workspace.remove(location, await read(), signal);
    assert.deepEqual(await readdir(at("work/src")), []);
    assert.deepEqual(ends, [undefined]);
  });

  it("saves what another program wrote during VS Code's read, once the model has read it again", async () => {
    const file = at("work/src/a.txt");
    await vscode.window.showTextDocument(vscode.Uri.file(file));
    for (let round = 0; round < 5; round++) {
      // In two steps, so that VS Code's first read differs from the final content.
      await writeFile(file, "");
      await writeFile(file, `round ${round}\nmore\n`);
      const location = await workspace.locate("src/a.txt");
      const found = await workspace.open(location, signal);
      assert.ok(found.type === "text");
      await workspace.write(location, `round ${round}\nless\n`, found.file.version, signal);
      assert.equal(await readFile(file, "utf8"), `round ${round}\nless\n`);
    }
  });
});
