/** Fills in the first page, which the build has made (`webview/first-page`). */

interface PagePlace {
  /** What the content security policy calls the place of Rondo's files. */
  source: string;
  /** Address of the folder of Rondo's files. */
  dist: string;
  language: string;
  /** Allows the page's own script, and the one that it adds. */
  nonce: string;
}

export function pageHtml(template: string, place: PagePlace): string {
  return Object.entries(place).reduce((page, [name, text]) => page.replaceAll(`{{${name}}}`, () => text), template);
}
