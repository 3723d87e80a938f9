/** Accessibility of the panel, which is a frame in a frame of the workbench's page. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** Returns axe's serious and critical findings, one per line, with another if axe saw no text of the panel. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const panel = new AxeBuilder({ page }).include(["iframe.webview.ready", "iframe#active-frame", "body"]);
  const { violations, passes } = await panel.analyze();
  const findings = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
  const seen = [...violations, ...passes].some(({ id, nodes }) => id === "color-contrast" && nodes.length > 0);
  return seen ? findings : [...findings, "no text was seen"];
}
