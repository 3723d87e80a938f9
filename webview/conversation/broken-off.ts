/** The end of a turn whose window was closed or reloaded, in words. */

import type { Chat } from "../../src/chat/apply.ts";
import { newestTodos } from "../../src/chat/todos.ts";
import { counted, t } from "../../src/l10n/l10n.ts";
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
    todos.length === 0
      ? ""
      : ` ${counted(done, "{0} of {1} is done.", "{0} of {1} are done.", counted(todos.length, "{0} to-do", "{0} to-dos"))}`;
  return `${t("VS Code was closed while Rondo worked.")}${far}`;
}
