/** What saving, settings and git make of a file under review: line endings, encodings, formatters (spec V23). */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import type { SessionCheckpoints } from "../../src/checkpoints/session-checkpoints.ts";
import { editorCheckpoints } from "../../src/extension/checkpoints/editor-checkpoints.ts";
import { putText } from "../../src/extension/host/documents.ts";
import { Review } from "../../src/extension/review/review.ts";
import { StepChanges } from "../../src/extension/review/step-changes.ts";

const { signal } = new AbortController();
const original = "one()\ntwo()\nthree()\nfour()\nfive()\nsix()\n";
const changed = "one()\nzwei()\nthree()\nfour()\nfünf()\nsix()\n";

describe("saving a file under review", () => {
  let folder: string;
  let storage: string;
  let review: Review;
  let changes: StepChanges;
  let checkpoints: SessionCheckpoints;
  let formatter: vscode.Disposable;
  const asked: string[] = [];
  const told: string[] = [];
  const set = new Map<string, vscode.WorkspaceConfiguration>();

  /** A setting of this test. */
  async function setting(section: "editor" | "files" | "git", name: string, value: unknown): Promise<void> {
    const config = vscode.workspace.getConfiguration(section);
    set.set(name, config);
    await config.update(name, value, vscode.ConfigurationTarget.Global);
  }

  before(() => {
    formatter = vscode.languages.registerDocumentFormattingEditProvider(
      { pattern: "**/*.rondosave" },
      {
        provideDocumentFormattingEdits: (document) =>
          [...Array(document.lineCount).keys()]
            .map((line) => document.lineAt(line))
            .filter(({ text }) => text.endsWith(")"))
            .map(({ range }) => vscode.TextEdit.insert(range.end, ";")),
      },
    );
  });
  after(() => formatter.dispose());

  beforeEach(async () => {
    await setting("git", "autoRepositoryDetection", false);
    const [open] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(open);
    folder = await realpath(await mkdtemp(path.join(open.uri.fsPath, "save-")));
    storage = await mkdtemp(path.join(os.tmpdir(), "rondo-save-"));
    asked.length = 0;
    told.length = 0;
    const tell = (sentence: string) => void told.push(sentence);
    review = new Review(
      { storage: vscode.Uri.file(storage), warn: tell },
      {
        ask: async (shares) => {
          asked.push(...shares.map(({ kind, lines }) => `${kind} ${lines}`));
          return "drop";
        },
        offerUndo: async () => {},
      },
    );
    changes = new StepChanges({ review, tell });
    checkpoints = editorCheckpoints({
      ...{ storage: vscode.Uri.file(storage), sessionID: "ses_one", isApart: false, log: { warn: tell } },
      ...{ review, changes, folders: () => [folder] },
    });
  });

  afterEach(async () => {
    for (const [name, config] of set) await config.update(name, undefined, vscode.ConfigurationTarget.Global);
    set.clear();
    await checkpoints.close();
    changes.dispose();
    await review.flush();
    review.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    await rm(storage, { recursive: true, force: true, maxRetries: 5 });
    assert.deepEqual(told, []);
  });

  const uri = (name: string) => vscode.Uri.file(path.join(folder, name));
  const bytes = (name: string) => readFile(path.join(folder, name));
  const disk = async (name: string) => (await bytes(name)).toString("utf8");
  const put = (name: string, content: string | Uint8Array) => writeFile(path.join(folder, name), content);
  const hunks = (name: string) => review.changes(uri(name))?.hunks.length ?? 0;
  const git = (...args: string[]) => {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
    const all = ["-c", "user.name=a", "-c", "user.email=a@b", ...args];
    return execFileSync("git", all, { cwd: folder, env, stdio: "pipe" }).toString();
  };

  async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 1000; tries++) {
      if (await holds()) return;
      await wait(30);
    }
    assert.fail(`never: ${what}`);
  }

  async function open(name: string): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(uri(name));
    await vscode.window.showTextDocument(document, { preview: false });
    return document;
  }

  /** Writes like the workspace. */
  async function agentWrites(name: string, text: string): Promise<vscode.TextDocument> {
    const document = await open(name);
    const end = review.begin(document.uri, document.getText(), text);
    assert.ok(await putText(document, text));
    assert.ok(await document.save());
    end(document.getText());
    return document;
  }

  /** Runs a step with a command that writes a file. */
  async function commandWrites(name: string, content: Uint8Array): Promise<void> {
    checkpoints.begin();
    await checkpoints.ready("unknown", signal);
    await put(name, content);
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri(name).toString());
    const text = await vscode.workspace.decode(content, { uri: uri(name) });
    await until("the document has the command's text", () => !document || document.getText() === text);
    await checkpoints.end();
  }

  /** Types at the cursor, as a key does. */
  async function type(line: number, character: number, text: string): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    editor.selection = new vscode.Selection(line, character, line, character);
    await vscode.commands.executeCommand("type", { text });
  }

  it("V23 a formatter's lines stay the agent's, whether VS Code formats before or after it announces the save", async () => {
    await put("a.rondosave", original);
    const document = await agentWrites("a.rondosave", changed);
    await setting("editor", "formatOnSave", true);
    await type(5, 0, "mine ");
    assert.ok(await document.save());
    const formatted = changed.replaceAll(")", ");").replace("six", "mine six");
    assert.equal(await disk("a.rondosave"), formatted);
    assert.equal(hunks("a.rondosave"), 2);
    await review.reject(uri("a.rondosave"));
    assert.deepEqual(asked, []);
    assert.equal(await disk("a.rondosave"), original.replaceAll(")", ");").replace("six", "mine six"));
  });

  it("V23 what the user types in the agent's line right before a save is asked about, also if no letter changes", async () => {
    await put("a.rondosave", original);
    const document = await agentWrites("a.rondosave", changed);
    await setting("editor", "formatOnSave", true);
    await type(1, 6, "!");
    assert.ok(await document.save());
    assert.match(await disk("a.rondosave"), /^zwei\(\)!$/m);
    await review.reject(uri("a.rondosave"));
    assert.deepEqual(asked, ["mixed 1"]);
  });

  it("V23 a reject that is formatted leaves the other changes the agent's, which writes them again", async () => {
    await put("a.rondosave", original);
    await agentWrites("a.rondosave", changed);
    await setting("editor", "formatOnSave", true);
    await review.reject(uri("a.rondosave"), 0);
    assert.equal(await disk("a.rondosave"), changed.replace("zwei", "two").replaceAll(")", ");"));
    await agentWrites("a.rondosave", changed.replace("zwei", "two").replace("fünf", "cinq").replaceAll(")", ");"));
    await review.reject(uri("a.rondosave"));
    assert.deepEqual(asked, []);
    assert.equal(await disk("a.rondosave"), original.replaceAll(")", ");"));
  });

  it("V23 VS Code's own clean-up when a file is saved makes no line the user's", async () => {
    await put("a.txt", original.trimEnd());
    const document = await agentWrites("a.txt", changed.replace("zwei()", "zwei()   ").trimEnd());
    await setting("files", "insertFinalNewline", true);
    await setting("files", "trimTrailingWhitespace", true);
    await setting("files", "trimFinalNewlines", true);
    await type(2, 0, "mine ");
    assert.ok(await document.save());
    assert.equal(await disk("a.txt"), changed.replace("three", "mine three"));
    await review.reject(uri("a.txt"));
    assert.deepEqual(asked, []);
    assert.equal(await disk("a.txt"), original.replace("three", "mine three"));
  });

  for (const isOpen of [false, true]) {
    it(`V23 git's core.autocrlf writes other line endings, in ${isOpen ? "an open" : "a closed"} file`, async () => {
      await put("a.txt", original);
      git("init", "-q", "-b", "main");
      git("add", "-A");
      git("commit", "-qm", "one");
      if (isOpen) await open("a.txt");
      await commandWrites("a.txt", Buffer.from(changed));
      assert.equal(hunks("a.txt"), 2);
      git("config", "core.autocrlf", "true");
      git("stash", "-q");
      await until("nothing is left to review", () => hunks("a.txt") === 0);
      git("stash", "pop", "-q");
      assert.equal(await disk("a.txt"), changed.replaceAll("\n", "\r\n"));
      await until("it is under review again", () => hunks("a.txt") === 2);
      git("add", "-A");
      git("commit", "-qm", "two");
      await rm(uri("a.txt").fsPath);
      git("checkout", "-q", "--", "a.txt");
      await until("it is under review again", () => hunks("a.txt") === 2);
      await review.reject(uri("a.txt"));
      assert.deepEqual(asked, []);
      assert.equal(await disk("a.txt"), original.replaceAll("\n", "\r\n"));
    });
  }

  it("V23 files.eol gives a new file its line endings, which are nobody's", async () => {
    await setting("files", "eol", "\r\n");
    const end = review.begin(uri("new.txt"), undefined, changed);
    await put("new.txt", changed.replaceAll("\n", "\r\n"));
    const document = await open("new.txt");
    end(document.getText());
    assert.deepEqual(
      review.files().map(({ state, hunks }) => `${state} ${hunks}`),
      ["new 1"],
    );
    await review.reject(uri("new.txt"));
    assert.deepEqual(asked, []);
    await assert.rejects(bytes("new.txt"));
  });

  const encodings = [
    { name: "windows1252", word: "süx", encode: (text: string) => Buffer.from(text, "latin1") },
    { name: "utf16le", word: "süx", encode: (text: string) => Buffer.from(`\ufeff${text}`, "utf16le") },
    { name: "shiftjis", word: "日", encode: (text: string) => Buffer.from(text.replace("日", "\x93\xfa"), "latin1") },
  ];
  for (const { name, word, encode } of encodings) {
    for (const isOpen of [false, true]) {
      it(`V23 what a command changes in a file in ${name} is the agent's, ${isOpen ? "open" : "closed"}`, async () => {
        await setting("files", "encoding", name);
        const first = original.replace("six", word);
        const second = changed.replace("fünf", "cinq").replace("six", word);
        await put("a.txt", encode(first));
        if (isOpen) await open("a.txt");
        await commandWrites("a.txt", encode(second));
        assert.equal(hunks("a.txt"), 2);
        const document = await open("a.txt");
        await type(0, 0, "mine ");
        assert.ok(await document.save());
        await review.reject(uri("a.txt"));
        assert.deepEqual(asked, []);
        assert.deepEqual(await bytes("a.txt"), encode(`mine ${first}`));
      });
    }
  }
});
