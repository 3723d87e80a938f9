/** The panel's pure functions: parsing, splitting and formatting. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { draftRows, patchRows } from "../../webview/calls/diff-rows.ts";
import { partialList, partialStrings } from "../../webview/calls/partial-json.ts";
import { outputLines } from "../../webview/calls/terminal-output.ts";
import { highlightLines } from "../../webview/markdown/highlight.ts";
import { parseLink } from "../../webview/markdown/link-target.ts";
import { MarkdownBlocks } from "../../webview/markdown/markdown-blocks.ts";
import { randomly } from "../random.ts";
import { answer, patch } from "./fixtures.ts";

describe("partial JSON", () => {
  it("returns the objects of a list as far as received", () => {
    const raw =
      '{"file_path":"a","n":[{"x":"no"}],"edits":[{"old_string":"a\\"]}","k":[1,{"x":"y"}],"new_string":"b"},{"old_string":"c';
    const first = { old_string: 'a"]}', new_string: "b" };
    assert.deepEqual(partialList(raw, "edits"), [first, { old_string: "c" }]);
    assert.deepEqual(partialList(`${raw}"}]}`, "edits"), [first, { old_string: "c" }]);
    for (const cut of ['{"edits":', '{"edits":[', '{"edits":{', '{"edits":["a"]', '{"edi']) {
      assert.deepEqual(partialList(cut, "edits"), []);
    }
  });

  it("E2 reads the string fields as far as received", () => {
    assert.deepEqual(partialStrings('{"file_path":"src/a.ts","old_string":"a\\n\\tb'), {
      file_path: "src/a.ts",
      old_string: "a\n\tb",
    });
    assert.deepEqual(partialStrings('{ "n": [1, {"x": "}"}], "deep": {"a": "b"}, "ok": true, "text" : "yes" }'), {
      text: "yes",
    });
  });

  it("E2 omits incomplete names, escapes and surrogate pairs", () => {
    assert.deepEqual(partialStrings('{"a":"x\\'), { a: "x" });
    assert.deepEqual(partialStrings('{"a":"x\\u00'), { a: "x" });
    assert.deepEqual(partialStrings('{"a":"x\\ud83d'), { a: "x" });
    assert.deepEqual(partialStrings('{"a":"x\\ud83d\\ude'), { a: "x" });
    assert.deepEqual(partialStrings('{"a":"x\\\\'), { a: "x\\" });
    assert.deepEqual(partialStrings('{"a":"x","nam'), { a: "x" });
    assert.deepEqual(Object.entries(partialStrings('{"__proto__":"x"}')), [["__proto__", "x"]]);
    for (const raw of ["", "[", "nonsense", '"text"', "{]"]) assert.deepEqual(partialStrings(raw), {});
  });

  randomly("E2 agrees with JSON.parse on the whole text, and each prefix gives a prefix of the result", () => {
    const strings = fc.dictionary(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }));
    fc.assert(
      fc.property(strings, fc.nat(), (object, cut) => {
        const raw = JSON.stringify(object);
        const whole = partialStrings(raw);
        assert.deepEqual(Object.entries(whole).sort(), Object.entries(object).sort());
        for (const [name, text] of Object.entries(partialStrings(raw.slice(0, cut % (raw.length + 1))))) {
          assert.ok(whole[name]?.startsWith(text), `${name}: ${text}`);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("Markdown blocks", () => {
  const raws = (blocks: MarkdownBlocks, text: string) => blocks.update(text).map(({ token }) => token.raw);
  const documents = [
    answer,
    "# Title\n\nText\nmore\n\n1. one\n\n2. two\n\n   deep\n3. three\n\n- a\n- b\n\n      code in b\n\n---\n\n> quote\nlazy\n\n<div>\n\nx\n",
    "a | b\n--|--\n1 | 2\n\n```\nfence\n\n# not a title\n```\nText[^1] and [ref]\n\n[ref]: https://example.com\n\nSetext\n===\n\n* x\n* y\n\nend",
    "```js\nno end\n\n\n  at all",
    'See [docs] [1], [a][] and [b].\n\n- [c]\n\n[docs]: https://example.com/docs\n[1]: <https://example.com/1>\n  "Title"\n\n> [a]: https://example.com/a\n\n[1] again\n\n[A]: https://other.example\n[c]: /c (title)\n\n## [b]\n\nText[^1]\n\n[^1]: Note\n\n[b]: src/b.ts',
  ];

  it("gives headings an outline without gaps, whatever the model wrote", () => {
    const text = "### A\n\nb\n\n##### C\n\nd\n\n# E\n\nf\n\n### G\n\nh\n\n";
    const depths = (blocks: MarkdownBlocks, written: string) =>
      blocks.update(written).flatMap(({ token }) => (token.type === "heading" ? [token.depth] : []));
    const growing = new MarkdownBlocks();
    for (let end = 1; end < text.length; end++) depths(growing, text.slice(0, end));
    assert.deepEqual(depths(growing, text), [1, 2, 1, 2]);
    assert.deepEqual(depths(new MarkdownBlocks(), text), [1, 2, 1, 2]);
  });

  it("gives headings of one level the same level, and not that of a heading below", () => {
    const depths = (text: string) =>
      new MarkdownBlocks().update(text).flatMap(({ token }) => (token.type === "heading" ? [token.depth] : []));
    assert.deepEqual(depths("## A\n\n## B\n\n### C\n\n## D\n\n"), [1, 1, 2, 1]);
    assert.deepEqual(depths("### A\n### B\n### C\n"), [1, 1, 1]);
    assert.deepEqual(depths("# A\n### B\n## C\n### D\n"), [1, 2, 2, 3]);
  });

  randomly("are the same however the text is split", () => {
    /** All that is drawn of blocks: their types, levels and addresses. */
    const looks = (blocks: ReturnType<MarkdownBlocks["update"]>) =>
      blocks.map(({ start, token }) => [
        start,
        JSON.stringify(token, (key, value) => (["raw", "title"].includes(key) ? undefined : value)),
      ]);
    fc.assert(
      fc.property(
        fc.constantFrom(...documents),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        fc.boolean(),
        (text, steps, grows) => {
          const blocks = new MarkdownBlocks();
          for (let at = 0, step = 0; at < text.length; step++) {
            at += steps[step % steps.length] ?? 1;
            blocks.update(text.slice(0, at), grows);
          }
          assert.equal(
            raws(blocks, text).join("").replace(/\s/g, ""),
            raws(new MarkdownBlocks(), text).join("").replace(/\s/g, ""),
          );
          assert.deepEqual(looks(blocks.update(text)), looks(new MarkdownBlocks().update(text)));
        },
      ),
      { numRuns: 200 },
    );
  });

  it("are lexed once: a finished block stays the same object", () => {
    const blocks = new MarkdownBlocks();
    const [first] = blocks.update("One.\n\nTwo.\n\nThr");
    assert.equal(blocks.update("One.\n\nTwo.\n\nThree.\n\nFour.")[0], first);
  });

  it("start over when the text is a different one", () => {
    const blocks = new MarkdownBlocks();
    blocks.update("One.\n\nTwo.\n\nThree.");
    assert.deepEqual(raws(blocks, "Other.\n\nText."), ["Other.", "Text."]);
  });

  it("know the link definitions of earlier blocks", () => {
    const blocks = new MarkdownBlocks();
    blocks.update("[a]: https://example.com\n\nOne.\n\nTwo.\n\nThr");
    const last = blocks.update("[a]: https://example.com\n\nOne.\n\nTwo.\n\nThree [a].").at(-1);
    assert.match(JSON.stringify(last?.token), /"href":"https:\/\/example.com"/);
  });

  it("link what was finished before its definition came, once the address is whole", () => {
    const text = "Read [docs][1].\n\nNext.\n\n[1]: https://example.com/docs";
    const blocks = new MarkdownBlocks();
    const hrefs = (to: number, grows = true) =>
      [...JSON.stringify(blocks.update(text.slice(0, to), grows)).matchAll(/"href":"([^"]*)"/g)].map(
        ([, href]) => href,
      );
    const whileGrowing = Array.from({ length: text.length }, (_, at) => hrefs(at + 1));
    assert.deepEqual(new Set(whileGrowing.flat()), new Set());
    const next = blocks.update(text, true)[1];
    assert.deepEqual(hrefs(text.length, false), ["https://example.com/docs"]);
    assert.equal(blocks.update(text)[1], next, "Other blocks stay.");
  });

  it("show footnotes, which are no definitions of links", () => {
    const shown = raws(new MarkdownBlocks(), "Text[^1]\n\n[^1]: https://example.com\n");
    assert.deepEqual(
      shown.map((raw) => raw.trim()),
      ["Text[^1]", "[^1]: https://example.com"],
    );
  });

  it("link again as many characters as take a moment, and leave further links as they are written", () => {
    const blocks = new MarkdownBlocks();
    const text = `See [docs][1]. ${"word ".repeat(400)}\n\n`.repeat(150);
    blocks.update(text, true);
    const all = blocks.update(`${text}[1]: https://example.com\n`);
    const linked = all.filter(({ token }) => "tokens" in token && token.tokens?.some(({ type }) => type === "link"));
    assert.ok(linked.length >= 99 && linked.length < 149, String(linked.length));
    assert.equal(linked[0], all[0]);
  });

  it("of many definitions, each for all blocks, are read in a moment", () => {
    const blocks = new MarkdownBlocks();
    const text = `${"[a] [b] [c]\n\n".repeat(2000)}${Array.from({ length: 900 }, (_, at) => `[a${at}]: /x${at}\n`).join("")}`;
    const start = performance.now();
    for (let at = text.length - 5000; at < text.length; at += 10) blocks.update(text.slice(0, at), true);
    assert.ok(performance.now() - start < 5000);
  });
});

describe("diffs", () => {
  it("number the lines of both sides and show the gap between hunks", () => {
    const rows = patchRows(`${patch}@@ -40,2 +38,3 @@\n x\n+y\n z\n\\ No newline at end of file`);
    assert.deepEqual(
      rows.map(({ kind, number }) => `${kind}${number ?? ""}`).join(" "),
      "same11 same12 del13 del14 del15 del16 del17 add13 add14 del18 add15 same16 skip same38 add39 same40",
    );
    assert.equal(rows[12]?.text, "21 unchanged lines");
  });

  it("number a new file from 1", () => {
    assert.deepEqual(
      patchRows("@@ -0,0 +1,2 @@\n+a\n+b").map((row) => row.number),
      [1, 2],
    );
  });

  it("show a streaming edit: old lines, then new ones", () => {
    assert.deepEqual(
      draftRows("a\nb", "c").map(({ kind, text }) => kind + text),
      ["dela", "delb", "addc"],
    );
    assert.deepEqual(draftRows(undefined, ""), []);
  });

  it("highlight each line separately", () => {
    assert.deepEqual(highlightLines("/* a\nb */", "ts"), [
      '<span class="hljs-comment">/* a</span>',
      '<span class="hljs-comment">b */</span>',
    ]);
    assert.deepEqual(highlightLines("<b>", "no-such-language"), ["&#60;b&#62;"]);
  });
});

describe("output", () => {
  it("is what a terminal would show: no escapes, and only the last text of an overwritten line", () => {
    assert.deepEqual(outputLines("\u001b[32mok\u001b[0m\r\n10 %\r50 %\r100 %\nend\r\n\u001b]0;title\u0007"), [
      "ok",
      "100 %",
      "end",
    ]);
  });
});

describe("links in a reply", () => {
  it("lead to the web, to a file and line, or nowhere", () => {
    assert.deepEqual(parseLink("https://example.com/a:1"), { type: "web", url: "https://example.com/a:1" });
    const file = (path: string, line?: number, lastLine?: number) => ({ type: "file", path, line, lastLine });
    assert.deepEqual(parseLink("src/cart.ts:12:3"), file("src/cart.ts", 12));
    assert.deepEqual(parseLink("src/my%20cart.ts#L4-L9"), file("src/my cart.ts", 4, 9));
    assert.deepEqual(parseLink("C:\\shop\\cart.ts"), file("C:\\shop\\cart.ts"));
    for (const href of [
      "javascript:alert(1)",
      "data:text/html,x",
      "command:rm",
      "vscode://x/y",
      "//evil.example",
      "javascript%3Aalert(1)",
      "#top",
      "",
      ...[
        "\\\\host\\share",
        "%5c%5chost%5cshare",
        "%5C/host/share",
        "/%5chost/share",
        "%2f%2fhost/share",
        "%2F/host:3",
      ],
      ...["%20//host/share", "%00//host/share", "%E2%80%8B//host", "\\\\?\\C:\\x", "%5c%5c.%5cpipe%5cx#L3"],
    ]) {
      assert.equal(parseLink(href), undefined, href);
    }
  });
});
