/** Highlights code as HTML of `span` elements with classes; all text in it is escaped. */
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const languages = {
  bash,
  cpp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

hljs.registerAliases(["c", "h", "hpp", "cc", "cxx", "cs", "swift", "kt", "kotlin"], { languageName: "cpp" });
hljs.registerAliases(["svelte", "vue", "svg"], { languageName: "xml" });
hljs.registerAliases(["jsonl", "json5"], { languageName: "json" });
hljs.registerAliases(["scss", "less"], { languageName: "css" });
hljs.registerAliases(["shell", "console", "zsh"], { languageName: "bash" });

/** Longer code is not highlighted, because it would take too long. */
const mostCharacters = 50_000;
/** The grammars take the square of the length of some lines, and of white space. */
const slowCode = /[^\n]{400}|\s{200}/;
/** Deeper spans (a template in a template, and so on) slow the page down. */
const maxDepth = 60;

/** `language`: a name, an alias or a file extension; code in an unknown language is only escaped. */
export function highlight(code: string, language: string): string {
  if (code.length > mostCharacters || slowCode.test(code) || !hljs.getLanguage(language)) return escapeHtml(code);
  const html = hljs.highlight(code, { language, ignoreIllegals: true }).value;
  return depthOf(html) > maxDepth ? escapeHtml(code) : html;
}

/** Returns how many spans are open at most. */
function depthOf(html: string): number {
  let depth = 0;
  let most = 0;
  for (const [tag] of html.matchAll(/<\/?span/g)) {
    depth += tag === "<span" ? 1 : -1;
    most = Math.max(most, depth);
  }
  return most;
}

/** Highlights line by line: spans over several lines are closed and opened again. */
export function highlightLines(code: string, language: string): string[] {
  const open: string[] = [];
  return highlight(code, language)
    .split("\n")
    .map((line) => {
      const before = open.join("");
      for (const tag of line.match(/<span[^<>]*>|<\/span>/g) ?? []) {
        if (tag === "</span>") open.pop();
        else open.push(tag);
      }
      return before + line + "</span>".repeat(open.length);
    });
}

/** Returns the extension of a path, which `highlight` takes as a language. */
export function languageOf(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1).toLowerCase();
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
