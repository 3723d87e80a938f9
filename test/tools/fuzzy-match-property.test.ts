/** For any old_string, an edit applies at the right position and touches only changed lines, or is refused. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { replaceText } from "../../src/tools/fuzzy-match/replace-text.ts";
import { randomly } from "../random.ts";

/** Indentation depth and words of a line. */
type Line = readonly [depth: number, words: string];

const line = fc.tuple(
  fc.nat(3),
  fc.constantFrom(
    "alpha()",
    "beta = “x”",
    "gamma: 'y'",
    "",
    "return a – b",
    "}",
    'print("\\n")',
    "x < y && z",
    "é → ü",
  ),
);
const trailing = fc.constantFrom("", " ", "\t", "  ");

type Mutation = (text: string) => string;
const mutations: Record<string, Mutation> = {
  nothing: (text) => text,
  "trailing space": (text) => text.replaceAll("\n", " \n"),
  "no indentation": (text) => text.replace(/^ {4}/gm, ""),
  "more indentation": (text) => text.replace(/^(?=.)/gm, "  "),
  tabs: (text) => text.replace(/^( {4})+/gm, (indent) => "\t".repeat(indent.length / 4)),
  escapes: (text) => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n"),
  entities: (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
  typography: (text) => text.replace(/[“”]/g, '"').replaceAll("–", "-"),
  decomposed: (text) => text.normalize("NFD"),
};

describe("T12 an edit without an exact match", () => {
  randomly("changes only the intended lines", () => {
    let landed = 0;
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 6 }),
        fc.array(line, { minLength: 1, maxLength: 5 }),
        fc.array(line, { maxLength: 6 }),
        fc.array(trailing, { minLength: 20, maxLength: 20 }),
        fc.constantFrom(...Object.entries(mutations)),
        fc.constantFrom("\n", "\r\n"),
        (above, middle, below, spaces, [name, mutate], end) => {
          const text = (lines: readonly Line[]) =>
            lines.map(([depth, words]) => words && " ".repeat(4 * depth + 4) + words);
          const all = text([...above, ...middle, [0, "marker"], ...below]).map(
            (words, at) => words + (spaces[at] ?? ""),
          );
          const file = all.map((words) => words + end).join("");
          const wanted = [...text(middle), "    marker"].join("\n");
          const by = [...text(middle), "    changed"].join("\n");
          const result = replaceText(file, mutate(wanted), mutate(by), false);
          // An inexact match may be refused, but never applied elsewhere.
          if (result.type !== "replaced") return assert.notEqual(result.type, "same", name);
          landed++;
          const changed = result.text.split(end);
          const at = above.length + middle.length;
          assert.deepEqual(changed.toSpliced(at, 1), file.split(end).toSpliced(at, 1), `${name}: other lines`);
          assert.equal(changed[at]?.trimEnd(), "    changed", name);
        },
      ),
      { numRuns: 1_000 },
    );
    assert.ok(landed > 900, `only ${landed} of 1000 landed`);
  });

  randomly("never fails with a bug on random texts", () => {
    const piece = fc.constantFrom(
      "a",
      "bc",
      " ",
      "  ",
      "\t",
      "\n",
      "\r\n",
      "“",
      '"',
      "\\n",
      '\\"',
      "&lt;",
      "<",
      "é",
      "e\u0301",
      "…",
      ".",
      "1\t",
    );
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, text, text, fc.boolean(), (file, wanted, by, all) => {
        if (wanted === "") return;
        const result = replaceText(file, wanted, by, all);
        if (result.type === "replaced" && result.note !== "") assert.notEqual(result.text.trim(), "");
      }),
      { numRuns: 2_000 },
    );
  });
});
