/** Text of a model as a screen reader speaks it: whole sentences without the signs of Markdown. */
import { t } from "../../src/l10n/l10n.ts";
import type { FoundMaths } from "../drawings/maths-rules.ts";
import { openMaths, replaceMaths } from "../drawings/spoken-maths.ts";

/**
 * What may end a sentence: a mark before a space, with what closes a quotation or emphasis, an empty line, or a line
 * before the next item of a list. A colon does not.
 */
const possibleEnd = /[.!?…]["'”’»)*_`~]*(?=\s)|[。！？؟۔]|\n(?=\n|[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])/g;
/** Words whose full stop ends no sentence, as do single letters: "e.g. this", "J. Doe". */
const abbreviation =
  /(?:^|[\s("“*_])(?:e\.g|i\.e|a\.k\.a|cf|vs|approx|ca|incl|resp|fig|eq|dr|mr|mrs|ms|prof|jr|sr|[a-z])\.$/i;
/** The number of a list's item. */
const itemNumber = /(?:^|\n)[ \t]*\d{1,9}\.$/;
/** Longer words are no abbreviations. */
const longestAbbreviation = 12;

/** The mark before fenced code. Behind one of backticks there are no further ones: https://spec.commonmark.org/0.31.2/#fenced-code-blocks */
const fence = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/;

/** Replaces each block of fenced code. `isOpen`: the last one has no end, and is left out. */
function replaceCode(text: string, replace: (code: string) => string): { text: string; isOpen: boolean } {
  const lines: string[] = [];
  let code: string[] = [];
  let mark = "";
  for (const line of text.split("\n")) {
    if (mark === "") {
      mark = fence.exec(line)?.[1] ?? "";
      if (mark === "") lines.push(line);
      else code = [line];
      continue;
    }
    code.push(line);
    const end = line.trim();
    if (!end.startsWith(mark) || end !== mark.charAt(0).repeat(end.length)) continue;
    lines.push(replace(code.join("\n")));
    mark = "";
  }
  return { text: lines.join("\n"), isOpen: mark !== "" };
}

/** Returns the number of characters up to the end of the last whole sentence. */
export function endOfSentences(text: string): number {
  const { text: closed, isOpen } = replaceCode(text, (code) => "`".repeat(code.length));
  // Code has no sentences: wait for its end.
  if (isOpen) return 0;
  const masked = replaceMaths(closed, ({ raw }) => "+".repeat(raw.length));
  const open = openMaths(closed) ?? closed.length;
  const prose = masked.slice(0, open) + "+".repeat(closed.length - open);
  const last = [...prose.matchAll(possibleEnd)].findLast(({ index, 0: end }) =>
    isEnd(prose, index, index + end.length),
  );
  return last ? last.index + last[0].length : 0;
}

/** Returns the first sentence of the first line, without its full stop. */
export function firstSentence(text: string): string {
  const [line = ""] = text.split("\n", 1);
  const first = [...line.matchAll(possibleEnd)].find(({ index, 0: mark }) => isEnd(line, index, index + mark.length));
  return (first ? line.slice(0, first.index + 1) : line).replace(/\.$/, "");
}

/** `at`: of the mark; `end`: behind it and what closes around it. */
function isEnd(text: string, at: number, end: number): boolean {
  if (text[at] === "\n") return text[end] === "\n" || !text.slice(0, at).trimEnd().endsWith(":");
  if (text[at] !== ".") return true;
  // A sentence goes on in small letters: "etc. and", "3. of May". What follows may not be there yet.
  if (/^\s*(?:\p{Ll}|$)/u.test(text.slice(end, end + 4))) return false;
  const word = text.slice(Math.max(0, at - longestAbbreviation), at + 1);
  return !abbreviation.test(word) && !itemNumber.test(word);
}

/** Returns the words of Markdown. A heading, a paragraph and an item of a list each end with a mark. */
export function spokenText(markdown: string): string {
  const { text, isOpen } = replaceCode(markdown, () => "\nCode.\n");
  const lines = replaceMaths(isOpen ? `${text}\n\nCode.` : text, spokenFormula)
    .replace(/!?\[([^\][]*)\]\((?:[^()]|\([^()]*\))*\)/g, "$1")
    .split("\n");
  // Joined at the end: with each line, it would take the square of their number.
  const spoken: string[] = [];
  const endLast = () => {
    const last = spoken.pop();
    if (last !== undefined) spoken.push(withEnd(last));
  };
  let isNew = true;
  for (const line of lines) {
    const words = line
      .replace(/^[ \t]*[-*+][ \t]/, "")
      .replace(/^\[([ xX])\] /, (_, mark: string) => `${mark === " " ? t("To do:") : t("Done:")} `)
      .replace(/[*_`#>|]+|~~/g, "")
      .replace(/\s+/g, " ")
      .trim();
    if (isNew || beginsBlock.test(line)) endLast();
    isNew = words === "" || line.startsWith("#");
    // The line below the head of a table has no words.
    if (/[\p{L}\p{N}]/u.test(words)) spoken.push(words);
  }
  endLast();
  return spoken.join(" ");
}

/** Short ones in letters are said. The others are read where they are drawn. */
function spokenFormula({ tex, display }: FoundMaths): string {
  return !display && /^[\p{L}\p{N}\s.,=+<>()/-]+$/u.test(tex) ? tex : t("formula");
}

const beginsBlock = /^[ \t]*(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]/;

function withEnd(text: string): string {
  return text === "" || /[\p{P}\p{S}]$/u.test(text) ? text : `${text}.`;
}
