/** Accessibility of the panel and of Rondo's other pages: each is a frame in a frame of the workbench's page. */
import axe from "axe-core";
import type { Frame } from "playwright-core";

/**
 * Returns axe's serious and critical findings in a frame, one per line, with another if axe saw no text there. axe runs
 * in that frame alone: its runner for all frames of a page leaves out those that do not answer within a second.
 */
export async function seriousFindings(frame: Frame): Promise<string[]> {
  await frame.evaluate(axe.source);
  const { violations, passes } = await frame.evaluate(() => window.axe.run(document));
  const findings = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
  const seen = [...violations, ...passes].some(({ id, nodes }) => id === "color-contrast" && nodes.length > 0);
  return seen ? findings : [...findings, "no text was seen"];
}
