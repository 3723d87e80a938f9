/** Changes the queue of prompts: add, edit, move (Q2). */
import type { Queued } from "../../chat/events.ts";
import { newID } from "../../chat/ids.ts";
import type { PromptInput } from "../../chat/prompt-input.ts";
import { IntakeError } from "./intake-error.ts";

export function enqueued(queue: readonly Queued[], input: PromptInput, maxDepth: number): Queued[] {
  if (queue.length >= maxDepth) {
    throw new IntakeError(
      "queue-full",
      `${maxDepth} messages are already queued. Wait for the next step, or withdraw one.`,
    );
  }
  const { messageID, noReply: _, ...rest } = input;
  return [...queue, { ...rest, id: messageID ?? newID("msg") }];
}

/** Replaces the user's text in a prompt and keeps its other parts. */
export function edited(queue: readonly Queued[], id: string, text: string): Queued[] {
  return queue.map((one) => {
    if (one.id !== id) return one;
    const others = one.parts.filter((part) => part.type !== "text" || part.synthetic || part.ignored);
    return { ...one, parts: [...others, { type: "text", text }] };
  });
}

/** Moves a prompt to position `to`, from 0. */
export function moved(queue: readonly Queued[], id: string, to: number): Queued[] {
  const one = queue.find((other) => other.id === id);
  const others = queue.filter((other) => other.id !== id);
  return one ? others.toSpliced(to, 0, one) : others;
}
