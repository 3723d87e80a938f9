/** Copies a conversation, or its beginning, into a new session with new ids. */

import { newID } from "../../base/ids.ts";
import { type Chat, type Entry, newChat, recall } from "../../chat/apply.ts";
import type { RecordedEvent, SessionInfo } from "../../chat/events.ts";
import { english, msg } from "../../l10n/l10n.ts";
import { movingOf } from "../part-kinds.ts";
import { IntakeError } from "../session/intake-error.ts";
import { runSteps, type Steps } from "./slices.ts";

/** Copies everything before a user message. @throws IntakeError if the chat has no such message */
export function forkChat(chat: Chat, messageID: string): Chat {
  const at = chat.messages.findIndex(({ info }) => info.id === messageID);
  if (chat.messages[at]?.info.role !== "user") {
    throw new IntakeError("prompt-invalid", msg("A session can be forked at a message of yours only."));
  }
  return copyUpTo(chat, at, chat.messages[at].info);
}

/** Copies everything up to the end of an answer, whose last message is given. @throws IntakeError if it is not over */
export function forkAfter(chat: Chat, messageID: string): Chat {
  const at = chat.messages.findIndex(({ info }) => info.id === messageID);
  const last = chat.messages[at];
  if (last?.info.role !== "assistant") {
    throw new IntakeError("prompt-invalid", msg("A session can be forked after an answer only."));
  }
  const isOpen = last.parts.some((part) => part.type === "tool" && !("end" in part.state));
  if (last.info.completedAt === undefined || isOpen) {
    throw new IntakeError("prompt-invalid", msg("This answer is not over yet. Fork the session when it is."));
  }
  return copyUpTo(chat, at + 1, last.info);
}

/** `place`: the message at which the session is forked. */
function copyUpTo(chat: Chat, end: number, place: Entry["info"]): Chat {
  const { title, cwd, id: sessionID } = chat.session;
  const session = { createdAt: Date.now(), title: english(`${title.replace(/ \(fork\)$/, "")} (fork)`), cwd };
  const until = chat.messages[end]?.info.createdAt ?? Number.POSITIVE_INFINITY;
  const decisions = chat.decisions.filter(({ time }) => time <= until);
  const before = { ...chat, messages: chat.messages.slice(0, end), queue: [], decisions };
  return withNewIDs(before, { ...session, forkOf: { sessionID, messageID: place.id } });
}

/** Shares no mutable data with `chat`; ids keep their order. */
export function withNewIDs(chat: Chat, session: Omit<SessionInfo, "id">): Chat {
  return runSteps(copySteps(chat, session));
}

/** Yields after each message. */
export function* copySteps(chat: Chat, session: Omit<SessionInfo, "id">): Steps<Chat> {
  const made = newChat({ id: newID("ses"), ...session });
  const ids = new Map<string, string>();
  const partIDs = new Map<string, string>();
  for (const entry of chat.messages) {
    made.messages.push(renew(structuredClone(entry), made.session.id, ids, partIDs));
    yield;
  }
  made.queue = structuredClone(chat.queue).map((one) => ({ ...one, id: newID("msg") }));
  // A message that was not copied came after all copied ones.
  const upTo = (old: string) => ids.get(old) ?? made.messages.at(-1)?.info.id ?? old;
  if (chat.pruned) {
    const kept = chat.pruned.kept?.flatMap((id) => partIDs.get(id) ?? []);
    made.pruned = { outputs: upTo(chat.pruned.outputs), ...(kept && { kept }) };
  }
  made.pieces = Object.fromEntries(
    Object.entries(chat.pieces).flatMap(([id, piece]) => {
      const [partID, messageID] = [partIDs.get(id), ids.get(piece.messageID)];
      if (partID === undefined || messageID === undefined) return [];
      const dropped = piece.dropped?.after ? { after: upTo(piece.dropped.after) } : piece.dropped;
      return [[partID, { ...piece, messageID, dropped }]];
    }),
  );
  if (chat.imageless !== undefined) made.imageless = upTo(chat.imageless);
  made.decisions = chat.decisions;
  made.prefix = chat.prefix;
  // The copy is a conversation of its own.
  made.unbound = made.messages.at(-1)?.info.id;
  recall(made);
  return made;
}

/** `ids`, `partIDs`: new ids of earlier messages and parts by their old ones. */
function renew(
  { info, parts }: Entry,
  sessionID: string,
  ids: Map<string, string>,
  partIDs: Map<string, string>,
): Entry {
  const own = { id: newID("msg"), sessionID };
  ids.set(info.id, own.id);
  return {
    info: info.role === "user" ? { ...info, ...own } : { ...info, ...own, parentID: ids.get(info.parentID) ?? "" },
    parts: parts.map((part) => {
      const id = newID("prt");
      partIDs.set(part.id, id);
      const copied = movingOf(part).copied(part, {
        message: (other) => ids.get(other) ?? other,
        part: (other) => partIDs.get(other) ?? id,
      });
      return { ...copied, id, sessionID, messageID: own.id };
    }),
  };
}

/** Yields the events whose replay gives the chat. */
export function* eventsOf(chat: Chat): Generator<RecordedEvent, void> {
  const { session, messages, queue, pruned, pieces, prefix, unbound, imageless, decisions } = chat;
  yield { type: "session", session };
  if (prefix) yield { type: "prefix", prefix };
  for (const { info, parts } of messages) {
    yield { type: "message", message: info };
    for (const part of parts) yield { type: "part", part };
  }
  for (const decision of decisions) yield { type: "decided", decision };
  if (queue.length > 0) yield { type: "queued", queue };
  if (pruned) yield { type: "pruned", ...pruned };
  for (const [partID, piece] of Object.entries(pieces)) yield { type: "piece", partID, piece };
  if (unbound !== undefined) yield { type: "unbound", messageID: unbound };
  if (imageless !== undefined) yield { type: "imageless", messageID: imageless };
}
