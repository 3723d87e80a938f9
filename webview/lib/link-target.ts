/** What an address in a reply stands for. */
type Target = { type: "web"; url: string } | { type: "file"; path: string; line: number | undefined };

const web = /^(?:https?:\/\/|mailto:)/i;
/** Of two letters at least, since `C:` is a drive; `cart.ts:12` is a place in a file. */
const scheme = /^[a-z][a-z0-9+.-]+:(?!\d+(?::\d+)?$)/i;
const place = /(?:#L|:)(\d+)(?:[-:]L?\d+)?$/;

/** The web, or a file of the workspace. Undefined: nothing that may be opened. */
export function target(href: string): Target | undefined {
  if (web.test(href)) return { type: "web", url: href };
  if (scheme.test(href) || /^(?:\/\/|#|\s*$)/.test(href)) return undefined;
  const at = place.exec(href);
  const path = at ? href.slice(0, at.index) : href.replace(/#.*$/, "");
  return { type: "file", path: decode(path), line: at ? Number(at[1]) : undefined };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // A lone per cent sign: the path is meant as it stands.
    return path;
  }
}
