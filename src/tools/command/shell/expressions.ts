/** Arithmetic and tests, in which shells run code in strings: `a[$(rm x)]` as the value of a variable. */
import type { SyntaxNode } from "./grammar.ts";
import { isAssignable } from "./variables.ts";
import { holdsCode, UnsupportedSyntax } from "./word.ts";

/** Whether a variable is a number, or was not set by the command. */
type IsNumber = (name: string) => boolean;

/** @throws UnsupportedSyntax unless it consists of numbers and variables with numbers, and assigns no `PATH` */
export function checkArithmetic(node: SyntaxNode, isNumber: IsNumber): void {
  checkTerms(node, isNumber);
  const assigns = /(?:^|[^=!<>])=(?!=)|<<=|>>=|\+\+|--/.test(node.text);
  if (assigns && !numbersIn(node).every(isAssignable)) throw new UnsupportedSyntax();
}

function checkTerms(node: SyntaxNode, isNumber: IsNumber): void {
  if (node.children.length === 0) {
    if (!node.named || node.type === "number") return;
    const isName = /^(word|variable_name)$/.test(node.type) && /^\w+$/.test(node.text);
    if (isName && (/^\d+$/.test(node.text) || isNumber(node.text))) return;
    throw new UnsupportedSyntax();
  }
  if (/string|substitution|subscript|concatenation/.test(node.type)) throw new UnsupportedSyntax();
  if (node.type === "expansion" && !/^\$\{\w+\}$/.test(node.text)) throw new UnsupportedSyntax();
  for (const child of node.children) checkTerms(child, isNumber);
}

/** Checks `((…))`. @throws UnsupportedSyntax also if a shell without it, which reads subshells, would run something */
export function checkComputation(node: SyntaxNode, isNumber: IsNumber): void {
  const [, expression] = node.children;
  const isNone = expression === undefined || /^(word|variable_name)$/.test(expression.type);
  if (isNone || /[|&>;]/.test(node.text)) throw new UnsupportedSyntax();
  checkArithmetic(node, isNumber);
}

/** Returns the variables in it, to each of which it may assign a number. */
export function numbersIn(node: SyntaxNode): string[] {
  const isName = /^(word|variable_name)$/.test(node.type) && /^[A-Za-z_]\w*$/.test(node.text);
  return isName ? [node.text] : node.children.flatMap(numbersIn);
}

/** Checks `[ … ]` and `[[ … ]]`. @throws UnsupportedSyntax when it evaluates anything but numbers */
export function checkTest(node: SyntaxNode, evaluatesArithmetic: boolean, isNumber: IsNumber): void {
  const operators = node.children.slice(1, -1).flatMap(operatorsIn);
  // Shells without `[[` read `<` as a redirection.
  if (operators.some((one) => /^-[vR]$|^[<>]/.test(one))) throw new UnsupportedSyntax();
  const isPlain = node.text.startsWith("[ ");
  // `[` is a program: the shell may read its operators as its own, and `[ $a $b ]` may contain operators.
  if (isPlain && (operators.length === 0 || !operators.every((one) => /^(-[a-z]{1,2}|!|!?=|==)$/i.test(one)))) {
    throw new UnsupportedSyntax();
  }
  if ((evaluatesArithmetic || !isPlain) && operators.some(isNumeral)) checkOperands(node, isNumber);
}

export function isNumeral(operator: string): boolean {
  return /^-(eq|ne|lt|le|gt|ge|t)$/.test(operator);
}

function operatorsIn(node: SyntaxNode): string[] {
  if (node.type === "test_operator" || !node.named) return [node.text];
  return node.type.endsWith("_expression") ? node.children.flatMap(operatorsIn) : [];
}

function checkOperands(node: SyntaxNode, isNumber: IsNumber): void {
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

/** Checks `${…}`. @throws UnsupportedSyntax when it evaluates arithmetic, assigns, or expands the value again */
export function checkExpansion(node: SyntaxNode): void {
  const known = /^\$\{#?(?:\w+|[@*#?$!-])(?:\[[@*\d]+\])?(?::?[-+?]|##?|%%?|\/[/#%]?|\^\^?|,,?|:\d+(?::\d+)?(?=\})|\})/;
  if (!known.test(node.text)) throw new UnsupportedSyntax();
  const text = bareText(node).slice("${".length);
  if (holdsCode(text) || /[<>=]\(/.test(text)) throw new UnsupportedSyntax();
}

/** Returns the text that the grammar takes for literal. */
function bareText(node: SyntaxNode): string {
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
