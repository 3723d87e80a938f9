/** Formulas, diagrams and images of a hostile model: nothing runs, nothing is loaded, nothing hangs. */
import assert from "node:assert/strict";
import { stopwatch } from "../timing.ts";
import { panelBrowser, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const answer = (text: string) => panelWith(f.snapshot(f.chat("x", [f.you("x"), f.rondo([f.said(text)])])));
/** Generous for slow machines: the limits of the workers, and what the page needs. */
const maxMs = 20_000;

/** Waits until everything is drawn, or refused. */
async function settled(panel: PanelPage): Promise<void> {
  await panel.page.waitForFunction(
    () => document.querySelectorAll(".Maths:not(.drawn), .Diagram.waits").length === 0,
    undefined,
    { timeout: maxMs },
  );
}

async function assertHarmless(panel: PanelPage): Promise<void> {
  const found = await panel.page.evaluate(() => {
    const all = [...document.querySelectorAll(".Markdown *")];
    // The panel's own sets the size of its box.
    const names = new Set(all.filter((one) => !one.matches(".Diagram img")).flatMap((one) => one.getAttributeNames()));
    return {
      ran: "ran" in window,
      attributes: [...names].filter((name) => /^on|^(?:href|xlink:href|style|id|srcset|mathcolor)$/.test(name)),
      elements: all.filter(
        (one) =>
          /^(?:script|iframe|style|link|svg|foreignObject|a|annotation.*|mglyph|maction)$/i.test(one.localName) &&
          !one.hasAttribute("data-href"),
      ).length,
      sources: all.filter((one) => one instanceof HTMLImageElement && !/^data:image\//.test(one.src)).length,
    };
  });
  assert.deepEqual(found, { ran: false, attributes: [], elements: 0, sources: 0 });
  assert.deepEqual(panel.strays, []);
  assert.equal(panel.navigations, 1);
}

const formulas = [
  "\\href{javascript:window.ran=1}{x}",
  "\\url{https://evil.invalid/url}",
  "\\includegraphics{https://evil.invalid/a.png}",
  "\\htmlStyle{background:url(https://evil.invalid/css)}{x}",
  "\\htmlId{root}{x}",
  "\\htmlClass{Chat}{x}",
  "\\htmlData{href=https://evil.invalid}{x}",
  "\\text{<img src=x onerror=window.ran=2>}",
  "\\text{</mtext></math><script>window.ran=3</script>}",
  "<script>window.ran=4</script>",
  "\\fcolorbox{url(https://evil.invalid)}{red}{x}",
  "\\textcolor{red;background:url(https://evil.invalid)}{x}",
  "\\colorbox{#000}{\\color{#000}hidden}",
  "\\tag{<b>}x",
  "\\unicode{x3c}",
  "\\def\\a{\\href{javascript:window.ran=5}{x}}\\a",
];

const slowFormulas: readonly [name: string, tex: string][] = [
  ["a macro that calls itself", "\\def\\a{\\a}\\a"],
  ["a macro that doubles itself", "\\def\\a{\\a\\a}\\a"],
  [
    "macros that multiply",
    `${Array.from({ length: 20 }, (_, at) => `\\def\\${String.fromCharCode(98 + at)}{\\${String.fromCharCode(97 + at)}\\${String.fromCharCode(97 + at)}}`).join("")}\\u`,
  ],
  ["long bodies", `\\def\\a{${"x".repeat(4000)}}${"\\a".repeat(450)}`],
  ["deep braces", `${"{".repeat(2400)}x${"}".repeat(2400)}`],
  ["deep fractions", `${"\\frac{1}{".repeat(500)}x${"}".repeat(500)}`],
  ["deep roots", `${"\\sqrt{".repeat(700)}x${"}".repeat(700)}`],
  ["powers of powers", `x${"^{x".repeat(1200)}${"}".repeat(1200)}`],
  ["a huge rule", "\\rule{100000em}{100000em}\\kern{99999em}x"],
  ["a huge matrix", `\\begin{matrix}${`${"&".repeat(60)}\\\\`.repeat(70)}\\end{matrix}`],
  ["left without right", "\\left(".repeat(800)],
  ["expandafter", `${"\\expandafter".repeat(400)}x`],
];

const fence = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\``;
const diagrams = [
  'graph TD\n A["<script>window.ran=6</script>"] --> B["<img src=x onerror=window.ran=7>"]',
  'graph TD\n A --> B\n click A "javascript:window.ran=8"\n click B call window.ran()\n click A href "https://evil.invalid/click"',
  "%%{init: {'theme': 'base', 'themeCSS': '* { background: url(https://evil.invalid/theme) }', 'fontFamily': '\"/><script>window.ran=9</script>'}}%%\ngraph TD\n A --> B",
  "graph TD\n A --> B\n style A fill:url(https://evil.invalid/style)\n classDef x fill:url(https://evil.invalid/class)\n class B x",
  'graph TD\n A["</text></svg><svg onload=window.ran=10>"] --> B["&lt;image href=https://evil.invalid/image&gt;"]',
  "graph TD\n A[\"<a href='https://evil.invalid'>x</a><style>@import 'https://evil.invalid/import'</style>\"]",
  'sequenceDiagram\n participant A as <script>window.ran=11</script>\n A->>A: <foreignObject onload="window.ran=12">\n link A: x @ https://evil.invalid/link',
  'classDiagram\n class A["</style><script>window.ran=13</script>"]\n A : +x() <img src=https://evil.invalid/c>\n link A "https://evil.invalid/l"',
  'erDiagram\n "A<script>" ||--o{ B : "<image href=https://evil.invalid/er>"',
  'xychart-beta\n title "</text><script>window.ran=14</script>"\n x-axis [a, "<img src=x onerror=window.ran=15>"]\n bar [1, 2]',
  "---\nconfig:\n  look: x\n  themeCSS: '@import url(https://evil.invalid/fm)'\n---\ngraph TD\n A-->B",
];

const letters = (count: number) => Array.from({ length: count }, (_, at) => `N${at}`);
const slowDiagrams: readonly [name: string, source: string][] = [
  ["each with each", `graph TD\n${letters(60).join(" & ")} --> ${letters(60).join(" & ")}`],
  [
    "a dense graph",
    `graph TD\n${letters(240)
      .map((one, at) => `${one} --> N${(at * 97 + 31) % 60}`)
      .join("\n")}`,
  ],
  [
    "nested subgraphs",
    `graph TD\n${letters(150)
      .map((one) => `subgraph ${one}`)
      .join("\n")}\nA-->B\n${"end\n".repeat(150)}`,
  ],
  ["one huge line", `graph TD\n${"A-->".repeat(4000)}B`],
  ["a huge label", `graph TD\n A["${"x ".repeat(9000)}"] --> B`],
  ["brackets", `graph TD\n${"A[".repeat(5000)}`],
  ["spaces", `graph TD\nA${" ".repeat(15_000)}--`],
  ["dashes", `graph TD\nA ${"-".repeat(15_000)}`],
  ["equal signs and dots", `graph TD\nA ${"=.-".repeat(6000)}> B`],
  ["quotes", `graph TD\nA["${'"'.repeat(15_000)}`],
  [
    "many participants",
    `sequenceDiagram\n${letters(390)
      .map((one) => `participant ${one}`)
      .join("\n")}`,
  ],
  ["loops in loops", `sequenceDiagram\n${"loop x\n".repeat(190)}A->>B: x\n${"end\n".repeat(190)}`],
  [
    "classes",
    `classDiagram\n${letters(120)
      .map((one, at) => `${one} <|-- N${(at * 7) % 120}`)
      .join("\n")}`,
  ],
  [
    "entities",
    `erDiagram\n${letters(120)
      .map((one, at) => `${one} ||--o{ N${(at * 7) % 120} : x`)
      .join("\n")}`,
  ],
  ["a chart of huge numbers", `xychart-beta\n bar [${"1e308, ".repeat(2000)}1]`],
  ["directives that do not end", `%%{init: ${"%%{".repeat(4000)}\ngraph TD\nA-->B`],
  ["front matter that does not end", `---\n${"a: b\n".repeat(3000)}`],
];

/** Runs in a page. Returns what an image must not even have, though it would not follow it. */
function strangeContents(images: string[]): { strange: string[]; handlers: number; addresses: string[] }[] {
  return images.map((text) => {
    const svg = new DOMParser().parseFromString(text, "image/svg+xml");
    const all = [...svg.querySelectorAll("*")];
    const strange = /^(?:script|image|foreignObject|a|use|set|animate.*|parsererror)$/;
    // What is said in them is text.
    const attributes = all.flatMap((one) => [...one.attributes]).filter(({ name }) => !name.startsWith("data-"));
    const styles = all.filter(({ localName }) => localName === "style").map(({ textContent }) => textContent ?? "");
    return {
      strange: all.map(({ localName }) => localName).filter((name) => strange.test(name)),
      handlers: attributes.filter(({ name }) => /^on|href/.test(name)).length,
      addresses: [...attributes.map(({ value }) => value), ...styles].filter((value) =>
        /@import|url\((?!#)/.test(value),
      ),
    };
  });
}

describe("hostile content of answers", function () {
  this.timeout(180_000);
  before(async () => {
    await panelBrowser();
  });

  it("formulas never run, load, link or dress", async () => {
    const panel = await answer(formulas.map((tex) => `$${tex}$\n\n$$\n${tex}\n$$`).join("\n\n"));
    await settled(panel);
    await assertHarmless(panel);
    const refused = panel.page.getByText("Links, pictures and styles are not allowed in formulas.");
    assert.ok((await refused.count()) >= 14, String(await refused.count()));
  });

  for (const [name, tex] of slowFormulas) {
    it(`a formula with ${name} does not hang the panel, and the next one is drawn`, async () => {
      const elapsed = stopwatch();
      const panel = await answer(`$${tex}$\n\n$$${tex}$$\n\n$y^2$ after`);
      // The page goes on meanwhile.
      assert.equal(await panel.page.evaluate(() => 1 + 1), 2);
      await panel.page.locator("math", { hasText: /^y2$/ }).waitFor({ timeout: maxMs });
      await settled(panel);
      await assertHarmless(panel);
      assert.ok(elapsed() < maxMs, `${elapsed()} ms`);
    });
  }

  it("diagrams never run, load or link", async () => {
    const panel = await answer(diagrams.map(fence).join("\n\n"));
    await settled(panel);
    // Images that load something do so when they are decoded.
    const drawn = await panel.page.evaluate(async () => {
      const images = [...document.querySelectorAll<HTMLImageElement>(".Diagram img")];
      await Promise.allSettled(images.map((image) => image.decode()));
      for (const image of images) image.click();
      return images.map(({ src }) => decodeURIComponent(src.slice(src.indexOf(",") + 1)));
    });
    // In a page without a policy, which would complain about the styles that an image may have.
    const blank = await panel.page.context().browser()?.newPage();
    assert.ok(blank);
    const contents = await blank.evaluate(strangeContents, drawn);
    await blank.close();
    assert.ok(drawn.length >= 8, `${drawn.length} diagrams were drawn`);
    for (const found of contents) assert.deepEqual(found, { strange: [], handlers: 0, addresses: [] });
    await assertHarmless(panel);
  });

  for (const [name, source] of slowDiagrams) {
    it(`a diagram with ${name} does not hang the panel, and the next one is drawn`, async () => {
      const elapsed = stopwatch();
      const panel = await answer(`${fence(source)}\n\n${fence("graph LR\n The --> next")}`);
      assert.equal(await panel.page.evaluate(() => 1 + 1), 2);
      await panel.page.getByRole("img", { name: "Flowchart: The, next" }).waitFor({ timeout: maxMs });
      await settled(panel);
      await assertHarmless(panel);
      assert.ok(elapsed() < maxMs, `${elapsed()} ms`);
    });
  }

  it("images are loaded from nowhere but the host and the text", async () => {
    const text = [
      "![a](https://evil.invalid/a.png)",
      "![b](//evil.invalid/b.png)",
      '![c](HTTPS://evil.invalid/c.svg "t")',
      "![d](data:image/svg+xml;utf8,<svg onload=window.ran=20>)",
      "![e](blob:https://evil.invalid/e)",
      "![f](file:///etc/hostname)",
      "![g](vscode-resource://x/y.png)",
      "![h](\\\\evil.invalid\\share\\h.png)",
      '![i](data:image/png;base64,iVBORw0KGgo="onerror=window.ran=21)',
      "![j](javascript:window.ran=22)",
      "[![k](https://evil.invalid/k.png)](https://evil.invalid/l)",
      '![<img src=x onerror=window.ran=23>](docs/"onload="window.ran=24.png)',
      "![m][ref]\n\n[ref]: https://evil.invalid/m.png",
    ].join("\n\n");
    const panel = await answer(text);
    await panel.page.getByText("a (image on evil.invalid)").waitFor();
    await settled(panel);
    await assertHarmless(panel);
    assert.equal(await panel.page.locator(".Markdown img").count(), 0);
    const asked = await panel.sentOf("load-image");
    assert.ok(
      asked.every(({ path }) => !/^\w+:|^[/\\]{2}/.test(path)),
      JSON.stringify(asked),
    );
  });

  it("a thousand formulas and diagrams stay within bounds", async () => {
    const elapsed = stopwatch();
    const some = (from: number) => Array.from({ length: 100 }, (_, at) => `$x_{${from + at}}$`).join(" ");
    const many = Array.from({ length: 9 }, (_, at) => some(at * 100)).join("\n\n");
    const panel = await answer(
      `${many}\n\n${many}\n\n${Array.from({ length: 40 }, (_, at) => fence(`graph TD\nA${at} --> B`)).join("\n\n")}`,
    );
    await panel.page.locator("math").nth(499).waitFor({ timeout: maxMs });
    await panel.page.getByRole("img", { name: "Flowchart: A39, B" }).waitFor({ timeout: maxMs });
    assert.equal(await panel.page.locator("math").count(), 500);
    assert.ok(elapsed() < maxMs, `${elapsed()} ms`);
  });
});
