/**
 * Renders Markdown from a model as safe HTML, protected twice: the renderer writes only the tags listed here (raw HTML
 * becomes text), and only those pass: an expression recognizes text with the plainest of them, and DOMPurify filters all
 * the rest. Nothing in the result can run, load or navigate: a link has no `href`, its address is in `data-href` for the
 * click handler in main.ts; formulas and pictures are text, which `draw-maths.ts` and `answer-images.svelte.ts` replace.
 */

import DOMPurify from "dompurify";
import { Marked, Renderer, type Token, type Tokens } from "marked";
import { t } from "../../src/l10n/l10n.ts";
import { blockBreak, readText } from "../text/read-text.ts";
import { escapeHtml, highlight, highlightLines } from "./highlight.ts";
import { imagePlace } from "./image-place.ts";
import { parseLink } from "./link-target.ts";
import type { MathsToken } from "./markdown-lexer.ts";

const tags =
  "p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code kbd sub sup em strong del a span div table thead tbody tr th td";
const attributes = "class start align data-href data-image dir role tabindex title aria-label".split(" ");

let configured = false;

/**
 * Text and nothing but these tags, exactly as the renderer writes them. They cannot carry anything that DOMPurify would
 * take away, and it needs two documents for each block of an answer. Each `<` begins one of them, or nothing matches.
 */
const harmless =
  /^[^<]*(?:<(?:\/?(?:p|h[2-6]|ul|ol|li|blockquote|pre|code|em|strong|del|span)|br|hr|(?:p|h[2-6]|ul|ol|blockquote) dir="auto"|code dir="ltr"|span class="[\w -]+")>[^<]*)*$/;
/** A longer text is left to DOMPurify, so that the expression never needs much room. */
const maxHarmless = 20_000;

/** The only way for a string into `{@html}`. */
function safe(html: string): string {
  if (html.length <= maxHarmless && harmless.test(html)) return html;
  // Configured once: parsing the lists for each block would cost more than the block.
  if (!configured) {
    DOMPurify.setConfig({
      ALLOWED_TAGS: [...tags.split(" "), "#text"],
      ALLOWED_ATTR: attributes,
      // It names an image, and loads none: `answer-images.svelte.ts` looks at it.
      ADD_URI_SAFE_ATTR: ["data-image"],
      ALLOW_ARIA_ATTR: false,
      ALLOW_DATA_ATTR: false,
    });
    configured = true;
  }
  return DOMPurify.sanitize(html);
}

/** Tags without attributes that are common in Markdown and harmless. */
const plainTag = /^<\/?(?:br|kbd|sub|sup)\s*\/?>$/i;

const marked = new Marked({
  renderer: {
    html: ({ text }) => (plainTag.test(text) ? text : escapeHtml(text)),
    code: ({ text, lang }) => `<pre dir="ltr"><code>${highlight(text, firstWord(lang))}</code></pre>`,
    // An element with a direction of its own does not decide that of the text around it.
    codespan: ({ text }) => `<code dir="ltr">${escapeHtml(text)}</code>`,
    checkbox: ({ checked }) =>
      `<span class="Check ${checked ? "done" : "open"}" role="img" aria-label="${checked ? t("Done") : t("To do|not done yet")}"></span>`,
    listitem(item) {
      return `<li${item.task ? ' class="Task"' : ""}>${this.parser.parse(item.tokens)}</li>\n`;
    },
    // A box of its own scrolls; a table that did would be none for a screen reader.
    table(token) {
      return `<div class="Wide">${Renderer.prototype.table.call(this, token)}</div>`;
    },
    heading({ tokens, depth }) {
      // The only h1 is the title of the session.
      const level = Math.min(depth + 1, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    link({ href, tokens }) {
      return link(href, this.parser.parseInline(tokens));
    },
    image: ({ href, text }) => image(href, text),
  },
  extensions: [{ name: "maths", renderer: (token) => maths(token as MathsToken & typeof token) }],
});

/** Stands there as it was written until it is drawn. */
function maths({ text, display }: MathsToken): string {
  return `<span class="Maths${display ? " display" : ""}">${escapeHtml(text)}</span>`;
}

/** A picture of the workspace or in the text itself is drawn; one from elsewhere would tell its server what is read here. */
function image(href: string, text: string): string {
  const place = imagePlace(href);
  const words = escapeHtml(text);
  if (place.type === "web") return link(href, t("{0} (image on {1})", words || t("Image"), escapeHtml(place.host)));
  if (place.type === "none") return words || escapeHtml(href.slice(0, 80));
  return `<span class="Picture" data-image="${escapeHtml(href)}">${words || (place.type === "file" ? escapeHtml(place.path) : t("Image"))}</span>`;
}

function link(href: string, html: string): string {
  if (!parseLink(href)) return html;
  const address = escapeHtml(href);
  return `<a data-href="${address}" role="link" tabindex="0" title="${address}">${html}</a>`;
}

function firstWord(text: string | undefined): string {
  return text?.trim().split(/\s/, 1)[0] ?? "";
}

/** Renders samples in steps, because the first rendering compiles the expressions of Markdown and of each language. */
export function* warmUp(): Generator<void, void> {
  for (const sample of ["**a** _b_ ~c~ `d` [e](f) http://g", "- h", "| i |\n|---|\n| j |"]) {
    const tokens = marked.lexer(sample);
    yield;
    for (const token of tokens) renderBlock(token);
    yield;
  }
  for (const language of ["ts", "json", "bash", "python"]) {
    renderCode("a = 1", language);
    yield;
  }
}

/** Never throws: what cannot be rendered is shown as it was written. */
export function renderBlock(token: Token): string {
  if (token.type === "plain") return plainHtml(token.raw);
  try {
    // Only the outermost element: those inside would hide their text from it.
    return safe(marked.parser([token]).replace(/^<(?!pre|div|span)\w+/, '$& dir="auto"'));
  } catch {
    return plainHtml(token.raw);
  }
}

/** Returns the text of a block as it is read on screen: from its HTML, in a document where nothing runs or loads. */
export function blockText(token: Token): string {
  if (token.type === "plain") return token.raw;
  const code = codeToken(token);
  if (code) return codeLabel(code.lang ?? "") + blockBreak + code.text;
  const template = document.createElement("template");
  try {
    template.innerHTML = marked.parser([token]);
    return readText(template.content).text;
  } catch {
    return token.raw;
  }
}

export function codeToken(token: Token): Tokens.Code | undefined {
  // marked's union of tokens is open to extensions, so `type` does not narrow it.
  return token.type === "code" ? (token as Tokens.Code) : undefined;
}

/** Whether code is a diagram whose text is complete. `grows`: more text may follow. */
export function isDiagram({ lang, raw }: Tokens.Code, grows: boolean): boolean {
  if (firstWord(lang).toLowerCase() !== "mermaid") return false;
  return !grows || /\n {0,3}(?:`{3,}|~{3,})[ \t]*\n*$/.test(raw);
}

/** Returns what stands above code. `info`: the words after the opening fence, a language and perhaps a path. */
export function codeLabel(info: string): string {
  const [language = "", ...others] = info.trim().split(/\s+/);
  return others.join(" ") || language;
}

function plainHtml(text: string): string {
  return `<p class="plain" dir="auto">${escapeHtml(text)}</p>`;
}

export function renderCode(code: string, language: string): string {
  return safe(highlight(code, language));
}

/** Returns the HTML of highlighted lines. No line may contain a line break. */
export function renderLines(lines: string[], language: string): string[] {
  // An HTML parser turns a carriage return into a line break.
  const code = lines.join("\n").replaceAll("\r", "");
  return safe(highlightLines(code, language).join("\n")).split("\n");
}
