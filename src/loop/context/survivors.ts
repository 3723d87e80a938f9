/**
 * Keeps the user's messages, files in work and open to-dos next to the summary of a compaction (C3).
 * Its texts are for the model.
 */
import * as z from "zod/mini";
import type { Chat, Entry } from "../../chat/apply.ts";
import { diffsOf } from "../../chat/diffs.ts";
import type { ToolPart } from "../../chat/message.ts";
import { ownWords, textOf } from "../../chat/words.ts";
import { answeredBefore } from "./context.ts";
import { freshStart, planComments } from "./plan-start.ts";

/** Characters of each section. */
const maxCharacters = { plan: 8_000, words: 12_000, files: 4_000, todos: 4_000 };

/** Smaller windows, in tokens, keep less: in a window of half this size, half of it. */
const usualWindow = 20_000;

const mostFilesRead = 10;

type SurvivorSource = Pick<Chat, "messages" | "session" | "pieces">;

/**
 * Returns what stays word for word, from the whole conversation: an earlier summary is never its source, so the tenth
 * compaction keeps as much as the first. After a fresh context the plan is the task, and what was said before it does not
 * come back (C9). `window` in tokens.
 */
export function survivors({ messages: all, session, pieces }: SurvivorSource, window: number): string {
  const share = Math.min(1, window / usualWindow);
  const start = freshStart(all);
  const messages = all.slice(start);
  const sections = [
    "The conversation so far was compacted. The summary follows; this was kept word for word.",
    section("The plan that the user wants built", builtPlan(all, start, pieces, maxCharacters.plan * share)),
    section("What the user said, oldest first", userWords(messages, pieces, Math.floor(maxCharacters.words * share))),
    section("Files in work, newest first", fitting(filesInWork(messages, session.cwd), maxCharacters.files * share)),
    section("Open to-dos", fitting(openTodos(messages), maxCharacters.todos * share)),
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `# ${title}\n${lines.join("\n")}`;
}

/** Returns the plan of the fresh context that begins at `start`, and what the user has said about its lines. */
function builtPlan(messages: readonly Entry[], start: number, pieces: Chat["pieces"], room: number): string[] {
  const [asked, plan] = messages.slice(start, start + 2);
  if (asked?.parts[0]?.type !== "compaction" || asked.parts[0].plan === undefined || !plan) return [];
  const before = messages.slice(0, start);
  const said = planComments(before.slice(freshStart(before)), pieces);
  const comments = said.length === 0 ? [] : ["", cut(said.join("\n\n"), room / 4)];
  return [cut(textOf(plan.parts).trim(), (room * 3) / 4), ...comments];
}

/**
 * The newest messages matter most, and the first one, which has the task: a quarter is reserved for it. Those between
 * them give way. Unanswered messages are sent anyway, so they are not repeated, and dropped ones stay away (C8).
 */
function userWords(messages: readonly Entry[], pieces: Chat["pieces"], room: number): string[] {
  const [first, ...later] = messages.slice(0, answeredBefore(messages)).flatMap(({ info, parts }) => {
    const left = parts.filter(({ id }) => !pieces[id]?.dropped);
    const text = info.role === "user" ? ownWords(left).trim() : "";
    return text === "" ? [] : [`- ${text}`];
  });
  if (first === undefined) return [];
  let left = room - Math.min(first.length, room / 4);
  const newest: string[] = [];
  for (const line of later.toReversed()) {
    if (left <= 0) break;
    newest.unshift(cut(line, left));
    left -= line.length;
  }
  const begin = cut(first, Math.max(0, left) + Math.min(first.length, room / 4));
  const between = later.length - newest.length;
  return [begin, ...(between > 0 ? [`- (${between} between these left out)`] : []), ...newest];
}

function cut(line: string, room: number): string {
  return line.length > room ? `${line.slice(0, Math.floor(room)).toWellFormed()} …` : line;
}

/** Longer lines are cut, so that one cannot displace all others. */
const longestLine = 400;

/** Returns the first lines that fit, and how many others there are. */
function fitting(lines: readonly string[], room: number): string[] {
  const kept: string[] = [];
  let left = room;
  for (const line of lines) {
    const shown = cut(line, longestLine);
    left -= shown.length + 1;
    if (left < 0) return [...kept, `- (${lines.length - kept.length} more)`];
    kept.push(shown);
  }
  return kept;
}

/** What the agent and its subagents edited comes before what commands changed and what was only read. */
function filesInWork(messages: readonly Entry[], cwd: string): string[] {
  const edited = new Set<string>();
  const changed = new Set<string>();
  const read = new Set<string>();
  const note = (files: Set<string>, path: string) => {
    const name = cwd !== "" && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
    files.delete(name);
    files.add(name);
  };
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === "patch") for (const path of part.files) note(changed, path);
      if (part.type === "file") for (const path of Object.keys(part.seen ?? {})) note(read, path);
      if (part.type !== "tool") continue;
      for (const path of editedBy(part)) note(edited, path);
      const { file_path: path } = part.state.input;
      if (part.tool === "read" && part.state.status === "completed" && typeof path === "string") note(read, path);
    }
  }
  const changes = [...newestFirst(edited), ...newestFirst(changed).filter((path) => !edited.has(path))];
  const others = newestFirst(read).filter((path) => !edited.has(path) && !changed.has(path));
  return [
    ...changes.map((path) => `- ${path} (changed)`),
    ...others.slice(0, mostFilesRead).map((path) => `- ${path} (read)`),
  ];
}

const newestFirst = (files: Set<string>) => [...files].reverse();

/** Returns the files that a call, or the subagent that it ran, has edited. */
function editedBy({ state }: ToolPart): string[] {
  if (state.status === "pending" || !state.metadata) return [];
  return [...diffsOf(state.metadata).map(({ path }) => path), ...(state.metadata.childEdited ?? [])];
}

/** Returns the files that the calls of a chat have edited, each once, for the parent of its agent. */
export function filesEdited(messages: readonly Entry[]): string[] {
  const parts = messages.flatMap((entry) => entry.parts.filter((part) => part.type === "tool"));
  return [...new Set(parts.flatMap(editedBy))];
}

const Todos = z.object({ todos: z.array(z.object({ content: z.string(), status: z.string() })) });

/** Those in progress come first. */
function openTodos(messages: readonly Entry[]): string[] {
  for (const { parts } of messages.toReversed()) {
    for (const part of parts.toReversed()) {
      if (part.type !== "tool" || part.tool !== "todo_write" || part.state.status !== "completed") continue;
      const open = Todos.safeParse(part.state.input).data?.todos.filter(({ status }) => status !== "completed") ?? [];
      const begun = (todo: { status: string }) => Number(todo.status === "in_progress");
      return open.toSorted((a, b) => begun(b) - begun(a)).map(({ content, status }) => `- [${status}] ${content}`);
    }
  }
  return [];
}
