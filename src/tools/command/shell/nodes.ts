/** Reads nodes of the syntax tree for walk.ts. */
import type { SyntaxNode } from "./grammar.ts";
import { wordsOfText } from "./outputs.ts";
import { marks } from "./pattern.ts";
import { isAssignable } from "./variables.ts";
import { UnsupportedSyntax } from "./word.ts";

/** Returns patterns for the words of a known standard input. */
export function wordsOf(input: string | undefined): readonly string[] {
  return input === undefined ? [marks.any] : wordsOfText(input);
}

export function namedChild({ children }: SyntaxNode, index: number): SyntaxNode {
  const child = children.filter(({ named }) => named)[index];
  if (!child) throw new UnsupportedSyntax();
  return child;
}

/** Reads the head of `for name in words`. `nodes`: undefined without `in`, for the shell's own words. */
export function loopOver({ children }: SyntaxNode) {
  const name = children.find(({ type }) => type === "variable_name")?.text ?? "";
  const body = children.find(({ type }) => type === "do_group" || type === "compound_statement");
  if (!body || children[0]?.type !== "for" || !isAssignable(name)) throw new UnsupportedSyntax();
  const from = children.findIndex(({ type }) => type === "in");
  const nodes = from < 0 ? undefined : children.slice(from + 1, children.indexOf(body)).filter(({ named }) => named);
  return { name, body, nodes };
}

/** The grammar attaches the redirections of the last command to the whole list or pipeline: `a && b > c`. */
export function lastPart(list: SyntaxNode, whole: SyntaxNode, redirects: readonly SyntaxNode[]): SyntaxNode {
  const before = list.children.slice(0, -1);
  const last = list.children.at(-1);
  if (!last) throw new UnsupportedSyntax();
  const { end } = whole;
  const text = whole.text.slice(last.start - whole.start);
  const redirected = { ...last, type: "redirected_statement", end, text, children: [last, ...redirects] };
  return { ...list, end, text: whole.text, children: [...before, redirected] };
}
