/** Formulas, diagrams, task lists, images and wide boxes in answers. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { boxes, button, events, panelWith } from "./browser.ts";
import { flowchart, images, stripes, tasks, wideTable } from "./content-states.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const answer = (text: string) => panelWith(f.snapshot(f.chat("x", [f.you("x"), f.rondo([f.said(text)])])));
const busy = { status: { type: "busy", since: 0 } } as const;

/** A panel whose answer grows; the function adds text to it. */
async function growing(): Promise<[PanelPage, (text: string) => Promise<void>]> {
  const reply = f.rondo([f.saying("")]);
  const [part] = reply.parts;
  assert.ok(part);
  const { messageID, id: partID } = part;
  const panel = await panelWith(f.snapshot(f.chat("x", [f.you("x"), reply], busy)));
  return [panel, (text) => panel.post(events({ type: "delta", messageID, partID, text }))];
}

const maths = (panel: PanelPage) => panel.page.locator("math");
/** Names of files that the page has loaded. */
const loaded = (panel: PanelPage) =>
  panel.page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name.replace(/^.*\//, "")));
const isFocusable = (box: Locator) => box.evaluate((element) => element.tabIndex === 0);

describe("formulas in an answer", () => {
  it("are drawn as MathML, and prices and code stay text", async () => {
    const panel = await answer("The rate $r^2$, \\(a\\), $5 and $6, `$x$`.\n\n$$\n\\frac{1}{2}\n$$\n\n```\n$y$\n```");
    await maths(panel).nth(2).waitFor();
    assert.equal(await maths(panel).count(), 3);
    assert.equal(await maths(panel).first().locator("msup").count(), 1);
    assert.equal(await maths(panel).nth(2).getAttribute("display"), "block");
    assert.match(await panel.page.locator(".Markdown p").first().innerText(), /\$5 and \$6, \$x\$\./);
    assert.equal(await panel.page.locator("pre", { hasText: "$y$" }).count(), 1);
    // Drawn, not only there: a fraction is higher than its line.
    const [box] = await boxes(panel, maths(panel).nth(2));
    assert.ok(box.height > 20 && box.width > 3, JSON.stringify(box));
  });

  it("are read by a screen reader as they are drawn, not as their source", async () => {
    const panel = await answer("The rate $\\frac{r^2}{\\sqrt{n}}$ grows.\n\n$$\n\\sum_{k=1}^{n} k^2\n$$");
    await maths(panel).nth(1).waitFor();
    const client = await panel.page.context().newCDPSession(panel.page);
    const { nodes } = await client.send("Accessibility.getFullAXTree");
    const inLog = nodes.filter(({ ignored }) => !ignored);
    const words = JSON.stringify(inLog.map(({ name, description, value }) => [name, description, value]));
    assert.doesNotMatch(words, /frac|sqrt|sum_/);
    const roles = inLog.map(({ role }) => String(role?.value));
    for (const role of ["MathMLFraction", "MathMLSquareRoot", "MathMLSup", "MathMLUnderOver"]) {
      assert.ok(roles.includes(role), `${role} is not among ${roles.filter((one) => one.startsWith("MathML")).join()}`);
    }
    const formula = panel.page.locator(".Maths").first();
    await formula.hover();
    assert.equal(await formula.getAttribute("title"), "$\\frac{r^2}{\\sqrt{n}}$", "it is there for the eye");
    await panel.page.mouse.move(0, 0);
    assert.equal(await formula.getAttribute("title"), null);
    await client.detach();
  });

  it("have their alphabets and columns", async () => {
    const panel = await answer(
      "$\\mathbb{R}\\mathcal{L}\\mathbf{v}\\mathfrak{g}\\boldsymbol{\\alpha}\\mathbb{C}h$\n\n$$\\begin{aligned}a&=b\\end{aligned}$$",
    );
    await maths(panel).nth(1).waitFor();
    assert.equal(await maths(panel).first().textContent(), "ℝℒ𝐯𝔤𝜶ℂh");
    assert.deepEqual(await panel.page.locator("mtd").evaluateAll((all) => all.map((one) => one.className)), [
      "right",
      "left",
    ]);
  });

  it("are text while they grow, and drawn when they end, without a flicker of those before", async () => {
    const [panel, add] = await growing();
    await add("With $a_1$ and $b");
    await maths(panel).waitFor();
    assert.match(await panel.page.locator(".Markdown").innerText(), /and \$b/);
    await panel.page.evaluate(() => {
      // A formula that was drawn must never be a text again.
      new MutationObserver(() => {
        if (document.querySelector(".Maths:not(.drawn)")?.textContent === "$a_1$") console.error("flicker");
      }).observe(document.body, { childList: true, subtree: true });
    });
    await add("_2");
    assert.equal(await maths(panel).count(), 1);
    await add("$.\n\n$$\nx\n- y");
    await maths(panel).nth(1).waitFor();
    assert.equal(await panel.page.locator(".Markdown li").count(), 0);
    await add("\n$$\n\nend");
    await maths(panel).nth(2).waitFor();
    assert.equal(await maths(panel).count(), 3);
  });

  it("that are broken show their source and why", async () => {
    const panel = await answer(`$\\foo{x}$ and $${"x".repeat(6000)}$ and $\\frac{1}$`);
    const failed = panel.page.locator(".Maths.failed");
    await failed.nth(2).waitFor();
    assert.equal(
      await failed.first().innerText(),
      "$\\foo{x}$ This formula cannot be drawn. Undefined control sequence: \\foo.",
    );
    assert.match(await failed.nth(1).innerText(), /^\$x+\$ This formula cannot be drawn\. It is too long\.$/);
    assert.equal(await failed.first().locator("code").innerText(), "$\\foo{x}$");
  });

  it("are not loaded for an answer without any", async () => {
    const panel = await answer("No formula, $5, and no diagram.\n\n```ts\nconst a = 1;\n```");
    await panel.page.locator("pre").waitFor();
    assert.deepEqual(
      (await loaded(panel)).filter((name) => /maths|diagrams/.test(name)),
      [],
    );
    const other = await answer("$x$");
    await maths(other).waitFor();
    const names = await loaded(other);
    assert.ok(names.includes("maths.js") && !names.includes("diagrams.js"), names.join());
  });
});

describe("diagrams in an answer", () => {
  const image = (panel: PanelPage) => panel.page.getByRole("img", { name: /^Flowchart: / });

  it("are drawn as an image in the colours of the theme, with words for those who do not see it", async () => {
    const panel = await answer(flowchart);
    await image(panel).waitFor();
    assert.equal(
      await image(panel).getAttribute("alt"),
      "Flowchart: yes, no, Message arrives, Is a turn running?, Queue it, Start a turn, Done",
    );
    const natural = await image(panel).evaluate(async (one: HTMLImageElement) => {
      await one.decode();
      return [one.naturalWidth, one.naturalHeight];
    });
    assert.ok(
      natural.every((length) => length > 100),
      natural.join(),
    );
    const source = async () => decodeURIComponent((await image(panel).getAttribute("src")) ?? "");
    const dark = await source();
    assert.doesNotMatch(dark, /@import|https?:(?!\/\/www\.w3\.org)|ff0000/);
    await panel.dress("light");
    await panel.page.waitForFunction((before) => {
      const now = document.querySelector<HTMLImageElement>(".Diagram img")?.src;
      return now !== undefined && decodeURIComponent(now) !== before;
    }, dark);
    const [, ink] = /--fg:(#\w+)/.exec(await source()) ?? [];
    const colour = await panel.page.evaluate(() =>
      getComputedStyle(document.body).getPropertyValue("--vscode-editor-foreground").trim().toLowerCase(),
    );
    assert.equal(ink, colour);
  });

  it("show and copy their source", async () => {
    const panel = await answer(flowchart);
    await image(panel).waitFor();
    await button(panel, "Copy the diagram's source").click();
    const [copied] = await panel.sentOf("copy");
    assert.match(copied?.text ?? "", /^flowchart TD\n {2}A\[Message arrives\][^`]*$/);
    await button(panel, "Show its source").click();
    await panel.page.locator("pre", { hasText: "flowchart TD" }).waitFor();
    assert.equal(await image(panel).count(), 0);
    await button(panel, "Show the diagram").click();
    await image(panel).waitFor();
  });

  it("are code until they are complete", async () => {
    const [panel, add] = await growing();
    await add("```mermaid\ngraph TD\n  A --> B\n");
    await panel.page.locator("pre", { hasText: "A --> B" }).waitFor();
    assert.equal(await panel.page.locator(".Diagram").count(), 0);
    await add("  B --> C\n```");
    await image(panel).waitFor();
    await add("\n\nMore words.");
    await panel.page.getByText("More words.").waitFor();
    assert.equal(await image(panel).count(), 1);
  });

  it("that cannot be drawn show their source and a sentence", async () => {
    const panel = await answer(
      "```mermaid\ngantt\n title x\n```\n\n```mermaid\nsequenceDiagram\n```\n\n```mermaid\ngraph TD\n```",
    );
    await panel.page.getByText(/This diagram cannot be drawn\. Rondo draws flowcharts,.*“gantt”/).waitFor();
    await panel.page.getByText("This diagram cannot be drawn.").nth(2).waitFor();
    assert.equal(await panel.page.locator("pre").count(), 3);
  });
});

describe("task lists in an answer", () => {
  it("have marks with names", async () => {
    const panel = await answer(tasks);
    const names = (name: string) => panel.page.getByRole("listitem").getByRole("img", { name, exact: true });
    await names("Done").first().waitFor();
    assert.equal(await names("Done").count(), 3);
    assert.equal(await names("To do").count(), 3);
    assert.equal(await panel.page.locator("input[type=checkbox]").count(), 0);
  });
});

describe("images in an answer", () => {
  it("of the workspace are asked for once, and shown; those from elsewhere are links", async () => {
    const panel = await answer(`${images}\n\n![again](docs/sales.png)`);
    await panel.page.waitForFunction(() => window.sent.some(({ type }) => type === "load-image"));
    assert.deepEqual(
      (await panel.sentOf("load-image")).map(({ path }) => path),
      ["docs/sales.png", ".env.png"],
    );
    const url = await panel.page.evaluate(`(${stripes})(64, 12)`);
    assert.ok(typeof url === "string");
    const why = "It is not read unasked: it may hold secrets.";
    await panel.post(
      { type: "answer-image", path: "docs/sales.png", image: { type: "shown", url } },
      { type: "answer-image", path: ".env.png", image: { type: "failed", why } },
    );
    await panel.page.getByRole("img", { name: "Sales by month" }).waitFor();
    await panel.page.getByRole("img", { name: "again" }).waitFor();
    await panel.page.getByText(`The key This image cannot be shown. ${why}`).waitFor();
    const link = panel.page.getByRole("link", { name: "Remote chart (image on images.example.com)" });
    assert.equal(await link.getAttribute("title"), "https://images.example.com/chart.png?id=1");
    await link.click();
    assert.equal((await panel.sentOf("open-link"))[0]?.url, "https://images.example.com/chart.png?id=1");
    assert.deepEqual(panel.strays, []);
  });

  it("in the text are shown, and damaged ones say so", async () => {
    const empty = await panelWith();
    // It has a size, and nothing else that is right.
    const bytes = [
      0x89,
      ...Buffer.from("PNG\r\n\x1a\n"),
      0,
      0,
      0,
      13,
      ...Buffer.from("none"),
      0,
      0,
      0,
      64,
      0,
      0,
      0,
      16,
    ];
    const broken = Buffer.from([...bytes, ...Array<number>(40).fill(7)]).toString("base64");
    const url = await empty.page.evaluate(`(${stripes})(64, 12)`);
    const panel = await answer(
      `![good](${url})\n\n![bad](data:image/png;base64,AAAA)\n\n![cut](data:image/png;base64,${broken})`,
    );
    await panel.page.getByRole("img", { name: "good" }).waitFor();
    await panel.page.getByText("bad This image cannot be shown. It is damaged.").waitFor();
    await panel.page.getByText("cut This image cannot be shown. It is damaged.").waitFor();
  });
});

describe("wide boxes in an answer", () => {
  it("take the focus only while they scroll, have names, and the page never scrolls sideways", async () => {
    const panel = await panelWith();
    await panel.resize({ width: 320, height: 820 });
    const long = "x_1 + ".repeat(60);
    await panel.post(
      f.snapshot(f.chat("x", [f.you("x"), f.rondo([f.said(`${wideTable}\n\n$${long}y$\n\n$$${long}z$$`)])])),
    );
    const regions = panel.page.getByRole("log").getByRole("region");
    await regions.nth(4).waitFor();
    const names = await regions.evaluateAll((all) => all.map((one) => one.ariaLabel));
    assert.deepEqual(names, ["Table", "Code, ts", "Code", "Formula", "Formula"]);
    for (const region of await regions.all()) assert.ok(await isFocusable(region));
    const table = panel.page.getByRole("region", { name: "Table" });
    await table.focus();
    await panel.page.keyboard.press("ArrowRight");
    await panel.page.waitForFunction(() => (document.activeElement?.scrollLeft ?? 0) > 0);
    const narrow = panel.page.locator(".Wide").nth(1);
    assert.equal(await isFocusable(narrow), false);
    assert.equal(await narrow.getAttribute("role"), null);
    const over = () => panel.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(await over(), 0);
    const log = await panel.page.getByRole("log").evaluate((one) => one.scrollWidth - one.clientWidth);
    assert.equal(log, 0);
    // Table and code fit into a wide window, where nothing is left to scroll.
    await button(panel, "Copy code").focus();
    await panel.resize({ width: 2400, height: 820 });
    await panel.page.waitForFunction(
      () => document.querySelectorAll("[role=region] table, pre[role=region]").length === 0,
    );
    assert.equal(await isFocusable(panel.page.locator(".Wide").first()), false);
    assert.equal(await over(), 0);
  });

  it("a table is still one for a screen reader", async () => {
    const panel = await answer(wideTable);
    await panel.page.getByRole("table").first().waitFor();
    assert.equal(await panel.page.getByRole("table").count(), 2);
    await panel.page.getByRole("columnheader", { name: "Column_7" }).waitFor();
  });
});
