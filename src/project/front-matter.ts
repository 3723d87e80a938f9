/** Reads the YAML at the beginning of a Markdown file. */

import { parse } from "yaml";
import { msg } from "../l10n/l10n.ts";

export interface Markdown {
  /** Value of the YAML; undefined without front matter. */
  data: unknown;
  body: string;
}

/** Limits in characters and levels: the parser's time grows with the square of the length. */
const maxLength = 8_000;
const maxDepth = 30;

/** @throws SyntaxError with a message for people when the front matter is not YAML */
export function readMarkdown(text: string): Markdown {
  const found = /^---[ \t]*\n((?:[\s\S]*?\n)?)---[ \t]*(?:\n|$)/.exec(text);
  const yaml = found?.[1];
  if (found === null || yaml === undefined) return { data: undefined, body: text.trim() };
  if (yaml.length > maxLength) throw new SyntaxError(msg("its front matter is longer than {0} characters", maxLength));
  if (isDeep(yaml)) throw new SyntaxError(msg("its front matter is nested too deeply"));
  return { data: parseYaml(yaml), body: text.slice(found[0].length).trim() };
}

function parseYaml(yaml: string): unknown {
  try {
    return parseStrictly(yaml);
  } catch (error) {
    const quoted = quoteLines(yaml);
    if (quoted === yaml) throw yamlError(error);
    try {
      return parseStrictly(quoted);
    } catch {
      throw yamlError(error);
    }
  }
}

/** Rejects aliases: front matter does not need them, and a few lines of them can expand to gigabytes. */
function parseStrictly(yaml: string): unknown {
  return parse(yaml, { maxAliasCount: 0, prettyErrors: false, logLevel: "error" });
}

/**
 * Quotes values with a second colon, as in `description: Use it when: …`, and with text after a bracket, as in
 * `argument-hint: [issue] [depth]`: not valid YAML, but common in such files.
 */
function quoteLines(yaml: string): string {
  return yaml.replace(/^([\w-]+): +(?![ "'{|>&*!%@`])(.*)$/gm, (line: string, key: string, value: string) => {
    const needsQuotes = value.startsWith("[") ? goesOnAfterBracket(value) : /: | #|:$/.test(value);
    return needsQuotes ? `${key}: ${JSON.stringify(value.trim())}` : line;
  });
}

function goesOnAfterBracket(value: string): boolean {
  const end = value.indexOf("]");
  return end >= 0 && value.slice(end + 1).trim() !== "";
}

/** Whether the YAML is nested too deeply for the recursive parser. */
function isDeep(yaml: string): boolean {
  let depth = 0;
  for (const character of yaml) {
    if (character === "[" || character === "{") depth++;
    if (character === "]" || character === "}") depth--;
    if (depth > maxDepth) return true;
  }
  return yaml.split("\n").some((line) => (/^(?:[-?] *)*/.exec(line)?.[0].length ?? 0) > maxDepth * 2);
}

function yamlError(error: unknown): SyntaxError {
  const detail = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  return new SyntaxError(msg("its front matter is not valid YAML: {0}", detail), { cause: error });
}
