/** Which paths a rule that denies or asks covers (spec T8). Pure. */
import { pathWildcardMatcher, type TextMatcher, wildcardOverlaps } from "../../tools/text/wildcard.ts";

/**
 * Compiles a pattern of paths: `*` is any characters, `?` one, `**` and a slash also nothing. What it names includes
 * everything below. Names are compared without letter case, as protected names are; each is relative to its workspace
 * folder, absolute, or begins with `~`.
 */
export function restrictedPath(pattern: string): TextMatcher {
  const matcher = pathWildcardMatcher(plainPattern(pattern));
  return (name) => matcher(plainName(name));
}

/** Stand for unknown text in the name of a path, with and without `/`. */
const unknownText = "…";
const holes = { any: unknownText, name: "‥" };

/** Whether a pattern of `restrictedPath` covers the name with some text for what is unknown. May err on that side. */
export function mayCoverPath(pattern: string, name: string): boolean {
  const plain = plainPattern(pattern);
  // Each name has a slash before its first part.
  const begun = ["*/", ""].map((begin) => plain.replace(/^\*\*\//, begin).replaceAll("**/", "*"));
  const text = name.startsWith(unknownText) ? folded(name) : plainName(name);
  return begun.some((each) => [each, `${each}/*`].some((one) => wildcardOverlaps(one, text, holes)));
}

/** Takes away what names the same files: `./`, `..`, double and final slashes, and the stars below a folder. */
function plainPattern(pattern: string): string {
  const names: string[] = [];
  const slashed = folded(pattern);
  for (const name of slashed.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === ".." && names.length > 0 && !/[*?]|^\.\.$/.test(names.at(-1) ?? "")) names.pop();
    else names.push(name);
  }
  while (names.length > 1 && /^\*+$/.test(names.at(-1) ?? "")) names.pop();
  // The root and the workspace folder have no name of their own.
  if (names.length === 0 && slashed !== "") return slashed.startsWith("/") ? "/*" : "./*";
  const joined = names.join("/");
  if (slashed.startsWith("/")) return `/${joined}`;
  return /^([*~]|[a-z]:)/.test(joined) ? joined : `./${joined}`;
}

function plainName(name: string): string {
  const plain = folded(name).replace(/(?<=[^/]|^\/)\/+$/, "");
  return /^([/~]|[a-z]:)/.test(plain) ? plain : `./${plain}`;
}

function folded(text: string): string {
  return text.replaceAll("\\", "/").normalize("NFC").toLowerCase();
}
