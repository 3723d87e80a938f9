/** The end of a turn whose window was closed or reloaded, in words. */
import type { Chat } from "../../src/chat/apply.ts";
import { newestTodos } from "../../src/chat/todos.ts";
import { count } from "./format.ts";
import { lastShown } from "./message-groups.ts";

/** Says what was cut and how far it was; empty if nothing was, or if the user has stopped it. */
export function brokenOffWords({ session, messages, status, requests, ended }: Chat): string {
  // A turn that ended in this window says itself how.
  if (status.type !== "idle" || requests.length > 0 || ended) return "";
  if (session.terminated && session.terminated.by !== "process") return "";
  const last = lastShown(messages)?.info;
  if (!last || (last.role === "assistant" && (last.error || last.summary))) return "";
  if (last.role === "assistant" && last.finish !== "interrupted" && last.finish !== "tool-calls") return "";
  const todos = newestTodos(messages);
  const done = todos.filter(({ state }) => state === "done").length;
  const far =
    todos.length === 0 ? "" : ` ${done} of ${count(todos.length, "to-do")} ${done === 1 ? "is" : "are"} done.`;
  return `VS Code was closed while Rondo worked.${far}`;
}
