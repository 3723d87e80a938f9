/**
 * Decides which hooks an event runs: the `matcher` of Claude Code's settings. There it is a list of names or a regular
 * expression (code.claude.com/docs/en/hooks, "Matcher patterns"), so none of the wildcards of rules.
 */

import { claudeTools, ourTool } from "../chat/tool-cards.ts";
import { msg } from "../l10n/l10n.ts";
import type { HookEvent } from "../loop/hooks.ts";

/** Whether the matcher matches one of the subject's names. */
export type Matcher = (names: readonly string[]) => boolean;

const maxLength = 500;
/** The time to match grows exponentially with the number of repetitions; more could take minutes. */
const maxRepetitions = 4;
/** Maximum length that providers accept for the name of a tool; a model can ask for tools with longer ones. */
const maxNameLength = 64;

/** @throws SyntaxError with a message for people */
export function matcherOf(text: string): Matcher {
  if (text === "" || text === "*") return () => true;
  if (text.length > maxLength) throw new SyntaxError(msg("its matcher is longer than {0} characters", maxLength));
  if (/^[\w -]+(\|[\w -]+)*$/.test(text)) {
    const wanted = text.split("|").map((name) => name.trim());
    return (names) => names.some((name) => wanted.includes(name));
  }
  const pattern = compile(text);
  // Where a name is too long to try, a hook that guards must not be left out.
  return (names) => names.some((name) => name.length > maxNameLength || pattern.test(name));
}

function compile(source: string): RegExp {
  const shown = source.slice(0, 60);
  if (mayTakeLong(source))
    throw new SyntaxError(msg("its matcher `{0}` could take too long to try: write it simpler", shown));
  try {
    return new RegExp(source);
  } catch {
    throw new SyntaxError(msg("its matcher `{0}` is not a regular expression", shown));
  }
}

/** Whether the expression may take very long: group references, nested repetitions, many repetitions. */
function mayTakeLong(source: string): boolean {
  if (/\\[1-9k]/.test(source)) return true;
  const plain = source
    // Escapes and classes match one character each.
    .replace(/\\./g, "x")
    .replace(/\[[^\]]*\]?/g, "x")
    // Removes characters that only look like repetitions.
    .replace(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, "(")
    .replace(/([*+?}])\?/g, "$1");
  if ((plain.match(/[*+?{]/g) ?? []).length > maxRepetitions) return true;
  // For each open group, whether it contains a repetition or a choice. The first entry is the whole expression.
  const open = [false];
  for (let at = 0; at < plain.length; at++) {
    const character = plain[at] ?? "";
    if (character === "(") open.push(false);
    if (/[*+?{|]/.test(character)) open[open.length - 1] = true;
    if (character !== ")" || open.length === 1 || !open.pop()) continue;
    if (/[*+{]/.test(plain[at + 1] ?? "")) return true;
    open[open.length - 1] = true;
  }
  return false;
}

const toolEvents = new Set<HookEvent>(["PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"]);

/** Returns Rondo's name and Claude Code's names of a tool, or of the end of a session. Other subjects have one name. */
export function namesOf(event: HookEvent, subject: string): string[] {
  // Claude Code's word for all ends but those of its own commands (code.claude.com/docs/en/hooks, SessionEnd).
  if (event === "SessionEnd") return [subject, "other"];
  if (!toolEvents.has(event)) return [subject];
  const own = ourTool(subject);
  return [own, ...claudeTools(own)];
}
