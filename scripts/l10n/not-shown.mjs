/** What looks like a text for people and is none. */

/** @typedef {import("./source-texts.mjs").Literal} Literal */

/**
 * Folders whose literals are for people. In the other ones, most sentences are for the model, the record and the log, and
 * those for people are named one by one, by `msg`.
 */
export const folders = ["webview/"];

/** @type {readonly { file: RegExp, text: RegExp, why: string }[]} */
const technical = [
  { file: /./, text: /^(Rondo|Place|Enter|Escape|Esc|Mac|Control\+Enter Meta\+Enter( Escape)?)$/, why: "names, keys" },
  { file: /./, text: /^px$|^ch$|^calc\(|^color-mix\(|^https?:/, why: "styles, addresses" },
  {
    file: /./,
    text: /^(\{\d\} )+(title|text|line|name|place|lines|fact|path|diff|script|output|open|whole|rows|collapsed|cost)$/,
    why: "keys of pieces of the log",
  },
  { file: /CallCard/, text: /^\{0\}-title \{1\}-rest$/, why: "ids" },
  {
    file: /model-rows|ModeMenu/,
    text: /^(model|state|heading|connect|typed|agent) \{0\}|^not connected$|^typed ID$/,
    why: "ids",
  },
  { file: /./, text: /\[(aria|data|tabindex)|\[href|textarea|button|^\.sr,|^pre, a/, why: "selectors" },
  { file: /markdown\.ts$/, text: /./, why: "HTML, and Markdown to warm up with" },
  { file: /PullModel/, text: /^ollama pull/, why: "a command" },
  { file: /TurnEndNotice|AskPlainly/, text: /^Go on\.$|^Write this command plainly/, why: "messages to the model" },
  { file: /TurnEndNotice/, text: /^(Link|Button)$/, why: "classes" },
  { file: /session-title\.ts$/, text: /^New session$/, why: "the title in the record" },
  { file: /main\.ts$/, text: /^the page has no #root$/, why: "cannot happen" },
];

/** Whether a literal is for a program or the model. @param {string} file @param {Literal} literal */
export function isTechnical(file, { text, parent, kind }) {
  if (kind === "attribute" && /^(class|key|shortcut|aria-keyshortcuts|extra)$/.test(parent)) return true;
  if (/^property "?(key|shortcut|id|by)"?$/.test(parent)) return true;
  if (/^call .*(startsWith|closest|querySelector(All)?|contains|keptValue|piece|replace|lexer)$/.test(parent))
    return true;
  return technical.some((one) => one.file.test(file) && one.text.test(text));
}
