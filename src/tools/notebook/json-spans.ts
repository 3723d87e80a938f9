/** Where the values of a JSON text stand in it, so that one can be changed and no byte of the others. Pure. */

export interface Span {
  start: number;
  end: number;
}

/** The values of an object's members; of a name that is there twice, the last, as `JSON.parse` has it. `json` is valid. */
export function membersOf(json: string, { start }: Span): Map<string, Span> {
  const members = new Map<string, Span>();
  let at = skipSpace(json, start + 1);
  while (json[at] !== "}") {
    const key = { start: at, end: endOf(json, at) };
    const value = skipSpace(json, skipSpace(json, key.end) + 1);
    const end = endOf(json, value);
    // A member's name is a JSON string.
    members.set(String(JSON.parse(json.slice(key.start, key.end))), { start: value, end });
    at = skipComma(json, end);
  }
  return members;
}

/** `json` is valid. */
export function elementsOf(json: string, { start }: Span): Span[] {
  const elements: Span[] = [];
  let at = skipSpace(json, start + 1);
  while (json[at] !== "]") {
    const end = endOf(json, at);
    elements.push({ start: at, end });
    at = skipComma(json, end);
  }
  return elements;
}

export function rootOf(json: string): Span {
  const start = skipSpace(json, 0);
  return { start, end: endOf(json, start) };
}

function skipComma(json: string, index: number): number {
  const at = skipSpace(json, index);
  return json[at] === "," ? skipSpace(json, at + 1) : at;
}

function skipSpace(json: string, index: number): number {
  let at = index;
  while (json[at] === " " || json[at] === "\n" || json[at] === "\r" || json[at] === "\t") at++;
  return at;
}

/** Where the value that begins at `start` ends. */
function endOf(json: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const character = json[at];
    if (character === '"') at = endOfString(json, at);
    else if (character === "{" || character === "[") {
      depth++;
      at++;
    } else if (character === "}" || character === "]") {
      depth--;
      at++;
    } else if (depth > 0) at++;
    else at = endOfWord(json, at);
  } while (depth > 0 && at < json.length);
  return at;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** Of a number, or true, false, null. */
function endOfWord(json: string, start: number): number {
  const word = /[\w.+-]*/y;
  word.lastIndex = start;
  return start + Math.max(1, word.exec(json)?.[0].length ?? 1);
}
