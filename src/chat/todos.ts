/** Reads the to-dos of the model from its calls of `todo_write`. */
import type { Entry } from "./apply.ts";
import type { Part } from "./message.ts";

export interface Todo {
  content: string;
  state: "done" | "now" | "open";
}

/** Returns the list that a call wrote; undefined for other calls, failed ones and those still being written. */
export function todosOf(part: Part): Todo[] | undefined {
  if (part.type !== "tool" || part.tool !== "todo_write") return undefined;
  const { status, input } = part.state;
  const list = input["todos"];
  if ((status !== "running" && status !== "completed") || !Array.isArray(list)) return undefined;
  return list.flatMap((entry) => todoOf(entry) ?? []);
}

function todoOf(entry: unknown): Todo | undefined {
  if (typeof entry !== "object" || entry === null || !("content" in entry)) return undefined;
  if (typeof entry.content !== "string" || entry.content.trim() === "") return undefined;
  const status = "status" in entry ? entry.status : "";
  const state = status === "completed" ? "done" : status === "in_progress" ? "now" : "open";
  return { content: entry.content, state };
}

/** Returns the newest list; empty if there is none. */
export function newestTodos(messages: readonly Entry[]): Todo[] {
  for (const { parts } of messages.toReversed()) {
    for (const part of parts.toReversed()) {
      const todos = todosOf(part);
      if (todos) return todos;
    }
  }
  return [];
}
