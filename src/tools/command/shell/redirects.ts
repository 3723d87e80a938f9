import { substitutions, wordOf } from "./expand.ts";
import type { Syntax } from "./grammar.ts";
import { hereDocument } from "./here-document.ts";
import type { ShellState } from "./state.ts";
import type { Visitor } from "./visitor.ts";
import { UnsupportedSyntax, type Word } from "./word.ts";

interface Redirections {
  /** Words behind a redirection, which belong to the command. */
  words: Word[];
  /** Statements on the first line of a here-document: `<<EOF | sh`. */
  rest: Syntax[];
  /** Standard input; undefined: unknown. */
  input: string | undefined;
}

/** Visits the redirections of a command, and the code in their words. */
export function redirections(nodes: readonly Syntax[], state: ShellState, visitor: Visitor): Redirections {
  const found: Redirections = { words: [], rest: [], input: undefined };
  for (const node of nodes) {
    switch (node.type) {
      case "file_redirect":
        found.words.push(...fileRedirect(node, state, visitor));
        break;
      case "herestring_redirect": {
        const words = node.children.filter(({ named }) => named).map((child) => wordOf(child, state, visitor));
        const [target, ...others] = words;
        found.input = target?.values?.length === 1 ? target.values[0] : undefined;
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

function hereRedirect(node: Syntax, state: ShellState, visitor: Visitor, found: Redirections): void {
  const { text, others, body } = hereDocument(node);
  found.input = text;
  if (body) substitutions(body, state, visitor);
  for (const other of others) {
    if (other.type === "file_redirect") found.words.push(...fileRedirect(other, state, visitor));
    else if (other.type.endsWith("_redirect")) throw new UnsupportedSyntax();
    else if (isStatement(other)) found.rest.push(other);
    else found.words.push(wordOf(other, state, visitor));
  }
}

/** @returns the words after it */
function fileRedirect({ children }: Syntax, state: ShellState, visitor: Visitor): Word[] {
  const at = children.findIndex(({ named }) => !named);
  const operator = children[at]?.type ?? "";
  const words = children.slice(at + 1).map((child) => wordOf(child, state, visitor));
  if (/^[<>]&-$/.test(operator)) return words;
  const [target, ...others] = words;
  if (!target) throw new UnsupportedSyntax();
  const isCopy = /^[<>]&$/.test(operator) && /^(\d+|-)$/.test(target.text);
  if (!isCopy) {
    const access = operator === "<" || operator === "<&" ? "read" : "edit";
    visitor.emit({ type: "redirect", access, target, folders: state.folders });
  }
  return others;
}

function isStatement({ type }: Syntax): boolean {
  return /^(command|list|pipeline|subshell|test_command|variable_assignments?)$|_(statement|command)$/.test(type);
}
