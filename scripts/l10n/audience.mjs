/**
 * Who reads a text. A text is for people, and has to go through `t` or `msg`, unless
 * - its folder is one of those below,
 * - the first comment of its file says "Its texts are for the model.", "… for the log." and so on,
 * - it stands within `english(…)`, or
 * - it is given to what only the model, the log or a program reads, such as `prompt:`, `z.describe(…)` or `log(…)`.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { isTechnical } from "./not-shown.mjs";
import { isForPeople } from "./source-texts.mjs";

/** @typedef {import("./source-texts.mjs").Literal} Literal */

/** @type {readonly { folder: string, why: string }[]} */
const englishFolders = [
  { folder: "src/tools/", why: "tools answer the model; `asked` below names what a person reads of them" },
  { folder: "src/providers/families/", why: "facts about servers, with their sources" },
  { folder: "src/trace/", why: "names that OpenTelemetry fixes" },
  { folder: "src/tour/", why: "a script for `npm start`, in which people try changes of Rondo" },
];

/**
 * What a question, a line of the panel or a denial shows of a tool, in folders whose other texts are for the model, and how
 * a model server is started. A `ToolError` without words for people shows people its message.
 */
const asked =
  /^(property|variable) "?(effect|title|start|sentence|sent|copy|fact|words|people|what)"?$|^new ToolError (alone|1)$/;

/** Where a text is given to what only the model, the log or a program reads. */
const taken = [
  /^property (prompt|system|source|authorization|url)$/,
  /^call (.*[.#])?(describe|log|bug|onNote|reportOnce|startsWith|endsWith|hasArgument|operandsOf|optionValues|split|join|update)$/,
  /^new (Blocked|Withdrawn|UnusableSchema|McpError|DOMException|TypeError) (alone|0)$/,
  /^PropertyAccessExpression$|^PropertyDeclaration$|^call (hooks|parent)\.(has|fire)$/,
];

/** Returns for whom a file's texts are, by its first comment: "the model"; undefined for people. @param {string} file */
function audienceOf(file) {
  const [first = ""] = /^\/\*\*[\s\S]*?\*\//.exec(readFileSync(file, "utf8")) ?? [];
  return /\bIts texts are for ([^.]+)\./.exec(first.replace(/\s*\n \*\s*/g, " "))?.[1];
}

/**
 * Returns the literals of a file that people read and that do not go through `src/l10n/l10n.ts`.
 * @param {string} root @param {string} file from there @param {readonly Literal[]} literals
 */
export function withoutLanguage(root, file, literals) {
  if (audienceOf(path.join(root, file)) !== undefined) return [];
  return literals.filter((one) => isReadByPeople(file, one) && isForPeople(one) && !isTechnical(file, one));
}

/** Whether a literal is for people by its place. @param {string} file from the root @param {Literal} literal */
function isReadByPeople(file, { parent }) {
  if (/^(webview|src\/extension)\//.test(file)) return true;
  if (taken.some((one) => one.test(parent))) return false;
  return !englishFolders.some(({ folder }) => file.startsWith(folder)) || asked.test(parent);
}
