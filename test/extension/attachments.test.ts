/** Files and selections that the user attaches by hand (I6, T12). */
import assert from "node:assert/strict";
import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { realFolder } from "../../src/base/node/read-checked.ts";
import { AttachError, Attachments } from "../../src/extension/attachments/attachments.ts";
import { editorWorkspace } from "../../src/extension/host/editor-workspace.ts";
import { ruledOut } from "../../src/loop/permissions/own-reads.ts";
import { nodeWorkspace, versionOf } from "../../src/tools/node-host/workspace.ts";

describe("I6 attachments", () => {
  let root: string;
  let outside: string;
  let files: Attachments;

  beforeEach(async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail();
    root = await mkdtemp(path.join(folder, "attach-"));
    outside = await realpath(await mkdtemp(path.join(os.tmpdir(), "rondo-outside-")));
    const disk = nodeWorkspace([folder], true, ["*.cert"]);
    const workspace = editorWorkspace(() => disk, { begin: () => () => {} });
    const rule = { permission: "read", pattern: "**/denied/**", action: "deny" } as const;
    const boundary = {
      ruledOut: (place: Parameters<typeof ruledOut>[0]) => ruledOut(place, { user: [rule], workspace: [] }),
    };
    files = new Attachments(workspace, () => boundary);
    await put("a.txt", "one\ntwo\n");
    await put(".env", "KEY=hidden\n");
    await put("private/x.txt", "KEY=hidden\n");
    await put("private/.rondoignore", "x.txt\n");
    await put("denied/x.txt", "KEY=hidden\n");
    await put("tls.cert", "KEY=hidden\n");
    await writeFile(path.join(outside, "far.txt"), "KEY=hidden\n");
    await mkdir(path.join(outside, ".ssh"));
    await writeFile(path.join(outside, ".ssh/id_rsa"), "KEY=hidden\n");
  });

  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    for (const folder of [root, outside]) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const at = (name: string) => path.join(root, name);
  const uri = (name: string) => vscode.Uri.file(at(name));
  async function put(name: string, content: string | Uint8Array): Promise<void> {
    await mkdir(path.dirname(at(name)), { recursive: true });
    await writeFile(at(name), content);
  }

  /** Refused as a file and as a selection, with a sentence that has no word of the content. */
  async function refused(name: string, why: RegExp): Promise<void> {
    const isExpected = (error: unknown) => {
      assert.ok(error instanceof AttachError, String(error));
      assert.match(error.message, new RegExp(`${name.replaceAll(".", "\\.")} is not attached: ${why.source}\\.$`));
      assert.match(error.next, /Ask Rondo to read it/);
      return true;
    };
    await assert.rejects(files.fromFile(uri(name)), isExpected);
    const editor = await vscode.window.showTextDocument(uri(name));
    await assert.rejects(files.fromSelection(editor), isExpected);
  }

  it("a protected file is refused with the reason, picked or selected", async () => {
    await refused(".env", /it may hold secrets/);
    await refused("tls.cert", /it may hold secrets/);
    await refused("private/x.txt", /it is named by a \.rondoignore file/);
    await refused("denied/x.txt", /the rule `\*\*\/denied\/\*\*` denies reading it/);
  });

  it("a link to a protected file or out of the workspace says where it leads", async () => {
    const targets: [target: string, why: RegExp][] = [
      [at(".env"), /it is a link to [^ ]*\.env, which may hold secrets/],
      [at("private/x.txt"), /it is a link to [^ ]*private\/x\.txt, which is named by a \.rondoignore file/],
      [at("denied/x.txt"), /the rule `\*\*\/denied\/\*\*` denies reading it/],
      [path.join(outside, "far.txt"), /it is a link to [^ ]*far\.txt, outside the workspace/],
      [path.join(outside, ".ssh/id_rsa"), /it is a link to [^ ]*id_rsa, which may hold secrets/],
    ];
    for (const [index, [target, why]] of targets.entries()) {
      await symlink(target, at(`notes-${index}.md`));
      await symlink(at(`notes-${index}.md`), at(`chain-${index}.png`));
      await symlink(path.dirname(target), at(`folder-${index}`));
      await refused(`notes-${index}.md`, why);
      await refused(`chain-${index}.png`, why);
      if (index !== 2)
        await refused(`folder-${index}/${path.basename(target)}`, /it is a link to [^ ]*, (which|outside) .*/);
    }
    await link(at(".env"), at("hard.md"));
    await refused("hard.md", /it may hold secrets/);
  });

  it("a cell of a protected notebook, a version in git and a new file of a protected name are refused, too", async () => {
    const cell = { cell_type: "code", source: "KEY = 'hidden'", metadata: {}, outputs: [], execution_count: null };
    await put("denied/n.ipynb", JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
    const notebook = await vscode.workspace.openNotebookDocument(uri("denied/n.ipynb"));
    await vscode.window.showNotebookDocument(notebook);
    const shown = notebook.cellAt(0).document;
    const selection = new vscode.Selection(0, 0, 0, 3);
    assert.match((await files.whyNot(shown.uri)) ?? "", /denies reading it/);
    await assert.rejects(files.fromSelection({ document: shown, selection }), AttachError);
    await assert.rejects(files.fromFile(shown.uri), AttachError);
    await put("a.ipynb", JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
    const other = await vscode.workspace.openNotebookDocument(uri("a.ipynb"));
    const attached = await files.fromSelection({ document: other.cellAt(0).document, selection });
    assert.equal(attached.source?.text, "KEY = 'hidden'");
    for (const scheme of ["git", "untitled"]) {
      assert.match((await files.whyNot(uri(".env").with({ scheme }))) ?? "", /it may hold secrets/);
      assert.equal(await files.whyNot(uri("a.txt").with({ scheme })), undefined);
    }
    assert.equal(await files.whyNot(vscode.Uri.parse("untitled:Untitled-1")), undefined);
  });

  it("a whole file is sent as it is then; one that is gone as it was; one that has become protected is not", async () => {
    const attachment = await files.fromFile(uri("a.txt"));
    await put("a.txt", "new\n");
    const now = await files.asNow(attachment);
    assert.equal(now.source?.text, "new\n");
    assert.deepEqual(Object.values(now.seen ?? {}), [versionOf("new\n")]);
    await put("a.txt", Uint8Array.from([0, 1, 2, 3]));
    assert.deepEqual(await files.asNow(now), now);
    await rm(at("a.txt"));
    assert.deepEqual(await files.asNow(now), now);
    await put("a.txt", "newest\n");
    await put(".rondoignore", "a.txt\n");
    await assert.rejects(files.asNow(now), /a\.txt is not attached: it is named by a \.rondoignore file/);
  });

  it("T12 other files are attached with their text, and the version that the model sees", async () => {
    const real = path.join(realFolder(root), "a.txt");
    const seen = { [real]: versionOf("one\ntwo\n") };
    const whole = { start: 1, end: 2, text: "one\ntwo\n", whole: true };
    const attachment = await files.fromFile(uri("a.txt"));
    assert.deepEqual([attachment.source, attachment.seen], [whole, seen]);
    await symlink(at("a.txt"), at("alias.md"));
    const alias = await files.fromFile(uri("alias.md"));
    assert.deepEqual([path.basename(alias.filename), alias.source, alias.seen], ["alias.md", whole, seen]);
    const editor = await vscode.window.showTextDocument(uri("a.txt"));
    editor.selection = new vscode.Selection(1, 1, 1, 2);
    const lines = await files.fromSelection(editor);
    assert.deepEqual([lines.source, lines.seen], [{ start: 2, end: 2, text: "two" }, seen]);
  });

  it("T12 an unsaved text is attached as it is in the editor", async () => {
    const editor = await vscode.window.showTextDocument(uri("a.txt"));
    assert.ok(await editor.edit((change) => change.insert(new vscode.Position(0, 0), "typed\n")));
    const { source, seen } = await files.fromFile(uri("a.txt"));
    assert.equal(source?.text, "typed\none\ntwo\n");
    assert.deepEqual(Object.values(seen ?? {}), [versionOf("typed\none\ntwo\n")]);
  });

  it("pictures are attached by what they are, not by their names; what is neither text nor picture is refused", async () => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);
    await put("pixel.txt", png);
    assert.match((await files.fromFile(uri("pixel.txt"))).url, /^data:image\/png;base64,iVBORw0KGgoA$/);
    await put("text.png", "not a picture\n");
    assert.equal((await files.fromFile(uri("text.png"))).source?.text, "not a picture\n");
    await put(
      "big.png",
      Uint8Array.from({ length: 6 << 20 }, (_, index) => png[index] ?? 0),
    );
    await assert.rejects(files.fromFile(uri("big.png")), /big\.png is not attached: it is larger than 5 MB\./);
    await put("data.bin", Uint8Array.from([0, 1, 2, 3]));
    await assert.rejects(
      files.fromFile(uri("data.bin")),
      /data\.bin is not attached: it is neither text nor an image\./,
    );
  });
});
