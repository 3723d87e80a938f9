/** The place that a link in a reply leads to. */
type ReplyLink = { type: "web"; url: string } | { type: "file"; path: string; line: number | undefined };

const web = /^(?:https?:\/\/|mailto:)/i;
/** At least two letters, because `C:` is a drive; `cart.ts:12` is a place in a file. */
const scheme = /^[a-z][a-z0-9+.-]+:(?!\d+(?::\d+)?$)/i;
const place = /(?:#L|:)(\d+)(?:[-:]L?\d+)?$/;

/** Returns a web address or a file of the workspace; undefined if the link must not be opened. */
export function parseLink(href: string): ReplyLink | undefined {
  if (web.test(href)) return { type: "web", url: href };
  if (/^(?:#|\s*$)/.test(href)) return undefined;
  const at = place.exec(href);
  const path = decode(at ? href.slice(0, at.index) : href.replace(/#.*/s, ""));
  if (scheme.test(href) || scheme.test(path) || leadsAway(path)) return undefined;
  return { type: "file", path, line: at ? Number(at[1]) : undefined };
}

/** Returns the link that `parseLink` reads as this path and line. */
export function hrefOf(path: string, line?: number): string {
  const encoded = path.replace(/[%#:]/g, encodeURIComponent);
  return line === undefined ? encoded : `${encoded}:${line}`;
}

/** Whether Windows would look the path up on the network, which logs in to its server, or as a device. */
function leadsAway(path: string): boolean {
  return /^\s*[/\\]{2}|[\p{Cc}\p{Cf}]/u.test(path);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // A lone percent sign: the path is not encoded.
    return path;
  }
}
