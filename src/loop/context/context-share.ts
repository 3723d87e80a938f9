/** How full the window is, for the meter. */
import { type Chat, isFinishedSummary } from "../../chat/apply.ts";
import { contextSize } from "../../chat/token-counts.ts";
import type { FactSource } from "../setup/model-facts.ts";
import { fixedSize, sizeOfEntry, sum, visibleEntries } from "./context.ts";

/**
 * Returns the share of the context window that the last reply filled; undefined before the first reply. After a compaction
 * or a fresh context nothing has been counted yet, so it is estimated until the next reply (C3, C9).
 */
export function contextShare(chat: Chat, facts: FactSource): number | undefined {
  const { messages, prefix } = chat;
  const begin = messages.findLastIndex(isFinishedSummary);
  const counted = messages.findLast(
    ({ info }, at) => at > begin && info.role === "assistant" && !info.summary && info.tokens.output > 0,
  )?.info;
  const last = counted ?? messages[begin]?.info;
  if (last?.role !== "assistant") return undefined;
  const { contextWindow } = facts.of(last.model);
  if (counted) return Math.min(1, contextSize(last.tokens) / contextWindow);
  const fixed = prefix ? fixedSize({ system: prefix.system, definitions: prefix.tools }) : 0;
  const estimate = facts.tokenScale(last.model) * (fixed + sum(visibleEntries(chat), sizeOfEntry));
  return Math.min(1, estimate / contextWindow);
}
