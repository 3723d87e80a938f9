/** How the inexact comparison finds a shift of indentation (T12). */
import assert from "node:assert/strict";
import { findShift, type IndentPair } from "../../src/tools/fuzzy-match/indentation.ts";

const spaces = (count: number) => " ".repeat(count);

describe("T12 a shift of indentation", () => {
  type Row = [title: string, pairs: IndentPair[], shifted: Record<string, string>, others?: string[]];
  const rows: Row[] = [
    ["none without lines", [], { "": "", "  ": "  ", "\t": "\t" }],
    [
      "by more",
      [
        ["", "  "],
        ["  ", "    "],
      ],
      { "": "  ", "    ": "      " },
    ],
    [
      "by less, never below the margin",
      [
        ["    ", ""],
        ["      ", "  "],
      ],
      { "        ": "    ", "  ": "", "     ": " " },
    ],
    ["by one tab less", [["\t\t", "\t"]], { "\t\t\t": "\t\t", "    ": "" }],
    [
      "from two spaces to tabs",
      [
        ["  ", "\t"],
        ["    ", "\t\t"],
      ],
      { "      ": "\t\t\t", "   ": "\t " },
    ],
    [
      "from six spaces to tabs",
      [
        [spaces(6), "\t"],
        [spaces(12), "\t\t"],
      ],
      { [spaces(18)]: "\t\t\t" },
    ],
    [
      "from seven",
      [
        [spaces(7), "\t"],
        [spaces(14), "\t\t"],
      ],
      { [spaces(21)]: "\t\t\t" },
    ],
    [
      "from tabs to six spaces",
      [
        ["\t", spaces(6)],
        ["\t\t", spaces(12)],
      ],
      { "\t\t\t": spaces(18) },
    ],
    [
      "from tabs to five spaces",
      [
        ["\t", spaces(5)],
        ["\t\t", spaces(10)],
      ],
      { "\t\t\t": spaces(15) },
    ],
    ["in a width that the replacement shows", [["    ", "\t"]], { "        ": "\t\t\t" }, ["  "]],
    ["in four columns where nothing shows the width", [["    ", "\t"]], { "        ": "\t\t" }],
    [
      "in four columns where lines are aligned by one",
      [
        ["   ", "\t"],
        ["    ", "\t "],
      ],
      { "     ": "\t  " },
    ],
    [
      "in eight columns",
      [
        ["\t", spaces(8)],
        ["    ", spaces(4)],
      ],
      { "\t\t": spaces(16) },
    ],
    [
      "in three columns",
      [
        ["\t", spaces(3)],
        ["  ", spaces(2)],
      ],
      { "\t\t": spaces(6) },
    ],
    [
      "in two columns",
      [
        ["\t", spaces(2)],
        ["   ", spaces(3)],
      ],
      { "\t\t": spaces(4) },
    ],
    [
      "to the margin, each in its own characters",
      [
        ["  ", ""],
        ["\t", ""],
      ],
      { "\t\t": "\t", "    ": "  " },
    ],
    ["of spaces among tabs", [["", "\t"]], { "\t": "\t\t", "    ": "\t\t" }],
    ["of tabs among spaces", [["", "    "]], { "    ": spaces(8), "\t": spaces(8) }],
    [
      "of spaces among tabs, at the margin too",
      [
        ["", ""],
        ["\t", "\t"],
      ],
      { "    ": "\t", "\t\t": "\t\t" },
    ],
    [
      "of tabs among spaces, at the margin too",
      [
        ["", ""],
        ["  ", "  "],
      ],
      { "\t": "  ", "    ": "    " },
    ],
    [
      "by text where columns differ",
      [
        ["\t", " \t"],
        ["  ", "   "],
      ],
      { "    ": "     ", "\t\t": " \t\t" },
    ],
    [
      "by less text where columns differ",
      [
        [" \t", "\t"],
        ["   ", "  "],
      ],
      { "    ": "   ", " \t\t": "\t\t", "\t": "" },
    ],
    ["of a tab behind a space", [["\t", "    "]], { " \t": "    " }],
  ];
  for (const [title, pairs, shifted, others = []] of rows) {
    it(title, () => {
      const shift = findShift(pairs, others);
      assert.ok(shift);
      assert.deepEqual(Object.fromEntries(Object.keys(shifted).map((indent) => [indent, shift(indent)])), shifted);
      for (const [wanted, there] of pairs) assert.equal(shift(wanted), there);
    });
  }

  it("does not exist where lines were shifted differently", () => {
    assert.equal(
      findShift(
        [
          ["  ", "    "],
          ["  ", "      "],
        ],
        [],
      ),
      undefined,
    );
    assert.equal(
      findShift(
        [
          ["  ", "    "],
          ["    ", "      "],
          ["  ", "  "],
        ],
        [],
      ),
      undefined,
    );
    assert.equal(
      findShift(
        [
          ["", "  "],
          ["  ", "  "],
        ],
        [],
      ),
      undefined,
    );
    assert.equal(
      findShift(
        [
          ["  ", "  "],
          ["", "  "],
        ],
        [],
      ),
      undefined,
    );
    // Both are two columns wide.
    assert.equal(
      findShift(
        [
          ["  ", "\t"],
          ["  ", "  "],
        ],
        [],
      ),
      undefined,
    );
    // No tab is nine columns wide.
    assert.equal(
      findShift(
        [
          [spaces(9), "\t"],
          [spaces(18), "\t\t"],
        ],
        [],
      ),
      undefined,
    );
  });
});
