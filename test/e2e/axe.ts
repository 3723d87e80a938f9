/** What axe finds in the panel. It runs inside the panel's own frame: from outside it does not reach that. */
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import type { AxeResults, RunOptions } from "axe-core";
import type { Frame } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Serious and critical findings, a line each. Fails when axe did not look at the panel. */
export async function seriousFindings(panel: Frame): Promise<string[]> {
  await panel.evaluate(source);
  const { violations, passes } = await panel.evaluate<AxeResults, RunOptions>(
    // Runs in the page, where the line before has put axe.
    (options) => Reflect.get(globalThis, "axe").run(document, options),
    { resultTypes: ["violations", "passes"], rules: { region: { enabled: false } } },
  );
  if (!passes.some(({ id, nodes }) => id === "color-contrast" && nodes.length > 0)) {
    return ["axe saw no text in the panel"];
  }
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
}
