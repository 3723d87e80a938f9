/** Assignments and expansions, which happen before a command runs. */
import { likelyFolders } from "../../../base/secret-places.ts";
import { checkArithmetic, checkExpansion, numbersIn } from "./expressions.ts";
import type { SyntaxNode } from "./grammar.ts";
import { substitutedOutput } from "./outputs.ts";
import { escaped } from "./pattern.ts";
import { isInteger, type ShellState, shapesOf, someNumber, withVariable } from "./state.ts";
import { isAssignable, isSafeEnvVar } from "./variables.ts";
import type { ShellVisitor } from "./visitor.ts";
import { type KnownState, readWord, type ShellWord, UnsupportedSyntax } from "./word.ts";

export function wordOf(node: SyntaxNode, state: ShellState, visitor: ShellVisitor): ShellWord {
  substitutions(node, state, visitor);
  return readWord(node, knownIn(state));
}

export function wordsIn(node: SyntaxNode, state: ShellState): ShellWord[] {
  if (/word|string|concatenation|expansion|number/.test(node.type)) {
    return [readWord(node, knownIn(state))];
  }
  return node.children.flatMap((child) => wordsIn(child, state));
}

/** Visits all code that runs when the shell expands a node. */
export function substitutions(node: SyntaxNode, state: ShellState, visitor: ShellVisitor): void {
  switch (node.type) {
    case "command_substitution":
      // Within backticks, a backslash has another meaning.
      if (node.text.startsWith("`") && node.text.includes("\\")) throw new UnsupportedSyntax();
      visitor.substituted(node.children, state);
      return;
    case "process_substitution":
      visitor.substituted(node.children, state);
      return;
    case "arithmetic_expansion":
      checkArithmetic(node, (name) => isNumber(name, state));
      return;
    case "expansion":
      checkExpansion(node);
  }
  for (const child of node.children) substitutions(child, state, visitor);
}

export function assign(
  node: SyntaxNode,
  state: ShellState,
  isAllowed: (name: string) => boolean,
  visitor: ShellVisitor,
): ShellState {
  const [target, operator, value] = node.children;
  const name = target?.type === "variable_name" ? target.text : "";
  if (!isAllowed(name)) throw new UnsupportedSyntax();
  const isNew = operator?.type === "=";
  if (!value) return withVariable(state, name, isNew ? [""] : undefined);
  if (value.type === "array") {
    for (const element of value.children) if (element.named) wordOf(element, state, visitor);
    return withVariable(state, name, undefined);
  }
  const { values, isGlob, shapes } = wordOf(value, state, visitor);
  if (isNew && value.type === "arithmetic_expansion") return withVariable(state, name, someNumber);
  if (!isNew) return withVariable(state, name, undefined);
  return withVariable(state, name, isGlob ? undefined : values, shapes);
}

/** Evaluates `export A=b`, `local x`, `unset y`. */
export function declare({ children }: SyntaxNode, state: ShellState, visitor: ShellVisitor): ShellState {
  const [keyword, ...others] = children;
  const reachesPrograms = keyword?.type === "export" || keyword?.type === "declare";
  const isAllowed = reachesPrograms ? isSafeEnvVar : isAssignable;
  return others.reduce((current, node) => {
    if (node.type === "variable_assignment") return assign(node, current, isAllowed, visitor);
    if (node.type === "variable_name" && isAllowed(node.text) && keyword?.type === "unset")
      return without(current, node.text);
    if (node.type === "variable_name" && isAllowed(node.text)) return withVariable(current, node.text, undefined);
    // Other flags declare integers, whose values are evaluated, or references to variables.
    if (node.type === "word" && /^-[rgx]+$/.test(node.text) && reachesPrograms) return current;
    throw new UnsupportedSyntax();
  }, state);
}

/** Returns the state after `unset`: without such a variable, shells remove the function of that name. */
function without(state: ShellState, name: string): ShellState {
  const functions = new Map([...state.functions].filter(([other]) => other !== name));
  return withVariable({ ...state, functions }, name, [""]);
}

/** Returns the state after arithmetic, which may have assigned a number to each variable in it. */
export function computed(node: SyntaxNode, state: ShellState): ShellState {
  return numbersIn(node).reduce((current, name) => withVariable(current, name, someNumber), state);
}

/** Whether arithmetic with the variable is harmless: its value could be an array index, which the shell evaluates. */
export function isNumber(name: string, { variables, isUnknown }: ShellState): boolean {
  if (!variables.has(name)) return !isUnknown && /^[A-Za-z_]/.test(name);
  return variables.get(name)?.every(isInteger) ?? false;
}

export function knownIn(state: ShellState): KnownState {
  const known: KnownState = {
    values: (name) => valuesOf(name, state),
    shapes: (name) => valuesOf(name, state)?.map(escaped) ?? [...likelyValues(name, state), ...shapesOf(name, state)],
    output: (node) => substitutedOutput(node, state, known),
  };
  return known;
}

/** Returns patterns for a variable that the environment may set otherwise, so it may still be anything. */
function likelyValues(name: string, { variables }: ShellState): string[] {
  return variables.has(name) ? [] : likelyFolders(name, process.env).map(escaped);
}

function valuesOf(name: string, { folders, variables }: ShellState): readonly string[] | undefined {
  if (name === "HOME") return ["~"];
  if (name === "PWD") return folders?.length === 1 && folders[0] === "" ? ["."] : undefined;
  const values = variables.get(name);
  return values === someNumber ? undefined : values;
}
