/** Which hooks an event is for: the `matcher` of Claude Code's settings. */
import type { HookEvent } from "../loop/hooks.ts";
import { claudeTools, ourTool } from "./tool-names.ts";

/** Whether the matcher fits one of the names that the subject goes by. */
export type Matcher = (names: readonly string[]) => boolean;

/** Characters of a matcher. */
const longest = 500;
/** A few repetitions in a row take the length of a name to that power; more could take minutes. */
const mostRepetitions = 4;

/** @throws SyntaxError in words for people */
export function matcherOf(text: string): Matcher {
  if (text === "" || text === "*") return () => true;
  if (text.length > longest) throw new SyntaxError(`its matcher is longer than ${longest} characters`);
  if (/^[\w -]+(\|[\w -]+)*$/.test(text)) {
    const wanted = text.split("|").map((name) => name.trim());
    return (names) => names.some((name) => wanted.includes(name));
  }
  const pattern = compile(text);
  return (names) => names.some((name) => pattern.test(name));
}

function compile(source: string): RegExp {
  const shown = source.slice(0, 60);
  if (mayTakeLong(source))
    throw new SyntaxError(`its matcher \`${shown}\` could take too long to try: write it simpler`);
  try {
    return new RegExp(source);
  } catch {
    throw new SyntaxError(`its matcher \`${shown}\` is not a regular expression`);
  }
}

/** References to groups, repeated groups that hold a repetition or a choice, many repetitions: time may explode. */
function mayTakeLong(source: string): boolean {
  if (/\\[1-9k]/.test(source)) return true;
  const plain = source
    // What is escaped or in a class stands for one character; only whether it is repeated matters.
    .replace(/\\./g, "x")
    .replace(/\[[^\]]*\]/g, "x")
    // What only looks like a repetition.
    .replace(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, "(")
    .replace(/([*+?}])\?/g, "$1");
  if ((plain.match(/[*+?{]/g) ?? []).length > mostRepetitions) return true;
  // For each group that is open, whether it holds a repetition or a choice; the first stands for the whole.
  const open = [false];
  for (let at = 0; at < plain.length; at++) {
    const character = plain[at] ?? "";
    if (character === "(") open.push(false);
    if (/[*+?{|]/.test(character)) open[open.length - 1] = true;
    if (character !== ")" || open.length === 1) continue;
    if (!open.pop()) continue;
    if (/[*+{]/.test(plain[at + 1] ?? "")) return true;
    open[open.length - 1] = true;
  }
  return false;
}

const toolEvents: ReadonlySet<HookEvent> = new Set([
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
]);

/** Our name first, then Claude Code's; of what is no tool only itself. */
export function namesOf(event: HookEvent, subject: string): string[] {
  if (!toolEvents.has(event)) return [subject];
  const own = ourTool(subject);
  return [own, ...claudeTools(own)];
}
