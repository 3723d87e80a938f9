/** What `npm run shape` counts in the sources of a checkout, without running them. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "svelte/compiler";
import ts from "typescript";

/**
 * @typedef {object} Source
 * @property {string} file relative to the checkout, with slashes
 * @property {string} text
 * @property {ts.SourceFile[]} scripts the module; of a component its scripts, and each expression of its markup
 *
 * @typedef {{ what: string, count: number, of?: string, places: string[] }} Measure `places` are files, some with a line
 */

/** Written by scripts; the catalogue was TypeScript until November 2026. */
export const isGenerated = (/** @type {string} */ file) =>
  /^src\/(providers\/catalog\/models\.(json|ts)|base\/key-variables\.ts|query\/setting-options\.ts)$/.test(file);

/** Returns the hand-written modules and components of src and webview, without declarations. @param {string} checkout */
export function sourcesOf(checkout) {
  return ["src", "webview"].flatMap((folder) =>
    filesIn(checkout, folder)
      .filter((file) => /\.(ts|svelte)$/.test(file) && !file.endsWith(".d.ts") && !isGenerated(file))
      .map((file) => readSource(checkout, file)),
  );
}

/** Returns the files of a folder and of those below it. @param {string} checkout @param {string} folder */
export function filesIn(checkout, folder) {
  return readdirSync(path.join(checkout, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(checkout, path.join(parentPath, name)).replaceAll("\\", "/"))
    .filter((file) => !file.includes("node_modules/"))
    .sort();
}

/** @param {string} checkout @param {string} file @returns {Source} */
export function readSource(checkout, file) {
  const text = readFileSync(path.join(checkout, file), "utf8");
  return { file, text, scripts: file.endsWith(".svelte") ? scriptsIn(text) : [script(text)] };
}

/** @param {string} code @param {string} [above] lines above it, so that its own are numbered as in the file */
const script = (code, above = "") =>
  ts.createSourceFile("part.ts", above + code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);

/** @param {string} component */
function scriptsIn(component) {
  const tree = parse(component, { modern: true });
  /** @type {ts.SourceFile[]} */
  const scripts = [];
  const add = (/** @type {{ start: number, end: number }} */ { start, end }) =>
    scripts.push(script(`(${component.slice(start, end)})`, "\n".repeat(lineAt(component, start) - 1)));
  for (const part of [tree.module, tree.instance]) {
    // Its nodes are plain objects with offsets in the file.
    const { start, end } = /** @type {{ start: number, end: number }} */ (/** @type {unknown} */ (part?.content ?? {}));
    if (part) scripts.push(script(component.slice(start, end), "\n".repeat(lineAt(component, start) - 1)));
  }
  const visit = (/** @type {any} */ node) => {
    if (Array.isArray(node)) for (const one of node) visit(one);
    if (typeof node?.type !== "string") return;
    if (/(Expression|Literal|^Identifier)$/.test(node.type) && node.start < node.end) return void add(node);
    for (const [name, child] of Object.entries(node))
      if (name !== "metadata" && typeof child === "object") visit(child);
  };
  visit(tree.fragment);
  return scripts;
}

/** @param {string} text @param {number} at */
const lineAt = (text, at) => text.slice(0, at).split("\n").length;

/** Calls `see` for each node of a file. @param {Source} source @param {(node: ts.Node, place: () => string) => void} see */
export function forEachNode({ file, scripts }, see) {
  for (const tree of scripts) {
    const visit = (/** @type {ts.Node} */ node) => {
      see(node, () => `${file}:${tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1}`);
      ts.forEachChild(node, visit);
    };
    visit(tree);
  }
}

/** Returns what is counted, line by line. @param {Source[]} sources @returns {Measure[]} */
export function countsOf(sources) {
  const counts = counters();
  for (const source of sources) forEachNode(source, counts.see);
  const files = sources.map(({ file }) => file);
  const small = smallWithOneImporter(sources);
  return [
    { what: "hand-written files of TypeScript and Svelte in src and webview", count: files.length, places: files },
    { what: "of them with one importer and at most 60 lines", count: small.length, places: small },
    ...counts.measures(),
  ];
}

/** Type-only and dynamic imports count; files that only tests or the build name have no importer. @param {Source[]} sources */
function smallWithOneImporter(sources) {
  /** @type {Map<string, Set<string>>} */
  const importers = new Map();
  for (const source of sources) {
    forEachNode(source, (node) => {
      const imported = importedBy(node);
      if (!imported?.startsWith(".")) return;
      const file = path.posix.join(path.posix.dirname(source.file), imported);
      importers.set(file, (importers.get(file) ?? new Set()).add(source.file));
    });
  }
  return sources
    .filter(({ file, text }) => importers.get(file)?.size === 1 && text.trimEnd().split("\n").length <= 60)
    .map(({ file }) => file);
}

/** Returns what a node imports. @param {ts.Node} node */
function importedBy(node) {
  const named =
    ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
      ? node.moduleSpecifier
      : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
        ? node.argument.literal
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined;
  return named && ts.isStringLiteral(named) ? named.text : undefined;
}

/**
 * Counts functions that only pass on, and bags of callbacks.
 *
 * A function only passes on if its body is one call (which may be awaited or returned) whose arguments are its own
 * parameters, each once, in any order, and nothing else; it has at least one. Calls of a literal, such as `/…/.test(word)`,
 * are not counted: that expression is what the function says.
 *
 * Bags of callbacks are counted where they are declared and where they are filled: a type (an interface, or an alias of an
 * object type) with at least two members that are functions, which a function or a constructor takes as the type of a
 * parameter, and which no class implements; and an object literal with at least two functions written in it (methods and
 * arrows, not names), handed to a function or a constructor.
 */
function counters() {
  /** @type {string[]} */
  const passing = [];
  /** @type {{ place: string, functions: number }[]} */
  const filled = [];
  /** @type {Map<string, { place: string, functions: number }>} */
  const types = new Map();
  const taken = new Set();
  const implemented = new Set();
  return { see, measures };

  /** @param {ts.Node} node @param {() => string} place */
  function see(node, place) {
    if (passesOn(node)) passing.push(place());
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      for (const argument of node.arguments ?? []) {
        const functions = ts.isObjectLiteralExpression(argument) ? argument.properties.filter(isFunction).length : 0;
        if (functions > 1) filled.push({ place: place(), functions });
      }
    }
    const type = ts.isInterfaceDeclaration(node)
      ? node
      : ts.isTypeAliasDeclaration(node) && ts.isTypeLiteralNode(node.type)
        ? node.type
        : undefined;
    if (type && (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))) {
      types.set(node.name.text, { place: place(), functions: type.members.filter(isFunction).length });
    }
    if (ts.isParameter(node) && node.type && "body" in node.parent)
      for (const name of namesIn(node.type)) taken.add(name);
    if (ts.isClassLike(node)) {
      for (const { types: parents } of node.heritageClauses ?? []) {
        for (const { expression } of parents) if (ts.isIdentifier(expression)) implemented.add(expression.text);
      }
    }
  }

  /** @returns {Measure[]} */
  function measures() {
    const bags = [...types].filter(
      ([name, { functions }]) => functions > 1 && taken.has(name) && !implemented.has(name),
    );
    const sum = (/** @type {{ functions: number }[]} */ all) => all.reduce((all, { functions }) => all + functions, 0);
    const declared = bags.map(([, bag]) => bag);
    return [
      { what: "functions that only pass on", count: passing.length, places: passing },
      {
        what: "bags of callbacks, as types of parameters",
        count: declared.length,
        of: `${sum(declared)} callbacks`,
        places: bags.map(([name, { place }]) => `${place} ${name}`),
      },
      {
        what: "bags of callbacks, as object literals",
        count: filled.length,
        of: `${sum(filled)} callbacks`,
        places: filled.map(({ place }) => place),
      },
    ];
  }
}

/** @param {ts.Node} node */
function passesOn(node) {
  const isOne =
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isMethodDeclaration(node);
  if (!isOne || !node.body || node.parameters.length === 0) return false;
  const call = theOneExpression(node.body);
  if (!call || !ts.isCallExpression(call) || isOfLiteral(call.expression)) return false;
  const own = node.parameters.map(({ name, initializer }) => (ts.isIdentifier(name) && !initializer ? name.text : ""));
  const given = call.arguments.map((argument) => {
    const value = ts.isSpreadElement(argument) ? argument.expression : argument;
    return ts.isIdentifier(value) ? value.text : undefined;
  });
  return given.length === own.length && own.every((name) => name !== "" && given.includes(name));
}

/** Returns the expression that is all of a body. @param {ts.ConciseBody} body */
function theOneExpression(body) {
  /** @type {ts.Expression | undefined} */
  let found;
  if (ts.isBlock(body)) {
    const [statement, ...others] = body.statements;
    const isAlone = others.length === 0 && statement;
    if (isAlone && (ts.isReturnStatement(statement) || ts.isExpressionStatement(statement)))
      found = statement.expression;
  } else found = body;
  while (found && (ts.isAwaitExpression(found) || ts.isVoidExpression(found) || ts.isParenthesizedExpression(found))) {
    found = found.expression;
  }
  return found;
}

/** @param {ts.Expression} callee */
function isOfLiteral(callee) {
  let left = callee;
  while (ts.isPropertyAccessExpression(left)) left = left.expression;
  return ts.isLiteralExpression(left) || ts.isArrayLiteralExpression(left);
}

/** Whether a member of a type, or a property of an object, is a function. @param {ts.Node} member */
function isFunction(member) {
  if (ts.isMethodSignature(member) || ts.isMethodDeclaration(member)) return true;
  if (ts.isPropertySignature(member)) return isFunctionType(member.type);
  if (!ts.isPropertyAssignment(member)) return false;
  return ts.isArrowFunction(member.initializer) || ts.isFunctionExpression(member.initializer);
}

/** @param {ts.TypeNode | undefined} type @returns {boolean} */
function isFunctionType(type) {
  if (!type) return false;
  if (ts.isParenthesizedTypeNode(type)) return isFunctionType(type.type);
  return ts.isFunctionTypeNode(type) || (ts.isUnionTypeNode(type) && type.types.some(isFunctionType));
}

/** Returns the names in a type, but not those of functions in it. @param {ts.TypeNode} type @returns {string[]} */
function namesIn(type) {
  /** @type {string[]} */
  const names = [];
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isFunctionTypeNode(node)) return;
    if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) names.push(node.typeName.text);
    ts.forEachChild(node, visit);
  };
  visit(type);
  return names;
}
