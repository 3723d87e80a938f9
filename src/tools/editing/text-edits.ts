/** Edits of language services, by lines and columns, applied to a text with any line endings. Pure. */
import type { PlacedEdit, TextPlace } from "../host.ts";
import { isCrlf } from "../text/text.ts";

/** Returns undefined if two edits overlap. Insertions at one place keep their order. */
export function applyEdits(text: string, edits: readonly PlacedEdit[]): string | undefined {
  const starts = lineStarts(text);
  const offset = ({ line, character }: TextPlace) => {
    const start = starts[line] ?? text.length;
    const end = (starts[line + 1] ?? text.length + 1) - 1;
    const next = text[end - 1] === "\r" && text[end] === "\n" ? end - 1 : end;
    return Math.min(start + character, next);
  };
  const placed = edits.map((edit) => ({ from: offset(edit.from), to: offset(edit.to), text: edit.text }));
  placed.sort((a, b) => a.from - b.from || a.to - b.to);
  const crlf = isCrlf(text);
  let result = "";
  let at = 0;
  for (const { from, to, text: added } of placed) {
    if (from < at || to < from) return undefined;
    const lines = added.replaceAll(/\r\n?/g, "\n");
    result += text.slice(at, from) + (crlf ? lines.replaceAll("\n", "\r\n") : lines);
    at = to;
  }
  return result + text.slice(at);
}

/** As editors count lines: `\r\n`, `\n` and `\r` end one. */
function lineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), ({ 0: end, index }) => index + end.length)];
}
