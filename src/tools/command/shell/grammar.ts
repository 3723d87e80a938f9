/** Parses shell commands with tree-sitter-bash, or not at all if the result is uncertain. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Language, Parser, type Tree, type TreeCursor } from "web-tree-sitter";

/** A node of the syntax tree, copied out of the parser's memory. */
export interface SyntaxNode {
  /** The grammar's name for the node; for a token, the token itself: `&&`. */
  type: string;
  text: string;
  /** Offset in the command, in UTF-16 units. */
  start: number;
  end: number;
  named: boolean;
  children: SyntaxNode[];
}

export interface Grammar {
  /** @returns undefined when the text has syntax errors, is too long, too deep or takes too long to parse */
  parse(command: string): SyntaxNode | undefined;
}

const maxLength = 50_000;
const maxDepth = 150;
/** Far above the time for any command that can be parsed, even on a busy machine. */
const timeLimitMs = 2_000;

/** Takes some ten milliseconds and a few megabytes, so call it once. */
export async function loadGrammar(): Promise<Grammar> {
  const files = grammarFiles();
  await Parser.init({ wasmBinary: await readFile(files.runtime) });
  const parser = new Parser();
  parser.setLanguage(await Language.load(await readFile(files.bash)));
  return { parse: (command) => parse(parser, command) };
}

/** Returns the files next to the bundle, or where npm installed them. */
function grammarFiles(): { runtime: string; bash: string } {
  const here = fileURLToPath(import.meta.url);
  const [bash, runtime] = ["tree-sitter-bash", "web-tree-sitter"];
  const beside = (name: string) => path.join(path.dirname(here), `${name}.wasm`);
  if (existsSync(beside(bash))) return { runtime: beside(runtime), bash: beside(bash) };
  const { resolve } = createRequire(here);
  return { runtime: resolve(`${runtime}/${runtime}.wasm`), bash: resolve(`${bash}/${bash}.wasm`) };
}

function parse(parser: Parser, command: string): SyntaxNode | undefined {
  if (command.length > maxLength) return undefined;
  const end = performance.now() + timeLimitMs;
  const tree = parser.parse(command, null, { progressCallback: () => performance.now() > end });
  if (!tree) {
    // Otherwise the next text would continue this one.
    parser.reset();
    return undefined;
  }
  try {
    return tree.rootNode.hasError ? undefined : copyOf(tree, command);
  } finally {
    tree.delete();
  }
}

function copyOf(tree: Tree, command: string): SyntaxNode | undefined {
  const cursor = tree.walk();
  try {
    const copy = copyNode(cursor, command, 0);
    // The root starts and ends with the first and last command; only white space may be outside.
    return copy && isBlank(command.slice(0, copy.start)) && isBlank(command.slice(copy.end)) ? copy : undefined;
  } finally {
    cursor.delete();
  }
}

function copyNode(cursor: TreeCursor, command: string, depth: number): SyntaxNode | undefined {
  if (depth > maxDepth) return undefined;
  const { nodeType: type, startIndex: start, endIndex: end } = cursor;
  const node: SyntaxNode = {
    type,
    start,
    end,
    text: command.slice(start, end),
    named: cursor.nodeIsNamed,
    children: [],
  };
  // A line that only begins with the delimiter does not end a here-document; a `#` inside a word starts no comment.
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

/** Whether the grammar split one word in two, as it does for `a$"b"`. */
function isSplit(one: SyntaxNode, other: SyntaxNode, parent: string): boolean {
  const isWhole = /^(concatenation|simple_expansion)$/.test(parent) || texts.has(parent);
  return !isWhole && words.has(one.type) && words.has(other.type);
}

const words = new Set(
  `word command_name number string raw_string ansi_c_string translated_string concatenation $ simple_expansion expansion
  command_substitution process_substitution arithmetic_expansion brace_expression extglob_pattern variable_name
  variable_assignment array`.split(/\s+/),
);

/** Whether a text may occur between the children of a node. The grammar has overlooked any other text. */
function gapOf(type: string): (text: string) => boolean {
  if (texts.has(type)) return () => true;
  return lines.has(type) ? (text) => /^(?:[ \t]|\\\n)*$/.test(text) : isBlank;
}

/** Nodes with text between their children. Their readers check that text. */
const texts = new Set(["string", "heredoc_body", "expansion", "regex", "extglob_pattern"]);

/** Nodes that must end with their line, even if the grammar continues. */
const lines = new Set(
  `command redirected_statement file_redirect herestring_redirect negated_command concatenation variable_assignment
  variable_assignments declaration_command unset_command`.split(/\s+/),
);

/** Whether a shell would ignore the text: blanks, line ends, continued lines. */
function isBlank(text: string): boolean {
  return /^(?:[ \t\n]|\\\n)*$/.test(text);
}
