/** What an edit says when its text was not found: the nearest lines, and the first that differs (T12). */
import assert from "node:assert/strict";
import { describeMiss } from "../../src/tools/fuzzy-match/describe-miss.ts";
import { LineIndex } from "../../src/tools/fuzzy-match/line-index.ts";
import { findNearest } from "../../src/tools/fuzzy-match/nearest.ts";

const joined = (...lines: string[]) => lines.join("\n");

/** `same`: the lines differ only in white space. */
function nearest(text: string, wanted: string): string {
  const near = findNearest(new LineIndex(text), wanted);
  return near ? `${near.first}-${near.last}${near.onlyWhiteSpace ? " same" : ""}` : "none";
}

const rows: [title: string, text: string, wanted: string, near: string][] = [
  ["nothing for white space", "a\n", " \n\t\n", "none"],
  ["nothing in an empty file", "", "abc", "none"],
  ["lines that differ in white space", "q\na b\nc  d\n", "ab\ncd", "2-3 same"],
  ["a part of a line", "x = foo( a )\n", "foo(a)", "1-1 same"],
  ["lines of which the first begins and the last ends within one", "zz ab\ncd\nef gh", "a b\nc d\ne f", "1-3 same"],
  ["not lines that begin so", "abc zz\ncd", "a b c\ncd", "1-2"],
  ["not lines that end so", "ab\nzz abcd", "ab\na b c d", "1-2"],
  ["not lines of which one between is longer", "abc\nabcd\nabc", "a b c\na b c\na b c", "1-3"],
  ["lines with blank ones between", "ab\n\n\ncd\n", "\nab\n\ncd\n", "1-4 same"],
  ["only those that are there at the end", "ab\ncd", "cd\nef", "2-2"],
  ["lines of which most are there", "alpha\nbeta\ngamma\ndelta\n", "alpha\nXXXX\ngamma", "1-3"],
  ["lines of which the first is not there", "q\nalpha\nbeta\ngamma\n", "XXXX\nbeta\ngamma", "2-4"],
  ["lines that begin before the file", "alpha\nbeta\n", "x1\ny1\nz1\nalpha", "1-1"],
  ["lines that end behind the file", "alpha\nbeta\ngamma\ndelta\n", "gamma\ndelta\nextra\nmore", "3-4"],
  ["the first of equal places", "alpha\nq\nalpha\n", "alpha\nzz", "1-2"],
  ["lines of three letters", "q\nabc\n", "abc\nzzzz", "2-2"],
  ["not lines of two", "q\nab\n", "ab\nzzzz", "none"],
  [
    "one long line rather than two short ones",
    joined("abc", "def", "other", "zzz", "x1", "x2", "a long line of text"),
    joined("abc", "def", "a long line of text"),
    "5-7",
  ],
  [
    "three lines rather than a very long one",
    joined("a".repeat(30), "b".repeat(30), "c".repeat(30), "q", "q1", "q2", "d".repeat(95)),
    joined("a".repeat(30), "b".repeat(30), "c".repeat(30), "d".repeat(95)),
    "1-4",
  ],
  [
    "two lines rather than one, the 50th equal one",
    `${"same line\n".repeat(50)}uniq abc\n`,
    "same line\nuniq abc\nzzzz",
    "50-51",
  ],
  ["not the 51st equal one", `${"same line\n".repeat(51)}uniq abc\n`, "same line\nuniq abc\nzzzz", "1-3"],
  ["the most similar line", "abcdxx\nabcde9\nxbcdeq\n", "abcdef", "2-2"],
  ["the first of equally similar lines", "abcdex\nabcdey", "abcdef", "1-1"],
  ["a line that shares more than half of its pairs of letters", "q\nabcxy", "abcd", "2-2"],
  ["not one that shares half of them", "q\nabcxyz", "abcd", "none"],
  ["lines around the one like the longest", "q\nw\nconst valeu = 1\n", "ab\nconst value = 1", "2-3"],
  ["lines around the one like the first of the longest", "ghijkx\nabcdex", "abcdef\nghijkl", "2-2"],
  ["nothing for one letter", "abc\n", "z", "none"],
];

describe("T12 the nearest lines", () => {
  for (const [title, text, wanted, near] of rows) {
    it(title, () => assert.equal(nearest(text, wanted), near));
  }

  describe("in a long file", () => {
    /** 5,000 lines, with others in their place at some numbers, from 1. */
    const file = (others: Record<number, string>) =>
      joined(...Array.from({ length: 5000 }, (_, at) => others[at + 1] ?? `item ${at} of it`));

    const cases: [title: string, others: Record<number, string>, wanted: string, near: string][] = [
      ["nothing", {}, "somethingElse(different)", "none"],
      ["by a word that is there once", { 3000: "call(rareword, b)" }, "call(rareword, c)", "3000-3000"],
      [
        "by the place of the word in the text",
        { 3000: "one(a)", 3002: "call(rareword)" },
        "one(b)\ntwo(c)\ncall(rareword)",
        "3000-3002",
      ],
      ["in the first lines", { 1: "call(rareword)", 2: "next(x)" }, "call(rareword)\nnext(y)", "1-2"],
      ["in the last lines", { 5000: "call(rareword, b)" }, "call(rareword, c)", "5000-5000"],
      [
        "that differ in white space",
        { 3000: "call( rareword )", 3001: "{ b }" },
        "call(rareword)\n{b}",
        "3000-3001 same",
      ],
      [
        "with blank lines between",
        { 3000: "call(rareword)", 3001: "", 3002: "b  c" },
        "call(rareword)\nbc",
        "3000-3002 same",
      ],
      [
        "by the first half of a wrong word",
        { 3000: "configurationManager(a)" },
        "configurationManagre(a)",
        "3000-3000",
      ],
      ["by the second half", { 3000: "configurationManager(a)" }, "xonfigurationManager(a)", "3000-3000"],
      ["by half of a short word", { 3000: "qwertz(" }, "qwerty(", "3000-3000"],
      [
        "by rare words rather than by frequent ones",
        {
          ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((at) => [at * 100, `commonlong zz${at}`])),
          3000: "yyy rareword x commonlog",
        },
        "commonlong rareword x",
        "3000-3000",
      ],
      [
        "first where only white space differs",
        { 1000: "alpha beta", 1001: "other", 3000: "al pha beta", 3001: "ga mma" },
        "alpha beta\ngamma",
        "3000-3001 same",
      ],
    ];
    for (const [title, others, wanted, near] of cases) {
      it(title, () => assert.equal(nearest(file(others), wanted), near));
    }
  });
});

describe("T12 the message about a text that was not found", () => {
  const end = "Copy the text exactly, tabs and spaces too.";
  const differs = (line: number, there: string, yours: string, key = "") =>
    `Line ${line} is the first that differs${key}. In the file, then in yours:\n${there}\n${yours}\n${end}`;
  const space = " (→ is a tab, · a space)";

  it("shows the lines as they are in the file, and the first that differs", () => {
    assert.equal(
      describeMiss("No.", "q\nalpha\nbeta\ngamma\nz\n", "alpha\nbetta\ngamma", true),
      `No. Lines 2–4 are the nearest. The file reads there:\n     2\talpha\n     3\tbeta\n     4\tgamma\n${differs(3, "beta", "betta")}`,
    );
    assert.equal(
      describeMiss("No.", "q\nconst value = 1;\n", "const valeu = 1;", true),
      `No. Line 2 is the nearest. The file reads there:\n     2\tconst value = 1;\n${differs(2, "const value = 1;", "const valeu = 1;")}`,
    );
  });

  it("leaves line numbers out of what was looked for", () => {
    const sentence = "It begins with line numbers, which are no part of the file: leave them out.";
    const shown = "Lines 1–3 are the nearest. The file reads there:\n     1\talpha\n     2\tbeta\n     3\tsee 3\tgamma";
    for (const mark of ["\t", "→"]) {
      assert.equal(
        describeMiss(
          "No.",
          "alpha\nbeta\nsee 3\tgamma\n",
          `     9${mark}alpha\r\n    10${mark}betta\r\n    11${mark}see 3\tgamma`,
          true,
        ),
        `No. ${sentence} ${shown}\n${differs(2, "beta", "betta")}`,
      );
    }
  });

  it("does not quote a file that was not read", () => {
    const read = "You have not read this file: read it first.";
    assert.equal(
      describeMiss("No.", "alpha\nbeta\n", "al pha\nbeta", false),
      `No. Lines 1–2 differ from it only in white space. ${read}`,
    );
    assert.equal(
      describeMiss("No.", "alpha\n", "al pha", false),
      `No. Line 1 differs from it only in white space. ${read}`,
    );
    assert.equal(describeMiss("No.", "alpha\n", "zzz", false), `No. ${read}`);
  });

  it("says that nothing is like it", () => {
    assert.equal(
      describeMiss("No.", "alpha\nb\n", "zzz", true),
      "No. Nothing like it is among its 2 lines: read it again.",
    );
  });

  it("shows at most 30 lines of 500 characters", () => {
    const lines = Array.from({ length: 40 }, (_, at) => (at === 0 ? "x".repeat(501) : `line number ${at}`));
    const message = describeMiss("No.", joined(...lines), joined(...lines.slice(0, 39), "other"), true);
    assert.match(message, /\n {5}1\tx{500}… \(line cut; it has 501 characters\)\n/);
    assert.match(message, /\n {4}30\tline number 29\nLine 40 is the first/);
  });

  it("names a line that the file does not have there", () => {
    assert.equal(
      describeMiss("No.", "alpha\nbeta\n", "alpha\nbeta\nextra line", true),
      `No. Lines 1–2 are the nearest. The file reads there:\n     1\talpha\n     2\tbeta\nIt has no line like this one of yours:\nextra line\n${end}`,
    );
    assert.match(
      describeMiss("No.", "alpha\nbeta\n", `alpha\nbeta\n${"x".repeat(501)}`, true),
      /\nx{500}… \(line cut; it has 501/,
    );
  });

  it("lets the first line begin within one, and the last end within one", () => {
    assert.equal(
      describeMiss("No.", "x = foo(\nalpha_beta_gamma,\nbar) + 1\n", "foo(\nalpha_beta_gmama,\nbar)", true)
        .split("\n")
        .slice(4)
        .join("\n"),
      differs(2, "alpha_beta_gamma,", "alpha_beta_gmama,"),
    );
    assert.match(describeMiss("No.", "foo( + 1\nalpha,\nbeta,\n", "foo(\nalpha,\nbeta,", true), /Line 1 is the first/);
    assert.match(describeMiss("No.", "alpha,\nbeta,\nx bar)", "alpha,\nbeta,\nbar)", true), /Line 3 is the first/);
    assert.match(describeMiss("No.", "alpha,\nbeta, x\ngamma", "alpha,\nbeta,\ngamma", true), /Line 2 is the first/);
    assert.ok(describeMiss("No.", "abc def\n", "c d", true).endsWith(`\n     1\tabc def\n${end}`), "no line differs");
  });

  it("makes white space visible where it is the difference", () => {
    assert.ok(describeMiss("No.", "a\tb \n", "a b", true).endsWith(differs(1, "a→b·", "a·b", space)));
    assert.ok(
      describeMiss("No.", "a\u00a0\u3000b\n", "a  b", true).endsWith(differs(1, "a<U+00A0><U+3000>b", "a··b", space)),
    );
    assert.ok(describeMiss("No.", "abc  d e\nf g\n", "abc  d e\nf  gh\n", true).endsWith(differs(2, "f g", "f  gh")));
    const spaced = (at: number, count: number) => `${"x".repeat(at)}${" ".repeat(count)}${"x".repeat(4_990 - at)}`;
    const message = (both: number) => describeMiss("No.", spaced(10, 1), spaced(20, both - 2 * 4_990 - 1), true);
    assert.match(message(9_999), /→ is a tab/);
    assert.doesNotMatch(message(10_000), /→ is a tab/);
  });
});
