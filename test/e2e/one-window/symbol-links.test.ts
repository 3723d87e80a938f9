/** Symbols that an answer names, as VS Code's own TypeScript knows them: links that open the definition. */
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Frame } from "playwright-core";
import { said, say, status } from "../panel-actions.ts";
import { clickUntil, sharedWindow, type Window } from "../window.ts";

const cart = `export class Basket {
  items: number[] = [];

  sumOfItems(): number {
    return this.items.length;
  }
}

export function parseBasket(): Basket {
  return new Basket();
}
`;
const other = "export const onlyElsewhere = 1;\n\nexport function parseTwice() {}\n";
const third = "export function parseTwice() {}\n";

describe("symbols in an answer", () => {
  let window: Window;
  let panel: Frame;
  before(async () => {
    window = await sharedWindow();
    panel = await window.newSession();
    const folder = path.join(window.folder, "symbols");
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "tsconfig.json"), "{}");
    await writeFile(path.join(folder, "basket.ts"), cart);
    await writeFile(path.join(folder, "other.ts"), other);
    await writeFile(path.join(folder, "third.ts"), third);
  });
  after(async () => {
    await rm(path.join(window.folder, "symbols"), { recursive: true, force: true });
  });

  const link = (name: string) => panel.getByRole("link", { name, exact: true });
  const cursorAt = (line: number) => window.page.locator("#status\\.editor\\.selection", { hasText: `Ln ${line},` });

  it("are links where TypeScript knows them, and open the definition; others stay text", async () => {
    window.plays([
      {
        text: "In `symbols/basket.ts`, `Basket.sumOfItems()` and `parseBasket` change; `onlyElsewhere` and `noSuchThing` do not. `parseTwice` is there two times. `command:workbench.action.quit`",
      },
    ]);
    await say(panel, "Which symbols?");
    await said(panel, "two times");
    await status(panel, /Done/);
    // The project of the file is loaded by then: the file's own symbols are asked for first.
    await link("Basket.sumOfItems()").waitFor();
    await link("parseBasket").waitFor();
    await clickUntil(link("Basket.sumOfItems()"), async () => await cursorAt(4).isVisible());
    await window.page.locator(".tab.active", { hasText: "basket.ts" }).waitFor();
    await clickUntil(link("parseBasket"), async () => await cursorAt(9).isVisible());
    await link("onlyElsewhere").waitFor();
    await clickUntil(link("onlyElsewhere"), async () => await cursorAt(1).isVisible());
    await window.page.locator(".tab.active", { hasText: "other.ts" }).waitFor();
    assert.equal(await link("noSuchThing").count(), 0);
    assert.equal(await link("command:workbench.action.quit").count(), 0);
  });

  it("offers the choice between several definitions", async () => {
    await link("parseTwice").click();
    const choice = window.page.locator(".quick-input-widget");
    await choice.getByText("Definitions of parseTwice").waitFor();
    assert.equal(await choice.getByRole("option").count(), 2);
    await choice.getByRole("option", { name: /symbols\/other\.ts:3/ }).click();
    await cursorAt(3).waitFor();
    await window.page.locator(".tab.active", { hasText: "other.ts" }).waitFor();
  });

  it("says so where the definition is gone meanwhile", async () => {
    await rm(path.join(window.folder, "symbols"), { recursive: true, force: true });
    await link("onlyElsewhere").click();
    await panel.getByText(/No definition of onlyElsewhere is found any more|does not exist any more/).waitFor();
  });
});
