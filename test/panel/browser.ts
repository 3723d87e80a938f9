/** One browser for all tests of the panel. */
import { launch, type PanelBrowser } from "./page.ts";

let browser: Promise<PanelBrowser> | undefined;

export function panelBrowser(): Promise<PanelBrowser> {
  browser ??= launch();
  return browser;
}

after(async () => {
  await (await browser)?.close();
});
