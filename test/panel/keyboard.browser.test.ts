/** The panel by keyboard alone: every control can be reached and pressed, and the focus never falls to the page's body. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { button, events, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { states } from "./states.ts";

/** Most stops of the Tab key on one screen. */
const mostStops = 80;

/** Runs in the page. Returns the focused element as people know it; empty for none. */
function focusedControl(): string {
  const active = document.activeElement;
  if (!active || active === document.body) return "";
  const words = active.getAttribute("aria-label") ?? active.getAttribute("title") ?? active.textContent ?? "";
  return `${active.getAttribute("role") ?? active.tagName.toLowerCase()} ${words.trim().replace(/\s+/g, " ").slice(0, 60)}`;
}

const settled = (page: Page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 4; frame++) await new Promise((drawn) => requestAnimationFrame(drawn));
  });

/** Makes the next Tab begin at the first control. A menu that closes for it gives the focus back, so this is done again. */
async function toTheTop(page: Page): Promise<void> {
  for (let time = 0; time < 2; time++) {
    await page.evaluate(() => {
      document.body.tabIndex = -1;
      document.body.focus();
      document.body.removeAttribute("tabindex");
    });
    await settled(page);
  }
}

interface Stop {
  name: string;
  /** Its place among all elements. */
  place: number;
}

/** Returns the stops of the Tab key in order, from the top of the page. */
async function stopsOf(page: Page): Promise<Stop[]> {
  const stops: Stop[] = [];
  await toTheTop(page);
  for (let at = 0; at < mostStops; at++) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(focusedControl);
    // After the last one the focus leaves the page.
    if (name === "") break;
    const place = await page.evaluate(() =>
      [...document.querySelectorAll("*")].findIndex((one) => one.matches(":focus")),
    );
    stops.push({ name, place });
  }
  return stops;
}

/** Runs in the page. Returns all that is shown, with what is written into fields. */
function shown(): string {
  const fields = [...document.querySelectorAll("textarea, input")];
  const written = fields.map((one) =>
    one instanceof HTMLInputElement && one.checked ? "checked" : "value" in one && one.value,
  );
  return [document.body.outerHTML, ...written].join("\n");
}

/** Controls that were pressed in an earlier state. */
const pressed = new Set<string>();

describe("keyboard alone", () => {
  for (const [name, state] of Object.entries(states)) {
    // Its thousand rows are those of others.
    if (name === "review-thousand" || name === "review-sixty" || name === "long") continue;
    it(`keeps the focus on every screen, whatever is pressed: ${name}`, async () => {
      const panel = await panelWith(...state.messages);
      const { page } = panel;
      await state.act?.(page, panel);
      const stops = await stopsOf(page);
      assert.ok(
        stops.length > 1 && stops.length < mostStops,
        `${stops.length} stops: ${stops.map(({ name }) => name).join(" · ")}`,
      );
      let before: string | undefined;
      for (const { name, place } of stops) {
        if (pressed.has(name)) continue;
        pressed.add(name);
        // Loading the panel takes longer than all else, and is needed only where the last control changed what it shows.
        if (before === undefined || (await page.evaluate(shown)) !== before) {
          await panel.load({});
          await panel.post(...state.messages);
          await state.act?.(page, panel);
          before = await page.evaluate(shown);
        }
        await page.evaluate((place) => {
          const control = document.querySelectorAll("*")[place];
          if (control instanceof HTMLElement) control.focus();
        }, place);
        // Another state may have drawn other stops meanwhile, for example after a countdown.
        if ((await page.evaluate(focusedControl)) !== name) continue;
        for (const key of ["Enter", "Escape"]) {
          await page.keyboard.press(key);
          await settled(page);
          const kept = await page.waitForFunction(focusedControl, undefined, { timeout: 5000 }).catch(() => undefined);
          assert.ok(kept, `${key} on “${name}” drops the focus`);
        }
      }
    });
  }

  it("keeps the focus when the host takes away what has it", async () => {
    const queue = [f.waiting("q1", "First"), f.waiting("q2", "Second")];
    const busy = { type: "busy", since: f.now } as const;
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy, queue })));
    const stays = async (left: typeof queue) => {
      await panel.post(events({ type: "queued", queue: left }));
      await settled(panel.page);
      return await panel.page.evaluate(focusedControl);
    };
    await button(panel, "Withdraw").first().focus();
    // The next row, else the message box.
    assert.match(await stays(queue.slice(1)), /^button /);
    assert.equal(await stays([]), "textarea Message");
  });

  it("leaves a click beside all controls alone", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked])));
    await panel.page.getByRole("textbox", { name: "Message" }).focus();
    await panel.page.getByRole("heading", { level: 1 }).click();
    await settled(panel.page);
    assert.equal(await panel.page.evaluate(focusedControl), "");
  });
});
