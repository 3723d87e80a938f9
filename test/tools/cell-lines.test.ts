/** Notebooks as lines, one for each cell. */
import assert from "node:assert/strict";
import {
  areCellLines,
  cellLines,
  cellOfLine,
  notebookOfLines,
  shownLine,
} from "../../src/tools/notebook/cell-lines.ts";

const jupyter = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "a",
   "metadata": {},
   "source": [
    "# Title\\n",
    "text \\u00e9"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "b",
   "metadata": {},
   "outputs": [
    {
     "data": {
      "text/plain": [
       "1\\n",
       "2"
      ]
     },
     "metadata": {},
     "output_type": "display_data"
    }
   ],
   "source": [
    "x = 1.50"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

/** The same, as another program writes it. */
const other = JSON.stringify({
  nbformat_minor: 5,
  nbformat: 4,
  metadata: { language_info: { name: "python" } },
  cells: [
    { source: "# Title\ntext é", metadata: {}, id: "a", cell_type: "markdown" },
    {
      ...{ cell_type: "code", id: "b", source: "x = 1.50", metadata: {}, execution_count: 1 },
      outputs: [{ output_type: "display_data", metadata: {}, data: { "text/plain": "1\n2" } }],
    },
  ],
});

const lines = (text: string) => cellLines(text) ?? assert.fail("it is a notebook");
const parts = (text: string) => lines(text).split(/(?<=\n)/);

describe("notebooks as lines", () => {
  it("have a line for each cell, and one for the rest", () => {
    assert.equal(parts(jupyter).length, 3);
    assert.deepEqual([0, 1, 2].map(cellOfLine), [undefined, 0, 1]);
    assert.equal(shownLine(parts(jupyter)[1] ?? ""), "# Title\ntext é\n");
    assert.equal(shownLine(parts(jupyter)[0] ?? ""), parts(jupyter)[0]);
  });

  it("are equal for notebooks that say the same", () => assert.equal(lines(jupyter), lines(other)));

  it("differ where a source, an output or the metadata differs", () => {
    for (const [from, to] of [
      ["1.50", "1.5"],
      ['"2"', '"3"'],
      ['"metadata": {},\n "nbformat"', '"metadata": {"a": 1},\n "nbformat"'],
    ] as const) {
      assert.ok(jupyter.includes(from));
      const changed = parts(jupyter.replace(from, to));
      assert.equal(changed.filter((line, at) => line !== parts(jupyter)[at]).length, 1, from);
    }
  });

  it("lead back to the same bytes", () => {
    for (const text of [jupyter, other]) assert.equal(notebookOfLines(lines(text), text), text);
  });

  it("keep the bytes of cells that do not change", () => {
    const [head = "", first = "", second = ""] = parts(jupyter);
    const added = `${JSON.stringify({ cell_type: "raw", id: "c", metadata: {}, source: "r\ns" })}\n`;
    const made = notebookOfLines(head + second + added, jupyter);
    assert.equal(lines(made), head + second + added);
    const start = jupyter.indexOf('{\n   "cell_type": "code"');
    assert.ok(made.includes(jupyter.slice(start, jupyter.indexOf("  }\n ],"))));
    assert.ok(made.endsWith(jupyter.slice(jupyter.indexOf("\n ],"))));
    assert.equal(lines(notebookOfLines(head + first + second, made)), lines(jupyter));
  });

  it("make a notebook without one that is present, and with another head", () => {
    for (const present of [undefined, "no notebook", other.replace('"nbformat_minor":5', '"nbformat_minor":4')]) {
      const made = notebookOfLines(lines(jupyter), present);
      assert.equal(lines(made), lines(jupyter));
      assert.ok(made.endsWith(jupyter.slice(jupyter.indexOf("\n ],"))));
    }
  });

  it("can be none", () => {
    const empty = '{\n "cells": [],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n';
    const [head = ""] = parts(jupyter);
    assert.equal(lines(empty), head);
    assert.equal(notebookOfLines(head, jupyter), empty);
    assert.equal(lines(notebookOfLines(lines(jupyter), empty)), lines(jupyter));
  });

  it("do not exist for other texts", () => {
    for (const text of ["", "x", "{", "[]", '{"cells": []}', '{"nbformat": 3, "nbformat_minor": 0, "cells": []}'])
      assert.equal(cellLines(text), undefined);
  });

  it("are told from other texts", () => {
    assert.ok(areCellLines(lines(jupyter)));
    for (const text of [jupyter, other, "", "{}\n", "x\n", "{}", '{"a":1}\n']) assert.ok(!areCellLines(text), text);
  });
});
