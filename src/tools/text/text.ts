/** Lines and their endings. Pure. */

/** Splits a text at `\n` or `\r\n`. A final line end begins no further line. */
export function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}

export function countLines(text: string): number {
  const ends = countEnds(text, text.length);
  return text === "" || text.endsWith("\n") ? ends : ends + 1;
}

/** Returns the line, from 1, that contains the character at `index`. */
export function lineAt(text: string, index: number): number {
  return countEnds(text, index) + 1;
}

function countEnds(text: string, before: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < before; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Formats a line for the model: its number in six columns, a tab, its text. */
export function numbered(line: string, number: number): string {
  return `${String(number).padStart(6)}\t${line}`;
}

/** Returns the first `length` characters, without splitting a surrogate pair. */
export function headOf(text: string, length: number): string {
  return text.slice(0, isSplit(text, length) ? length - 1 : length);
}

/** Returns the last `length` characters, without splitting a surrogate pair. */
export function tailOf(text: string, length: number): string {
  const from = Math.max(0, text.length - length);
  return text.slice(isSplit(text, from) ? from + 1 : from);
}

/** Whether `index` is between the halves of a surrogate pair. */
export function isSplit(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length) return false;
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
}

export function cutLine(line: string, length: number): string {
  return line.length <= length ? line : `${headOf(line, length)}… (line cut; it has ${line.length} characters)`;
}

/** Returns "1 line", "312 lines". */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}

/** `indexIn` maps an index in the result to `text`; a line end maps to the start of its two characters. */
export function withLineFeeds(text: string): { lf: string; indexIn(lfIndex: number): number } {
  if (!text.includes("\r\n")) return { lf: text, indexIn: (index) => index };
  const lf = text.replaceAll("\r\n", "\n");
  /** The indices in `lf` of the line ends that are two characters in `text`. */
  const doubles: number[] = [];
  for (let at = text.indexOf("\r\n"); at >= 0; at = text.indexOf("\r\n", at + 2)) doubles.push(at - doubles.length);
  const doublesBefore = (index: number): number => {
    let low = 0;
    let high = doubles.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((doubles[middle] ?? index) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return { lf, indexIn: (index) => index + doublesBefore(index) };
}

/** Returns the line ending at `index`: that of its own line, else of the line before it. */
export function endingAround(text: string, index: number): "\n" | "\r\n" {
  const next = text.indexOf("\n", index);
  const end = next >= 0 ? next : text.lastIndexOf("\n", index - 1);
  return end > 0 && text[end - 1] === "\r" ? "\r\n" : "\n";
}

/** Whether every line of `text` ends with `\r\n`. */
export function isCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
}

/** Number of characters compared at once, which is faster than one by one. */
const block = 4_096;

export function commonHead(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let count = 0;
  while (count + block <= end && a.slice(count, count + block) === b.slice(count, count + block)) count += block;
  while (count < end && a.charCodeAt(count) === b.charCodeAt(count)) count++;
  return count;
}

/** Ignores the first `head` characters. */
export function commonTail(a: string, b: string, head: number): number {
  const end = Math.min(a.length, b.length) - head;
  const blockOf = (text: string) => text.slice(text.length - count - block, text.length - count);
  let count = 0;
  while (count + block <= end && blockOf(a) === blockOf(b)) count += block;
  while (count < end && a.charCodeAt(a.length - 1 - count) === b.charCodeAt(b.length - 1 - count)) count++;
  return count;
}

/** Returns up to `limit` indices of `part`, which is not empty. With a step of 1 they may overlap. */
export function occurrences(text: string, part: string, step = 1, limit = Number.POSITIVE_INFINITY): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0 && places.length < limit; at = text.indexOf(part, at + step))
    places.push(at);
  return places;
}
