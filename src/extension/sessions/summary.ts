/** A session as the list shows it: its state, what it does, and what it wants from the user. */

import { never } from "../../base/never.ts";
import type { Chat } from "../../chat/apply.ts";
import { titleOf } from "../../chat/request-kinds.ts";
import type { UserRequest } from "../../chat/requests.ts";
import type { SessionSummary, TabState } from "../../chat/session-views.ts";
import { newestTodos } from "../../chat/todos.ts";
import { t } from "../../l10n/l10n.ts";
import type { Session } from "../../loop/session/session.ts";
import type { Summary } from "../../record/summaries.ts";

/** Codes of errors that a new key may help against. */
const keyErrors = new Set(["no-key", "auth"]);

/** What a session does in another window. */
export interface SessionMark {
  state: "running" | "asks";
  /** What it waits for; empty while it runs. */
  doing: string;
}

export function stateOf(chat: Chat): Exclude<TabState, "done"> {
  if (openRequests(chat).length > 0) return "asks";
  if (chat.status.type !== "idle") return "running";
  const last = chat.messages.at(-1)?.info;
  return last?.role === "assistant" && last.error ? "error" : "idle";
}

/**
 * `chat`: the session as it is open in this window. `isUnseen`: it has ended without being on screen. `mark`: what it
 * does in another window.
 */
export function summaryOf(
  stored: Summary,
  chat: Chat | undefined,
  isUnseen: boolean,
  mark: SessionMark | undefined,
): Omit<SessionSummary, "match" | "toReview" | "worktree"> {
  const { id, updatedAt, messages, tokens, cost, failure } = stored;
  const common = { id, updatedAt, messages, tokens, cost, title: chat?.session.title ?? stored.title };
  if (mark) return { ...common, ...mark, elsewhere: true, remedy: "none" };
  const live = chat ? stateOf(chat) : stored.failed ? "error" : "idle";
  const state = live === "idle" && isUnseen ? "done" : live;
  const isKeyError = failure !== undefined && keyErrors.has(failure.code);
  return {
    ...common,
    state,
    elsewhere: false,
    doing: chat && state !== "error" ? doing(chat) : state === "error" ? (failure?.message ?? "") : "",
    remedy: state !== "error" ? "none" : isKeyError ? "set-key" : "try-again",
  };
}

/** Returns what the session waits for or does, in words; empty if it does nothing. */
function doing(chat: Chat): string {
  const [request] = openRequests(chat);
  if (request) return titleOf(request);
  switch (chat.status.type) {
    case "idle":
      return "";
    case "retry":
      return chat.status.message;
    case "busy":
      return [runningCall(chat), todoCount(chat)].filter(Boolean).join(" · ");
    default:
      return never(chat.status);
  }
}

/** The questions that this window waits with. Those of a session that runs in another window are answered there. */
export function questionsHere({ chat, requests }: Session): UserRequest[] {
  return openRequests(chat).filter(({ id }) => requests.find(id) !== undefined);
}

/** The open questions of the session and of all its subagents. */
function openRequests(chat: Chat): UserRequest[] {
  return [...chat.requests, ...Object.values(chat.children).flatMap(openRequests)];
}

function runningCall({ messages }: Chat): string {
  const parts = messages.at(-1)?.parts ?? [];
  for (const part of parts.toReversed()) {
    if (part.type === "tool" && part.state.status === "running") return part.state.title ?? part.tool;
  }
  return "";
}

function todoCount(chat: Chat): string {
  const todos = newestTodos(chat.messages);
  const done = todos.filter(({ state }) => state === "done").length;
  return todos.length === 0 ? "" : t("{0} of {1} to-dos", done, todos.length);
}
