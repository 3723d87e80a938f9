/** Corrections of common mistakes in a model's old_string. Pure. */

export interface Wording {
  from: string;
  to: string;
  /** The required position: at the end of the text, on its own lines, or anywhere. */
  at: "end" | "lines" | "anywhere";
  /** The correction, for the model; empty for none. */
  note: string;
}

/** Yields the wordings, likeliest first. Line ends are `\n`; `text` is the file's. */
export function* likelyWordings(text: string, from: string, to: string): Generator<Wording> {
  const bare = withoutNumbers(from, to);
  const base: Wording = bare ?? { from, to, at: "anywhere", note: "" };
  yield base;
  if (base.from.endsWith("\n") && !text.endsWith("\n")) {
    const by = base.to.endsWith("\n") ? base.to.slice(0, -1) : base.to;
    const note = "The file has no line end at its end, which old_string has.";
    yield { from: base.from.slice(0, -1), to: by, at: "end", note: joinNotes(base.note, note) };
  }
  const cut = withoutBlankEdges(base.from, base.to);
  if (cut) yield { ...cut, at: "lines", note: joinNotes(base.note, "Blank lines around old_string were left out.") };
  for (const plain of unescaped(base.from)) {
    const note = "old_string was escaped once too often; new_string was unescaped likewise.";
    yield { from: plain(base.from), to: plain(base.to), at: base.at, note: joinNotes(base.note, note) };
  }
}

function joinNotes(...notes: string[]): string {
  return notes.filter((note) => note !== "").join(" ");
}

const number = /^ *(\d+)[\t\u2192]/;

/** Whether the lines begin with consecutive numbers and tabs, as `read` shows them. */
export function hasLineNumbers(wanted: string): boolean {
  const numbers = withoutFinalEnd(wanted).map((line) => Number(number.exec(line)?.[1] ?? Number.NaN));
  return numbers.every((each, index) => each === (numbers[0] ?? 0) + index);
}

function withoutFinalEnd(wanted: string): string[] {
  return (wanted.endsWith("\n") ? wanted.slice(0, -1) : wanted).split("\n");
}

/** Returns undefined if only some lines of the replacement have numbers. */
function withoutNumbers(from: string, to: string): Wording | undefined {
  if (!hasLineNumbers(from)) return undefined;
  const numbered = withoutFinalEnd(to).filter((line) => number.test(line)).length;
  if (numbered > 0 && numbered < withoutFinalEnd(to).length) return undefined;
  const strip = (wanted: string) =>
    wanted
      .split("\n")
      .map((line) => line.replace(number, ""))
      .join("\n");
  return { from: strip(from), to: strip(to), at: "lines", note: "Line numbers in old_string were left out." };
}

/** Removes blank lines at the edges that both texts have. */
function withoutBlankEdges(from: string, to: string): { from: string; to: string } | undefined {
  const head = /^(?:[ \t]*\n)+/.exec(from)?.[0] ?? "";
  const end = from.slice(from.trimEnd().length);
  const tail = end.includes("\n") ? end.slice(end.indexOf("\n")) : "";
  const first = to.startsWith(head) ? head.length : 0;
  const last = to.endsWith(tail) && first + tail.length <= to.length ? tail.length : 0;
  if (first + last === 0 || from.trim() === "") return undefined;
  return { from: from.slice(first, from.length - last), to: to.slice(first, to.length - last) };
}

const kinds = ["control", "quote", "backslash", "code", "entity"] as const;
type EscapeKind = (typeof kinds)[number];

const escapes = /\\(?:([ntr])|(["'`$])|(\\)|u([0-9a-fA-F]{4}))|&(amp|lt|gt|quot|apos|#39);/g;
const controls: Record<string, string> = { n: "\n", t: "\t", r: "\r" };
const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'" };

function unescaped(from: string): ((wanted: string) => string)[] {
  const there = new Set<EscapeKind>();
  replaceEscapes(from, (kind) => void there.add(kind));
  const present = kinds.filter((kind) => there.has(kind));
  const sets = present.length > 1 ? [present, ...present.map((kind) => [kind])] : present.map((kind) => [kind]);
  return sets.map((set) => (wanted: string) => {
    const plain = replaceEscapes(wanted, (kind, text) => (set.includes(kind) ? text : undefined));
    return plain.replaceAll("\r\n", "\n");
  });
}

function replaceEscapes(wanted: string, by: (kind: EscapeKind, text: string) => string | undefined): string {
  return wanted.replace(escapes, (whole, control, quote, backslash, code, entity) => {
    if (control !== undefined) return by("control", controls[control] ?? whole) ?? whole;
    if (quote !== undefined) return by("quote", quote) ?? whole;
    if (backslash !== undefined) return by("backslash", backslash) ?? whole;
    if (code !== undefined) return by("code", String.fromCharCode(Number.parseInt(code, 16))) ?? whole;
    return by("entity", entities[entity] ?? whole) ?? whole;
  });
}
