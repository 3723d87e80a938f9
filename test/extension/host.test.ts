import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { type EditorHost, vscodeHost } from "../../src/extension/host/vscode-host.ts";
import type { Host, TextFile } from "../../src/tools/host.ts";
import { ToolError } from "../../src/tools/tool.ts";
import { secondMs, stopwatch } from "../timing.ts";

const { signal } = new AbortController();

/** Settings that do not matter to these tests. */
const asUsual = {
  terminal: () => ({ mode: "separate", shell: "", passEnvironment: [] }) as const,
  sandbox: () => "off" as const,
  secrets: () => [],
  state: [],
  markersFolder: path.join(os.tmpdir(), "rondo-markers"),
};

describe("files in the editor", () => {
  let folder: string;
  let host: EditorHost;
  let workspace: Host["workspace"];
  const written: { path: string; before: string | undefined; after: string | undefined }[] = [];

  before(() => {
    const watch = {
      begin: (uri: vscode.Uri, before: string | undefined) => (after: string | undefined) => {
        written.push({ path: uri.fsPath, before, after });
      },
    };
    host = vscodeHost({ watch, ...asUsual });
    ({ workspace } = host.forSession(path.join(os.tmpdir(), "rondo-outputs")));
  });

  after(() => host.dispose());

  beforeEach(async () => {
    const [open] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(open);
    folder = await realpath(await mkdtemp(path.join(open.uri.fsPath, "host-")));
    written.length = 0;
  });

  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const at = (name: string) => path.join(folder, name);
  const bytes = (name: string) => readFile(at(name));

  async function read(name: string): Promise<TextFile> {
    const found = await workspace.open(at(name), signal);
    assert.ok(found.type === "text", found.type);
    return found.file;
  }

  async function replace(name: string, from: string, to: string): Promise<TextFile> {
    const file = await read(name);
    return workspace.write(file, file.text.replace(from, to), file.version, signal);
  }

  async function edited(name: string, text: string, typed: string): Promise<vscode.TextDocument> {
    await writeFile(at(name), text);
    const document = await vscode.workspace.openTextDocument(at(name));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), typed);
    assert.ok(await vscode.workspace.applyEdit(edit));
    return document;
  }

  it("T12 reads the unsaved buffer, edits it in place and saves it together with what the user typed", async () => {
    const document = await edited("dirty.txt", "one\ntwo\n", "typed ");
    const file = await read("dirty.txt");
    assert.deepEqual([file.text, file.unsaved], ["typed one\ntwo\n", true]);
    const after = await replace("dirty.txt", "two", "2");
    assert.deepEqual([after.text, after.unsaved], ["typed one\n2\n", false]);
    assert.equal(document.isDirty, false);
    assert.equal(String(await bytes("dirty.txt")), "typed one\n2\n");
    assert.deepEqual(written, [{ path: at("dirty.txt"), before: "typed one\ntwo\n", after: "typed one\n2\n" }]);
  });

  it("each edit is one undo step and leaves the cursor where it is", async () => {
    await writeFile(at("undo.txt"), "a\nb\nc\nd\ne\n");
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(at("undo.txt")));
    editor.selection = new vscode.Selection(2, 1, 2, 1);
    const file = await read("undo.txt");
    await workspace.write(file, "A\nA2\nb\nc\nd\nE\n", file.version, signal);
    assert.equal(editor.selection.active.line, 3);
    await replace("undo.txt", "b", "B");
    await vscode.commands.executeCommand("undo");
    assert.equal(editor.document.getText(), "A\nA2\nb\nc\nd\nE\n");
    await vscode.commands.executeCommand("undo");
    assert.equal(editor.document.getText(), "a\nb\nc\nd\ne\n");
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  for (const [name, content] of Object.entries({
    "CRLF line endings": Buffer.from("one\r\ntwo\r\n"),
    "mixed line endings": Buffer.from("one\r\ntwo\nthree\r\n"),
    "a missing final newline": Buffer.from("one\ntwo"),
    "a byte order mark": Buffer.from("\uFEFFone\ntwo\n"),
    "UTF-16": Buffer.from("\uFEFFone\r\ntwo\r\n", "utf16le"),
  })) {
    it(`T12 keeps ${name}, whether the file is open or not`, async () => {
      const encoding = content[0] === 0xff ? "utf16le" : "utf8";
      const wanted = Buffer.from(content.toString(encoding).replace("two", "2"), encoding);
      await writeFile(at("closed.txt"), content);
      await replace("closed.txt", "two", "2");
      assert.deepEqual(await bytes("closed.txt"), wanted);
      await writeFile(at("open.txt"), content);
      await vscode.window.showTextDocument(vscode.Uri.file(at("open.txt")));
      const after = await replace("open.txt", "two", "2");
      assert.deepEqual(await bytes("open.txt"), wanted);
      assert.equal((await read("open.txt")).version, after.version);
      assert.ok(!after.text.startsWith("\uFEFF"));
    });
  }

  it("T12 reads and writes the configured encoding", async () => {
    const files = vscode.workspace.getConfiguration("files");
    await files.update("encoding", "windows1252", vscode.ConfigurationTarget.Global);
    try {
      await writeFile(at("latin.txt"), Buffer.from("caf\xe9\ntwo\n", "latin1"));
      assert.equal((await read("latin.txt")).text, "café\ntwo\n");
      await replace("latin.txt", "two", "über");
      assert.deepEqual(await bytes("latin.txt"), Buffer.from("caf\xe9\n\xfcber\n", "latin1"));
    } finally {
      await files.update("encoding", undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it("T12 refuses characters that the configured encoding lacks", async () => {
    const files = vscode.workspace.getConfiguration("files");
    await files.update("encoding", "windows1252", vscode.ConfigurationTarget.Global);
    try {
      await writeFile(at("narrow.txt"), Buffer.from("caf\xe9\ntwo\n", "latin1"));
      await assert.rejects(replace("narrow.txt", "two", "→"), /its encoding lacks the character "→"/);
      assert.deepEqual(await bytes("narrow.txt"), Buffer.from("caf\xe9\ntwo\n", "latin1"));
    } finally {
      await files.update("encoding", undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it("T12 an open document of an unknown encoding can be read, and is not saved with replacement characters", async () => {
    const content = Buffer.from("caf\xe9\ntwo\n", "latin1");
    await writeFile(at("unknown.txt"), content);
    await vscode.window.showTextDocument(vscode.Uri.file(at("unknown.txt")));
    const found = await workspace.open(at("unknown.txt"), signal);
    assert.equal(found.type, "unknown-encoding");
    assert.deepEqual(await bytes("unknown.txt"), content);
  });

  it("reports what format on save changed", async () => {
    const formatter = vscode.languages.registerDocumentFormattingEditProvider(
      { pattern: "**/format.txt" },
      {
        provideDocumentFormattingEdits: (document) =>
          [...document.getText().matchAll(/bad/g)].map(({ index }) =>
            vscode.TextEdit.replace(
              new vscode.Range(document.positionAt(index), document.positionAt(index + 3)),
              "good",
            ),
          ),
      },
    );
    const editor = vscode.workspace.getConfiguration("editor");
    await editor.update("formatOnSave", true, vscode.ConfigurationTarget.Global);
    try {
      await writeFile(at("format.txt"), "one\n");
      const after = await replace("format.txt", "one", "one bad");
      assert.equal(after.text, "one good\n");
      assert.equal(String(await bytes("format.txt")), "one good\n");
      assert.equal((await read("format.txt")).version, after.version);
      await vscode.window.showTextDocument(vscode.Uri.file(at("format.txt")));
      // After a save by the user: formatting is a step of its own.
      const undone = [];
      for (let i = 0; i < 2; i++) {
        await vscode.commands.executeCommand("undo");
        undone.push(vscode.window.activeTextEditor?.document.getText());
      }
      assert.deepEqual(undone, ["one bad\n", "one\n"]);
      await vscode.commands.executeCommand("workbench.action.files.revert");
    } finally {
      await editor.update("formatOnSave", undefined, vscode.ConfigurationTarget.Global);
      formatter.dispose();
    }
  });

  it("T12 refuses to overwrite what has changed since it was read", async () => {
    await writeFile(at("stale.txt"), "one\n");
    const file = await read("stale.txt");
    await writeFile(at("stale.txt"), "other\n");
    await assert.rejects(workspace.write(file, "mine\n", file.version, signal), /changed since it was read/);
    assert.equal(String(await bytes("stale.txt")), "other\n");
    const document = await edited("typed.txt", "one\n", "");
    const clean = await read("typed.txt");
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), "typed ");
    await vscode.workspace.applyEdit(edit);
    await assert.rejects(workspace.write(clean, "mine\n", clean.version, signal), ToolError);
    assert.equal(document.getText(), "typed one\n");
    assert.deepEqual(written, []);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("writes at once after the model has read another program's change", async () => {
    await writeFile(at("other.txt"), "one\n");
    await vscode.window.showTextDocument(vscode.Uri.file(at("other.txt")));
    await writeFile(at("other.txt"), "one\nmore\n");
    await replace("other.txt", "more", "less");
    assert.equal(String(await bytes("other.txt")), "one\nless\n");
  });

  it("reports a read-only file, and leaves buffer and disk unchanged", async () => {
    await writeFile(at("locked.txt"), "one\n");
    await chmod(at("locked.txt"), 0o444);
    const document = await vscode.workspace.openTextDocument(at("locked.txt"));
    await assert.rejects(replace("locked.txt", "one", "two"), /read-only/);
    assert.equal(document.getText(), "one\n");
    assert.equal(String(await bytes("locked.txt")), "one\n");
  });

  it("keeps an edit that cannot be saved in the buffer, and says so", async () => {
    const document = await edited("conflict.txt", "one\n", "typed ");
    await writeFile(at("conflict.txt"), "from outside\n");
    await assert.rejects(replace("conflict.txt", "one", "two"), /could not be saved/);
    assert.equal(document.getText(), "typed two\n");
    assert.equal(String(await bytes("conflict.txt")), "from outside\n");
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("keeps the mode of a file", async () => {
    await writeFile(at("run.sh"), "#!/bin/sh\n");
    await chmod(at("run.sh"), 0o755);
    await replace("run.sh", "sh", "bash");
    assert.equal((await stat(at("run.sh"))).mode & 0o777, 0o755);
  });

  it("creates files and their parents with the given line endings", async () => {
    for (const text of ["a\r\nb\r\n", "a\nb", "a\nb\r\n", ""]) {
      const location = await workspace.locate(at(`new/deep/${text.length}-${JSON.stringify(text)}.txt`));
      const after = await workspace.write(location, text, "missing", signal);
      assert.equal(after.text, text);
      assert.equal(String(await readFile(location.path)), text);
    }
    const location = await workspace.locate(at('new/deep/0-"".txt'));
    await assert.rejects(workspace.write(location, "again\n", "missing", signal), ToolError);
  });

  it("finds the open document through a link", async () => {
    await mkdir(at("real"));
    await symlink(at("real"), at("link"));
    const document = await edited("link/file.txt", "one\n", "typed ");
    assert.equal((await read("real/file.txt")).text, "typed one\n");
    await replace("real/file.txt", "one", "two");
    assert.equal(document.getText(), "typed two\n");
    assert.equal(document.isDirty, false);
  });

  it("refuses binary files, like the tools without an editor", async () => {
    await writeFile(at("data.bin"), Buffer.from([1, 0, 2, 0, 0, 255]));
    assert.equal((await workspace.open(at("data.bin"), signal)).type, "binary");
    assert.equal((await workspace.open(at("gone.txt"), signal)).type, "missing");
  });
});

describe("commands and search in the editor", () => {
  let host: EditorHost;
  let session: Host;

  before(() => {
    host = vscodeHost({ watch: { begin: () => () => {} }, ...asUsual });
    session = host.forSession(path.join(os.tmpdir(), "rondo-outputs"));
  });

  after(() => host.dispose());

  async function run(command: string, more: { signal?: AbortSignal } = {}) {
    let output = "";
    const end = await session.terminal.run({
      command,
      cwd: os.tmpdir(),
      signal,
      onWaiting() {},
      onOutput: (text) => {
        output += text;
      },
      ...more,
    });
    return { end, output };
  }

  const mirror = () => vscode.window.terminals.filter(({ name }) => name === "Rondo");

  async function until(what: string, holds: () => boolean): Promise<void> {
    for (let i = 0; i < 100; i++) {
      if (holds()) return;
      await wait(30);
    }
    assert.fail(`never: ${what}`);
  }

  it("mirrors all commands into one terminal without taking the focus", async () => {
    assert.deepEqual(await run("echo hello; exit 3"), { end: { type: "exit", code: 3, left: [] }, output: "hello\n" });
    await run("echo again");
    assert.equal(mirror().length, 1);
    const seen = await terminalText("again");
    assert.match(seen, /\$ echo hello; exit 3\s+hello\s+\[exit code 3\]\s+\$ echo again\s+again\s+\[exit code 0\]/);
  });

  it("L11 ends a command that ignores SIGTERM within a second, including its children", async () => {
    const stop = new AbortController();
    const running = run("trap '' TERM; sleep 41.5 & echo $!; wait; sleep 42.5", { signal: stop.signal });
    await wait(500);
    const elapsed = stopwatch();
    stop.abort();
    const { end, output } = await running;
    assert.ok(elapsed() < secondMs, `${elapsed()} ms`);
    assert.equal(end.type, "aborted");
    // A zombie has ended too, but its parent has not collected its status.
    const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", output.trim()], { encoding: "utf8" });
    assert.doesNotMatch(stdout, /^[^Z\s]/m);
  });

  it("T9 passes on 10 MB of output", async () => {
    const { end, output } = await run("yes 'a line of output' | head -c 10000000");
    assert.deepEqual(end, { type: "exit", code: 0, left: [] });
    assert.equal(output.length, 10_000_000);
  });

  it("ends the running command, but not the turn, when the user closes the terminal", async () => {
    const running = run("sleep 43.5");
    await until("the command runs", () => mirror().length === 1);
    await wait(500);
    mirror()[0]?.dispose();
    assert.deepEqual((await running).end, { type: "signal", signal: "SIGINT" });
    await until("the terminal is gone", () => mirror().length === 0);
    await run("echo new");
    assert.equal(mirror().length, 1);
  });

  it("ends the running command on Ctrl+C in the terminal", async () => {
    const running = run("echo started; sleep 44.5");
    await terminalText("started");
    mirror()[0]?.sendText("\x03", false);
    assert.deepEqual((await running).end, { type: "signal", signal: "SIGINT" });
  });

  it("finds VS Code's own ripgrep", async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const found = await session.search.ripgrep(["--files", "-g", "package.json"], {
      cwd: folder.uri.fsPath,
      limit: 10_000,
      signal,
    });
    assert.deepEqual([found.code, found.stdout.trim()], [0, "package.json"]);
  });

  /** Returns the terminal's text once it contains `last`, through the clipboard: extensions cannot read terminals. */
  async function terminalText(last: string): Promise<string> {
    mirror()[0]?.show();
    for (let i = 0; i < 50; i++) {
      await wait(100);
      await vscode.commands.executeCommand("workbench.action.terminal.selectAll");
      await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
      const text = await vscode.env.clipboard.readText();
      if (text.includes(`${last}\n`) || text.includes(`${last}\r`)) return text;
    }
    return "";
  }
});
