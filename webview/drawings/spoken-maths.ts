/** Formulas in Markdown, for speech: their source is nothing to be listened to. */
import { type FoundMaths, inlineMaths, longestMaths } from "./maths-rules.ts";

/** More in one text stay as they are written, so that the time is linear in the text. */
const mostCandidates = 500;

/** Replaces the formulas of a text, but for those in code. */
export function replaceMaths(markdown: string, replace: (formula: FoundMaths) => string): string {
  let replaced = "";
  let from = 0;
  let candidates = 0;
  for (const { index, 0: sign } of markdown.matchAll(/`+|\$|\\[([]/g)) {
    if (index < from) continue;
    if (candidates++ > mostCandidates) break;
    if (sign.startsWith("`")) {
      const end = markdown.indexOf(sign, index + sign.length);
      if (end < 0) continue;
      replaced += markdown.slice(from, end + sign.length);
      from = end + sign.length;
      continue;
    }
    const found = inlineMaths(markdown.slice(index), markdown.slice(Math.max(0, index - 2), index));
    if (!found) continue;
    replaced += markdown.slice(from, index) + replace(found);
    from = index + found.raw.length;
  }
  return replaced + markdown.slice(from);
}

/** Returns where a formula begins, alone on its lines, whose end has not come yet; undefined: nowhere. */
export function openMaths(text: string): number | undefined {
  const open = /(?<=^|\n) {0,3}(?:\$\$|\\\[)(?:(?!\n[ \t]*\n|\$\$|\\\])[\s\S])*$/g;
  open.lastIndex = Math.max(0, text.length - longestMaths);
  return open.exec(text)?.index;
}
