/** Text of messages and prompts. Its own file, because the panel uses it too and does not bundle zod. */
import { counted, english, t } from "../l10n/l10n.ts";
import { commentText, placeName } from "./comments.ts";
import type { GivenPart, NotedPart, Part, SaidPart, TextPart } from "./message.ts";
import type { PromptPart } from "./prompt-input.ts";

/** Returns what the user has said, comments with their places, without parts that are only for the model or the user. */
export function ownWords(parts: readonly (Part | PromptPart)[]): string {
  return parts
    .flatMap((part) => (part.type === "comment" ? [`${placeName(part)}: ${part.text}`] : ownTexts(part)))
    .join("\n");
}

/** Returns the text of the composer. */
export function ownText(parts: readonly (Part | PromptPart)[]): string {
  return parts.flatMap(ownTexts).join("\n");
}

function ownTexts(part: Part | PromptPart): string[] {
  return part.type === "text" && !part.synthetic && !part.ignored ? [part.text] : [];
}

/** Returns the text that is not only for the user. */
export function textOf(parts: readonly Part[]): string {
  const texts = parts.flatMap((part) => {
    if (part.type === "comment") return [commentText(part)];
    return part.type === "text" && !part.ignored ? [part.text] : [];
  });
  return texts.join("\n");
}

/** Returns the text of a user's part for the model; undefined for none, and for what each API gets in a form of its own. */
export function userText(part: Part): string | undefined {
  switch (part.type) {
    case "text":
      return !part.ignored && part.text.trim() !== "" ? part.text : undefined;
    case "comment":
      return commentText(part);
    case "agent":
      return english(`Use the task tool to hand work to the agent ${part.name}.`);
    case "file":
    case "subtask":
    case "tools":
    case "compaction":
      return undefined;
    default:
      return notOfUser(part);
  }
}

/** Whether parts of a user message begin a turn: compaction requests and synthetic messages do not. */
export function isPrompt(parts: readonly Part[]): boolean {
  return parts.some((part) => {
    switch (part.type) {
      case "text":
        return !part.synthetic && !part.ignored;
      case "file":
        return part.pin === undefined;
      case "comment":
      case "agent":
      case "subtask":
        return true;
      case "tools":
      case "compaction":
        return false;
      default:
        return notOfUser(part);
    }
  });
}

/** Closes a `switch` over the kinds of a user's message: a new one makes this a type error. */
function notOfUser(_part: Exclude<SaidPart, TextPart> | NotedPart): undefined {
  return undefined;
}

/** Closes a `switch` over the kinds that a model says: a new one makes this a type error. */
export function notSaid(_part: GivenPart | NotedPart): never[] {
  return [];
}

/** "line 36", "lines 31–33", "3 lines"; the lines are in order. */
export function lineNumbersInWords(lines: readonly number[]): string {
  const [first = 0] = lines;
  const last = lines.at(-1) ?? first;
  if (lines.length === 1) return t("line {0}", first);
  return last - first === lines.length - 1
    ? t("lines {0}–{1}", first, last)
    : counted(lines.length, "{0} line", "{0} lines");
}
