/** What a permission's card shows of calls other than commands and edits. */
import assert from "node:assert/strict";
import { button, panelWith } from "./browser.ts";
import type { PanelPage } from "./page.ts";
import { body, previewStates } from "./preview-states.ts";
import { card, guard } from "./question-card.ts";

const sizes = [
  [240, 330],
  [320, 480],
  [400, 640],
  [600, 800],
] as const;
const preview = (panel: PanelPage) => card(panel).getByRole("region", { name: "Preview" });

async function opened(name: string): Promise<PanelPage> {
  const panel = await panelWith(...(previewStates[name]?.messages ?? []));
  await panel.page.waitForTimeout(guard);
  return panel;
}

describe("the preview of a call", () => {
  it("T15 shows arguments in words, folds long ones, and has all of them as JSON", async () => {
    const panel = await opened("preview-arguments");
    const terms = await preview(panel).getByRole("term").allTextContents();
    assert.deepEqual(terms, [
      "Repository",
      "Issue title",
      "Labels",
      "Options › Notify owner",
      "Options › Per page",
      "Body",
    ]);
    const values = preview(panel).getByRole("definition");
    const short = (await values.allTextContents()).slice(0, 5).map((text) => text.trim());
    assert.deepEqual(short, ["acme/shop", "Cart totals round per line", "bug, checkout", "no", "30"]);
    assert.ok(!(await values.last().innerText()).includes("Line 14"));
    await button(panel, "Body: 11 more lines").click();
    assert.equal((await values.last().innerText()).trim(), body);
    assert.match(await preview(panel).innerText(), /The server says: Creates an issue\. Rondo cannot check that\./);
    await button(panel, "Show as JSON").click();
    assert.match(await preview(panel).locator("pre").innerText(), /"issueTitle": "Cart totals round per line"/);
  });

  it("T15 marks the host of a page, and says what is sent", async () => {
    const panel = await opened("preview-page");
    assert.equal(await preview(panel).locator("b").innerText(), "vite.dev");
    assert.match(await preview(panel).innerText(), /https:\/\/vite\.dev\/guide\/migration\?from=7/);
    assert.match(await preview(panel).innerText(), /Nothing but this address is sent/);
  });

  it("T15 marks the part of a path that leads out, by word and colour", async () => {
    const panel = await opened("preview-outside");
    assert.equal(await preview(panel).locator("mark").innerText(), "shared/tsconfig.base.json");
    assert.match(await preview(panel).innerText(), /\/home\/dev\/shared\/tsconfig\.base\.json\s+outside the workspace/);
  });

  it("T15 says of each deleted file whether git has it, and where the copy is", async () => {
    const panel = await opened("preview-deletion");
    const rows = (await preview(panel).getByRole("row").allInnerTexts()).slice(1);
    assert.deepEqual(
      rows.map((text) => text.replace(/\s+/g, " ")),
      ["src/export/csv.ts in git", "src/export/csv.test.ts in git", "src/export/notes.md not in git"],
    );
    assert.match(await preview(panel).innerText(), /Rondo keeps a copy/);
    assert.equal(await button(panel, /^Delete once/).count(), 1);
  });

  it("T15 names secrets without their values, and says where the values would go", async () => {
    const panel = await opened("preview-secret");
    assert.deepEqual(await preview(panel).getByRole("term").allTextContents(), [
      "DATABASE_URL",
      "STRIPE_KEY",
      "LOG_LEVEL",
    ]);
    assert.match(await preview(panel).innerText(), /The values go to Anthropic with the next request/);
  });

  it("T15 offers to ask for a plain command where it cannot be read, and only there", async () => {
    const panel = await opened("preview-unreadable");
    await button(panel, "Ask Rondo to write it plainly").click();
    const [sent] = await panel.sentOf("answer");
    assert.ok(sent?.answer.kind === "permission" && sent.answer.type === "deny");
    assert.match(sent.answer.words, /Write this command plainly/);
    const other = await opened("preview-page");
    assert.equal(await button(other, "Ask Rondo to write it plainly").count(), 0);
  });

  for (const name of Object.keys(previewStates)) {
    it(`T15 keeps answers and field in sight at every size: ${name}`, async () => {
      const panel = await opened(name);
      for (const [width, height] of sizes) {
        await panel.resize({ width, height });
        const found = await panel.page.evaluate(() => {
          const boxes = [...document.querySelectorAll(".answers, .Composer")].map((one) => one.getBoundingClientRect());
          const inner = document.querySelector(".details .Preview");
          return {
            inside: boxes.every(({ top, bottom }) => top >= 0 && bottom <= innerHeight + 0.5),
            wide: (inner?.scrollWidth ?? 0) - (inner?.clientWidth ?? 0),
          };
        });
        assert.deepEqual(found, { inside: true, wide: 0 }, `${width} × ${height}`);
      }
    });
  }
});
