/** Fills in the first page, which the build has made (`webview/first-page`). */
import type { Bundle } from "../../l10n/l10n.ts";

interface PagePlace {
  /** What the content security policy calls the place of Rondo's files. */
  source: string;
  /** Address of the folder of Rondo's files. */
  dist: string;
  language: string;
  /** Translations, as JSON for an element that is no script. */
  texts: string;
  /** Allows the page's own script, and the one that it adds. */
  nonce: string;
}

/** Returns JSON that ends no element of a page. */
export function jsonForPage(bundle: Bundle): string {
  return JSON.stringify(bundle).replaceAll("<", "\\u003c");
}

/** Fills in `page.html`, or that of a language, which the build has drawn in that language. */
export function pageHtml(template: string, place: PagePlace): string {
  return Object.entries(place).reduce((page, [name, text]) => page.replaceAll(`{{${name}}}`, () => text), template);
}
