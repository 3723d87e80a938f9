/** Open notebooks with unsaved cells: read and edited as they are (T11, T12). */
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { edit } from "../../src/tools/built-in/edit.ts";
import { sourceOf } from "../../src/tools/notebook/cells.ts";
import { cells, NotebookFolder, outputs, sourcesOf, typeInto } from "./notebook-folder.ts";

describe("notebooks in the editor", () => {
  let work: NotebookFolder;
  const written: [before: string | undefined, after: string | undefined][] = [];

  beforeEach(async () => {
    work = await NotebookFolder.make({ begin: (_, before) => (after) => void written.push([before, after]) });
    written.length = 0;
  });
  afterEach(() => work.dispose());

  it("T12 reads unsaved cells", async () => {
    await typeInto(await work.show(), 0, "typed ");
    const { output } = await work.read();
    assert.match(output, /typed # Title/);
    assert.doesNotMatch(await work.disk(), /typed/);
  });

  it("T11 changes one cell and keeps what the user typed into another", async () => {
    const notebook = await work.show();
    await typeInto(notebook, 0, "typed ");
    const kept = notebook.cellAt(1);
    await work.read();
    const { output } = await work.change({ cell_id: "last", new_source: "y = 3" });
    assert.match(output, /^Cell 2 of .* is changed/);
    const wanted = ["typed # Title\nwords", "x = 1\nx", "y = 3", "raw"];
    assert.deepEqual(sourcesOf(notebook), wanted);
    assert.deepEqual((await work.cellsOnDisk()).map(sourceOf), wanted);
    assert.ok(!notebook.isDirty);
    assert.ok(notebook.cellAt(1) === kept, "the cell is still the same");
    assert.equal(kept.outputs.length, outputs.length);
    assert.equal(written.length, 1);
    assert.match(written[0]?.[0] ?? "", /typed/);
    assert.equal(written[0]?.[1], await work.disk());
    await work.change({ cell_id: "last", new_source: "y = 4" });
  });

  it("T11 inserts, deletes and retypes cells beside unsaved ones, and each is one undo step", async () => {
    const notebook = await work.show();
    await typeInto(notebook, 3, "typed ");
    await work.read();
    await work.change({ edit_mode: "insert", cell_id: "intro", new_source: "z = 0" });
    assert.deepEqual(sourcesOf(notebook), ["# Title\nwords", "z = 0", "x = 1\nx", "y = 2", "typed raw"]);
    await work.change({ edit_mode: "delete", cell_id: "intro" });
    await work.change({ cell_id: "calc", new_source: "# Now text", cell_type: "markdown" });
    assert.deepEqual(sourcesOf(notebook), ["z = 0", "# Now text", "y = 2", "typed raw"]);
    assert.deepEqual((await work.cellsOnDisk()).map(sourceOf), sourcesOf(notebook));
    await vscode.commands.executeCommand("undo");
    assert.deepEqual(sourcesOf(notebook), ["z = 0", "x = 1\nx", "y = 2", "typed raw"]);
    assert.equal(notebook.cellAt(1).outputs.length, outputs.length);
    await vscode.commands.executeCommand("undo");
    assert.deepEqual(sourcesOf(notebook), ["# Title\nwords", "z = 0", "x = 1\nx", "y = 2", "typed raw"]);
  });

  it("T12 refuses a change of a notebook that the user has changed since it was read", async () => {
    const notebook = await work.show();
    await work.read();
    await typeInto(notebook, 2, "typed ");
    await assert.rejects(work.change({ cell_id: "last", new_source: "y = 3" }), /has changed|changed since/);
    assert.deepEqual(sourcesOf(notebook), ["# Title\nwords", "x = 1\nx", "typed y = 2", "raw"]);
    assert.ok(notebook.isDirty);
  });

  it("T11 edits the notebook's text through its cells, and refuses what would break it", async () => {
    const notebook = await work.show();
    await typeInto(notebook, 0, "typed ");
    await work.read();
    await work.run(edit, { file_path: work.file, old_string: '"y = 2"', new_string: '"y = 5"' });
    assert.equal(notebook.cellAt(2).document.getText(), "y = 5");
    const broken = work.run(edit, { file_path: work.file, old_string: '"y = 5"', new_string: '"y = 5' });
    await assert.rejects(broken, /is not a Jupyter notebook.*nothing was changed. Use notebook_edit/s);
    assert.deepEqual(sourcesOf(notebook), ["typed # Title\nwords", "x = 1\nx", "y = 5", "raw"]);
  });

  it("T11 changes the metadata of an open notebook", async () => {
    const notebook = await work.show();
    await work.read();
    await work.run(edit, { file_path: work.file, old_string: '"name": "python"', new_string: '"name": "julia"' });
    assert.equal(JSON.parse(await work.disk()).metadata.language_info.name, "julia");
    assert.deepEqual(
      sourcesOf(notebook),
      cells.map(({ source }) => source.join("")),
    );
  });

  it("T11 changes a notebook that is not open on the disk", async () => {
    await work.read();
    await work.change({ cell_id: "last", new_source: "y = 3" });
    assert.equal(sourceOf((await work.cellsOnDisk())[2] ?? assert.fail()), "y = 3");
  });

  it("T11 keeps all kinds of outputs in a cell that is made anew", async () => {
    const notebook = await work.show();
    await work.read();
    await work.run(edit, {
      file_path: work.file,
      old_string: '"execution_count": 4,\n   "id"',
      new_string: '"execution_count": 5,\n   "id"',
    });
    assert.equal(notebook.cellAt(1).outputs.length, outputs.length);
    assert.deepEqual((await work.cellsOnDisk())[1], { ...cells[1], execution_count: 5 });
    await typeInto(notebook, 0, "typed ");
    const { output } = await work.read();
    assert.match(output, /iVBORw0KGgo=/);
  });
});
