/** Words of a command after the shell's expansions, as far as these are known before it runs. */
import type { SyntaxNode } from "./grammar.ts";
import { escaped, expandBraces, holdsMark, isWild, marks, unescaped } from "./pattern.ts";

export interface ShellWord {
  text: string;
  /** Patterns (pattern.ts), each value matches one; for words whose values are not known. */
  shapes: readonly string[];
  /** Possible values: one for a literal, several for a loop variable; undefined: anything. */
  values: readonly string[] | undefined;
  /** Whether the values contain wildcards that the shell replaces by file names. */
  isGlob: boolean;
}

/** A part that cannot be read with certainty. Caught by the statement around it, whose text is then reported. */
export class UnsupportedSyntax extends Error {
  override readonly name = "UnsupportedSyntax";
}

/** What is known about the variables and substitutions in a word. */
export interface KnownState {
  values(name: string): ShellWord["values"];
  shapes(name: string): readonly string[];
  /** Returns the only possible output of a substitution, and patterns for its words. */
  output(node: SyntaxNode): Pick<WordPiece, "values" | "shapes">;
}

interface WordPiece {
  values: ShellWord["values"];
  quoted: boolean;
  /** Patterns, if these differ from the values. */
  shapes?: readonly string[] | undefined;
}

/** A word with more values may be anything. */
const maxValues = 16;

/** @throws UnsupportedSyntax for words that shells read differently */
export function readWord(node: SyntaxNode, known: KnownState): ShellWord {
  const pieces = piecesOf(node, known);
  const { text } = node;
  const bare = pieces.map(({ quoted, values }) => (quoted ? "''" : (values?.[0] ?? "''"))).join("");
  const shapes = shapesOf(pieces);
  const braces = bare.includes("{") ? bare.slice(bare.indexOf("{"), bare.lastIndexOf("}") + 1) : "";
  // The shell would expand it to several words: `{a,b}`, `{1..3}`.
  if (/,|\.\./.test(braces)) return { text, values: undefined, isGlob: false, shapes };
  const globs = pieces.filter(({ values }) => values?.some((value) => /[*?[]/.test(value)));
  const isGlob = globs.some(({ quoted }) => !quoted);
  const isMixed = isGlob && globs.some(({ quoted }) => quoted);
  const values = isMixed ? undefined : product(pieces.map(({ values }) => values));
  // The variable of a loop over wildcards.
  if (!values && !isGlob && areWildcards(shapes)) return { text, values: shapes, isGlob: true, shapes };
  return { text, values, isGlob, shapes };
}

function areWildcards(shapes: readonly string[]): boolean {
  return shapes.some(isWild) && !shapes.some((shape) => holdsMark(shape) || shape.includes("\\"));
}

function shapesOf(pieces: readonly WordPiece[]): readonly string[] {
  const known = ({ values, quoted, shapes }: WordPiece) =>
    shapes ?? (quoted ? values?.map(escaped) : values) ?? [marks.any];
  const all = product(pieces.map(known))?.map(expandBraces);
  return all?.every((one) => one !== undefined) ? [...new Set(all.flat())] : [marks.any];
}

/** Whether a text has braces, with something between the first and the last that makes them expand. */
function mayExpand(text: string): boolean {
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  return start >= 0 && start < end && /,|\.\./.test(text.slice(start, end));
}

/** Returns the words that braces expand to, as in `src/{a,b}.ts`; none if a part is unknown. */
export function alternatives({ type, text }: SyntaxNode, { values, isGlob, shapes }: ShellWord): ShellWord[] {
  const isKnown = /^(word|concatenation|brace_expression)$/.test(type) && !/[$`]/.test(text) && !shapes.some(holdsMark);
  if (values || isGlob || !isKnown || !mayExpand(text)) return [];
  // An empty word is none, unless quotes stand there.
  if (shapes.includes("") && /["']/.test(text)) return [];
  const full = shapes.filter((shape) => shape !== "");
  return full.map((shape) =>
    isWild(shape) ? { text: shape, values: [shape], isGlob: true, shapes: [shape] } : literal(unescaped(shape)),
  );
}

/** Returns the words that a shell splits a variable into, as in `x="rm b"; $x`; undefined where these are not known. */
export function splitVariable(node: SyntaxNode, known: KnownState): ShellWord[] | undefined {
  if (!/^(simple_)?expansion$/.test(node.type)) return undefined;
  const [value, ...others] = variable(node, known).values ?? [];
  if (value === undefined || others.length > 0 || !/^[^*?[\\]*$/.test(value)) return undefined;
  return value
    .split(/[ \t\n]+/)
    .filter((word) => word !== "")
    .map(literal);
}

export function literal(value: string): ShellWord {
  return { text: value, values: [value], isGlob: false, shapes: [escaped(value)] };
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

export function unknown(text: string, shapes: readonly string[] = [marks.any]): ShellWord {
  return { text, values: undefined, isGlob: false, shapes };
}

function product(pieces: readonly ShellWord["values"][]): readonly string[] | undefined {
  let all: readonly string[] = [""];
  for (const values of pieces) {
    if (!values || all.length * values.length > maxValues) return undefined;
    all = all.flatMap((start) => values.map((end) => start + end));
  }
  return all;
}

/** `hasText`: whether other text stands in the same word, which is thus never empty. */
function piecesOf(node: SyntaxNode, known: KnownState, hasText = false): WordPiece[] {
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
      return stringWordPieces(node, known);
    case "concatenation":
      // A lone `$` before other text may be an expansion that the grammar does not know.
      if (!areAdjacent(node.children) || node.children.slice(0, -1).some(({ type }) => type === "$"))
        throw new UnsupportedSyntax();
      return node.children.flatMap((child) => piecesOf(child, known, hasWord(node.children)));
    case "simple_expansion":
    case "expansion": {
      // Outside of quotes, the shell splits the value into words and expands its wildcards.
      const { values, shapes } = variable(node, known);
      const isOneWord = values?.every((value) => (value !== "" || hasText) && /^[^\s*?[\\]*$/.test(value));
      if (isOneWord) return [{ values, quoted: true }];
      return [{ values: undefined, quoted: true, shapes: values?.flatMap((value) => value.split(/\s+/)) ?? shapes }];
    }
    case "process_substitution":
      return [{ values: ["/dev/fd/63"], quoted: true }];
    case "command_substitution":
      return [{ ...known.output(node), quoted: true }];
    case "arithmetic_expansion":
      return [{ values: undefined, quoted: true, shapes: [marks.number] }];
    case "brace_expression":
      return [{ values: [node.text], quoted: false }];
    case "$":
      return [{ values: ["$"], quoted: true }];
    default:
      throw new UnsupportedSyntax();
  }
}

const hasWord = (nodes: readonly SyntaxNode[]) => nodes.some(({ type }) => type === "word" || type === "number");

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

function stringWordPieces(node: SyntaxNode, known: KnownState): WordPiece[] {
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
    pieces.push({ ...expansion(child, known), quoted: true });
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

function expansion(node: SyntaxNode, known: KnownState): Pick<WordPiece, "values" | "shapes"> {
  if (node.type === "command_substitution") return known.output(node);
  return variable(node, known);
}

function variable(node: SyntaxNode, known: KnownState): Pick<WordPiece, "values" | "shapes"> {
  if (node.type === "arithmetic_expansion" || numbers.test(node.text)) {
    return { values: undefined, shapes: [marks.number] };
  }
  const name = /^\$(?:(\w+|[@*])|\{(\w+|[@*])\})$/.exec(node.text);
  const plainName = name?.[1] ?? name?.[2];
  if (plainName !== undefined) return { values: known.values(plainName), shapes: known.shapes(plainName) };
  // `${x:-.env}` may be the text in it, what the environment is likely to hold, or anything.
  const inner = node.children.filter(
    ({ type, text }) => isLiteral.test(type) && /^["']?(?:\$HOME\b|\$\{HOME\}|[\w~./*?-])+["']?$/.test(text),
  );
  const texts = inner.flatMap((child) => shapesOf(piecesOf(child, known)));
  const [own] = node.children.filter(({ type }) => type === "variable_name");
  const held = own && !known.values(own.text) ? known.shapes(own.text).filter((shape) => shape !== marks.any) : [];
  return { values: undefined, shapes: [...new Set([...held, ...texts, marks.any])] };
}

/** Variables that only hold numbers, and lengths. */
const numbers = /^\$\{?([$?#!]|PPID|BASHPID|RANDOM|SECONDS|LINENO|E?UID|#\w+)\}?$/;
const isLiteral = /^(word|string|raw_string|concatenation|simple_expansion|expansion)$/;

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
