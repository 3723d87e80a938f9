/** Words of a command after the shell's expansions, as far as these are known before it runs. */
import type { SyntaxNode } from "./grammar.ts";

export interface ShellWord {
  text: string;
  /** Possible values: one for a literal, several for a loop variable; undefined: anything. */
  values: readonly string[] | undefined;
  /** Whether the values contain wildcards that the shell replaces by file names. */
  isGlob: boolean;
}

/** A part that cannot be read with certainty. Caught by the statement around it, whose text is then reported. */
export class UnsupportedSyntax extends Error {
  override readonly name = "UnsupportedSyntax";
}

type ValuesOf = (name: string) => ShellWord["values"];

interface WordPiece {
  values: ShellWord["values"];
  quoted: boolean;
}

/** A word with more values may be anything. */
const maxValues = 16;

/** @throws UnsupportedSyntax for words that shells read differently */
export function readWord(node: SyntaxNode, valuesOf: ValuesOf): ShellWord {
  const pieces = piecesOf(node, valuesOf);
  const bare = pieces.map(({ quoted, values }) => (quoted ? "''" : (values?.[0] ?? "''"))).join("");
  const braces = bare.includes("{") ? bare.slice(bare.indexOf("{"), bare.lastIndexOf("}") + 1) : "";
  // The shell would expand it to several words: `{a,b}`, `{1..3}`.
  if (/,|\.\./.test(braces)) return unknown(node.text);
  const globs = pieces.filter(({ values }) => values?.some((value) => /[*?[]/.test(value)));
  const isGlob = globs.some(({ quoted }) => !quoted);
  const isMixed = isGlob && globs.some(({ quoted }) => quoted);
  return { text: node.text, values: isMixed ? undefined : product(pieces), isGlob };
}

/** Returns the words that `src/{a,b}.ts` expands to; none for anything but plain text in braces. */
export function alternatives({ type, text }: SyntaxNode): ShellWord[] {
  const [, start = "", names, end = ""] = /^([\w./-]*)\{([\w./-]+(?:,[\w./-]+)+)\}([\w./-]*)$/.exec(text) ?? [];
  if (type === "command_name" || names?.includes("..") !== false) return [];
  return names.split(",").map((name) => literal(`${start}${name}${end}`));
}

export function literal(value: string): ShellWord {
  return { text: value, values: [value], isGlob: false };
}

/** @throws UnsupportedSyntax when the word may have other values */
export function onlyValue(word: ShellWord): string {
  const value = possibleValue(word);
  if (value === undefined) throw new UnsupportedSyntax();
  return value;
}

/** Returns the one value of a word; undefined when it may have others. */
export function possibleValue({ values, isGlob }: ShellWord): string | undefined {
  return values?.length === 1 && !isGlob ? values[0] : undefined;
}

export function unknown(text: string): ShellWord {
  return { text, values: undefined, isGlob: false };
}

function product(pieces: readonly WordPiece[]): readonly string[] | undefined {
  let all: readonly string[] = [""];
  for (const { values } of pieces) {
    if (!values || all.length * values.length > maxValues) return undefined;
    all = all.flatMap((start) => values.map((end) => start + end));
  }
  return all;
}

function piecesOf(node: SyntaxNode, valuesOf: ValuesOf): WordPiece[] {
  switch (node.type) {
    case "word":
    case "number":
      return bareWordPieces(node);
    case "raw_string":
      if (!/^'[^']*'$/.test(node.text)) throw new UnsupportedSyntax();
      return [{ values: [node.text.slice(1, -1)], quoted: true }];
    case "ansi_c_string":
      return [{ values: decoded(node.text), quoted: true }];
    case "string":
      return stringWordPieces(node, valuesOf);
    case "concatenation":
      // A lone `$` before other text may be an expansion that the grammar does not know.
      if (!areAdjacent(node.children) || node.children.slice(0, -1).some(({ type }) => type === "$"))
        throw new UnsupportedSyntax();
      return node.children.flatMap((child) => piecesOf(child, valuesOf));
    case "simple_expansion":
    case "expansion": {
      // Outside of quotes, the shell splits the value into words and expands its wildcards.
      const values = variable(node, valuesOf);
      const isOneWord = values?.every((value) => /^[^\s*?[\\]+$/.test(value));
      return [{ values: isOneWord ? values : undefined, quoted: true }];
    }
    case "process_substitution":
      return [{ values: ["/dev/fd/63"], quoted: true }];
    case "command_substitution":
    case "arithmetic_expansion":
    case "brace_expression":
      return [{ values: undefined, quoted: false }];
    case "$":
      return [{ values: ["$"], quoted: true }];
    default:
      throw new UnsupportedSyntax();
  }
}

function areAdjacent(nodes: readonly SyntaxNode[]): boolean {
  return nodes.every((node, index) => index === 0 || nodes[index - 1]?.end === node.start);
}

/** Characters that may occur in a word outside quotes, without lookalikes of others. */
const plain =
  /^[A-Za-z0-9_\-./:,+@%^~*?[\]={}!#\u00a1-\u1fff\u2c00-\u2fff\u3001-\u3163\u3165-\ud7ff\ue000-\ufdcf\ufdf0-\ufdff]*$/;

function bareWordPieces({ text }: SyntaxNode): WordPiece[] {
  // `=ls` is a path in zsh.
  if (text.startsWith("=") || recalls(text) || !plain.test(text.replace(/\\[^\n]/g, ""))) throw new UnsupportedSyntax();
  const parts = [...text.matchAll(/\\(.)|[^\\]+/g)];
  return parts.map(([bare, escaped]) => ({ values: [escaped ?? bare], quoted: escaped !== undefined }));
}

function stringWordPieces(node: SyntaxNode, valuesOf: ValuesOf): WordPiece[] {
  const pieces: WordPiece[] = [];
  const { children, text, start } = node;
  const opening = children[0]?.text;
  if (opening !== '"' || children.at(-1)?.text !== '"') throw new UnsupportedSyntax();
  let at = 1;
  const literalUntil = (end: number) => {
    const written = text.slice(at, end);
    if (holdsCode(written) || recalls(written) || /^(?:[^\\"]|\\.)*"/s.test(written)) throw new UnsupportedSyntax();
    pieces.push({ values: [written.replace(/\\(["\\$`])/g, "$1").replace(/\\\n/g, "")], quoted: true });
  };
  for (const child of children.slice(1, -1)) {
    if (!expansions.has(child.type)) continue;
    literalUntil(child.start - start);
    const values = child.type.endsWith("expansion") ? variable(child, valuesOf) : undefined;
    pieces.push({ values, quoted: true });
    at = child.end - start;
  }
  literalUntil(text.length - 1);
  return pieces;
}

/** Whether literal text contains the start of a substitution that the grammar overlooked. */
export function holdsCode(text: string): boolean {
  return /`|\$[({[]/.test(text.replace(/\\./gs, ""));
}

/** Whether an interactive shell would replace it with an earlier command: `!rm`. */
function recalls(text: string): boolean {
  return /![^\s=(]/.test(text);
}

const expansions = new Set(["simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"]);

function variable({ type, text }: SyntaxNode, valuesOf: ValuesOf): readonly string[] | undefined {
  if (type === "arithmetic_expansion") return undefined;
  const name = /^\$(?:(\w+)|\{(\w+)\})$/.exec(text);
  return name ? valuesOf(name[1] ?? name[2] ?? "") : undefined;
}

const escapes = new Map(
  Object.entries({ n: "\n", t: "\t", r: "\r", a: "\u0007", b: "\b", e: "\u001b", E: "\u001b", f: "\f", v: "\v" }),
);

/** Decodes `$'…'`; undefined when shells disagree about it. */
function decoded(text: string): readonly string[] | undefined {
  if (!/^\$'(?:[^'\\]|\\.)*'$/s.test(text)) throw new UnsupportedSyntax();
  let known = true;
  const value = text.slice(2, -1).replace(/\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|u[0-9a-fA-F]{4}|.)/gs, (_, code: string) => {
    const number = /^[xu]./.test(code) ? Number.parseInt(code.slice(1), 16) : Number.parseInt(code, 8);
    if (number > 0 && (number < 128 || code.startsWith("u"))) return String.fromCharCode(number);
    const one = /^[\\'"?]$/.test(code) ? code : escapes.get(code);
    known &&= one !== undefined;
    return one ?? "";
  });
  return known ? [value] : undefined;
}

/** Quotes a value where needed, so that the text reads as one word. */
export function written(value: string): string {
  return /^[\w\-./:,+@%^~*?[\]=!#{}\u00a1-\uffff]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

/** Whether the text contains control, invisible or direction characters, which make it look like another text. */
export function hasConfusableChars(text: string): boolean {
  // Parts of emojis, which are supported only in quotes.
  const rest = text.replace(/[ \t\n]|\u200d|\ufe0f/g, "");
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(rest)) return true;
  // The grammar splits a word that continues on the next line.
  return /\S\\\n/.test(text);
}
