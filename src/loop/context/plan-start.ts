/** Where a conversation begins that builds a plan with a fresh context (C9). */
import { type Chat, type Entry, isFinishedSummary } from "../../chat/apply.ts";
import { commentText } from "../../chat/comments.ts";

/** Returns the place of the newest request for a fresh context; 0 without one. What came before does not come back. */
export function freshStart(messages: readonly Entry[]): number {
  const at = messages.findLastIndex(({ parts: [first] }, at) => {
    const next = messages[at + 1];
    return first?.type === "compaction" && first.plan !== undefined && next !== undefined && isFinishedSummary(next);
  });
  return Math.max(0, at);
}

/** Returns what the user has said about the lines of a plan in these messages, except what they have dropped (C8). */
export function planComments(messages: readonly Entry[], pieces: Chat["pieces"]): string[] {
  return messages.flatMap(({ info, parts }) =>
    info.role === "user"
      ? parts.flatMap((part) =>
          part.type === "comment" && part.place.type === "plan" && !pieces[part.id]?.dropped ? [commentText(part)] : [],
        )
      : [],
  );
}
