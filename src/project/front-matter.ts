/** The YAML at the beginning of a Markdown file. */
import { parse } from "yaml";

export interface Markdown {
  /** What the YAML says; undefined without front matter. */
  data: unknown;
  body: string;
}

/** Characters, and levels. More than a page is a mistake, or an attack on the parser: its time grows with the square. */
const longest = 8_000;
const deepest = 30;

/** @throws SyntaxError in words for people, when the front matter is no YAML */
export function readMarkdown(text: string): Markdown {
  const found = /^---[ \t]*\n((?:[\s\S]*?\n)?)---[ \t]*(?:\n|$)/.exec(text);
  const yaml = found?.[1];
  if (found === null || yaml === undefined) return { data: undefined, body: text.trim() };
  if (yaml.length > longest) throw new SyntaxError(`its front matter is longer than ${longest} characters`);
  if (isDeep(yaml)) throw new SyntaxError("its front matter is nested too deeply");
  return { data: parseYaml(yaml), body: text.slice(found[0].length).trim() };
}

function parseYaml(yaml: string): unknown {
  try {
    return parseStrictly(yaml);
  } catch (error) {
    const quoted = quoteLines(yaml);
    if (quoted === yaml) throw explain(error);
    try {
      return parseStrictly(quoted);
    } catch {
      throw explain(error);
    }
  }
}

/** Aliases are refused: front matter has no use for them, and a few lines of them can stand for gigabytes. */
function parseStrictly(yaml: string): unknown {
  return parse(yaml, { maxAliasCount: 0, prettyErrors: false, logLevel: "error" });
}

/**
 * Agents written for other programs often hold `description: Use it when: …` on one line, which is no YAML for its second
 * colon. Such values are taken as plain text.
 */
function quoteLines(yaml: string): string {
  return yaml.replace(/^([\w-]+): +(?!["'[{|>&*!%@`])(.*: .*|.* #.*|.*:)$/gm, (_, key: string, value: string) => {
    return `${key}: ${JSON.stringify(value.trim())}`;
  });
}

/** The parser calls itself for each level. */
function isDeep(yaml: string): boolean {
  let depth = 0;
  for (const character of yaml) {
    if (character === "[" || character === "{") depth++;
    if (character === "]" || character === "}") depth--;
    if (depth > deepest) return true;
  }
  return yaml.split("\n").some((line) => (/^(?:[-?] *)*/.exec(line)?.[0].length ?? 0) > deepest * 2);
}

function explain(error: unknown): SyntaxError {
  const detail = error instanceof Error ? error.message.split("\n")[0] : String(error);
  return new SyntaxError(`its front matter is not valid YAML: ${detail}`, { cause: error });
}
