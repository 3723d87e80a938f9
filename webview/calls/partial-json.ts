/** Reads the arguments of a call while the model still writes them. */

/**
 * Returns the string fields of a JSON object that may be incomplete. The last string may be cut; fields of other types
 * and nested fields are left out. Never throws.
 */
export function partialStrings(raw: string): Record<string, string> {
  return stringsAt(raw, skipSpace(raw, 0));
}

export function partialList(raw: string, name: string): Record<string, string>[] {
  for (const member of membersAt(raw, skipSpace(raw, 0))) {
    if (member.name === name && raw[member.at] === "[")
      return [...objectsAt(raw, member.at)].map((at) => stringsAt(raw, at));
  }
  return [];
}

function stringsAt(raw: string, at: number): Record<string, string> {
  const strings = [...membersAt(raw, at)].filter((member) => raw[member.at] === '"');
  // Safe for every name of a field, also `__proto__`.
  return Object.fromEntries(strings.map((member) => [member.name, readString(raw, member.at).text]));
}

/** Yields the names in the object that begins at `at`, and where each value begins. */
function* membersAt(raw: string, at: number): Generator<{ name: string; at: number }> {
  if (raw[at] !== "{") return;
  at++;
  for (;;) {
    at = skipSpace(raw, at);
    if (raw[at] === ",") at = skipSpace(raw, at + 1);
    if (raw[at] !== '"') return;
    const name = readString(raw, at);
    at = skipSpace(raw, name.end);
    if (raw[at] !== ":") return;
    at = skipSpace(raw, at + 1);
    if (at >= raw.length) return;
    yield { name: name.text, at };
    at = skipValue(raw, at);
  }
}

function* objectsAt(raw: string, at: number): Generator<number> {
  for (;;) {
    at = skipSpace(raw, at + 1);
    if (raw[at] !== "{") return;
    yield at;
    at = skipValue(raw, at);
    if (raw[at] !== ",") return;
  }
}

function skipSpace(raw: string, at: number): number {
  while (at < raw.length && " \t\r\n".includes(raw.charAt(at))) at++;
  return at;
}

/** Returns the index of the closing quote, or the end of the text. `at`: index of the opening quote. */
function closingQuote(raw: string, at: number): number {
  let end = at + 1;
  while (end < raw.length && raw[end] !== '"') end += raw[end] === "\\" ? 2 : 1;
  return Math.min(end, raw.length);
}

/** `at`: index of the opening quote; `end`: index after the closing quote. */
function readString(raw: string, at: number): { text: string; end: number } {
  const end = closingQuote(raw, at);
  return { text: unescapeJson(raw.slice(at + 1, end)), end: end + 1 };
}

function unescapeJson(body: string): string {
  if (!body.includes("\\")) return body;
  // An incomplete escape at the end, or half of a surrogate pair, waits for its rest.
  const whole = body.replace(
    /(\\u[dD][89abAB][0-9a-fA-F]{2})?\\(u[0-9a-fA-F]{0,3})?$|\\u[dD][89abAB][0-9a-fA-F]{2}$/,
    "",
  );
  return whole.replace(/\\(u[0-9a-fA-F]{4}|[^u])/gs, (_, code: string) => {
    if (code.startsWith("u")) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return plainEscapes[code] ?? code;
  });
}

const plainEscapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/** Returns the index of the comma or bracket after a value. */
function skipValue(raw: string, at: number): number {
  let depth = 0;
  while (at < raw.length) {
    const sign = raw.charAt(at);
    if (sign === '"') {
      at = closingQuote(raw, at) + 1;
      continue;
    }
    if ("[{".includes(sign)) depth++;
    if ("]}".includes(sign) && --depth < 0) return at;
    if (sign === "," && depth === 0) return at;
    at++;
  }
  return at;
}
