/** What looks like a text for people and is none. */

/** @typedef {import("./source-texts.mjs").Literal} Literal */

/** @type {readonly { file: RegExp, text: RegExp, why: string }[]} */
const technical = [
  {
    file: /./,
    text: /^(Rondo|Anthropic|Place|Enter|Escape|Esc|Mac|Control\+Enter Meta\+Enter( Escape)?)$/,
    why: "names, keys",
  },
  {
    file: /./,
    text: /^px$|^ch$|^calc\(|^color-mix\(|^https?:|^\d(px)? 0 0 \dp?x?(ch)?$|^0 0 0 3/,
    why: "styles, addresses",
  },
  {
    file: /./,
    text: /^(\{\d\} )+(title|text|line|name|place|lines|fact|path|diff|script|output|open|whole|rows|collapsed|cost)$/,
    why: "keys of pieces of the log",
  },
  { file: /headless/, text: /^rondo: (\{\d\}\s*)+$/, why: "the program's name before a text" },
  { file: /ollama-model/, text: /^unknown path$/, why: "a state" },
  { file: /hook|loop\.ts$/, text: /^(Stop|Notification)$/, why: "names of events" },
  { file: /CallCard/, text: /^\{0\}-title \{1\}-rest$/, why: "ids" },
  {
    file: /model-rows|ModeMenu/,
    text: /^(model|state|heading|connect|typed|agent) \{0\}|^not connected$|^typed ID$/,
    why: "ids",
  },
  { file: /./, text: /\[(aria|data|tabindex)|\[href|textarea|button|^\.sr,|^pre, a/, why: "selectors" },
  { file: /markdown\.ts$/, text: /./, why: "HTML, and Markdown to warm up with" },
  { file: /mathml\.ts$/, text: /^(math semantics|display displaystyle) /, why: "names of elements and attributes" },
  { file: /find-tests/, text: /./, why: "commands" },
  { file: /TurnEndNotice|early\.ts$/, text: /^(Link|Button)$/, why: "classes" },
  { file: /session-title\.ts$/, text: /^New session$/, why: "the title in the record" },
  { file: /main\.ts$/, text: /^the page has no #root$/, why: "cannot happen" },
  { file: /./, text: /^\$\([a-z~-]+\) \{0\}(\{1\})?$/, why: "an icon before a text" },
  { file: /tool-cards/, text: /^\p{Lu}\w+$/u, why: "Claude Code's names of tools" },
  { file: /base\/settings/, text: /^\{0\}(Seconds|Ms)$/, why: "names of settings" },
  { file: /window-servers/, text: /^Rondo: MCP$/, why: "a name" },
  // Messages to the model, as of the user.
  { file: /TurnEndNotice|AskPlainly/, text: /^Go on\.$|^Write this command plainly/, why: "for the model" },
  {
    file: /vscode-request|comment-thread\.ts|slash-commands/,
    text: /^Error: |^The user|^You$|^, from|^Write AGENTS|^Review changes/,
    why: "for the model",
  },
  {
    file: /extension\/commands|context-commands|worktree-page/,
    text: /^(Explain|Find|Fix|Make|Test|Run it|The newest commits)/,
    why: "for the model",
  },
  {
    file: /attach-mention|editor-contexts/,
    text: /^and \{0\}$|^more file$|^\{0\} (more|has)|^(Problem in|Session|Changes of|Changes$|What follows)/,
    why: "names and texts of attachments, for the model and the record",
  },
  { file: /draw-diagram|diagram-source/, text: /^style=|tspan/, why: "SVG" },
  { file: /command-rows|slash-commands/, text: /^MCP server/, why: "a source, which is compared" },
  { file: /DropTarget/, text: /^Files$/, why: "a type of dragged data" },
  { file: /plan-documents/, text: /^# Plan$/, why: "a heading that the model writes" },
  { file: /editor-workspace|notebooks\.ts|vscode-tools|find-symbol|service-edits/, text: /./, why: "results of tools" },
  {
    file: /editor-contexts/,
    text: /^(Problems|Failed tests|Debug Console|Terminal|The rest was)/,
    why: "names of attachments in the record",
  },
  // Compared or looked up elsewhere, and translated there.
  { file: /review-rows\.ts$/, text: /^partly yours$/, why: "a state; the panel has its words" },
  // The log is in English, so that it can be reported.
  { file: /provider-settings|extension\/settings\.ts$|integrated-events/, text: /./, why: "for the log" },
];

/** Whether a literal is for a program, the model, the record or the log. @param {string} file @param {Literal} literal */
export function isTechnical(file, { text, parent, kind }) {
  if (kind === "attribute" && /^(class|key|shortcut|aria-keyshortcuts|extra)$/.test(parent)) return true;
  if (/^property "?(key|shortcut|id|by)"?$/.test(parent)) return true;
  if (/^call .*(startsWith|closest|querySelector(All)?|contains|keptValue|piece|replace|lexer|indexOf)$/.test(parent))
    return true;
  // What cannot happen, and what a tool answers the model.
  if (/^new (Error (alone|0)|ToolError 0)$/.test(parent) || /^call .*\blog\.\w+$/.test(parent)) return true;
  return technical.some((one) => one.file.test(file) && one.text.test(text.trim()));
}
