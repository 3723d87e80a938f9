/** Words of messages and prompts. A file by itself, since the panel reads them too and has no use for zod. */
import type { Part } from "./message.ts";
import type { PromptPart } from "./prompt-input.ts";

/** Returns the user's own words, without text that is for the model or for the user alone. */
export function ownWords(parts: readonly (Part | PromptPart)[]): string {
  return parts
    .flatMap((part) => (part.type === "text" && !part.synthetic && !part.ignored ? [part.text] : []))
    .join("\n");
}

/** Returns the text that is not for the user alone. */
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
