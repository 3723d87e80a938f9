/** The state of a comment thread: what it says, where it stands, and what is shown of it. Pure. */

import * as z from "zod/mini";
import type { CommentAnswer } from "../../chat/comments.ts";
import { t } from "../../l10n/l10n.ts";
import { Anchor } from "./anchor.ts";

/** `pending`: waits for the others of the review. `sent`: part of a prompt. */
const OwnComment = z.object({
  by: z.literal("user"),
  id: z.string(),
  text: z.string(),
  /** ms since 1970 */
  time: z.number(),
  state: z.enum(["pending", "sent"]),
});

const Answer = z.object({
  by: z.literal("agent"),
  /** The comment that it answers. */
  to: z.string(),
  text: z.string(),
  time: z.number(),
  failed: z.boolean(),
});

export const StoredThread = z.object({
  version: z.literal(1),
  id: z.string(),
  uri: z.string(),
  anchor: Anchor,
  resolved: z.boolean(),
  /** The session that got the newest comment; empty before. */
  sessionID: z.string(),
  said: z.array(z.discriminatedUnion("by", [OwnComment, Answer])),
});
export type StoredThread = z.infer<typeof StoredThread>;
export type OwnComment = z.infer<typeof OwnComment>;

export function newThread(id: string, uri: string, anchor: Anchor): StoredThread {
  return { version: 1, id, uri, anchor, resolved: false, sessionID: "", said: [] };
}

/** Adds a comment of the user, which waits to be sent. A resolved thread is open again. */
export function withComment(thread: StoredThread, id: string, text: string, time: number): StoredThread {
  const comment: OwnComment = { by: "user", id, text, time, state: "pending" };
  return { ...thread, resolved: false, said: [...thread.said, comment] };
}

/** `sessionID`: who gets the comment now; undefined: it was refused, and waits again. */
export function withSent(thread: StoredThread, id: string, sessionID: string | undefined): StoredThread {
  const state = sessionID === undefined ? "pending" : "sent";
  const said = thread.said.map((one) => (one.by === "user" && one.id === id ? ({ ...one, state } as const) : one));
  return { ...thread, said, sessionID: sessionID ?? thread.sessionID };
}

export function withText(thread: StoredThread, id: string, text: string): StoredThread {
  return { ...thread, said: thread.said.map((one) => (one.by === "user" && one.id === id ? { ...one, text } : one)) };
}

export function withoutComment(thread: StoredThread, id: string): StoredThread {
  return {
    ...thread,
    said: thread.said.filter((one) => !(one.by === "user" && one.id === id && one.state === "pending")),
  };
}

export function pendingIn({ said }: StoredThread): OwnComment[] {
  return said.filter((one) => one.by === "user").filter(({ state }) => state === "pending");
}

/** Returns the comments that were sent and have no answer. */
export function unansweredIn({ said }: StoredThread): OwnComment[] {
  const answered = new Set(said.flatMap((one) => (one.by === "agent" ? [one.to] : [])));
  return said.filter((one) => one.by === "user").filter(({ id, state }) => state === "sent" && !answered.has(id));
}

/** Puts what the agent has said behind the comment that it answers. The same thread if there is no news. */
export function withAnswers(
  thread: StoredThread,
  answerOf: (commentID: string) => CommentAnswer | undefined,
  time: number,
): StoredThread {
  let said = thread.said;
  for (const { id } of unansweredIn(thread)) {
    const answer = answerOf(id);
    if (answer?.type !== "answered" && answer?.type !== "failed") continue;
    const failed = answer.type === "failed";
    const text = failed ? answer.reason : answer.text;
    const at = said.findIndex((one) => one.by === "user" && one.id === id) + 1;
    said = said.toSpliced(at, 0, { by: "agent", to: id, text, time, failed });
  }
  return said === thread.said ? thread : { ...thread, said };
}

/** Returns the thread's words before a comment, for a session that does not know them; empty if it does. */
export function earlierThan(thread: StoredThread, id: string, sessionID: string): string {
  if (thread.sessionID === "" || thread.sessionID === sessionID) return "";
  const at = thread.said.findIndex((one) => one.by === "user" && one.id === id);
  return thread.said
    .slice(0, Math.max(0, at))
    .map((one) => `${one.by === "user" ? "The user" : "You"}: ${one.text}`)
    .join("\n\n");
}

/** What is to be read beside the thread, and said by a screen reader. */
export function labelOf(thread: StoredThread, isWorking: boolean): string {
  const { anchor, resolved } = thread;
  const { start, end } = anchor;
  const place = start === end ? t("line {0}", start + 1) : t("lines {0}–{1}", start + 1, end + 1);
  const states = [
    resolved && "resolved",
    pendingIn(thread).length > 0 && t("waits for the review"),
    unansweredIn(thread).length > 0 && (isWorking ? t("Rondo works on it") : t("sent")),
    anchor.outdated && t("the lines have changed"),
  ];
  return [t("Comment on {0}", place), ...states.filter((one) => one !== false)].join(" · ");
}

/** Words for the `when` clauses of the menus. */
export function contextOf(thread: StoredThread): string {
  return [thread.resolved ? "resolved" : "open", pendingIn(thread).length > 0 ? "pending" : ""].join(" ").trim();
}
