/** Redirections and here-documents of a command. */
import { substitutions, wordOf } from "./expand.ts";
import type { SyntaxNode } from "./grammar.ts";
import type { ShellState } from "./state.ts";
import type { ShellVisitor } from "./visitor.ts";
import { holdsCode, type ShellWord, UnsupportedSyntax } from "./word.ts";

interface Redirections {
  words: ShellWord[];
  /** Statements on the first line of a here-document: `<<EOF | sh`. */
  rest: SyntaxNode[];
  /** Standard input; undefined: unknown before it runs. Of several texts, shells take the last one, or all of them. */
  input: string | undefined;
  /** The text of a here-document as it is written, although the shell may expand it. */
  data: string | undefined;
  /** Whether it reads from anything else than before. */
  changesInput: boolean;
}

export function redirections(nodes: readonly SyntaxNode[], state: ShellState, visitor: ShellVisitor): Redirections {
  const found: Redirections = { words: [], rest: [], input: undefined, data: undefined, changesInput: false };
  for (const node of nodes) {
    switch (node.type) {
      case "file_redirect":
        fileRedirect(node, state, visitor, found);
        break;
      case "herestring_redirect": {
        const children = node.children.filter(({ named }) => named);
        const [target, ...others] = children.map((child) => wordOf(child, state, visitor));
        takeInput(found, target?.values?.length === 1 ? target.values[0] : undefined);
        found.data = target?.text;
        found.words.push(...others);
        break;
      }
      case "heredoc_redirect":
        hereRedirect(node, state, visitor, found);
        break;
      default:
        found.words.push(wordOf(node, state, visitor));
    }
  }
  return found;
}

function hereRedirect(node: SyntaxNode, state: ShellState, visitor: ShellVisitor, found: Redirections): void {
  const { text, written, others, body } = hereDocument(node);
  takeInput(found, isInput(node) ? text : undefined);
  found.data = written;
  if (body) substitutions(body, state, visitor);
  for (const other of others) {
    if (other.type === "file_redirect") fileRedirect(other, state, visitor, found);
    else if (other.type.endsWith("_redirect")) throw new UnsupportedSyntax();
    else if (statement.test(other.type)) found.rest.push(other);
    else found.words.push(wordOf(other, state, visitor));
  }
}

function takeInput(found: Redirections, text: string | undefined): void {
  found.input = found.changesInput ? undefined : text;
  found.changesInput = true;
}

/** Whether the redirection is one of standard input: `<<EOF`, not `3<<EOF`. */
function isInput({ children }: SyntaxNode): boolean {
  const descriptor = children.find(({ type }) => type === "file_descriptor");
  return descriptor === undefined || descriptor.text === "0";
}

function fileRedirect(node: SyntaxNode, state: ShellState, visitor: ShellVisitor, found: Redirections): void {
  const { children } = node;
  const at = children.findIndex(({ named }) => !named);
  const operator = children[at]?.type ?? "";
  if (operator.startsWith("<") && isInput(node)) takeInput(found, undefined);
  const words = children.slice(at + 1).map((child) => wordOf(child, state, visitor));
  if (/^[<>]&-$/.test(operator)) {
    found.words.push(...words);
    return;
  }
  const [target, ...others] = words;
  if (!target) throw new UnsupportedSyntax();
  const isCopy = /^[<>]&$/.test(operator) && /^(\d+|-)$/.test(target.text);
  if (!isCopy) {
    const access = operator === "<" || operator === "<&" ? "read" : "edit";
    visitor.emit({ type: "redirect", access, target, folders: state.folders }, node);
  }
  found.words.push(...others);
}

const statement = /^(command|list|pipeline|subshell|test_command|variable_assignments?)$|_(statement|command)$/;

interface HereDocument {
  /** Standard input of the command; undefined: unknown before it runs. */
  text: string | undefined;
  written: string;
  /** The node that the shell expands; undefined for none. */
  body: SyntaxNode | undefined;
  others: SyntaxNode[];
}

/** Reads a here-document. @throws UnsupportedSyntax unless it ends at the first delimiter line, as in a shell */
function hereDocument(node: SyntaxNode): HereDocument {
  const child = (type: string) => node.children.find((one) => one.type === type);
  const [opening, body, closing] = ["heredoc_start", "heredoc_body", "heredoc_end"].map(child);
  const isIndented = child("<<-") !== undefined;
  const quoted = /^(?:'(\w+)'|"(\w+)"|\\(\w+))$/.exec(opening?.text ?? "");
  const delimiter = quoted ? (quoted[1] ?? quoted[2] ?? quoted[3]) : /^\w+$/.exec(opening?.text ?? "")?.[0];
  if (!body || !closing || delimiter === undefined) throw new UnsupportedSyntax();
  const bodyStart = body.start - node.start;
  const firstLine = node.text.indexOf("\n") + 1;
  const skipped = firstLine > 0 && firstLine <= bodyStart ? node.text.slice(firstLine, bodyStart) : "?";
  if (node.text.slice(bodyStart) !== body.text + delimiter || !(isIndented ? /^\t*$/ : /^$/).test(skipped)) {
    throw new UnsupportedSyntax();
  }
  const text = isIndented ? body.text.replace(/^\t+/gm, "") : body.text;
  if ((text !== "" && !text.endsWith("\n")) || text.split("\n").includes(delimiter)) throw new UnsupportedSyntax();
  const others = node.children.filter((one) => one.named && ![opening, body, closing].includes(one));
  if (quoted) return { text, written: text, body: undefined, others };
  let at = body.start;
  const literals: string[] = [];
  for (const child of body.children) {
    if (child.type === "heredoc_content") continue;
    literals.push(body.text.slice(at - body.start, child.start - body.start));
    at = child.end;
  }
  literals.push(body.text.slice(at - body.start));
  if (literals.some(holdsCode)) throw new UnsupportedSyntax();
  return { text: /[$`\\]/.test(text) ? undefined : text, written: text, body, others };
}
