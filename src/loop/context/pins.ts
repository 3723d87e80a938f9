/**
 * What the user has pinned stays when the conversation is compacted, word for word (C8).
 * Its texts are for the model.
 */

import { newID } from "../../base/ids.ts";
import type { Chat, Entry } from "../../chat/apply.ts";
import type { FilePart, Part, TextPart } from "../../chat/message.ts";
import { kindOf } from "../part-kinds.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import type { Turn } from "../turn.ts";
import { answeredBefore, fixedSize, overflowLimit, sizeOfPart, sum } from "./context.ts";

/** Returns the ids of the parts that are pinned and not dropped. */
export function pinnedIDs({ pieces }: Pick<Chat, "pieces">): Set<string> {
  return new Set(Object.entries(pieces).flatMap(([id, { pinned, dropped }]) => (pinned && !dropped ? [id] : [])));
}

/** Returns the tokens that pinned parts may take after a compaction: half of what the window holds, less in one that is nearly filled by other things. */
export function roomForPins(turn: Pick<Turn, "limits">, config: AgentConfig, request: Entry, summary: number): number {
  const limit = overflowLimit(config, turn.limits);
  const kept = sum(
    request.parts.filter((part) => !isCopy(part)),
    sizeOfPart,
  );
  const left = limit - config.tokenScale() * (fixedSize(config) + kept) - summary;
  return Math.max(0, Math.floor(Math.min(limit / 2, left) / config.tokenScale()));
}

/**
 * Repeats the pinned parts that the compaction takes out of requests in its message, in their order. Call it before the
 * summary is asked for, and with `isDone` when it is there: then what was pinned meanwhile is added, and parts for which
 * there is no room are unpinned. Returns their names.
 */
export function carryPins(turn: Pick<Turn, "chat" | "emit">, request: Entry, room: number, isDone: boolean): string[] {
  const { chat } = turn;
  const pinned = pinnedIDs(chat);
  if (pinned.size === 0) return [];
  const at = chat.messages.indexOf(request);
  // Prompts without an answer are repeated as a whole.
  const gone = chat.messages.slice(0, answeredBefore(chat.messages, at));
  let left = room - sum(request.parts.filter(isCopy), sizeOfPart);
  const unpinned: string[] = [];
  for (const { info, parts } of gone) {
    for (const part of parts) {
      if (!pinned.has(part.id) || request.parts.some((one) => isCopy(one) && one.pin === part.id)) continue;
      const made = copiesOf(part, request.info, info.role === "user");
      const size = sum(made, sizeOfPart);
      if (made.length > 0 && size <= left) {
        left -= size;
        for (const copy of made) turn.emit({ type: "part", part: copy });
        continue;
      }
      if (!isDone) continue;
      unpinned.push(kindOf(part).name(part, info.role).name);
      turn.emit({ type: "piece", partID: part.id, piece: { messageID: info.id, pinned: false, dropped: null } });
    }
  }
  return unpinned;
}

function isCopy(part: Part): part is (TextPart | FilePart) & { pin: string } {
  return (part.type === "text" || part.type === "file") && part.pin !== undefined;
}

function copiesOf(part: Part, { id: messageID, sessionID }: Entry["info"], isOfUser: boolean): (TextPart | FilePart)[] {
  const base = () => ({ id: newID("prt"), sessionID, messageID, pin: part.id });
  const copies = {
    text: (title: string, text: string): TextPart => ({
      ...base(),
      type: "text",
      text: `# Pinned by the user: ${title}\n${text}`,
      synthetic: true,
    }),
    file: ({ seen: _, ...file }: FilePart): FilePart => ({ ...file, ...base() }),
  };
  return kindOf(part).pinned(part, copies, isOfUser);
}
