/** The place that a link in a reply leads to. */
type ReplyLink = { type: "web"; url: string } | ({ type: "file"; path: string } & PlaceLines);

/** Lines of a file, from 1. `lastLine`: of a range only. */
export interface PlaceLines {
  line: number | undefined;
  lastLine: number | undefined;
}

const web = /^(?:https?:\/\/|mailto:)/i;
/** At least two letters, because `C:` is a drive; `cart.ts:12` is a place in a file. */
const scheme = /^[a-z][a-z0-9+.-]+:(?!\d+(?:[-–:]\d+)?$)/i;
const place = /(?:#L|:)(\d+)(?:[-–](?:L|#L)?(\d+)|:\d+)?$/;

/** Returns a web address or a file of the workspace; undefined if the link must not be opened. */
export function parseLink(href: string): ReplyLink | undefined {
  if (web.test(href)) return { type: "web", url: href };
  if (/^(?:#|\s*$)/.test(href)) return undefined;
  const at = place.exec(href);
  const path = decode(at ? href.slice(0, at.index) : href.replace(/#.*/s, ""));
  if (scheme.test(href) || scheme.test(path) || leadsAway(path)) return undefined;
  const line = at ? Number(at[1]) : undefined;
  return { type: "file", path, line, lastLine: lastLineOf(line, at?.[2]) };
}

/** Returns the last line of a range as it is written behind its first line; undefined for a single line. */
export function lastLineOf(line: number | undefined, written: string | undefined): number | undefined {
  const last = Number(written ?? 0);
  return line !== undefined && last > line ? last : undefined;
}

/** Returns the link that `parseLink` reads as this path and these lines. */
export function hrefOf(path: string, line?: number, lastLine?: number): string {
  const encoded = path.replace(/[%#:]/g, encodeURIComponent);
  if (line === undefined) return encoded;
  return lastLine === undefined ? `${encoded}:${line}` : `${encoded}:${line}-${lastLine}`;
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
