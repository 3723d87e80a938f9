/** Parses shell commands with the grammar of tree-sitter-bash. What it cannot surely read is not read at all. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Language, Parser, type Tree, type TreeCursor } from "web-tree-sitter";

/** A node of the syntax tree, copied out of the parser's memory. */
export interface Syntax {
  /** The grammar's name for it; of a token the token itself: `&&`. */
  type: string;
  /** As it was written. */
  text: string;
  /** In the command, in UTF-16 units. */
  start: number;
  end: number;
  /** Not a mere token. */
  named: boolean;
  children: Syntax[];
}

export interface Grammar {
  /** @returns undefined when the text is not surely a command: it has errors, is too long, too deep or takes too long */
  parse(command: string): Syntax | undefined;
}

const longest = 50_000;
const deepest = 150;
/** ms */
const patience = 100;

/** Takes some ten milliseconds, and a few megabytes: to be called once. */
export async function loadGrammar(): Promise<Grammar> {
  const files = grammarFiles();
  await Parser.init({ wasmBinary: await readFile(files.runtime) });
  const parser = new Parser();
  parser.setLanguage(await Language.load(await readFile(files.bash)));
  return { parse: (command) => parse(parser, command) };
}

/** Beside the bundle, or where npm put them. */
function grammarFiles(): { runtime: string; bash: string } {
  const here = fileURLToPath(import.meta.url);
  const beside = (name: string) => path.join(path.dirname(here), name);
  if (existsSync(beside("tree-sitter-bash.wasm"))) {
    return { runtime: beside("web-tree-sitter.wasm"), bash: beside("tree-sitter-bash.wasm") };
  }
  const { resolve } = createRequire(here);
  return {
    runtime: resolve("web-tree-sitter/web-tree-sitter.wasm"),
    bash: resolve("tree-sitter-bash/tree-sitter-bash.wasm"),
  };
}

function parse(parser: Parser, command: string): Syntax | undefined {
  if (command.length > longest) return undefined;
  const end = performance.now() + patience;
  const tree = parser.parse(command, null, { progressCallback: () => performance.now() > end });
  if (!tree) {
    // Else the next text would be taken for the rest of this one.
    parser.reset();
    return undefined;
  }
  try {
    return tree.rootNode.hasError ? undefined : copyOf(tree, command);
  } finally {
    tree.delete();
  }
}

function copyOf(tree: Tree, command: string): Syntax | undefined {
  const cursor = tree.walk();
  try {
    const copy = copyNode(cursor, command, 0);
    // What the grammar takes for blank before and after all commands is no node of its own.
    return copy && isBlank(command.slice(0, copy.start)) && isBlank(command.slice(copy.end)) ? copy : undefined;
  } finally {
    cursor.delete();
  }
}

function copyNode(cursor: TreeCursor, command: string, depth: number): Syntax | undefined {
  if (depth > deepest) return undefined;
  const { nodeType: type, startIndex: start, endIndex: end } = cursor;
  const node: Syntax = { type, start, end, text: command.slice(start, end), named: cursor.nodeIsNamed, children: [] };
  // A line that only begins with the delimiter does not end a here-document, nor does a `#` in a word begin a comment.
  if (type === "heredoc_end" && /[^\n]/.test(command.charAt(end))) return undefined;
  if (type === "comment" && /[^\s;&|(){}`]/.test(command.charAt(start - 1))) return undefined;
  if (!cursor.gotoFirstChild()) return node;
  const isGap = gapOf(type);
  let at = start;
  do {
    const child = copyNode(cursor, command, depth + 1);
    if (!child || !isGap(command.slice(at, child.start))) return undefined;
    const before = node.children.at(-1);
    if (before && at === child.start && isSplit(before, child, type)) return undefined;
    node.children.push(child);
    at = child.end;
  } while (cursor.gotoNextSibling());
  cursor.gotoParent();
  return isGap(command.slice(at, end)) ? node : undefined;
}

/** Whether the grammar takes one word for two, as it does `a$"b"`. */
function isSplit(one: Syntax, other: Syntax, parent: string): boolean {
  return (
    words.has(one.type) &&
    words.has(other.type) &&
    !/^(concatenation|simple_expansion)$/.test(parent) &&
    !texts.has(parent)
  );
}

const words = new Set([
  ...[
    "word",
    "command_name",
    "number",
    "string",
    "raw_string",
    "ansi_c_string",
    "translated_string",
    "concatenation",
    "$",
  ],
  ...["simple_expansion", "expansion", "command_substitution", "process_substitution", "arithmetic_expansion"],
  ...["brace_expression", "extglob_pattern", "variable_name", "variable_assignment", "array"],
]);

/** What may stand between the children of a node: else the grammar has overlooked something. */
function gapOf(type: string): (text: string) => boolean {
  if (texts.has(type)) return () => true;
  return lines.has(type) ? isBlankInLine : isBlank;
}

/** What stands between their children counts, and is looked at by who reads them. */
const texts = new Set(["string", "heredoc_body", "expansion", "regex", "extglob_pattern"]);

/** In these an end of the line ends the command, whatever the grammar makes of it. */
const lines = new Set([
  ...["command", "redirected_statement", "file_redirect", "herestring_redirect", "negated_command", "concatenation"],
  ...["variable_assignment", "variable_assignments", "declaration_command", "unset_command"],
]);

function isBlankInLine(text: string): boolean {
  return /^(?:[ \t]|\\\n)*$/.test(text);
}

/** Nothing that a shell would read: blanks, ends of lines, lines that go on. */
function isBlank(text: string): boolean {
  return /^(?:[ \t\n]|\\\n)*$/.test(text);
}
