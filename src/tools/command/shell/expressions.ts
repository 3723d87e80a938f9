/** Where a shell computes, it may run code that stands in a mere string: `a[$(rm x)]` as the value of a variable. */
import type { Syntax } from "./grammar.ts";
import { holdsCode, UnsupportedSyntax } from "./word.ts";

/** Whether a variable holds nothing but a number, or was not set by the command. */
type IsNumber = (name: string) => boolean;

/** @throws UnsupportedSyntax unless all in it are numbers, and variables that hold numbers */
export function checkArithmetic(node: Syntax, isNumber: IsNumber): void {
  if (node.children.length === 0) {
    if (!node.named || node.type === "number") return;
    if (/^(word|variable_name)$/.test(node.type) && /^\w+$/.test(node.text) && isNumeric(node.text, isNumber)) return;
    throw new UnsupportedSyntax();
  }
  if (/string|substitution|subscript|concatenation/.test(node.type)) throw new UnsupportedSyntax();
  if (node.type === "expansion" && !/^\$\{\w+\}$/.test(node.text)) throw new UnsupportedSyntax();
  for (const child of node.children) checkArithmetic(child, isNumber);
}

function isNumeric(text: string, isNumber: IsNumber): boolean {
  return /^\d+$/.test(text) || isNumber(text);
}

/**
 * Of `((…))`, which is a shell within a shell where it is no word of the language.
 * @throws UnsupportedSyntax as checkArithmetic does, and where it would then run something
 */
export function checkComputation(node: Syntax, isNumber: IsNumber): void {
  const [, expression] = node.children;
  const isNone = expression === undefined || /^(word|variable_name)$/.test(expression.type);
  if (isNone || /[|&>;]/.test(node.text)) throw new UnsupportedSyntax();
  checkArithmetic(node, isNumber);
}

/** The variables in it, each of which may have been given a new number. */
export function numbersIn(node: Syntax): string[] {
  const isName = /^(word|variable_name)$/.test(node.type) && /^[A-Za-z_]\w*$/.test(node.text);
  return isName ? [node.text] : node.children.flatMap(numbersIn);
}

/** Of `[ … ]` and `[[ … ]]`. @throws UnsupportedSyntax where it computes with what is no number */
export function checkTest(node: Syntax, computes: boolean, isNumber: IsNumber): void {
  const operators = node.children.slice(1, -1).flatMap(operatorsIn);
  if (operators.some((one) => /^-[vR]$/.test(one))) throw new UnsupportedSyntax();
  // Where `[[` is no word of the language, these write and read files.
  if (operators.some((one) => /^[<>]/.test(one))) throw new UnsupportedSyntax();
  const isPlain = node.text.startsWith("[ ");
  // `[` is a mere command: what the grammar takes for an operator in it may be one of the shell. `[ $a $b ]` may hold one.
  if (isPlain && (operators.length === 0 || !operators.every((one) => /^(-[a-z]{1,2}|!|!?=|==)$/i.test(one)))) {
    throw new UnsupportedSyntax();
  }
  if ((computes || !isPlain) && operators.some(isNumeral)) checkOperands(node, isNumber);
}

/** Whether the operator of a test takes numbers. */
export function isNumeral(operator: string): boolean {
  return /^-(eq|ne|lt|le|gt|ge|t)$/.test(operator);
}

function operatorsIn(node: Syntax): string[] {
  if (node.type === "test_operator" || !node.named) return [node.text];
  return node.type.endsWith("_expression") ? node.children.flatMap(operatorsIn) : [];
}

function checkOperands(node: Syntax, isNumber: IsNumber): void {
  if (node.type === "test_operator" || (!node.named && node.text !== "$")) return;
  if (node.type === "test_command" || node.type.endsWith("_expression")) {
    for (const child of node.children) checkOperands(child, isNumber);
    return;
  }
  const name = /^"?\$(?:\{(\w+)\}|(\w+|[#?]))"?$/.exec(node.text);
  const variable = name?.[1] ?? name?.[2];
  if (variable === undefined ? /^-?\d+$/.test(node.text) : /^[#?]$/.test(variable) || isNumber(variable)) return;
  throw new UnsupportedSyntax();
}

/**
 * Of `${…}`. Its substitutions are looked at by the caller.
 * @throws UnsupportedSyntax where the shell would compute, set something, or expand the value once more
 */
export function checkExpansion(node: Syntax): void {
  if (
    !/^\$\{#?(?:\w+|[@*#?$!-])(?:\[[@*\d]+\])?(?::?[-+?]|##?|%%?|\/[/#%]?|\^\^?|,,?|:\d+(?::\d+)?(?=\})|\})/.test(
      node.text,
    )
  ) {
    throw new UnsupportedSyntax();
  }
  const text = bareText(node).slice("${".length);
  if (holdsCode(text) || /[<>=]\(/.test(text)) throw new UnsupportedSyntax();
}

/** What the grammar takes for mere text. */
function bareText(node: Syntax): string {
  if (node.children.length === 0) return node.text;
  let text = "";
  let at = node.start;
  for (const child of node.children) {
    text += node.text.slice(at - node.start, child.start - node.start);
    if (!/expansion$|substitution$/.test(child.type)) text += bareText(child);
    at = child.end;
  }
  return text + node.text.slice(at - node.start);
}
