/** Opens the session that a query works in: a new one, an existing one, or a copy. */

import path from "node:path";
import { newID } from "../base/ids.ts";
import { type Chat, recall } from "../chat/apply.ts";
import { msg } from "../l10n/l10n.ts";
import { newSession } from "../loop/session/session.ts";
import type { Replay } from "../record/replay.ts";
import { Sessions } from "../record/sessions.ts";
import { stateFolder } from "../runtime/state-folder.ts";
import { QueryError } from "./query-error.ts";
import type { Options } from "./query-types.ts";

export interface OpenedSession {
  sessions: Sessions;
  chat: Chat;
  found: Replay | undefined;
}

/** @throws QueryError `no-session`, `session-exists`; RecordError when a record cannot be read */
export function openSession(options: Options, cwd: string): OpenedSession {
  const { sessionDir, sessionId, resume, forkSession, resumeSessionAt } = options;
  const folder = sessionDir === undefined ? path.join(stateFolder(), "sessions") : path.resolve(sessionDir);
  const sessions = new Sessions(folder);
  if (sessionId !== undefined && sessions.has(sessionId)) {
    throw new QueryError(
      "session-exists",
      msg('There is a session "{0}" already. Use resume to continue it.', sessionId),
    );
  }
  if (resume === undefined && !options.continue) {
    return { sessions, chat: newSession(cwd, sessionId), found: undefined };
  }
  const id = resume ?? sessions.list().find((session) => session.cwd === cwd)?.id;
  if (id === undefined)
    throw new QueryError("no-session", msg("There is no session for {0} in {1} to continue.", cwd, folder));
  if (!sessions.has(id)) {
    throw new QueryError("no-session", msg('There is no session "{0}" in {1}.{2}', id, folder, namesOf(sessions, cwd)));
  }
  const found = sessions.open(id);
  if (!forkSession && resumeSessionAt === undefined) return { sessions, chat: found.chat, found };
  return { sessions, chat: copyChat(found.chat, sessionId, resumeSessionAt), found: undefined };
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
    throw new QueryError("no-session", msg("There is no message {0} in the session {1}.", until, session.id));
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
