/** A folder of the workspace, and what a window has of it: the review, and the checkpoints of a session's steps. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import type { SessionCheckpoints } from "../../src/checkpoints/session-checkpoints.ts";
import { editorCheckpoints } from "../../src/extension/checkpoints/editor-checkpoints.ts";
import { Review } from "../../src/extension/review/review.ts";
import { StepChanges } from "../../src/extension/review/step-changes.ts";

const { signal } = new AbortController();

/** Gives each test of the suite a new folder; no test may have warned. */
export function stepWindow() {
  let folder: string;
  let storage: string;
  let review: Review;
  let changes: StepChanges;
  let checkpoints: SessionCheckpoints;
  const told: string[] = [];

  // VS Code's git extension would ask git about repositories that are gone by then, and fail.
  const detects = (isOn: boolean | undefined) =>
    vscode.workspace.getConfiguration("git").update("autoRepositoryDetection", isOn, vscode.ConfigurationTarget.Global);
  before(() => detects(false));
  after(() => detects(undefined));

  beforeEach(async () => {
    const [open] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(open);
    folder = await realpath(await mkdtemp(path.join(open.uri.fsPath, "step-")));
    storage = await mkdtemp(path.join(os.tmpdir(), "rondo-step-"));
    told.length = 0;
    begin();
  });

  afterEach(async () => {
    await end();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    await rm(storage, { recursive: true, force: true, maxRetries: 5 });
    assert.deepEqual(told, []);
  });

  /** Starts what a window starts. */
  function begin(): void {
    const tell = (sentence: string) => void told.push(sentence);
    review = new Review({ storage: vscode.Uri.file(storage), warn: tell });
    changes = new StepChanges({ review, tell });
    const log = { warn: tell };
    checkpoints = editorCheckpoints({
      ...{ storage: vscode.Uri.file(storage), sessionID: "ses_one", isApart: false, log, review, changes },
      folders: () => (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    });
  }

  async function end(): Promise<void> {
    await checkpoints.close();
    changes.dispose();
    await review.flush();
    review.dispose();
  }

  const at = (name: string) => path.join(folder, name);
  const uri = (name: string) => vscode.Uri.file(at(name));
  const shown = (name: string) => `${path.basename(folder)}/${name}`;
  const put = async (name: string, text: string | Uint8Array) => {
    await mkdir(path.dirname(at(name)), { recursive: true });
    await writeFile(at(name), text);
  };
  const disk = (name: string) => readFile(at(name), "utf8");
  const shell = (command: string) => {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
    return execFileSync("/bin/sh", ["-c", command], { cwd: folder, env, stdio: "pipe" }).toString();
  };
  /** Returns a line for each file of the list: `state name`, without the files that are decided. */
  const list = () =>
    review
      .files()
      .filter(({ state }) => state !== "accepted" && state !== "rejected")
      .map(({ state, path: file, hunks }) => `${state} ${path.relative(folder, file)} ${hunks}`)
      .sort();

  /** Runs a step with a command. `meanwhile` is done changed it, but within the step. */
  async function command(text: string, meanwhile = async () => {}): Promise<string> {
    const begun = checkpoints.begin();
    await checkpoints.ready("unknown", signal);
    shell(text);
    await meanwhile();
    await checkpoints.end();
    return begun;
  }

  async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 1000; tries++) {
      if (await holds()) return;
      await wait(30);
    }
    assert.fail(`never: ${what}, but ${JSON.stringify(list())}`);
  }
  const untilListed = (...lines: string[]) =>
    until(`listed ${lines}`, () => JSON.stringify(list()) === JSON.stringify(lines));

  async function open(name: string): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(uri(name));
    await vscode.window.showTextDocument(document, { preview: false });
    return document;
  }

  async function type(document: vscode.TextDocument, line: number, text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(line, 0), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  }

  return {
    get folder() {
      return folder;
    },
    get storage() {
      return storage;
    },
    get review() {
      return review;
    },
    get checkpoints() {
      return checkpoints;
    },
    told,
    ...{ begin, end, at, uri, shown, put, disk, shell, list, command, until, untilListed, open, type },
  };
}
