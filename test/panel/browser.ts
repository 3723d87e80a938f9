/** A browser for all tests of the panel, with common queries and checks. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { ChatEvent } from "../../src/chat/events.ts";
import { launch, type PanelBrowser, type PanelPage, type Unnumbered } from "./page.ts";

let browser: Promise<PanelBrowser> | undefined;
let open: PanelPage[] = [];

export function panelBrowser(): Promise<PanelBrowser> {
  browser ??= launch();
  return browser;
}

/** Returns a panel that got these messages. It is reused after the test, which fails if the page had an error. */
export async function panelWith(...messages: Unnumbered[]): Promise<PanelPage> {
  const panel = await (await panelBrowser()).open();
  open.push(panel);
  await panel.post(...messages);
  return panel;
}

export const events = (...list: ChatEvent[]): Unnumbered => ({ type: "events", events: list });

export const message = (panel: PanelPage): Locator => panel.page.getByRole("textbox", { name: "Message" });

export const button = (panel: PanelPage, name: string | RegExp): Locator =>
  panel.page.getByRole("button", { name, exact: true });

/** Returns the focused element's name, else its role, else its tag. */
export function focused(panel: PanelPage): Promise<string | undefined> {
  return panel.page.evaluate(() => {
    const active = document.activeElement;
    return active?.getAttribute("aria-label") ?? active?.getAttribute("role") ?? active?.tagName;
  });
}

export type Box = Pick<DOMRect, "x" | "y" | "width" | "height">;

/**
 * Returns where the elements are, all at one moment: with a call for each, the panel could scroll between them.
 * Each locator must find one element, and that must be drawn.
 */
export async function boxes<T extends Locator[]>(panel: PanelPage, ...locators: T): Promise<{ [K in keyof T]: Box }> {
  await panel.drawn();
  const elements = await Promise.all(locators.map((locator) => locator.elementHandle()));
  const found = await panel.page.evaluate(
    (all) =>
      all.map((element) => {
        const { x = 0, y = 0, width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
        return { x, y, width, height };
      }),
    elements,
  );
  for (const [at, { width, height }] of found.entries()) assert.ok(width && height, `${locators[at]} is not drawn`);
  // One for each locator.
  return found as { [K in keyof T]: Box };
}

afterEach(() => {
  const used = open;
  open = [];
  for (const panel of used) {
    assert.deepEqual(panel.errors, []);
    panel.close();
  }
});

after(async () => {
  await (await browser)?.close();
});
