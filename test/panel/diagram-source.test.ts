/** What of a Mermaid diagram is drawn, and what is refused. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { localized, useLanguage } from "../../src/l10n/l10n.ts";
import { describeDiagram } from "../../webview/drawings/describe-diagram.ts";
import { checkDiagram, drawnTexts, readDiagram } from "../../webview/workers/diagram-source.ts";

const check = (source: string) => checkDiagram(readDiagram(source));

describe("the source of diagrams", () => {
  it("drops settings, styles, links and comments", () => {
    const source = `---
title: "The flow"
config:
  theme: dark
---
%%{init: {
  'themeCSS': '* { background: url(https://evil.invalid/) }'
}}%%
%% a comment
flowchart TD
  accDescr: words
  A[One]:::red --> B
  click A "https://evil.invalid" _blank
  click B call callback()
  style A fill:url(https://evil.invalid)
  linkStyle 0 stroke:#f00
  classDef red fill:#f00
  class A,B red`;
    assert.deepEqual(readDiagram(source), {
      kind: "Flowchart",
      title: "The flow",
      text: "flowchart TD\n  A[One] --> B",
    });
  });

  it("keeps classes of class diagrams", () => {
    const source = "classDiagram\n  class Cart {\n    +total() int\n  }\n  class Item\n  Cart --> Item";
    assert.equal(readDiagram(source).text, source);
  });

  it("takes its title from accTitle, too", () => {
    assert.equal(readDiagram("sequenceDiagram\naccTitle: Who asks\nA->>B: x").title, "Who asks");
  });

  for (const kind of ["gantt", "pie title X", "mindmap", "gitGraph", "flow chart", "<script>"]) {
    it(`does not draw ${kind}`, () => assert.throws(() => readDiagram(`${kind}\n a`), /Rondo draws/));
  }

  it("refuses nothing, and too much", () => {
    for (const empty of ["", "\n \n", "%% only a comment", "%%{init: {}}%%"])
      assert.throws(() => readDiagram(empty), /nothing in it/);
    assert.throws(() => readDiagram(`graph TD\n${"a".repeat(20_000)}`), /too long/);
    const lines = Array.from({ length: 300 }, (_, at) => `A${at} --> A${at + 1}`);
    assert.throws(() => check(`graph TD\n${lines.join("\n")}`), /too large/);
    assert.throws(() => check(`graph TD\n${"A\n".repeat(500)}`), /too large/);
    const many = Array.from({ length: 30 }, (_, at) => `A${at}`).join(" & ");
    assert.throws(() => check(`graph TD\n${many} --> ${many.replaceAll("A", "B")}`), /too large/);
    assert.throws(() => check(`graph TD\n${"A-->".repeat(400)}B`), /too large/);
    for (const arrow of ["-->", "---", "-.->", "==>", "--x", "--o", "<-->", "-->|yes|"])
      assert.throws(() => check(`graph TD\n${`A ${arrow} B\n`.repeat(300)}`), /too large/);
    check(`graph TD\n${lines.slice(0, 200).join("\n")}`);
  });

  it("says what it shows", () => {
    const svg =
      '<svg><text x="1">A &lt;b&gt; &amp; c</text><text><tspan>One</tspan><tspan>two</tspan></text><text></text></svg>';
    const diagram = readDiagram("---\ntitle: T\n---\ngraph TD\nA-->B");
    assert.equal(describeDiagram({ ...diagram, texts: drawnTexts(svg) }), "Flowchart “T”: A <b> & c, One two");
  });

  describe("in German", () => {
    before(async () =>
      useLanguage("de", JSON.parse(await readFile(new URL("../../l10n/bundle.l10n.de.json", import.meta.url), "utf8"))),
    );
    after(() => useLanguage("en"));

    it("says what it shows and why it is refused, and leaves the diagram's own words as they are", () => {
      const diagram = readDiagram("---\ntitle: Stop\n---\ngraph TD\nA-->B");
      assert.equal(describeDiagram({ ...diagram, texts: "2024, Cache" }), "Flussdiagramm „Stop“: 2024, Cache");
      assert.equal(describeDiagram({ ...diagram, title: "", texts: "Stop" }), "Flussdiagramm: Stop");
      const refusal = (source: string) => {
        try {
          return String(readDiagram(source));
        } catch (error) {
          return localized(error instanceof Error ? error.message : "");
        }
      };
      assert.match(refusal("gantt\n a"), /^Rondo zeichnet .*, aber kein „gantt“\.$/);
      assert.equal(refusal(""), "Es ist kein Inhalt vorhanden.");
    });
  });
});
