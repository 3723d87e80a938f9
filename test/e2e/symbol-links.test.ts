/** Symbols that an answer names, as TypeScript's language service knows them: links that open the definition. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { Frame } from "playwright-core";
import { said, say, status } from "./panel-actions.ts";
import { clickUntil, openWindow, type Window } from "./window.ts";

const basket = `export class Basket {
  items: number[] = [];

  sumOfItems(): number {
    return this.items.length;
  }
}

export function parseBasket(): Basket {
  return new Basket();
}
`;
const files = {
  "symbols/basket.ts": basket,
  "symbols/other.ts": "\nexport const onlyElsewhere = 1;\n\nexport function parseTwice() {}\n",
  "symbols/third.ts": "export function parseTwice() {}\n",
};
const text =
  "In `symbols/basket.ts`, `Basket.sumOfItems()`, `parseBasket` and `items` change; `onlyElsewhere` and `noSuchThing` do not. `parseTwice` is there two times. `command:workbench.action.quit`";

describe("symbols in an answer", () => {
  let window: Window;
  let panel: Frame;
  before(async () => {
    window = await openWindow({
      files,
      extensions: [path.join(import.meta.dirname, "symbols-extension")],
      settings: { "rondo-test.typescript": createRequire(import.meta.url).resolve("typescript") },
    });
    panel = await window.panel();
  });
  after(() => window?.close());

  const link = (name: string) => panel.getByRole("link", { name, exact: true });
  const cursorAt = (line: number) => window.page.locator("#status\\.editor\\.selection", { hasText: `Ln ${line},` });
  const tab = (file: string) => window.page.locator(".tab.active", { hasText: file });

  it("are links where they are known, and open the definition; others stay text", async () => {
    window.plays([{ text }]);
    await say(panel, "Which symbols?");
    await said(panel, "two times");
    await status(panel, /Done/);
    for (const [name, line, file] of [
      ["Basket.sumOfItems()", 4, "basket.ts"],
      ["parseBasket", 9, "basket.ts"],
      ["items", 2, "basket.ts"],
      ["onlyElsewhere", 2, "other.ts"],
    ] as const) {
      await link(name).waitFor();
      await clickUntil(link(name), async () => (await tab(file).isVisible()) && (await cursorAt(line).isVisible()));
    }
    for (const name of ["noSuchThing", "command:workbench.action.quit"]) assert.equal(await link(name).count(), 0);
  });

  it("offers the choice between several definitions", async () => {
    await link("parseTwice").click();
    const choice = window.page.locator(".quick-input-widget");
    await choice.getByText("Definitions of parseTwice").waitFor();
    assert.equal(await choice.getByRole("option").count(), 2);
    await choice.getByRole("option", { name: /symbols\/third\.ts:1/ }).click();
    await tab("third.ts").waitFor();
  });

  it("says so where the definition is gone meanwhile", async () => {
    await writeFile(path.join(window.folder, "symbols/other.ts"), "\n");
    await link("onlyElsewhere").click();
    await panel.getByText("No definition of onlyElsewhere is found any more.").waitFor();
    assert.deepEqual(window.errors, []);
  });
});
