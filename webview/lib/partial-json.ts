/** Reads the arguments of a call while they are still being written. */

/**
 * The string fields of a JSON object of which only the beginning may be there. The last string is given as far as it
 * has come; fields of other types, and all that is nested, are left out. Never throws.
 */
export function partialStrings(raw: string): Record<string, string> {
  return stringsAt(raw, skipSpace(raw, 0));
}

/** The string fields of each object in the list `name` of such an object, the last of them as far as it has come. */
export function partialList(raw: string, name: string): Record<string, string>[] {
  for (const member of membersAt(raw, skipSpace(raw, 0))) {
    if (member.name === name && raw[member.at] === "[")
      return [...objectsAt(raw, member.at)].map((at) => stringsAt(raw, at));
  }
  return [];
}

function stringsAt(raw: string, at: number): Record<string, string> {
  const strings = [...membersAt(raw, at)].filter((member) => raw[member.at] === '"');
  // Whatever a field is called, it is one of the object's own.
  return Object.fromEntries(strings.map((member) => [member.name, readString(raw, member.at).text]));
}

/** The names in the object that begins at `at`, and where the value of each begins. */
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

/** Where the objects of the list that begins at `at` begin. */
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

/** `at` is that of the opening quote; answers with the place of the closing one, or the end of the text. */
function closingQuote(raw: string, at: number): number {
  let end = at + 1;
  while (end < raw.length && raw[end] !== '"') end += raw[end] === "\\" ? 2 : 1;
  return Math.min(end, raw.length);
}

/** `at` is that of the opening quote; `end` is just behind the closing one. */
function readString(raw: string, at: number): { text: string; end: number } {
  const end = closingQuote(raw, at);
  return { text: unescapeJson(raw.slice(at + 1, end)), end: end + 1 };
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

/** To the comma or the bracket behind a value. */
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
