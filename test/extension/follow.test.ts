import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import type { ChatEvent } from "../../src/chat/events.ts";
import type { ToolState } from "../../src/chat/message.ts";
import { Follow } from "../../src/extension/follow/follow.ts";
import { until } from "../timing.ts";

const lines = Array.from({ length: 400 }, (_, i) => `line ${i + 1}`).join("\n");

describe("following the agent", () => {
  let folder: string;
  let follow: Follow;
  let mine: vscode.TextEditor;
  const notes: string[] = [];
  let calls = 0;

  beforeEach(async () => {
    const [open] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(open);
    folder = await realpath(await mkdtemp(path.join(open.uri.fsPath, "follow-")));
    for (const name of ["mine.txt", "a.txt", "b.txt", "c.txt"]) await writeFile(path.join(folder, name), lines);
    mine = await vscode.window.showTextDocument(vscode.Uri.file(path.join(folder, "mine.txt")), { preview: false });
    follow = new Follow({ on: true, changed: () => {}, note: (message) => notes.push(message) });
    notes.length = 0;
  });

  afterEach(async () => {
    follow.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const at = (name: string) => path.join(folder, name);
  const call = (tool: string, state: ToolState): ChatEvent => ({
    type: "part",
    part: {
      ...{ id: `prt_${++calls}`, sessionID: "ses_1", messageID: "msg_1", type: "tool" },
      ...{ callID: `call_${calls}`, tool, state },
    },
  });
  const reads = async (name: string, offset?: number) => {
    const input = { file_path: at(name), ...(offset !== undefined && { offset, limit: 3 }) };
    follow.event(call("read", { status: "running", input, start: 0 }));
    await follow.settled;
  };
  const wrote = async (name: string, line: number) => {
    const diff = { path: at(name), added: 1, removed: 1, patch: `@@ -${line} +${line} @@\n-x\n+y` };
    const times = { start: 0, end: 1 };
    follow.event(call("edit", { status: "completed", input: {}, output: "", title: "", metadata: { diff }, ...times }));
    await follow.settled;
  };
  /** Names in the group of the agent's editor; `~` marks a preview. */
  const others = () =>
    vscode.window.tabGroups.all
      .filter(({ viewColumn }) => viewColumn !== mine.viewColumn)
      .map(({ tabs }) => tabs.map(({ label, isPreview }) => (isPreview ? `~${label}` : label)));
  const shown = () => vscode.window.visibleTextEditors.find(({ document }) => document !== mine.document);
  const isInView = (line: number) =>
    shown()?.visibleRanges.some(({ start, end }) => start.line <= line && line <= end.line);
  const prompt: ChatEvent = {
    type: "message",
    message: {
      ...{ id: "msg_2", sessionID: "ses_1", createdAt: 0, role: "user", agent: "build" },
      model: { providerID: "p", modelID: "m" },
    },
  };

  it("V13 shows files in a group of their own, one after the other, without the focus or the user's place", async () => {
    const place = mine.visibleRanges[0]?.start.line;
    await reads("a.txt");
    assert.deepEqual(others(), [["~a.txt"]]);
    await reads("b.txt", 200);
    assert.deepEqual(others(), [["~b.txt"]]);
    await until(() => isInView(200) ?? false);
    await wrote("c.txt", 350);
    assert.deepEqual(others(), [["~c.txt"]]);
    await until(() => isInView(349) ?? false);
    assert.equal(vscode.window.activeTextEditor, mine);
    assert.equal(vscode.window.tabGroups.activeTabGroup.viewColumn, mine.viewColumn);
    assert.equal(mine.visibleRanges[0]?.start.line, place);
    assert.equal(follow.state, "on", "its own scrolling is not the user's");
    assert.deepEqual(notes, []);
  });

  it("leaves out places that are over before they are shown", async () => {
    for (const name of ["a.txt", "b.txt", "c.txt"]) void reads(name);
    await follow.settled;
    assert.deepEqual(others(), [["~c.txt"]]);
  });

  it("follows subagents", async () => {
    const input = { file_path: at("a.txt") };
    follow.event({ type: "child", sessionID: "ses_2", event: call("read", { status: "running", input, start: 0 }) });
    await follow.settled;
    assert.deepEqual(others(), [["~a.txt"]]);
  });

  it("V13 pauses when the user moves in that editor, and goes on with the next message", async () => {
    await reads("a.txt");
    await vscode.commands.executeCommand("workbench.action.focusNextGroup");
    await vscode.commands.executeCommand("cursorDown");
    await until(() => follow.state === "paused");
    await reads("b.txt");
    assert.deepEqual(others(), [["~a.txt"]], "the user's place stays");
    follow.event(prompt);
    assert.equal(follow.state, "on");
    await reads("b.txt");
    assert.deepEqual(others(), [["~b.txt"]]);
  });

  it("pauses when the user scrolls there", async () => {
    await reads("a.txt", 200);
    await until(() => isInView(200) ?? false);
    await vscode.commands.executeCommand("workbench.action.focusNextGroup");
    await vscode.commands.executeCommand("editorScroll", { to: "down", by: "page", value: 2 });
    await until(() => follow.state === "paused");
  });

  it("does not pause when the user moves in an editor of his own", async () => {
    await reads("a.txt");
    await vscode.commands.executeCommand("cursorDown");
    await vscode.commands.executeCommand("editorScroll", { to: "down", by: "page", value: 2 });
    await until(() => (mine.visibleRanges[0]?.start.line ?? 0) > 0);
    await reads("b.txt");
    assert.deepEqual(others(), [["~b.txt"]]);
    assert.equal(follow.state, "on");
  });

  it("pauses when the user closes that editor", async () => {
    await reads("a.txt");
    const [tab] = vscode.window.tabGroups.all.at(-1)?.tabs ?? [];
    assert.ok(tab && (await vscode.window.tabGroups.close(tab)));
    await until(() => follow.state === "paused");
  });

  it("V13 replaces no editor with unsaved changes", async () => {
    await reads("a.txt");
    const edit = new vscode.WorkspaceEdit();
    edit.insert(vscode.Uri.file(at("a.txt")), new vscode.Position(0, 0), "draft ");
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until(() => vscode.window.tabGroups.all.at(-1)?.tabs[0]?.isDirty === true);
    await reads("b.txt");
    assert.deepEqual(others(), [["a.txt", "~b.txt"]]);
    await shown()?.document.save();
    await vscode.workspace.saveAll();
  });

  it("leaves no row of tabs behind: not where the agent wrote, and not without previews", async () => {
    await reads("a.txt");
    const edit = new vscode.WorkspaceEdit();
    edit.insert(vscode.Uri.file(at("a.txt")), new vscode.Position(0, 0), "agent ");
    assert.ok(await vscode.workspace.applyEdit(edit));
    await vscode.workspace.saveAll();
    await until(() => vscode.window.tabGroups.all.at(-1)?.tabs[0]?.isDirty === false);
    await reads("b.txt");
    assert.deepEqual(others(), [["~b.txt"]]);
    const settings = vscode.workspace.getConfiguration("workbench.editor");
    await settings.update("enablePreview", false, vscode.ConfigurationTarget.Global);
    try {
      await reads("c.txt");
      await reads("a.txt");
      assert.deepEqual(others(), [["a.txt"]]);
    } finally {
      await settings.update("enablePreview", undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it("shows nothing while it is off, and says where it could not go", async () => {
    follow.set(false);
    await reads("a.txt");
    assert.deepEqual(others(), []);
    follow.set(true);
    await reads("gone.txt");
    assert.deepEqual(others(), []);
    assert.equal(notes.length, 1);
    assert.match(notes[0] ?? "", /gone\.txt does not exist/);
  });
});
