/** The user's own words. By itself, since the panel reads them too and has no use for zod. */
import type { Part } from "./message.ts";
import type { PromptPart } from "./prompt-input.ts";

/** Of a message or a prompt: not what Rondo says to the model for the user, nor what a hook says to the user alone. */
export function ownWords(parts: readonly (Part | PromptPart)[]): string {
  return parts
    .flatMap((part) => (part.type === "text" && !part.synthetic && !part.ignored ? [part.text] : []))
    .join("\n");
}
