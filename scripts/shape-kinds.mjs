/**
 * What `npm run shape` counts for each kind of change: the hand-written files that know one thing of that kind by name.
 * Whoever adds another one has to look at them. Tests, translations and generated files do not count.
 */
import { existsSync } from "node:fs";
import ts from "typescript";
import { filesIn, forEachNode, isGenerated, readSource } from "./shape-counts.mjs";
import { withoutParts } from "./written-parts.mjs";

/**
 * @typedef {object} Kind
 * @property {string} what
 * @property {string} example a thing of this kind that exists
 * @property {RegExp} own its own files, which are counted apart
 * @property {RegExp} identifier names it in code
 * @property {RegExp} literal names it in code, between quotation marks
 * @property {RegExp} text names it in documents, JSON, HTML and styles
 * @property {RegExp} [without] places where the same word means something else
 */

/** @type {readonly Kind[]} */
const kinds = [
  {
    what: "a provider with a compatible API",
    example: "cerebras",
    own: /\/cerebras\.ts$/,
    identifier: /cerebras/i,
    literal: /^cerebras|^https.*cerebras/i,
    text: /cerebras/i,
  },
  {
    what: "a provider with an API of its own",
    example: "ollama",
    own: /\/ollama(\/|[^/]*$)/,
    identifier: /ollama/i,
    literal: /ollama/i,
    text: /ollama/i,
  },
  {
    what: "a tool",
    example: "web_fetch",
    own: /\/web-fetch\.ts$/,
    identifier: /^(web_?fetch|web-?fetch)$/i,
    literal: /\bweb_?fetch\b/i,
    text: /\bweb_fetch\b/,
  },
  {
    what: "a setting",
    example: "autoCompact",
    own: /^$/,
    identifier: /^autoCompact$/,
    literal: /\bautoCompact\b|auto-compact/,
    text: /\bautoCompact\b|auto-compact/,
  },
  {
    what: "a kind of message part",
    example: "reasoning",
    own: /^$/,
    identifier: /^ReasoningPart$/,
    literal: /^reasoning$/,
    text: /`reasoning`/,
    // There it is the servers' word for something of theirs.
    without: /^src\/providers\//,
  },
  {
    what: "a card",
    example: "loop",
    own: /\/LoopCard\.svelte$/,
    identifier: /^Loop(Card|Request)$/,
    literal: /^loop$/,
    text: /Repeated call/,
  },
  {
    what: "a page of the panel",
    example: "trace",
    own: /\/(trace-page\.ts|TracePage\.svelte)$/,
    identifier: /^(Trace|trace)Page$|^showTrace$/,
    literal: /^(trace|show-trace|rondo\.showTrace)$/,
    text: /showTrace|"Trace"/,
  },
];

/** `settings.md` is written from the manifest; the others are for developers, until November 2026 in docs itself. */
const otherDocuments = /^docs\/(settings\.md|spec\.md|mutation\.md|develop\/)/;
/** These name all examples. */
const shapeScripts = /^scripts\/shape/;

/** Returns for each kind the files that name its example. @param {string} checkout */
export function filesByKind(checkout) {
  const files = [
    ...["src", "webview", "scripts", "docs"].flatMap((folder) => filesIn(checkout, folder)),
    ...["esbuild.mjs", "package.json", "package.nls.json", "README.md"].filter((file) =>
      existsSync(`${checkout}/${file}`),
    ),
  ].filter((file) => !otherDocuments.test(file) && !shapeScripts.test(file) && !isGenerated(file));
  const sources = files.map((file) => ({ file, names: namesIn(checkout, file) }));
  return kinds.map((kind) => {
    const naming = sources
      .filter(({ file, names }) => !kind.without?.test(file) && names(kind))
      .map(({ file }) => file);
    if (naming.length === 0) throw new Error(`Nothing names ${kind.example}: ${kind.what} needs another example.`);
    const own = naming.filter((file) => kind.own.test(file));
    return { ...kind, own, others: naming.filter((file) => !own.includes(file)) };
  });
}

/** Returns whether a file names the example of a kind. @param {string} checkout @param {string} file @returns {(kind: Kind) => boolean} */
function namesIn(checkout, file) {
  const source = readSource(checkout, file);
  if (!/\.(ts|svelte|[mc]?js)$/.test(file)) {
    const written = withoutGenerated(file, source.text);
    return ({ text }) => text.test(written);
  }
  /** @type {Set<string>} */
  const identifiers = new Set();
  /** @type {Set<string>} */
  const literals = new Set();
  forEachNode(source, (node) => {
    if (ts.isIdentifier(node)) identifiers.add(node.text);
    const isSpecifier = ts.isImportDeclaration(node.parent ?? node) || ts.isExportDeclaration(node.parent ?? node);
    if ((ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) && !isSpecifier) literals.add(node.text);
  });
  return ({ identifier, literal }) =>
    [...identifiers].some((name) => identifier.test(name)) || [...literals].some((text) => literal.test(text));
}

/** Returns the parts of a document or manifest that people write; scripts say where they have written. @param {string} file @param {string} text */
function withoutGenerated(file, text) {
  if (!file.endsWith("package.json")) return withoutParts(text);
  return JSON.stringify(JSON.parse(text), (_, value) => (/^Written by/.test(value?.$comment) ? undefined : value));
}
