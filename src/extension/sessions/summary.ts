/** A session as the list shows it: its state, what it does, and what it wants from the user. */
import type { Chat } from "../../chat/apply.ts";
import { never } from "../../chat/never.ts";
import type { SessionSummary, TabState } from "../../chat/protocol.ts";
import { titleOf } from "../../chat/request-titles.ts";
import type { UserRequest } from "../../chat/requests.ts";
import { newestTodos } from "../../chat/todos.ts";
import type { Summary } from "../../record/summaries.ts";

/** Codes of errors that a new key may help against. */
const keyErrors = new Set(["no-key", "auth"]);

export function stateOf(chat: Chat): Exclude<TabState, "done"> {
  if (openRequests(chat).length > 0) return "asks";
  if (chat.status.type !== "idle") return "running";
  const last = chat.messages.at(-1)?.info;
  return last?.role === "assistant" && last.error ? "error" : "idle";
}

/** `chat`: the session as it is open in this window. `isUnseen`: it has ended without being on screen. */
export function summaryOf(
  stored: Summary,
  chat: Chat | undefined,
  isUnseen: boolean,
): Omit<SessionSummary, "match" | "toReview" | "worktree"> {
  const { id, updatedAt, messages, tokens, cost, failure } = stored;
  const live = chat ? stateOf(chat) : stored.failed ? "error" : "idle";
  const state = live === "idle" && isUnseen ? "done" : live;
  const isKeyError = failure !== undefined && keyErrors.has(failure.code);
  return {
    ...{ id, updatedAt, messages, tokens, cost, state },
    title: chat?.session.title ?? stored.title,
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
  return todos.length === 0 ? "" : `${done} of ${todos.length} to-dos`;
}
