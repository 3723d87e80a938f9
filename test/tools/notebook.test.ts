import assert from "node:assert/strict";
import { EditWorkspace } from "./edit-tools.ts";

/** A notebook in Jupyter's format, with numbers and characters that other programs would write differently. */
const notebook = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Größe\\n",
    "text \\u00e9"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "calc",
   "metadata": {"scale": 1.0},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": ["]}, {\\"source\\": 1e3"]
    }
   ],
   "source": "x = 1"
  }
 ],
 "metadata": {"v": 1.50, "cells": [1]},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

describe("T11 notebook_edit", () => {
  let work: EditWorkspace;
  beforeEach(async () => {
    work = new EditWorkspace();
    await put(notebook);
  });
  afterEach(() => work.dispose());

  const run = async (more: Record<string, unknown>) =>
    await work.run("notebook_edit", { notebook_path: "n.ipynb", ...more });
  const put = async (content: string) => {
    work.put("n.ipynb", content);
    await work.run("read", { file_path: "n.ipynb" });
  };
  const cells = () => JSON.parse(work.text("n.ipynb")).cells;

  it("changes only the bytes of a cell's source", async () => {
    const { output } = await run({ cell_id: "intro", new_source: "# Size\n\nmore" });
    assert.equal(
      work.text("n.ipynb"),
      notebook.replace('"# Größe\\n",\n    "text \\u00e9"', '"# Size\\n",\n    "\\n",\n    "more"'),
    );
    assert.match(output, /^Cell 0 of n\.ipynb is changed\. It reads there now:/);
  });

  it("T12 a cell that was not read is neither replaced nor deleted, but one may be put beside it", async () => {
    work.put("other.ipynb", notebook);
    const notebook_path = "other.ipynb";
    const unread =
      /^other\.ipynb exists already, and you have not read it: read it first, then (replace|delete) the cell\.$/;
    for (const change of [{ new_source: "x" }, { new_source: "x", cell_type: "raw" }, { edit_mode: "delete" }]) {
      assert.match(await work.refusal("notebook_edit", { notebook_path, cell_id: "intro", ...change }), unread);
    }
    assert.equal(work.text(notebook_path), notebook);
    await work.run("notebook_edit", { notebook_path, edit_mode: "insert", new_source: "first" });
    await work.run("notebook_edit", { notebook_path, cell_id: "intro", edit_mode: "delete" });
    assert.equal(JSON.parse(work.text(notebook_path)).cells.length, 2);
  });

  it("clears the outputs of a code cell, and keeps the format of its source", async () => {
    await run({ cell_number: 1, new_source: "x = 2\ny = 3" });
    const expected = notebook
      .replace('"x = 1"', '"x = 2\\ny = 3"')
      .replace('"execution_count": 3', '"execution_count": null')
      .replace(/"outputs": \[\n[\s\S]*?\n {3}\]/, '"outputs": []');
    assert.equal(work.text("n.ipynb"), expected);
  });

  it("inserts after a cell, with a new id", async () => {
    const { output } = await run({ edit_mode: "insert", cell_id: "intro", new_source: "a\nb" });
    assert.match(output, /^Cell 1 of n\.ipynb is new\./);
    const { id, ...cell } = cells()[1];
    assert.match(id, /^[a-zA-Z0-9_-]{1,64}$/);
    assert.deepEqual(cell, {
      cell_type: "code",
      execution_count: null,
      metadata: {},
      outputs: [],
      source: ["a\n", "b"],
    });
    const lines = work.text("n.ipynb").split("\n");
    const kept = notebook.split("\n");
    assert.deepEqual(lines.toSpliced(10, lines.length - kept.length), kept, "other lines, and the indentation");
  });

  it("inserts at the beginning and the end", async () => {
    await run({ edit_mode: "insert", new_source: "first", cell_type: "markdown" });
    await run({ edit_mode: "insert", cell_id: "calc", new_source: "last", cell_type: "raw" });
    assert.deepEqual(
      cells().map((cell: { source: unknown }) => String(cell.source)),
      ["first", "# Größe\n,text é", "x = 1", "last"],
    );
  });

  it("deletes the first, the last and the only cell", async () => {
    await run({ edit_mode: "delete", cell_number: 0 });
    assert.equal(cells()[0].id, "calc");
    await run({ edit_mode: "insert", cell_id: "calc", new_source: "z" });
    await run({ edit_mode: "delete", cell_number: 1 });
    assert.equal(cells().length, 1);
    await run({ edit_mode: "delete", cell_id: "calc" });
    assert.deepEqual(cells(), []);
    assert.match(work.text("n.ipynb"), /"cells": \[\],\n "metadata": \{"v": 1\.50/);
    await run({ edit_mode: "insert", new_source: "again" });
    assert.equal(cells().length, 1);
  });

  it("converts a cell to another type, keeping its id and metadata", async () => {
    await run({ cell_id: "calc", new_source: "words", cell_type: "markdown" });
    assert.deepEqual(cells()[1], { cell_type: "markdown", id: "calc", metadata: { scale: 1 }, source: ["words"] });
    await run({ cell_id: "calc", new_source: "", cell_type: "code" });
    assert.deepEqual(cells()[1].source, []);
    assert.deepEqual(cells()[1].outputs, []);
  });

  it("adds no ids to notebooks without ids", async () => {
    await put('{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":4}');
    await run({ edit_mode: "insert", new_source: "a" });
    await run({ edit_mode: "insert", cell_number: 0, new_source: "b" });
    assert.equal(
      work.text("n.ipynb"),
      '{"cells":[{"cell_type":"code","execution_count":null,"metadata":{},"outputs":[],"source":["a"]}, {"cell_type":"code","execution_count":null,"metadata":{},"outputs":[],"source":["b"]}],"metadata":{},"nbformat":4,"nbformat_minor":4}',
    );
  });

  it("keeps tabs, CRLF and a byte order mark", async () => {
    const tabbed = `\ufeff${notebook.replace(/^ +/gm, (indent) => "\t".repeat(indent.length)).replaceAll("\n", "\r\n")}`;
    await put(tabbed);
    await run({ cell_id: "intro", new_source: "one\r\ntwo" });
    assert.equal(
      work.text("n.ipynb"),
      tabbed.replace('"# Größe\\n",\r\n\t\t\t\t"text \\u00e9"', '"one\\n",\r\n\t\t\t\t"two"'),
    );
  });

  const refused: [title: string, input: Record<string, unknown>, words: RegExp, content?: string][] = [
    [
      "a missing cell",
      { cell_id: "nope", new_source: "" },
      /no cell with the id nope: it has 2 cells, numbered from 0\. Ids: intro, calc\./,
    ],
    ["a number out of range", { cell_number: 2, new_source: "" }, /no cell 2:/],
    ["no cell number", { new_source: "" }, /give cell_id or cell_number/],
    ["no source", { cell_id: "calc" }, /new_source is missing/],
    ["broken JSON", { cell_id: "calc", new_source: "" }, /Its JSON is broken/, "{"],
    [
      "JSON of another kind",
      { cell_id: "calc", new_source: "" },
      /not a Jupyter notebook of nbformat 4/,
      '{"cells": 1}',
    ],
    [
      "an old notebook",
      { cell_id: "calc", new_source: "" },
      /nbformat 4/,
      '{"worksheets": [], "nbformat": 3, "nbformat_minor": 0}',
    ],
  ];
  for (const [title, input, words, content = notebook] of refused) {
    it(`rejects ${title}`, async () => {
      await put(content);
      assert.match(await work.refusal("notebook_edit", { notebook_path: "n.ipynb", ...input }), words);
      assert.equal(work.text("n.ipynb"), content);
    });
  }
});
