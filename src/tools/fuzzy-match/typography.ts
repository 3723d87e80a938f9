/** Replaces typographic characters by ASCII and composes accents (NFC), so that similar texts compare equal. Pure. */

const alike: readonly [plain: string, marks: RegExp][] = [
  ["'", /[\u2018\u2019\u201a\u201b\u2032]/g],
  ['"', /[\u201c\u201d\u201e\u201f\u2033]/g],
  ["-", /[\u2010-\u2015\u2212]/g],
  ["...", /\u2026/g],
  [" ", /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g],
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is from 0 to 127
const ascii = /^[\x00-\x7f]*$/;

export function foldTypography(text: string): string {
  if (ascii.test(text)) return text;
  return alike.reduce((folded, [plain, marks]) => folded.replace(marks, plain), text.normalize("NFC"));
}

/** Returns where the end of `line` that equals `wanted` begins; undefined if `line` does not end with it. */
export function tailStart(line: string, wanted: string, folded: boolean): number | undefined {
  if (!folded) return line.endsWith(wanted) ? line.length - wanted.length : undefined;
  const from = Math.max(0, line.length - foldedRoom(wanted));
  const { text, starts } = foldMapped(line.slice(from));
  const target = foldTypography(wanted);
  const start = starts[text.length - target.length];
  return text.endsWith(target) && start !== undefined ? from + start : undefined;
}

/** Returns where the start of `line` that equals `wanted` ends; undefined if `line` does not start with it. */
export function headEnd(line: string, wanted: string, folded: boolean): number | undefined {
  if (!folded) return line.startsWith(wanted) ? wanted.length : undefined;
  const { text, starts } = foldMapped(line.slice(0, foldedRoom(wanted)));
  const target = foldTypography(wanted);
  return text.startsWith(target) ? starts[target.length] : undefined;
}

interface WantedText {
  wanted: string;
  /** The index of the character of `wanted` whose place is known. */
  offset: number;
  folded: boolean;
}

/** Returns the range of the wanted text whose known character is at `at` of `text`; undefined if it is not there. */
export function findAround(text: string, at: number, { wanted, offset, folded }: WantedText) {
  if (!folded) {
    const start = at - offset;
    return text.startsWith(wanted, start) && start >= 0 ? { start, end: start + wanted.length } : undefined;
  }
  const from = Math.max(0, at - foldedRoom(wanted.slice(0, offset)));
  const part = foldMapped(text.slice(from, at + foldedRoom(wanted)));
  const target = foldTypography(wanted);
  const first = part.starts.indexOf(at - from) - offset;
  const start = part.starts[first];
  const end = part.starts[first + target.length];
  if (start === undefined || end === undefined || !part.text.startsWith(target, first)) return undefined;
  return { start: from + start, end: from + end };
}

/** Returns the maximum length of text that folds to `wanted`: an accented letter is up to three characters. */
function foldedRoom(wanted: string): number {
  return 3 * wanted.length + 16;
}

/** `starts` maps each folded character to its index; undefined inside characters folded together. */
function foldMapped(text: string): { text: string; starts: (number | undefined)[] } {
  const starts: (number | undefined)[] = [];
  let folded = "";
  for (const { 0: letter, index } of text.matchAll(/\P{M}\p{M}*|\p{M}+/gu)) {
    const plain = foldTypography(letter);
    folded += plain;
    starts.push(index);
    for (let at = 1; at < plain.length; at++) starts.push(undefined);
  }
  starts.push(text.length);
  return { text: folded, starts };
}
