/** Opens the session that a front end works in: a new one, an existing one, or a copy. */

import { newID } from "../base/ids.ts";
import { type Chat, recall } from "../chat/apply.ts";
import { msg } from "../l10n/l10n.ts";
import { newSession } from "../loop/session/session.ts";
import type { Replay } from "../record/replay.ts";
import type { Sessions } from "../record/sessions.ts";

export interface WantedSession {
  /** Id of a new session, or of a copy; undefined: any. */
  id: string | undefined;
  /** The session to go on with, by its id or as the newest of the folder; undefined: none. */
  from: { which: { id: string } | "newest"; as: "itself" | SessionCopy } | undefined;
}

interface SessionCopy {
  /** Its last message; undefined: all are copied. */
  until: string | undefined;
}

export interface OpenedSession {
  chat: Chat;
  /** Its record; undefined: it has none yet. */
  found: Replay | undefined;
}

/** The wanted session is not there, or there already. `message` is a sentence for people, with the next step. */
export class OpenSessionError extends Error {
  override readonly name = "OpenSessionError";
  readonly code: "no-session" | "session-exists";

  constructor(code: OpenSessionError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** `cwd`: the folder of a new session. @throws OpenSessionError; RecordError when a record cannot be read */
export function openSession(sessions: Sessions, { id, from }: WantedSession, cwd: string): OpenedSession {
  if (id !== undefined && sessions.has(id)) {
    const message = msg('There is a session "{0}" already. Use resume to continue it.', id);
    throw new OpenSessionError("session-exists", message);
  }
  if (!from) return { chat: newSession(cwd, id), found: undefined };
  const { folder } = sessions;
  const { which, as } = from;
  const wanted = which === "newest" ? sessions.list().find((session) => session.cwd === cwd)?.id : which.id;
  if (wanted === undefined)
    throw new OpenSessionError("no-session", msg("There is no session for {0} in {1} to continue.", cwd, folder));
  if (!sessions.has(wanted)) {
    const message = msg('There is no session "{0}" in {1}.{2}', wanted, folder, namesOf(sessions, cwd));
    throw new OpenSessionError("no-session", message);
  }
  const found = sessions.open(wanted);
  return as === "itself" ? { chat: found.chat, found } : { chat: copyChat(found.chat, id, as.until), found: undefined };
}

/** Returns a sentence with the newest sessions of a folder, to choose from. */
function namesOf(sessions: Sessions, cwd: string): string {
  const own = sessions.list().filter((session) => session.cwd === cwd);
  const named = own.slice(0, 5).map(({ id, title }) => `${id} (${title})`);
  return named.length === 0 ? "" : ` ${msg("The newest of {0}: {1}.", cwd, named.join(", "))}`;
}

/** Copies a chat into a new session, up to and including the message `until`. */
function copyChat(
  { session, messages, pruned, pieces, prefix, imageless }: Chat,
  id = newID("ses"),
  until: string | undefined,
): Chat {
  const last = until === undefined ? messages.length - 1 : messages.findIndex(({ info }) => info.id === until);
  if (until !== undefined && last < 0) {
    throw new OpenSessionError("no-session", msg("There is no message {0} in the session {1}.", until, session.id));
  }
  const forkOf = { sessionID: session.id, messageID: messages[last]?.info.id ?? "" };
  const { parentID: _, terminated: __, ...own } = session;
  const chat = newSession(session.cwd, id);
  chat.session = { ...own, id, createdAt: Date.now(), forkOf };
  chat.messages = messages.slice(0, last + 1).map(({ info, parts }) => ({
    info: { ...info, sessionID: id },
    parts: parts.map((part) => ({ ...part, sessionID: id })),
  }));
  const has = (messageID: string) => chat.messages.some(({ info }) => info.id === messageID);
  if (pruned && has(pruned.outputs)) chat.pruned = pruned;
  if (imageless !== undefined && has(imageless)) chat.imageless = imageless;
  chat.pieces = Object.fromEntries(
    Object.entries(pieces).flatMap(([id, piece]) => {
      if (!has(piece.messageID)) return [];
      const isLater = piece.dropped?.after && !has(piece.dropped.after);
      return [[id, isLater ? { ...piece, dropped: { after: forkOf.messageID } } : piece]];
    }),
  );
  chat.prefix = prefix;
  chat.unbound = chat.messages.at(-1)?.info.id;
  recall(chat);
  return chat;
}
