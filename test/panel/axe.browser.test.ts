/** Accessibility of each kind of screen in all four kinds of theme, wide and narrow. */
import assert from "node:assert/strict";
import AxeBuilder from "@axe-core/playwright";
import { panelWith } from "./browser.ts";
import { loopStates } from "./loop-states.ts";
import type { Theme } from "./page.ts";
import { states } from "./states.ts";
import { trustStates } from "./trust-states.ts";

const looks: [Theme, number][] = [
  ["dark", 480],
  ["light", 300],
  ["hc", 480],
  ["hcl", 300],
];

/** Left out, because their elements occur in other states. */
const left = new Set([
  "long",
  "answering",
  "error-network",
  "empty-tour",
  "empty-no-folder",
  "running",
  "restored",
  "restore-cut-off",
  "strangers",
  "growing",
  "command-hidden",
]);

describe("accessibility", () => {
  for (const [at, [name, state]] of Object.entries(states).entries()) {
    if (left.has(name)) continue;
    // Elements that all screens share are checked once.
    const some = name in loopStates || name in trustStates ? looks : looks.filter((_, look) => look % 2 === at % 2);
    it(`no serious axe findings: ${name}`, async () => {
      const panel = await panelWith(...state.messages);
      await state.act?.(panel.page);
      for (const [theme, width] of some) {
        await panel.page.setViewportSize({ width, height: 820 });
        await panel.dress(theme);
        const { violations } = await new AxeBuilder({ page: panel.page }).setLegacyMode().analyze();
        const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        assert.deepEqual(
          grave.map(({ id, nodes }) => `${theme}: ${id}: ${nodes.map((node) => node.html).join("\n")}`),
          [],
        );
        const wide = await panel.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.equal(wide, 0, "nothing scrolls sideways but code");
      }
    });
  }
});
