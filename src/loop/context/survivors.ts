/** Keeps the user's last messages, open files and open to-dos next to the summary of a compaction (C3). */
import * as z from "zod/mini";
import type { Entry } from "../../chat/apply.ts";
import { diffsOf } from "../../chat/diffs.ts";
import type { ToolPart } from "../../chat/message.ts";
import { ownWords } from "../../chat/words.ts";

/** Characters of the user's own messages, newest first. */
const maxMessageCharacters = 12_000;
const mostFiles = 20;

export function survivors(entries: readonly Entry[]): string {
  const sections = [
    "The conversation so far was compacted. The summary follows; this was kept word for word.",
    section("What the user said last, oldest first", recentMessages(entries)),
    section("Files that were being worked on", filesInWork(entries)),
    section("Open to-dos", openTodos(entries)),
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `# ${title}\n${lines.join("\n")}`;
}

/** Unanswered messages are sent anyway, so they are not repeated. */
function recentMessages(entries: readonly Entry[]): string[] {
  const answered = entries.slice(0, entries.findLastIndex(({ info }) => info.role === "assistant") + 1);
  const kept: string[] = [];
  let room = maxMessageCharacters;
  for (const { info, parts } of answered.toReversed()) {
    if (info.role !== "user") continue;
    const text = ownWords(parts).trim();
    if (text === "") continue;
    if (room <= 0) break;
    kept.unshift(text.length > room ? `- ${text.slice(0, room).toWellFormed()} …` : `- ${text}`);
    room -= text.length;
  }
  return kept;
}

function filesInWork(entries: readonly Entry[]): string[] {
  const changed = new Set<string>();
  const read = new Set<string>();
  for (const part of callsOf(entries)) {
    if (part.state.status !== "completed") continue;
    const { file_path: path } = part.state.input;
    const diffs = diffsOf(part.state.metadata);
    if (typeof path !== "string") for (const diff of diffs) changed.add(diff.path);
    else if (diffs.length > 0) changed.add(path);
    else if (part.tool === "read") read.add(path);
  }
  const lines = [...changed].slice(-mostFiles).map((path) => `- ${path} (changed)`);
  const others = [...read].filter((path) => !changed.has(path));
  return [...lines, ...others.slice(-(mostFiles / 2)).map((path) => `- ${path} (read)`)];
}

const Todos = z.object({ todos: z.array(z.object({ content: z.string(), status: z.string() })) });

function openTodos(entries: readonly Entry[]): string[] {
  const last = callsOf(entries).findLast(({ tool, state }) => tool === "todo_write" && state.status === "completed");
  const todos = Todos.safeParse(last?.state.input).data?.todos ?? [];
  return todos.filter(({ status }) => status !== "completed").map(({ content, status }) => `- [${status}] ${content}`);
}

function callsOf(entries: readonly Entry[]): ToolPart[] {
  return entries.flatMap(({ parts }) => parts.filter((part) => part.type === "tool"));
}
