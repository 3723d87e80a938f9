/** A prompt as it comes in, with every field of spec P1. */
import * as z from "zod/mini";
import { FilePart, ModelRef } from "./message.ts";

export const Attachment = z.pick(FilePart, { mime: true, filename: true, url: true, source: true });
export type Attachment = z.infer<typeof Attachment>;

export const PromptPart = z.discriminatedUnion("type", [
  /** `synthetic`: for the model alone; `ignored`: for the user alone. */
  z.object({
    type: z.literal("text"),
    text: z.string(),
    synthetic: z.optional(z.boolean()),
    ignored: z.optional(z.boolean()),
  }),
  z.extend(Attachment, { type: z.literal("file") }),
  /** An @mention: becomes a subtask of this agent, with the words of the prompt. */
  z.object({ type: z.literal("agent"), name: z.string() }),
  /** Run by a subagent before the model is asked (L6). */
  z.object({ type: z.literal("subtask"), agent: z.string(), description: z.string(), prompt: z.string() }),
]);
export type PromptPart = z.infer<typeof PromptPart>;

export const PromptInput = z.object({
  /** Id of the new message; made when absent. */
  messageID: z.optional(z.string()),
  /** Replaces the session's model and agent for this message and its answer. */
  model: z.optional(ModelRef),
  agent: z.optional(z.string()),
  /** Stores the message and answers nothing. */
  noReply: z.optional(z.boolean()),
  tools: z.optional(z.record(z.string(), z.boolean())),
  system: z.optional(z.string()),
  /** How much the model may think: "low", "medium", "high" (M2). */
  variant: z.optional(z.string()),
  parts: z.array(PromptPart),
});
export type PromptInput = z.infer<typeof PromptInput>;

export function textPrompt(text: string, attachments: readonly Attachment[] = []): PromptInput {
  const files = attachments.map((attachment) => ({ type: "file" as const, ...attachment }));
  return { parts: [...files, ...(text.trim() === "" ? [] : [{ type: "text" as const, text }])] };
}
