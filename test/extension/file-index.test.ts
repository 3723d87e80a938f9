/** The files and folders that "@" knows, where a session has several folders. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { FileIndex } from "../../src/extension/mentions/file-index.ts";
import { nodeSearch } from "../../src/tools/node-host/ripgrep.ts";

describe("V14 the index of files", () => {
  let root: string;
  let folders: string[];
  let index: FileIndex;

  beforeEach(async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail();
    root = await mkdtemp(path.join(folder, "index-"));
    folders = ["web/src", "api/src", "docs"].map((name) => path.join(root, name));
    index = new FileIndex({ search: nodeSearch(undefined), folders: () => folders });
    for (const name of ["web/src/a.ts", "api/src/a.ts", "api/src/deep/b c#1.ts", "docs/c.md", "else/d.md"]) {
      await mkdir(path.dirname(path.join(root, name)), { recursive: true });
      await writeFile(path.join(root, name), name);
    }
    await index.refresh(false);
  });

  afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

  const uri = (name: string) => vscode.Uri.file(path.join(root, name));

  it("tells folders of the same name apart: each row is its own file", async () => {
    const paths = index.names(false)?.paths ?? [];
    assert.deepEqual(paths, ["docs/c.md", "src (api)/a.ts", "src (api)/deep/b c#1.ts", "src (web)/a.ts"]);
    assert.deepEqual(
      paths.map((one) => index.uriOf(one).fsPath),
      ["docs/c.md", "api/src/a.ts", "api/src/deep/b c#1.ts", "web/src/a.ts"].map((name) => uri(name).fsPath),
    );
    for (const one of paths) assert.equal(index.nameOf(index.uriOf(one)), one);
    assert.equal(index.nameOf(uri("else/d.md")), undefined);
  });

  it("lists the files of a folder: one of the session's own, one below, and one elsewhere", async () => {
    const own = index.uriOf("src (api)/");
    assert.equal(own.fsPath, uri("api/src").fsPath);
    assert.equal(index.nameOf(own), "src (api)");
    assert.deepEqual(await index.filesIn(own), ["a.ts", "deep/b c#1.ts"]);
    assert.deepEqual(await index.filesIn(uri("api/src/deep")), ["b c#1.ts"]);
    assert.deepEqual(await index.filesIn(uri("else")), ["d.md"]);
    await writeFile(path.join(root, "docs/.gitignore"), "*.md\n");
    assert.deepEqual(await index.filesIn(uri("docs")), [".gitignore"]);
    await writeFile(path.join(root, "docs/.gitignore"), "*\n");
    assert.deepEqual(await index.filesIn(uri("docs")), [".gitignore", "c.md"]);
    folders = [path.join(root, "docs")];
    assert.equal(index.nameOf(uri("docs")), "docs");
  });
});
