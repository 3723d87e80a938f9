/** Text of messages and prompts. Its own file, because the panel uses it too and does not bundle zod. */
import { counted, t } from "../l10n/l10n.ts";
import { commentText, placeName } from "./comments.ts";
import type { Part } from "./message.ts";
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

/** Whether parts of a user message begin a turn: compaction requests and synthetic messages do not. */
export function isPrompt(parts: readonly Part[]): boolean {
  return parts.some((part) => {
    if (part.type === "text") return !part.synthetic && !part.ignored;
    if (part.type === "file") return part.pin === undefined;
    return part.type === "comment" || part.type === "agent" || part.type === "subtask";
  });
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
