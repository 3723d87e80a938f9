/** Where formulas begin and end in Markdown. */
import assert from "node:assert/strict";
import type { Token } from "marked";
import { texOf } from "../../webview/drawings/maths-rules.ts";
import { imagePlace } from "../../webview/markdown/image-place.ts";
import { MarkdownBlocks } from "../../webview/markdown/markdown-blocks.ts";
import { LimitedLexer } from "../../webview/markdown/markdown-lexer.ts";

/** Returns all formulas of a text, with `!` before those that stand alone. */
function mathsOf(text: string): string[] {
  const found: string[] = [];
  const visit = (tokens: readonly Token[]) => {
    for (const token of tokens) {
      if (token.type === "maths") found.push((token["display"] ? "!" : "") + texOf(token["text"]).tex);
      if (token.type === "table") for (const cell of [token["header"], ...token["rows"]].flat()) visit(cell.tokens);
      if (token.type === "list") visit(token["items"]);
      visit(("tokens" in token && token.tokens) || []);
    }
  };
  visit(new LimitedLexer().lex(text));
  return found;
}

const cases: readonly [text: string, ...maths: string[]][] = [
  ["The rate $r$.", "r"],
  ["($x$), $y$-axis, the $n$th", "x", "y", "n"],
  ["$a_1$ and $b_2$, *not* $c_3$", "a_1", "b_2", "c_3"],
  ["**bold $x^*$ text**", "x^*"],
  ["$2 + 3 = 5$ and $5$", "2 + 3 = 5", "5"],
  ["$\\text{costs \\$5 or $x$}$", "\\text{costs \\$5 or $x$}"],
  ["$`x|y`$", "x|y"],
  ["\\(x_1\\) and \\[x = 1\\]", "x_1", "!x = 1"],
  ["before $$x$$ after", "!x"],
  ["$$\nx\n= y\n$$\nafter", "!x\n= y"],
  ["Text:\n$$\na\n- b\n$$\nmore", "!a\n- b"],
  ["Text:\n\\[\na = b\n\\]", "!a = b"],
  ["- $x$\n- $$\n  y\n  $$", "x", "!y"],
  ["| $a$ | b |\n|-|-|\n| $c$ | $5 |", "a", "c"],
  ["> $q$", "q"],
  ["# $h$", "h"],
  // Prices.
  ["$5 and $6"],
  ["$20,000 and $30,000"],
  ["It costs $5, not 6$."],
  ["between 5$ and 6$ or US$7 and A$8"],
  ["$ 4 $ and 2000$."],
  // Variables of a shell.
  ["$HOME and $PATH"],
  ["$HOME/$PATH, $" + "{A}$" + "{B} and $$"],
  ["$$ is the shell\n- a\n- b"],
  // Escaped, and code.
  ["\\$5$ and \\\\$"],
  ["`$x$` and ``$`y`$``"],
  ["```\n$x$\n$$\ny\n$$\n```"],
  ["    $x$ in indented code"],
  ["$a `b$` c"],
  // Brackets that make no link, and what does not end.
  ["\\[1\\] and \\[see there\\]"],
  ["$x and \\(y and \\[z="],
  ["$$\na\n\nb\n$$"],
  ["$$\n$$"],
  ["$$ $$"],
  // What is too long to be drawn is a formula, but not without a limit.
  [`$$\n${"x".repeat(10_000)}\n$$`, `!${"x".repeat(10_000)}`],
  [`$$\n${"x".repeat(30_000)}\n$$`],
  [`\\[\n${"x+".repeat(15_000)}\n\\]`],
];

describe("formulas in Markdown", () => {
  for (const [text, ...expected] of cases) {
    it(`${JSON.stringify(text.slice(0, 60))} has ${expected.length || "no"} formulas`, () => {
      assert.deepEqual(mathsOf(text), expected);
    });
  }

  it("a formula that grows is text until it ends, and then the same as at once", () => {
    const text = "Sum:\n\n$$\na\n- b\n= c\n# d\n$$\n\nand $x^2$ and\n\n\\[\n1. y\n\\]\n\nend";
    const blocks = new MarkdownBlocks();
    let last: unknown;
    for (let end = 1; end <= text.length; end++) {
      const all = blocks.update(text.slice(0, end));
      last = all.map(({ token }) => [token.type, token.raw.trim()]);
      const half = text.slice(0, end).endsWith("# d");
      if (half)
        assert.deepEqual(
          all.map(({ token }) => token.type),
          ["paragraph", "paragraph"],
        );
    }
    const atOnce = new MarkdownBlocks().update(text).map(({ token }) => [token.type, token.raw.trim()]);
    assert.deepEqual(last, atOnce);
    assert.deepEqual(
      atOnce.map(([type]) => type),
      ["paragraph", "maths", "paragraph", "maths", "paragraph"],
    );
  });
});

describe("images in Markdown", () => {
  const places: readonly [string, string][] = [
    ["docs/a.png", "file"],
    ["./a%20b.png", "file"],
    ["C:\\a.png", "file"],
    ["https://example.com/a.png", "web"],
    ["data:image/png;base64,AAAA", "data"],
    ["data:image/svg+xml;base64,PHN2Zz4=", "none"],
    ["data:text/html,x", "none"],
    [`data:image/png;base64,${"A".repeat(2_000_001)}`, "none"],
    ["//server/share.png", "none"],
    ["file:///etc/passwd", "none"],
    ["vscode-resource://x/a.png", "none"],
    ["javascript:alert(1)", "none"],
    ["blob:http://x/y", "none"],
  ];
  for (const [href, type] of places) {
    it(`${href.slice(0, 40)} is of the kind ${type}`, () => assert.equal(imagePlace(href).type, type));
  }
});
