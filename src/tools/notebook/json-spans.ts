/** Finds the values of a JSON text, so that one can be changed without touching the others. Pure. */

export interface JsonSpan {
  start: number;
  end: number;
}

/** Returns the values of an object's members; the last of equal names, as `JSON.parse` does. `json` is valid. */
export function membersOf(json: string, { start }: JsonSpan): Map<string, JsonSpan> {
  const members = new Map<string, JsonSpan>();
  let at = skipSpace(json, start + 1);
  while (json[at] !== "}") {
    const key = { start: at, end: endOfValue(json, at) };
    const value = skipSpace(json, skipSpace(json, key.end) + 1);
    const end = endOfValue(json, value);
    // A member's name is a JSON string.
    members.set(String(JSON.parse(json.slice(key.start, key.end))), { start: value, end });
    at = skipComma(json, end);
  }
  return members;
}

export function elementsOf(json: string, { start }: JsonSpan): JsonSpan[] {
  const elements: JsonSpan[] = [];
  let at = skipSpace(json, start + 1);
  while (json[at] !== "]") {
    const end = endOfValue(json, at);
    elements.push({ start: at, end });
    at = skipComma(json, end);
  }
  return elements;
}

export function rootOf(json: string): JsonSpan {
  const start = skipSpace(json, 0);
  return { start, end: endOfValue(json, start) };
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

function endOfValue(json: string, start: number): number {
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

/** Returns the end of a number, or of true, false, null. */
function endOfWord(json: string, start: number): number {
  const word = /[\w.+-]*/y;
  word.lastIndex = start;
  return start + Math.max(1, word.exec(json)?.[0].length ?? 1);
}
