/** The parts of the inexact comparison, each alone (T12). */
import assert from "node:assert/strict";
import { findAnchor } from "../../src/tools/fuzzy-match/anchor.ts";
import { LineIndex } from "../../src/tools/fuzzy-match/line-index.ts";
import { replaceText } from "../../src/tools/fuzzy-match/replace-text.ts";
import { findAround, foldTypography, headEnd, tailStart } from "../../src/tools/fuzzy-match/typography.ts";
import { hasLineNumbers, likelyWordings } from "../../src/tools/fuzzy-match/wordings.ts";

const spaces = (count: number) => " ".repeat(count);

describe("T12 the word that is looked for", () => {
  const times = (count: number, word: string) => `${word} `.repeat(count);

  it("is the rarest, at all its places", () => {
    assert.deepEqual(findAnchor("aa bb aa aa aa", ["x", "aa bb"].slice(1)), { line: 0, column: 3, places: [3] });
    assert.deepEqual(findAnchor("b\naa\nb\nb\nb", ["b", "  aa"]), { line: 1, column: 2, places: [2] });
    assert.equal(findAnchor("abc", ["abc zzzz"]), undefined, "a word is missing");
    assert.equal(findAnchor("abc", [" "]), undefined);
  });

  it("is the longest that occurs three times or less", () => {
    assert.deepEqual(findAnchor(`${times(3, "longword")}x1`, ["x1 longword"])?.places.length, 3);
    assert.deepEqual(findAnchor(`${times(4, "longword")}x1`, ["x1 longword"])?.places.length, 1);
  });

  it("may occur 20,000 times", () => {
    assert.equal(findAnchor(times(60, "word"), ["word"])?.places.length, 60);
    assert.equal(findAnchor(times(20_000, "w"), ["w"])?.places.length, 20_000);
    assert.equal(findAnchor(times(20_001, "w"), ["w"]), undefined);
    assert.equal(findAnchor(times(60, "abc") + times(70, "longer"), ["longer abc"])?.places.length, 60);
  });

  it("is among the eight longest", () => {
    const words = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(10 - at));
    const text = `${words.map((word) => times(5, word)).join("")} zz`;
    assert.equal(findAnchor(text, [`${words.join(" ")} zz`])?.places.length, 5);
    assert.equal(findAnchor(text, [`${words.slice(1).join(" ")} zz`])?.places.length, 1);
  });

  it("holds nothing that typography changes, if there is such a word", () => {
    assert.deepEqual(findAnchor("x cafe\u0301", ["cafe\u0301"]), { line: 0, column: 0, places: [2] });
    assert.deepEqual(findAnchor("a “b-c”", ['“b-c"']), { line: 0, column: 1, places: [3] });
    assert.deepEqual(findAnchor("他他说", ["他说"]), { line: 0, column: 0, places: [1] });
    assert.deepEqual(findAnchor("他.说", ["他.说"])?.places, [0]);
  });
});

describe("T12 lines of a text", () => {
  it("are found by their number, and by the places in them", () => {
    const lines = new LineIndex("\na\nbc");
    assert.equal(lines.count, 3);
    assert.deepEqual(
      [0, 1, 2, 3].map((line) => lines.at(line)),
      ["", "a", "bc", ""],
    );
    assert.deepEqual(
      [0, 1, 2].map((line) => [lines.start(line), lines.end(line)]),
      [
        [0, 0],
        [1, 2],
        [3, 5],
      ],
    );
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5].map((at) => lines.lineOf(at)),
      [0, 1, 1, 2, 2, 2],
    );
    assert.equal(new LineIndex("a\n").count, 2);
  });
});

describe("T12 typography", () => {
  it("is folded to what keyboards have", () => {
    assert.equal(foldTypography("\u2018\u2019\u201a\u201b\u2032"), "'''''");
    assert.equal(foldTypography("\u201c\u201d\u201e\u201f\u2033"), '"""""');
    assert.equal(foldTypography("\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-------");
    assert.equal(foldTypography("\u2026"), "...");
    assert.equal(foldTypography("\u00a0\u2000\u2005\u200a\u202f\u205f\u3000"), spaces(7));
    assert.equal(foldTypography("e\u0301"), "é");
    assert.equal(foldTypography("\u2009\u00ab\u2016\u2020\u200b"), " \u00ab\u2016\u2020\u200b");
  });

  const long = "x".repeat(500);
  const quoted = `“${"word ".repeat(40)}”`;

  it("is compared at the end of a line", () => {
    assert.equal(tailStart("abc", "bc", false), 1);
    assert.equal(tailStart("abc", "ab", false), undefined);
    assert.equal(tailStart("“b”", '"b"', false), undefined);
    assert.equal(tailStart("a “b”", '"b"', true), 2);
    assert.equal(tailStart(`${long}“b”`, '"b"', true), 500);
    assert.equal(tailStart(`a${quoted}`, foldTypography(quoted), true), 1);
    assert.equal(tailStart("x…", "...", true), 1);
    assert.equal(tailStart("x…", "..", true), undefined, "half an ellipsis");
    assert.equal(tailStart("a “b” c", '"b"', true), undefined);
    assert.equal(tailStart("b", "ab", true), undefined);
  });

  it("is compared at the start of a line", () => {
    assert.equal(headEnd("abc", "ab", false), 2);
    assert.equal(headEnd("abc", "bc", false), undefined);
    assert.equal(headEnd("“b”", '"b"', false), undefined);
    assert.equal(headEnd("“b” c", '"b"', true), 3);
    assert.equal(headEnd(`${quoted}a`, foldTypography(quoted), true), quoted.length);
    assert.equal(headEnd("…x", "...", true), 1);
    assert.equal(headEnd("…x", "..", true), undefined);
    assert.equal(headEnd("\u0301a", "\u0301", true), 1);
    assert.equal(headEnd("\u0301\u0302a", "\u0301", true), undefined, "marks belong together");
  });

  it("is compared around a known character", () => {
    const around = (text: string, at: number, wanted: string, offset: number, folded: boolean) =>
      findAround(text, at, { wanted, offset, folded });
    assert.deepEqual(around("xab", 2, "ab", 1, false), { start: 1, end: 3 });
    assert.equal(around("ab", 0, "ab", 1, false), undefined, "it would begin before the text");
    assert.equal(around("xab", 1, "abc", 0, false), undefined);
    assert.equal(around("“a”", 1, '"a"', 1, false), undefined);
    assert.deepEqual(around("say “a”", 5, '"a"', 1, true), { start: 4, end: 7 });
    assert.deepEqual(around(`${long} “a” ${long}`, 502, '"a"', 1, true), { start: 501, end: 504 });
    assert.equal(around("say “a)", 5, '"a"', 1, true), undefined);
    assert.equal(around("a”", 0, '"a"', 1, true), undefined);
    assert.equal(around("wait… x", 6, ". x", 2, true), undefined, "half an ellipsis");
    assert.deepEqual(around("wait… x", 6, "... x", 4, true), { start: 4, end: 7 });
    const all = foldTypography(quoted);
    assert.deepEqual(around(`a${quoted}b`, 2, all, 1, true), { start: 1, end: 1 + quoted.length });
  });
});

describe("T12 likely wordings", () => {
  const wordings = (text: string, from: string, to: string) => [...likelyWordings(text, from, to)];
  const plain = (from: string, to: string) => ({ from, to, at: "anywhere", note: "" });
  const atEnd = "The file has no line end at its end, which old_string has.";
  const blank = "Blank lines around old_string were left out.";
  const numbered = "Line numbers in old_string were left out.";
  const escaped = "old_string was escaped once too often; new_string was unescaped likewise.";

  it("begin with what the model wrote", () => {
    assert.deepEqual(wordings("a\n", "a", "b"), [plain("a", "b")]);
    assert.deepEqual(wordings("a\n", "a\n\nb", "\n\nx"), [plain("a\n\nb", "\n\nx")]);
  });

  it("leave out a line end that the file does not have", () => {
    for (const to of ["b", "b\n"])
      assert.deepEqual(wordings("a", "a\n", to).slice(0, 2), [
        plain("a\n", to),
        { from: "a", to: "b", at: "end", note: atEnd },
      ]);
    assert.ok(wordings("a\n", "a\n", "b\n").every(({ note }) => note !== atEnd));
    assert.deepEqual(wordings("\na", "a", "b"), [plain("a", "b")]);
    assert.deepEqual(wordings("a", "1\ta\n", "b")[1]?.note, `${numbered} ${atEnd}`);
  });

  it("leave out blank lines at both edges that both texts have", () => {
    const cut = (from: string, to: string) => wordings("x\n", from, to)[1];
    const lines = (from: string, to: string) => ({ from, to, at: "lines", note: blank });
    assert.deepEqual(cut("\na\n\n", "\nb\n\n"), lines("a", "b"));
    assert.deepEqual(cut("\n \t\na", "\n \t\nb"), lines("a", "b"));
    assert.deepEqual(cut("\na", "b\n"), undefined);
    assert.deepEqual(cut("\na\n", "b\n"), lines("\na", "b"));
    assert.deepEqual(cut("\na\n", "\nb"), lines("a\n", "b"));
    assert.deepEqual(cut("\na  \n", "\nb\n"), lines("a  ", "b"));
    assert.deepEqual(cut("\na\n", "\n"), lines("a\n", ""));
    assert.deepEqual(cut("\na\n", "\n\n"), lines("a", ""));
    assert.deepEqual(cut("a\n", "b\n\n"), lines("a", "b\n"));
    assert.deepEqual(cut("\n\n", "\n"), undefined);
    assert.deepEqual(cut("\na", "x\n"), undefined);
    assert.deepEqual(wordings("x\n", "1\t\n2\ta", "\nb")[1]?.note, `${numbered} ${blank}`);
  });

  it("take back escapes: all kinds at once, then each kind alone", () => {
    assert.deepEqual(wordings("x\n", "a\\nb", "c\\nd"), [
      plain("a\\nb", "c\\nd"),
      { from: "a\nb", to: "c\nd", at: "anywhere", note: escaped },
    ]);
    assert.deepEqual(
      wordings("x\n", '\\"a\\n', '\\"').map(({ from, to }) => [from, to]),
      [
        ['\\"a\\n', '\\"'],
        ['"a\n', '"'],
        ['\\"a\n', '\\"'],
        ['"a\\n', '"'],
      ],
    );
    assert.deepEqual(wordings("x\n", "1\ta\\tb", "c")[1]?.note, `${numbered} ${escaped}`);
    assert.equal(
      wordings("x\n", "\\r\\n\\u0041&amp;&lt;&gt;&quot;&apos;&#39;\\\\\\'\\`\\$", "")[1]?.from,
      "\nA&<>\"''\\'`$",
    );
  });

  it("leave out line numbers, where all lines have them in order", () => {
    assert.deepEqual(wordings("x\n", "1\ta\n2\tb", "c")[0], { from: "a\nb", to: "c", at: "lines", note: numbered });
    assert.deepEqual(wordings("x\n", "1\ta\n", "1\tb\n")[0], { from: "a\n", to: "b\n", at: "lines", note: numbered });
    assert.deepEqual(wordings("x\n", "1\ta", "1\tb\nc")[0], plain("1\ta", "1\tb\nc"));
    for (const text of ["1\ta", "  9→a\n 10→b\n", "7\t"]) assert.equal(hasLineNumbers(text), true, text);
    for (const text of ["", "\n", "\n1\ta", "1\ta\n3\tb", "2\ta\n1\tb", "1 a", "1\ta\nb", "a1\tb", "1\ta\n\n"])
      assert.equal(hasLineNumbers(text), false, text);
  });
});

describe("T12 what an edit says about the text it found", () => {
  const rows: [text: string, old: string, by: string, note: string][] = [
    ["a b\n", "a b", "c", ""],
    ["a \nb\n", "a\nb", "c", "old_string differed in trailing white space."],
    ["\ta\n\tb\n", "a\nb", "c", "old_string differed in indentation; the replacement was re-indented."],
    [
      "“a” b\n",
      '"a" b',
      "c",
      "old_string differed in quotes, dashes, spaces or accents; changed lines were put as new_string has them.",
    ],
    [
      "\t“a”\n\tb\n",
      '"a"\nb',
      "c",
      "old_string differed in indentation; the replacement was re-indented. old_string differed in quotes, dashes, spaces or accents; changed lines were put as new_string has them.",
    ],
    [
      "a \nb\n",
      "1\ta\n2\tb",
      "c",
      "Line numbers in old_string were left out. old_string differed in trailing white space.",
    ],
  ];
  for (const [text, old, by, note] of rows) {
    it(note === "" ? "nothing, where it is the same" : note.slice(0, 60), () => {
      const found = replaceText(text, old, by, false);
      assert.equal(found.type === "replaced" ? found.note : found.type, note);
    });
  }

  it("the places of the first ten", () => {
    const found = replaceText("a b\n".repeat(12), "a b", "c", false);
    assert.deepEqual(found, { type: "ambiguous", count: 12, lines: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], exact: true });
    const loose = replaceText("a \nb\n".repeat(2), "a\nb", "c", false);
    assert.deepEqual(loose, { type: "ambiguous", count: 2, lines: [1, 3], exact: false });
  });

  it("that nothing is to be done", () => {
    assert.deepEqual(replaceText("a\n", "a\r\nb", "a\nb", false), { type: "same" });
    assert.deepEqual(replaceText("\ta\n\tb\n", "a \nb", "a\nb", false), {
      type: "done",
      note: "old_string differed in indentation; the replacement was re-indented.",
    });
  });
});

describe("T12 long texts", () => {
  /** Replaces the second line and the fourth from the end, in lines with a space at their end. */
  const edited = (count: number, added = 0) => {
    const lines = Array.from({ length: count }, (_, at) => `line ${at}`);
    const by = lines.map((line, at) => (at === 1 || at === count - 4 ? `new ${at}` : line));
    by.splice(2, 0, ...Array.from({ length: added }, (_, at) => `more ${at}`));
    const found = replaceText(lines.map((line) => `${line} \n`).join(""), lines.join("\n"), by.join("\n"), false);
    return (found.type === "replaced" ? found.text : "").split("\n");
  };

  it("of up to 2,000 lines keep all lines that do not change", () => {
    const lines = edited(2000);
    assert.equal(lines[0], "line 0 ");
    assert.equal(lines[1], "new 1");
    assert.deepEqual(new Set(lines.slice(2, 1996).map((line) => line.endsWith(" "))), new Set([true]));
    assert.equal(lines[1996], "new 1996");
    assert.equal(edited(1999, 1)[1000], "line 999 ");
  });

  it("of more lines keep those before the first change and after the last", () => {
    for (const lines of [edited(2001), edited(1999, 2)]) {
      const count = lines.length - 1;
      assert.deepEqual(lines.slice(0, 2), ["line 0 ", "new 1"]);
      assert.equal(lines[count - 10]?.endsWith(" "), false);
      assert.match(lines[count - 4] ?? "", /^new \d+$/);
      for (const line of lines.slice(count - 3, count)) assert.match(line, /^line \d+ $/);
      assert.equal(lines[count], "");
    }
  });
});
