/** Draws states of the panel in every look, and checks each look for what all screens must keep. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { CDPSession } from "playwright-core";
import { PNG } from "pngjs";
import { now } from "../panel/fixtures.ts";
import { withEnglishNames } from "../panel/in-language.ts";
import { launch, type PanelBrowser, type PanelLanguage, type PanelPage } from "../panel/page.ts";
import type { State } from "../panel/states.ts";
import { moving, vanishing } from "../panel/system-settings.ts";
import { Sheet, sizes, themes, usualSize } from "./sheet.ts";

const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Answers of all cards, as docs/panel.md names them. */
const answerNames =
  /^(Allow once|Delete once|Always( allow)?|Deny|Send|Continue|Finish this step|Stop|Answer|Next|Back|Let Rondo decide|Start building|Send comments|Build now|Keep planning|Skip|Cancel)/;

export interface Drawn {
  sheet: Sheet;
  /** Screenshots at full size, by "WIDTHxHEIGHT-THEME". */
  shots: Map<string, Buffer>;
  /** What a look violates, one sentence each. */
  faults: string[];
}

export class Studio {
  readonly #browser: PanelBrowser;
  readonly #panel: PanelPage;
  readonly #session: CDPSession;

  readonly #language: PanelLanguage;

  private constructor(browser: PanelBrowser, panel: PanelPage, session: CDPSession, language: PanelLanguage) {
    this.#language = language;
    this.#browser = browser;
    this.#panel = panel;
    this.#session = session;
  }

  static async open(language: PanelLanguage): Promise<Studio> {
    const browser = await launch("pictures", language);
    const panel = await browser.open();
    return new Studio(browser, panel, await panel.page.context().newCDPSession(panel.page), language);
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  async draw(state: State): Promise<Drawn> {
    const { page } = this.#panel;
    const drawn: Drawn = { sheet: new Sheet(), shots: new Map(), faults: [] };
    await this.#panel.load(usualSize);
    await page.clock.setFixedTime(now);
    await this.#panel.post(...state.messages);
    await state.act?.(this.#language === "en" ? page : withEnglishNames(page), this.#panel);
    // In its first moments a card ignores clicks, and its answers look otherwise.
    await page.locator(".answers.guarded").waitFor({ state: "detached" });
    // Whether something is under the pointer would depend on when the browser looks after a change of the size.
    await page.mouse.move(0, 0);
    await page.evaluate(axeSource);
    for (const size of sizes) {
      const atEnd = await page.evaluate(isAtEnd);
      await page.setViewportSize(size);
      await this.#panel.dress("dark");
      // A conversation that was followed to its end still is, however fast the sizes change.
      if (atEnd) await page.evaluate(scrollToEnd);
      let shot = await this.#settled();
      const sizeInWords = `${size.width}x${size.height}`;
      drawn.faults.push(...(await page.evaluate(hiddenParts, answerNames.source)).map((f) => `${sizeInWords}: ${f}`));
      for (const theme of themes) {
        const look = `${sizeInWords}-${theme}`;
        if (theme !== "dark") {
          await this.#panel.dress(theme);
          shot = await this.#capture();
        }
        drawn.shots.set(look, shot);
        drawn.sheet.put(PNG.sync.read(shot, { checkCRC: false }), size, theme);
        // What axe finds depends on the theme, hardly on the size: this one has everything in the least space.
        if (size !== sizes[0]) continue;
        for (const finding of await page.evaluate(graveFindings, theme === themes[0]))
          drawn.faults.push(`${look}: ${finding}`);
      }
    }
    await page.setViewportSize(usualSize);
    await this.#panel.dress("dark");
    drawn.faults.push(...(await moving(page)), ...(await vanishing(page)).map((fault) => `forced colours: ${fault}`));
    drawn.faults.push(...this.#panel.errors, ...this.#panel.strays.map((address) => `The panel asked for ${address}`));
    return drawn;
  }

  /** Takes screenshots until two are equal: fonts are loaded, and the layout has followed the size. */
  async #settled(): Promise<Buffer> {
    for (let before = await this.#capture(); ; ) {
      await this.#panel.page.evaluate(async () => {
        await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
        await document.fonts.ready;
      });
      const shot = await this.#capture();
      if (shot.equals(before)) return shot;
      before = shot;
    }
  }

  async #capture(): Promise<Buffer> {
    // Diagrams are new images in each theme.
    await this.#panel.page.evaluate(async () => {
      await Promise.allSettled([...document.images].map((image) => image.decode()));
    });
    const { data } = await this.#session.send("Page.captureScreenshot", { format: "png", optimizeForSpeed: true });
    return Buffer.from(data, "base64");
  }
}

/** Runs in the page. */
function isAtEnd(): boolean {
  const log = document.querySelector("[role=log]");
  // The start page has no rows, and is shown from its top.
  return (
    log !== null && log.querySelector("[data-row]") !== null && log.scrollHeight - log.scrollTop - log.clientHeight < 24
  );
}

/** Runs in the page. */
function scrollToEnd(): void {
  const log = document.querySelector("[role=log]");
  if (log) log.scrollTop = log.scrollHeight;
}

/** Runs in the page. Returns which answers cannot be pressed where they are, and whether the panel scrolls sideways. */
function hiddenParts(names: string): string[] {
  const faults: string[] = [];
  for (const card of document.querySelectorAll("[role=alertdialog]")) {
    const answers = [...card.querySelectorAll("button:not([role=menuitem])")].filter((button) => {
      const name = button.getAttribute("aria-label") ?? button.textContent?.trim() ?? "";
      return (new RegExp(names).test(name) || button.closest(".Buttons, .answers")) && button.checkVisibility();
    });
    if (answers.length < 2) faults.push(`a card shows ${answers.length} answers`);
    for (const button of answers) {
      const { left, top, right, bottom } = button.getBoundingClientRect();
      const corners = [
        [left + 3, top + 3],
        [right - 3, top + 3],
        [left + 3, bottom - 3],
        [right - 3, bottom - 3],
      ] as const;
      const inside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
      const free = corners.every(([x, y]) => button.contains(document.elementFromPoint(x, y)));
      if (!inside || !free) faults.push(`“${button.textContent?.trim()}” is ${inside ? "covered" : "out of sight"}`);
    }
  }
  // Where a question is open, the card shows its answers. Menus and dialogs may lie over the rest of the panel.
  for (const button of document.querySelectorAll(".Composer > .bar button")) {
    if (!button.checkVisibility()) continue;
    const { left, top, right, bottom } = button.getBoundingClientRect();
    const free = [
      [left + 2, (top + bottom) / 2],
      [right - 2, (top + bottom) / 2],
      [(left + right) / 2, bottom - 2],
    ].every(([x = 0, y = 0]) => button.contains(document.elementFromPoint(x, y)));
    const name = button.getAttribute("aria-label") ?? button.textContent;
    if (right - left < 16 || !free) faults.push(`“${name}” below the message box is cut, covered or out of sight`);
  }
  const mains = document.querySelectorAll("main, [role=main]").length;
  if (mains !== 1) faults.push(`the page has ${mains} main landmarks`);
  const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter((one) => one.checkVisibility());
  const levels = headings.map(({ tagName }) => Number(tagName.slice(1)));
  if (levels.filter((level) => level === 1).length !== 1 || levels[0] !== 1) faults.push("the first heading is no h1");
  const gap = levels.findIndex((level, i) => level > (levels[i - 1] ?? 0) + 1);
  if (gap >= 0) faults.push(`the heading “${headings[gap]?.textContent}” leaves out a level`);
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 0) faults.push(`the panel is ${over} px wider than its view`);
  return faults;
}

declare global {
  interface Window {
    axe: typeof import("axe-core");
  }
}

/** Runs in the page. Returns axe's serious and critical findings; `all`: of all rules, else of those about colours. */
async function graveFindings(all: boolean): Promise<string[]> {
  const { violations } = await window.axe.run(document, {
    resultTypes: ["violations"],
    selectors: false,
    ...(!all && { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } }),
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `axe: ${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
}
