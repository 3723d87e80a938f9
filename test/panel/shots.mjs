/**
 * Screenshots of the panel's states: `node test/panel/shots.mjs DIR [STATE…]` writes STATE-WIDTH-THEME.png into DIR.
 */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { now } from "./fixtures.ts";
import { launch } from "./page.ts";
import { states } from "./states.ts";

const [directory = "out/shots", ...names] = process.argv.slice(2);
const widths = [320, 480];
/** @type {import("./page.ts").Theme[]} */
const themes = ["dark", "light", "hc", "hcl"];

await mkdir(directory, { recursive: true });
const browser = await launch();
try {
  for (const [name, state] of Object.entries(states)) {
    if (names.length > 0 && !names.includes(name)) continue;
    for (const [width, theme] of widths.flatMap((width) =>
      themes.map((theme) => /** @type {const} */ ([width, theme])),
    )) {
      const panel = await browser.open({ theme, width });
      await panel.page.clock.setFixedTime(now);
      await panel.post(...state.messages);
      await state.act?.(panel.page, panel);
      await panel.page.screenshot({ path: path.join(directory, `${name}-${width}-${theme}.png`) });
      for (const error of panel.errors) console.error(`${name}: ${error}`);
      panel.close();
    }
  }
} finally {
  await browser.close();
}
