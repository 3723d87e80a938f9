/** Reads the arguments of a call while they are still being written. */

/**
 * The string fields of a JSON object of which only the beginning may be there. The last string is given as far as it
 * has come; fields of other types, and all that is nested, are left out. Never throws.
 */
export function partialStrings(raw: string): Record<string, string> {
  return Object.fromEntries(fieldsOf(raw));
}

function* fieldsOf(raw: string): Generator<[string, string]> {
  let at = skipSpace(raw, 0);
  if (raw[at] !== "{") return;
  at++;
  for (;;) {
    at = skipSpace(raw, at);
    if (raw[at] === ",") at = skipSpace(raw, at + 1);
    if (raw[at] !== '"') return;
    const name = readString(raw, at);
    at = skipSpace(raw, name.end);
    if (!name.closed || raw[at] !== ":") return;
    at = skipSpace(raw, at + 1);
    if (raw[at] === '"') {
      const value = readString(raw, at);
      yield [name.text, value.text];
      if (!value.closed) return;
      at = value.end;
    } else {
      at = skipValue(raw, at);
    }
  }
}

function skipSpace(raw: string, at: number): number {
  while (at < raw.length && " \t\r\n".includes(raw.charAt(at))) at++;
  return at;
}

/** `at` is that of the opening quote; `end` is just behind the closing one. */
function readString(raw: string, at: number): { text: string; end: number; closed: boolean } {
  let end = at + 1;
  while (end < raw.length && raw[end] !== '"') end += raw[end] === "\\" ? 2 : 1;
  const closed = end < raw.length;
  const body = raw.slice(at + 1, Math.min(end, raw.length));
  return { text: unescapeJson(body), end: closed ? end + 1 : raw.length, closed };
}

function unescapeJson(body: string): string {
  if (!body.includes("\\")) return body;
  // An escape that is cut at the end waits for its rest, as does the first half of a surrogate pair.
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

/** Past a number, a word, an array or an object. */
function skipValue(raw: string, at: number): number {
  let depth = 0;
  while (at < raw.length) {
    const sign = raw.charAt(at);
    if (sign === '"') {
      at = readString(raw, at).end;
      continue;
    }
    if ("[{".includes(sign)) depth++;
    if ("]}".includes(sign) && --depth < 0) return at;
    if (sign === "," && depth === 0) return at;
    at++;
  }
  return at;
}
