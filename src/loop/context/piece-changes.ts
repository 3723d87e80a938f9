/** Judges what the user wants of a part of the conversation (C8). */

import { never } from "../../base/never.ts";
import type { Chat } from "../../chat/apply.ts";
import type { PieceChange, PiecesChange } from "../../chat/context-views.ts";
import type { PieceState } from "../../chat/events.ts";
import { msg } from "../../l10n/l10n.ts";
import { IntakeError } from "../session/intake-error.ts";
import { looseIDs } from "./context-use.ts";
import { canDrop } from "./leave-out.ts";

const unmarked = { pinned: false, dropped: null } as const;

/** Returns the new state of a part; undefined if nothing changes. @throws IntakeError where it cannot be done, or no longer */
export function changedPiece(
  { messages, pieces }: Pick<Chat, "messages" | "pieces">,
  partID: string,
  change: PieceChange,
): PieceState | undefined {
  const entry = messages.findLast(({ parts }) => parts.some(({ id }) => id === partID));
  const part = entry?.parts.find(({ id }) => id === partID);
  if (!entry || !part) throw new IntakeError("prompt-invalid", msg("This is not in the conversation any more."));
  const piece: PieceState = pieces[partID] ?? { messageID: entry.info.id, ...unmarked };
  const { pinned, dropped } = piece;
  if (dropped && dropped.after !== null) {
    throw new IntakeError(
      "prompt-invalid",
      msg("A request has already been sent without it. Attach or read it again."),
    );
  }
  switch (change) {
    case "pin":
      return pinned ? undefined : { ...piece, pinned: true };
    case "unpin":
      return pinned ? { ...piece, pinned: false } : undefined;
    case "drop":
      if (!canDrop(messages, entry, part)) {
        throw new IntakeError("prompt-invalid", msg("The message that Rondo answers cannot be dropped."));
      }
      return dropped ? undefined : { ...piece, dropped: { after: null } };
    case "put-back":
      return dropped ? { ...piece, dropped: null } : undefined;
    default:
      return never(change);
  }
}

/** Returns the new states of many parts at once, by their ids. */
export function changedPieces(chat: Chat, change: PiecesChange): [partID: string, piece: PieceState][] {
  switch (change) {
    case "keep-pinned":
      return looseIDs(chat).flatMap((id): [string, PieceState][] => {
        const piece = changedPiece(chat, id, "drop");
        return piece ? [[id, piece]] : [];
      });
    case "put-back":
      return Object.entries(chat.pieces).flatMap(([id, piece]): [string, PieceState][] =>
        piece.dropped && piece.dropped.after === null ? [[id, { ...piece, dropped: null }]] : [],
      );
    default:
      return never(change);
  }
}
