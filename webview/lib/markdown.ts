/**
 * Markdown of a model as safe HTML. Two locks: the renderer writes only what is listed here (raw HTML is shown as the
 * text that it is, pictures as links), and DOMPurify lets only that through. Nothing in the result can run, load, or
 * lead anywhere: a link has no `href`, its address is in `data-href` for whoever handles the press.
 */
import DOMPurify from "dompurify";
import { Marked, type Token } from "marked";
import { escapeHtml, highlight, highlightLines } from "./highlight.ts";
import { target } from "./link-target.ts";

const tags =
  "p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code kbd sub sup em strong del a span table thead tbody tr th td";
const attributes = ["class", "start", "align", "data-href", "role", "tabindex", "title"];

let locked = false;

/** The only way for a string into `{@html}`. */
function safe(html: string): string {
  // Set once: read anew for each block, the lists would cost more than the block.
  if (!locked) {
    DOMPurify.setConfig({
      ALLOWED_TAGS: [...tags.split(" "), "#text"],
      ALLOWED_ATTR: attributes,
      ALLOW_ARIA_ATTR: false,
      ALLOW_DATA_ATTR: false,
    });
    locked = true;
  }
  return DOMPurify.sanitize(html);
}

/** Tags without attributes that are common in Markdown and harmless. */
const plainTag = /^<\/?(?:br|kbd|sub|sup)\s*\/?>$/i;

const marked = new Marked({
  renderer: {
    html: ({ text }) => (plainTag.test(text) ? text : escapeHtml(text)),
    code: ({ text, lang }) => `<pre tabindex="0"><code>${highlight(text, firstWord(lang))}</code></pre>`,
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    heading({ tokens, depth }) {
      // The panel's own headings are h1 and h2.
      const level = Math.min(depth + 2, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    link({ href, tokens }) {
      return link(href, this.parser.parseInline(tokens));
    },
    image: ({ href, text }) => link(href, escapeHtml(text || href)),
  },
});

function link(href: string, html: string): string {
  if (!target(href)) return html;
  const address = escapeHtml(href);
  return `<a data-href="${address}" role="link" tabindex="0" title="${address}">${html}</a>`;
}

function firstWord(text: string | undefined): string {
  return text?.trim().split(/\s/, 1)[0] ?? "";
}

/** Does once what is slow the first time: compiling the expressions of Markdown and of the commonest languages. */
export function warmUp(): void {
  for (const token of marked.lexer("**a** _b_ ~c~ `d` [e](f) http://g\n\n- h\n\n| i |\n|---|\n| j |"))
    renderBlock(token);
  for (const language of ["ts", "json", "bash", "python"]) renderCode("a = 1", language);
}

/** A block other than code, ready to be shown. */
export function renderBlock(token: Token): string {
  return safe(marked.parser([token]));
}

/** Code, ready to be shown. */
export function renderCode(code: string, language: string): string {
  return safe(highlight(code, language));
}

/** The same, line by line. No line may hold an end of line. */
export function renderLines(lines: string[], language: string): string[] {
  // A page's parser makes a line's end of a carriage return.
  const code = lines.join("\n").replaceAll("\r", "");
  return safe(highlightLines(code, language).join("\n")).split("\n");
}
