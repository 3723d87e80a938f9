/** Finds texts in sources: those that go through `t`, and literals that look like sentences for people. */
import { readFileSync } from "node:fs";
import { parse } from "svelte/compiler";
import ts from "typescript";

/**
 * @typedef {{ text: string, line: number, start: number, end: number }} Place a literal
 * @typedef {Place & { kind: "text" | "attribute" | "string" | "template", parent: string }} Literal
 * @typedef {{ name: string, line: number, keys: (string | undefined)[], values: number }} Call
 * @typedef {{ calls: Call[], literals: Literal[] }} Texts
 */

/** Functions of `src/l10n/l10n.ts` with the number of their arguments that are keys, and where these begin. */
const functions = new Map([
  ["t", { first: 0, keys: 1 }],
  ["msg", { first: 0, keys: 1 }],
  ["counted", { first: 1, keys: 2 }],
  ["msgCount", { first: 1, keys: 2 }],
]);

/** Attributes of elements that are shown or read aloud. */
const shownAttributes = new Set([
  "aria-label",
  "title",
  "placeholder",
  "alt",
  "aria-description",
  "aria-roledescription",
]);

/** Returns the texts of a file of TypeScript or Svelte. @param {string} file @returns {Texts} */
export function textsOf(file) {
  const source = readFileSync(file, "utf8");
  const texts = { calls: [], literals: [] };
  if (file.endsWith(".svelte")) readSvelte(source, texts);
  else readScript(source, source, 0, texts);
  return texts;
}

/** @param {string} source @param {number} at */
const lineAt = (source, at) => source.slice(0, at).split("\n").length;

/**
 * @param {string} source the whole file
 * @param {string} code a part of it
 * @param {number} offset where the part begins
 * @param {Texts} texts
 */
function readScript(source, code, offset, texts) {
  const tree = ts.createSourceFile("part.ts", code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isCallExpression(node) && node.expression.getText(tree) === "english") return;
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && functions.has(node.expression.text)) {
      const { first, keys } = functions.get(node.expression.text) ?? { first: 0, keys: 1 };
      const args = node.arguments.slice(first, first + keys).map(literalText);
      texts.calls.push({
        name: node.expression.text,
        line: lineAt(source, offset + node.getStart(tree)),
        keys: Array.from({ length: keys }, (_, at) => args[at]),
        values: node.arguments.length - first - keys + (first === 1 ? 1 : 0),
      });
      for (const [at, argument] of node.arguments.entries()) {
        if (at < first || at >= first + keys) visit(argument);
      }
      return;
    }
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) add(node, "string", node.text);
    else if (ts.isTemplateExpression(node)) {
      const text = node.templateSpans.reduce((all, span, at) => `${all}{${at}}${span.literal.text}`, node.head.text);
      add(node, "template", text);
    }
    ts.forEachChild(node, visit);
  };
  /** @param {ts.Node} node @param {"string" | "template"} kind @param {string} text */
  const add = (node, kind, text) => {
    const start = offset + node.getStart(tree);
    const end = offset + node.getEnd();
    texts.literals.push({ kind, text, start, end, line: lineAt(source, start), parent: roleOf(node) });
  };
  visit(tree);
}

/** Says what a literal is for, as far as the syntax tells. @param {ts.Node} node */
function roleOf(node) {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return "name";
  if (ts.isPropertyAssignment(parent)) return `property ${parent.name.getText()}`;
  if (ts.isBinaryExpression(parent)) return `binary ${parent.operatorToken.getText()}`;
  if (ts.isCaseClause(parent)) return "case";
  if (ts.isElementAccessExpression(parent)) return "element";
  if (ts.isVariableDeclaration(parent)) return `variable ${parent.name.getText()}`;
  if (ts.isCallExpression(parent)) return `call ${parent.expression.getText().slice(-60)}`;
  if (ts.isNewExpression(parent)) {
    const given = [...(parent.arguments ?? [])];
    const at = given.findIndex((one) => Object.is(one, node));
    return `new ${parent.expression.getText()} ${given.length === 1 ? "alone" : at}`;
  }
  return ts.SyntaxKind[parent.kind] ?? "";
}

/** @param {ts.Expression} node */
function literalText(node) {
  return ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) ? node.text : undefined;
}

/** @param {string} source @param {Texts} texts */
function readSvelte(source, texts) {
  const tree = parse(source, { modern: true });
  for (const script of [tree.module, tree.instance]) {
    // Its nodes are plain objects with offsets in the file.
    const { start, end } = /** @type {{ start: number, end: number }} */ (
      /** @type {unknown} */ (script?.content ?? {})
    );
    if (script) readScript(source, source.slice(start, end), start, texts);
  }
  /** @param {any} node @param {string} attribute the attribute around it */
  const visit = (node, attribute) => {
    if (Array.isArray(node)) for (const one of node) visit(one, attribute);
    if (typeof node?.type !== "string") return;
    if (node.type === "Text") {
      const text = node.data.replace(/\s+/g, " ").trim();
      const { start, end } = node;
      const kind = attribute ? "attribute" : "text";
      texts.literals.push({ kind, text, start, end, line: lineAt(source, start), parent: attribute });
    } else if (node.type === "Attribute") {
      visit(node.value, node.name);
    } else if (isExpression(node)) {
      readScript(source, `(${source.slice(node.start, node.end)})`, node.start - 1, texts);
    } else {
      for (const [name, child] of Object.entries(node)) {
        if (name !== "metadata" && typeof child === "object") visit(child, attribute);
      }
    }
  };
  visit(tree.fragment, "");
}

/** Whether a node is JavaScript, not markup. @param {any} node */
function isExpression(node) {
  return /(Expression|Literal|^Identifier|^TemplateElement)$/.test(node.type) && node.start < node.end;
}

/** Whether a literal is shown to people, as far as it can be told from its form. @param {Literal} literal */
export function isForPeople({ kind, text, parent }) {
  if (!/\p{L}{2}/u.test(text)) return false;
  if (kind === "text") return true;
  if (kind === "attribute")
    return shownAttributes.has(parent) || (/^\p{Lu}/u.test(text) && / |^\p{Lu}\p{Ll}+$/u.test(text));
  if (/^(name|case|element|binary [!=]==|LiteralType)/.test(parent)) return false;
  const words = text.replace(/\{\d+\}/g, "").trim();
  if (!/\p{L}{2}/u.test(words)) return false;
  if (/^\p{Lu}\p{Ll}+…?$/u.test(words)) return true;
  return / /.test(text) && /\p{L}{2,}/u.test(words);
}
