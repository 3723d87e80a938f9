/** Commands that a prompt begins with: "/name arguments". */
import { english } from "../l10n/l10n.ts";
import type { CommandArgument } from "./command-arguments.ts";
import { nextWordFrom, quotedWordAt } from "./quoted-words.ts";

/** A command of the workspace, the user or an extension of Rondo, as the panel offers it. */
export interface CommandChoice {
  /** Without the slash: "changelog", "frontend:component". */
  name: string;
  description: string;
  /** What is to be written after the name, in the author's words; empty if nothing is expected. */
  hint: string;
  /** Where it comes from: "Rondo", ".rondo/commands/changelog.md", "MCP server issues". */
  source: string;
  /** Of prompts of MCP servers, whose description is the server's claim. */
  args?: readonly CommandArgument[];
}

export interface SlashCommand {
  name: string;
  /** What follows the name, trimmed. */
  args: string;
}

const begun = /^\/([\p{L}\p{N}][\p{L}\p{N}:_.-]*)(?:\s([\s\S]*))?$/u;

/** Returns the command that the text begins with; undefined for other texts, such as paths. */
export function slashCommandIn(text: string): SlashCommand | undefined {
  const [, name, args = ""] = begun.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, args: args.trim() };
}

/**
 * Fills in the arguments: `$ARGUMENTS` is all of them, `$1` to `$9` are single ones, of which quoted words are one.
 * `$ARGUMENTS[0]` is the first one, too; and in a template with `$0`, all are counted from 0, as Claude Code does since
 * it has that form ("Available string substitutions" in https://code.claude.com/docs/en/skills).
 * What comes from an argument is not filled in again. Arguments that the template has no place for follow it.
 */
export function fillTemplate(template: string, args: string): string {
  const single = argumentsIn(args);
  const places = /\$(?:ARGUMENTS(?:\[(\d{1,2})\])?|(\d))(?![A-Za-z0-9_])/g;
  const first = [...template.matchAll(places)].some(([, , digit]) => digit === "0") ? 0 : 1;
  let hasPlace = false;
  const filled = template.replace(places, (_, index?: string, digit?: string) => {
    hasPlace = true;
    if (index !== undefined) return single[Number(index)] ?? "";
    return digit === undefined ? args : (single[Number(digit) - first] ?? "");
  });
  return hasPlace || args === "" ? filled : english(`${filled}\n\nArguments: ${args}`);
}

/** Splits at white space; words in double or single quotes stay together. */
export function argumentsIn(args: string): string[] {
  const words: string[] = [];
  for (let at = nextWordFrom(args, 0); at < args.length; ) {
    const { value, end } = quotedWordAt(args, at, false);
    words.push(value);
    at = nextWordFrom(args, end);
  }
  return words;
}
