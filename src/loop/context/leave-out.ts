/** Makes drops of the user hold from the next request on (C8). */
import type { Entry } from "../../chat/apply.ts";
import { forget } from "../calls/files-seen.ts";
import type { Turn } from "../turn.ts";
import { insteadOf } from "./dropped.ts";
import { unbind } from "./prefix.ts";

/**
 * Call it when a request is certain, right before its entries are selected: a drop never changes a request that was
 * sent, and it can be put back until then. What was dropped is no longer known of files, so that an edit reads them again.
 */
export function leaveOut(turn: Pick<Turn, "chat" | "signal" | "emit" | "flush" | "seen">): void {
  const due = Object.entries(turn.chat.pieces).filter(([, { dropped }]) => dropped?.after === null);
  if (due.length === 0) return;
  const { messages } = turn.chat;
  const after = messages.at(-1)?.info.id ?? null;
  let count = 0;
  for (const [partID, piece] of due) {
    const entry = messages.find(({ info }) => info.id === piece.messageID);
    const part = entry?.parts.find(({ id }) => id === partID);
    if (!entry || !part || !canDrop(messages, entry, part)) continue;
    forget(turn.seen, part);
    turn.emit({ type: "piece", partID, piece: { ...piece, pinned: false, dropped: { after } } });
    count += 1;
  }
  if (count > 0) unbind(turn);
}

/** Whether a request can do without a part: not without the words that it is to answer. */
export function canDrop(messages: readonly Entry[], entry: Entry, part: Entry["parts"][number]): boolean {
  const isOfUser = entry.info.role === "user";
  if (!insteadOf(part, isOfUser)) return false;
  if (!isOfUser || part.type === "file") return true;
  const replied = messages.findLastIndex(({ info }) => info.role === "assistant" && !info.summary && !info.silent);
  return messages.indexOf(entry) < replied && !isAsked(messages, entry);
}

/** Whether it is the newest prompt, which the turn that runs, or a further try, answers. */
function isAsked(messages: readonly Entry[], entry: Entry): boolean {
  const words = ({ info, parts }: Entry) =>
    info.role === "user" &&
    !info.silent &&
    parts.some((part) => part.type === "text" && !part.synthetic && !part.ignored);
  return messages.findLast(words) === entry;
}
