/** Which files a conversation is about: those that its calls, commands and subagents have shown or changed. */
import type { Chat } from "../../chat/apply.ts";
import { diffsOf } from "../../chat/diffs.ts";
import type { Part } from "../../chat/message.ts";

/** Returns the files by the names that the record has: absolute, or relative to a workspace folder. */
export function touchedFiles({ messages }: Pick<Chat, "messages">): Set<string> {
  return new Set(messages.flatMap(({ parts }) => parts.flatMap(filesOf)));
}

function filesOf(part: Part): string[] {
  if (part.type === "patch") return part.files;
  if (part.type !== "tool" || part.state.status !== "completed") return [];
  const { metadata } = part.state;
  return [
    ...diffsOf(metadata).map(({ path }) => path),
    ...(metadata.childEdited ?? []),
    ...Object.keys(metadata.seen ?? {}),
  ];
}
