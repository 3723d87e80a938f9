/** The review of notebooks: its hunks are cells. */
import assert from "node:assert/strict";
import path from "node:path";
import * as vscode from "vscode";
import { Review } from "../../src/extension/review/review.ts";
import { reviewCommands } from "../../src/extension/review/review-commands.ts";
import { CellActions } from "../../src/extension/review/review-feature.ts";
import { sourceOf } from "../../src/tools/notebook/cells.ts";
import { until } from "../loop/harness.ts";
import { NotebookFolder, outputs, sourcesOf, typeInto } from "./notebook-folder.ts";

const before = ["# Title\nwords", "x = 1\nx", "y = 2", "raw"];

describe("review of notebooks", () => {
  let review: Review;
  let work: NotebookFolder;
  const told: string[] = [];

  beforeEach(async () => {
    told.length = 0;
    work = await NotebookFolder.make({ begin: (uri, text) => review.begin(uri, text) });
    const storage = vscode.Uri.file(path.join(work.folder, "storage"));
    review = new Review({ storage, warn: (message) => told.push(message) });
    await work.read();
  });
  afterEach(async () => {
    await review.flush();
    review.dispose();
    await work.dispose();
    assert.deepEqual(told, []);
  });

  const hunks = () => review.changes(work.uri)?.hunks ?? [];

  it("V5 rejects a changed cell with its outputs, beside cells that the user types into", async () => {
    const notebook = await work.show();
    await work.change({ cell_id: "calc", new_source: "x = 2" });
    assert.equal(notebook.cellAt(1).outputs.length, 0);
    await typeInto(notebook, 0, "typed ");
    assert.equal(hunks().length, 1);
    await review.reject(work.uri);
    assert.deepEqual(sourcesOf(notebook), ["typed # Title\nwords", ...before.slice(1)]);
    assert.equal(notebook.cellAt(1).outputs.length, outputs.length);
    assert.deepEqual(hunks(), []);
    await notebook.save();
    await until(() => !notebook.isDirty);
    assert.deepEqual((await work.cellsOnDisk())[1]?.["outputs"], outputs);
  });

  it("V5 accepts one cell and rejects others, new and deleted ones", async () => {
    const notebook = await work.show();
    await work.change({ edit_mode: "insert", new_source: "first" });
    await work.change({ cell_id: "calc", new_source: "x = 2" });
    await work.change({ edit_mode: "delete", cell_id: "raw" });
    assert.deepEqual(sourcesOf(notebook), ["first", "# Title\nwords", "x = 2", "y = 2"]);
    assert.equal(hunks().length, 3);
    await review.accept(work.uri, 1);
    await review.reject(work.uri, 0);
    await review.reject(work.uri, 0);
    assert.deepEqual(sourcesOf(notebook), ["# Title\nwords", "x = 2", "y = 2", "raw"]);
    assert.deepEqual((await work.cellsOnDisk()).map(sourceOf), sourcesOf(notebook));
    assert.deepEqual(hunks(), []);
  });

  it("V5 restores the very bytes of a notebook that is not open", async () => {
    const bytes = await work.disk();
    await work.change({ cell_id: "last", new_source: "y = 3" });
    await work.change({ edit_mode: "insert", cell_id: "intro", new_source: "new" });
    assert.equal(hunks().length, 2);
    await review.reject(work.uri);
    assert.equal(await work.disk(), bytes);
  });

  it("V5 follows cells that the user changes, runs or removes", async () => {
    const notebook = await work.show();
    await work.change({ cell_id: "last", new_source: "y = 3" });
    const gone = new vscode.WorkspaceEdit();
    gone.set(work.uri, [vscode.NotebookEdit.deleteCells(new vscode.NotebookRange(0, 1))]);
    assert.ok(await vscode.workspace.applyEdit(gone));
    await until(() => hunks()[0]?.start === 2);
    await review.reject(work.uri);
    assert.deepEqual(sourcesOf(notebook), before.slice(1));
  });

  it("V5 shows the cells' actions in their status bars", async () => {
    const notebook = await work.show();
    await work.change({ cell_id: "intro", new_source: "# New" });
    await work.change({ edit_mode: "delete", cell_id: "last" });
    const actions = new CellActions(review);
    try {
      const shown = notebook.getCells().map((cell) => actions.provideCellStatusBarItems(cell).map(({ text }) => text));
      const both = ["$(check) Accept", "$(discard) Reject"];
      assert.deepEqual(shown, [
        ["$(sparkle) Changed cell (1 of 2)", ...both],
        [],
        ["$(sparkle) 1 cell deleted here (2 of 2)", ...both],
      ]);
      const [, accept] = actions.provideCellStatusBarItems(notebook.cellAt(2));
      assert.ok(typeof accept?.command === "object");
      assert.deepEqual(accept.command.arguments?.map(String), [work.uri, 1, hunks()[1]?.start].map(String));
    } finally {
      actions.dispose();
    }
  });

  it("V5 goes to the changed cells, and accepts and rejects the selected one", async () => {
    await work.change({ cell_id: "intro", new_source: "# New" });
    await work.change({ cell_id: "last", new_source: "y = 3" });
    const told: string[] = [];
    const commands = reviewCommands(review, async (sentence) => void told.push(sentence));
    const press = (name: string) => commands[`rondo.${name}`]?.();
    await commands["rondo.nextHunk"]?.(work.uri);
    const editor = vscode.window.activeNotebookEditor;
    assert.ok(editor?.notebook.uri.toString() === work.uri.toString());
    const selected = () => until(() => editor.selection.start === wanted);
    let wanted = 0;
    await selected();
    await press("nextHunk");
    wanted = 2;
    await selected();
    await press("rejectHunk");
    assert.deepEqual(sourcesOf(editor.notebook), ["# New", ...before.slice(1)]);
    await press("acceptHunk");
    assert.deepEqual(told, ["No change by Rondo here; the next is in cell 1."]);
    await press("previousHunk");
    wanted = 0;
    await selected();
    await press("acceptHunk");
    assert.deepEqual(hunks(), []);
  });

  it("V5 tells decisions in the sources of cells", async () => {
    const decisions: unknown[] = [];
    const listening = review.onDidDecide(({ action, hunks: all }) => decisions.push([action, all]));
    await work.change({ cell_id: "last", new_source: "y = 3" });
    await review.reject(work.uri);
    listening.dispose();
    assert.deepEqual(decisions, [["reject", [{ start: 3, oldLines: ["y = 2\n"], newLines: ["y = 3\n"] }]]]);
  });

  it("V5 shows the notebook without the changes in the diff", async () => {
    const bytes = JSON.parse(await work.disk());
    await work.change({ cell_id: "last", new_source: "y = 3" });
    const shown = JSON.parse(review.before(work.uri) ?? "");
    assert.deepEqual(
      shown.cells.map(({ source }: { source: string[] }) => source.join("")),
      bytes.cells.map(({ source }: { source: string[] }) => source.join("")),
    );
  });
});
