/**
 * Finds places in files in a text: `src/a.ts:25`, `src/a.ts:25:3`, `src/a.ts:12-40`, `src/a.ts(25,3)`, `src/a.ts#L25`,
 * `File "src/a.py", line 25`, `src/a.c(25):` of MSVC and PHP, and `src/a.cs:line 25` of .NET. A place begins where its line number is found: from there the path is read backwards,
 * for a limited distance, so the time is linear in the text.
 */
import { hrefOf, lastLineOf, parseLink } from "./link-target.ts";

export interface FoundPlace {
  /** Where it stands in the text. */
  start: number;
  end: number;
  /** Relative to the session's folder, in which it is. */
  path: string;
  line: number;
  /** Of a range of lines only. */
  lastLine: number | undefined;
}

/**
 * A line number behind a path, in each of its forms. Two numbers with a dash are lines, unless a column stands before
 * them: `webpack` writes `a.ts:25:3-30`.
 */
const lineNumber =
  /:(?<line>\d{1,7})(?:[-–](?<last>\d{1,7})|:\d{1,7}(?:[-–]\d{1,7})?)?(?!\w)|:line (?<dotnet>\d{1,7})(?!\w)|\((?<paren>\d{1,7})(?:,\d{1,7}\)|\)(?= ?:))|#L(?<hash>\d{1,7})(?:[-–]L?(?<hashLast>\d{1,7}))?(?!\w)|", line (?<quoted>\d{1,7})(?!\w)/g;

const longestPath = 300;
const pathCharacter = /[\p{L}\p{M}\p{N}_\-.+@$~%#/\\()[\]]/u;
const opening: Record<string, string> = { ")": "(", "]": "[" };
/** The last part of a name that is that of a file; `127.0.0.1:80` has none. */
const fileEnding = /[^./\\]\.[a-z_][\w+-]{0,11}$/i;
const wholeNames = /^(?:Makefile|Dockerfile|Justfile|Rakefile|Gemfile|Procfile|\.[a-z][\w.-]{0,30})$/;
/** A name without a folder that ends so is that of a computer, with its port. */
const hostEnding = /\.(?:com|org|net|io|dev|local|internal|localhost)$/i;

/** Returns the places in the folder `cwd`, in order. */
export function placesIn(text: string, cwd: string): FoundPlace[] {
  const found: FoundPlace[] = [];
  let from = 0;
  for (const match of text.matchAll(lineNumber)) {
    const { index, groups = {} } = match;
    const isQuoted = groups["quoted"] !== undefined;
    const start = isQuoted ? quotedStart(text, index, from) : pathStart(text, index, from);
    const path = start === undefined ? undefined : pathInside(text.slice(start, index), cwd);
    const line = Number(groups["line"] ?? groups["dotnet"] ?? groups["paren"] ?? groups["hash"] ?? groups["quoted"]);
    const lastLine = lastLineOf(line, groups["last"] ?? groups["hashLast"]);
    if (start === undefined || path === undefined || line < 1) continue;
    if (parseLink(hrefOf(path, line)) === undefined) continue;
    from = index + match[0].length;
    found.push({ start, end: from, path, line, lastLine });
  }
  return found;
}

/** Returns where the path begins that ends at `end`; undefined if none does. */
function pathStart(text: string, end: number, from: number): number | undefined {
  const least = Math.max(from, end - longestPath);
  const open: string[] = [];
  let closed = end;
  let at = end;
  for (; at > least; at--) {
    const character = text.charAt(at - 1);
    const opened = opening[character];
    if (opened) {
      open.push(opened);
      if (closed === end) closed = at;
    } else if (character === "(" || character === "[") {
      if (open.pop() !== character) break;
    } else if (!pathCharacter.test(character)) break;
  }
  // A bracket that is closed but not opened here stands before the path.
  if (open.length > 0) return closed < end ? closed : undefined;
  if (at === least && at > from) return undefined;
  // What looks like the whole path is not all of it.
  if (/\p{Cf}/u.test(text.charAt(at - 1))) return undefined;
  if (text[at - 1] === ":") return beforeColon(text, at);
  return at < end ? at : undefined;
}

/** What follows a colon is a path only after a drive of Windows, or as an address `file:`. */
function beforeColon(text: string, at: number): number | undefined {
  const before = (length: number) => text.slice(Math.max(0, at - length), at);
  if (before(5).toLowerCase() === "file:") return at - 5;
  const isDrive = /^[/\\]/.test(text.slice(at, at + 1)) && /(?<![\p{L}\p{N}])[a-z]:$/iu.test(before(3));
  if (isDrive) return before(10).slice(0, 8).toLowerCase() === "file:///" ? at - 10 : at - 2;
  return text.startsWith("//", at) ? undefined : at;
}

function quotedStart(text: string, end: number, from: number): number | undefined {
  const at = text.lastIndexOf('"', end - 1) + 1;
  const isNear = at > from && end - at <= longestPath && end > at;
  return isNear && !text.slice(at, end).includes("\n") ? at : undefined;
}

/** Returns the path relative to the folder, if it is that of a file in it. */
function pathInside(written: string, cwd: string): string | undefined {
  const path = withoutScheme(written);
  if (path === undefined) return undefined;
  const isWindows = /^[a-z]:|\\/i.test(cwd);
  const plain = isWindows ? path.replaceAll("\\", "/") : path;
  const folder = (isWindows ? cwd.replaceAll("\\", "/") : cwd).replace(/\/$/, "");
  const isAbsolute = plain.startsWith("/") || (isWindows && /^[a-z]:/i.test(plain));
  const isIn = isWindows
    ? plain.toLowerCase().startsWith(`${folder.toLowerCase()}/`)
    : plain.startsWith(`${folder}/`) && folder !== "";
  if (isAbsolute ? !isIn : /^[a-z]:/i.test(plain)) return undefined;
  const segments: string[] = [];
  for (const segment of (isAbsolute ? plain.slice(folder.length + 1) : plain).split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  const name = segments.at(-1) ?? "";
  if (segments[0] === "~" || !(fileEnding.test(name) || wholeNames.test(name))) return undefined;
  return segments.length === 1 && hostEnding.test(name) ? undefined : segments.join("/");
}

function withoutScheme(written: string): string | undefined {
  if (!/^file:/i.test(written)) return written.startsWith("//") ? undefined : written;
  try {
    // `file:///C:/a` names a drive, `file://server/a` another computer.
    const path = decodeURIComponent(/^file:\/\/(\/[^/].*)$/is.exec(written)?.[1] ?? "");
    return path === "" || /[\p{Cc}\p{Cf}]/u.test(path) ? undefined : path.replace(/^\/(?=[a-z]:)/i, "");
  } catch {
    return undefined;
  }
}
