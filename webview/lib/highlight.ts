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
const mostCharacters = 100_000;

/** `language`: a name, an alias or a file extension; code in an unknown language is only escaped. */
export function highlight(code: string, language: string): string {
  if (code.length > mostCharacters || !hljs.getLanguage(language)) return escapeHtml(code);
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}

/** Highlights line by line: spans over several lines are closed and opened again. */
export function highlightLines(code: string, language: string): string[] {
  const open: string[] = [];
  return highlight(code, language)
    .split("\n")
    .map((line) => {
      const before = open.join("");
      for (const tag of line.match(/<span[^>]*>|<\/span>/g) ?? []) {
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
