/** Text of messages and prompts. Its own file, because the panel uses it too and does not bundle zod. */
import type { Part } from "./message.ts";
import type { PromptPart } from "./prompt-input.ts";

/** Returns the user's own text, without parts that are only for the model or only for the user. */
export function ownWords(parts: readonly (Part | PromptPart)[]): string {
  return parts
    .flatMap((part) => (part.type === "text" && !part.synthetic && !part.ignored ? [part.text] : []))
    .join("\n");
}

/** Returns the text that is not only for the user. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" && !part.ignored ? [part.text] : [])).join("\n");
}

/** Whether parts of a user message begin a turn: compaction requests and synthetic messages do not. */
export function isPrompt(parts: readonly Part[]): boolean {
  return parts.some((part) => {
    if (part.type === "text") return !part.synthetic && !part.ignored;
    return part.type === "file" || part.type === "agent" || part.type === "subtask";
  });
}
