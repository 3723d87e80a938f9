/** Copies a conversation, or its beginning, into a new session with new ids. */
import { type Chat, type Entry, newChat, recall } from "../../chat/apply.ts";
import type { RecordedEvent, SessionInfo } from "../../chat/events.ts";
import { newID } from "../../chat/ids.ts";
import { IntakeError } from "../session/intake-error.ts";

/** Copies everything before a user message. @throws IntakeError if the chat has no such message */
export function forkChat(chat: Chat, messageID: string): Chat {
  const at = chat.messages.findIndex(({ info }) => info.id === messageID);
  if (chat.messages[at]?.info.role !== "user") {
    throw new IntakeError("prompt-invalid", "A session can be forked at a message of yours only.");
  }
  const { title, cwd, id: sessionID } = chat.session;
  const session = { createdAt: Date.now(), title: `${title.replace(/ \(fork\)$/, "")} (fork)`, cwd };
  const before = { ...chat, messages: chat.messages.slice(0, at), queue: [] };
  return withNewIDs(before, { ...session, forkOf: { sessionID, messageID } });
}

/** Shares no mutable data with `chat`; ids keep their order. */
export function withNewIDs(chat: Chat, session: Omit<SessionInfo, "id">): Chat {
  return lastOf(copySteps(chat, session));
}

/** Runs all steps at once. */
export function lastOf<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Yields after each message. */
export function* copySteps(chat: Chat, session: Omit<SessionInfo, "id">): Generator<undefined, Chat> {
  const made = newChat({ id: newID("ses"), ...session });
  const ids = new Map<string, string>();
  for (const entry of chat.messages) {
    made.messages.push(renew(structuredClone(entry), made.session.id, ids));
    yield;
  }
  made.queue = structuredClone(chat.queue).map((one) => ({ ...one, id: newID("msg") }));
  // A message that was not copied came after all copied ones.
  const upTo = (old: string) => ids.get(old) ?? made.messages.at(-1)?.info.id ?? old;
  if (chat.pruned) made.pruned = { outputs: upTo(chat.pruned.outputs) };
  if (chat.imageless !== undefined) made.imageless = upTo(chat.imageless);
  made.prefix = chat.prefix;
  // The copy is a conversation of its own.
  made.unbound = made.messages.at(-1)?.info.id;
  recall(made);
  return made;
}

/** `ids`: new ids of earlier messages by their old ones. */
function renew({ info, parts }: Entry, sessionID: string, ids: Map<string, string>): Entry {
  const own = { id: newID("msg"), sessionID };
  ids.set(info.id, own.id);
  return {
    info: info.role === "user" ? { ...info, ...own } : { ...info, ...own, parentID: ids.get(info.parentID) ?? "" },
    parts: parts.map((part) => ({ ...part, id: newID("prt"), sessionID, messageID: own.id })),
  };
}

/** Returns the events whose replay gives the chat. */
export function eventsOf({ session, messages, queue, pruned, prefix, unbound, imageless }: Chat): RecordedEvent[] {
  const events: RecordedEvent[] = [{ type: "session", session }];
  if (prefix) events.push({ type: "prefix", prefix });
  for (const { info, parts } of messages) {
    events.push({ type: "message", message: info });
    for (const part of parts) events.push({ type: "part", part });
  }
  if (queue.length > 0) events.push({ type: "queued", queue });
  if (pruned) events.push({ type: "pruned", ...pruned });
  if (unbound !== undefined) events.push({ type: "unbound", messageID: unbound });
  if (imageless !== undefined) events.push({ type: "imageless", messageID: imageless });
  return events;
}
