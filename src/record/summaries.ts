/**
 * Index of all sessions: one file with the contents of the session list, so that no record is read (spec R5). A line is
 * added when a session changes; its last line counts. The index can always be rebuilt from the records.
 */
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { attempt } from "../base/attempt.ts";
import type { Chat } from "../chat/apply.ts";
import { contextSize } from "../chat/token-counts.ts";
import { costOfSession } from "../loop/session/budget.ts";
import { fastCheck } from "./fast-check.ts";

const Summary = z.object({
  id: z.string(),
  title: z.string(),
  cwd: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** Number of prompts and replies. */
  messages: z.number(),
  tokens: z.number(),
  /** USD; absent when a model's price was not known. */
  cost: z.optional(z.number()),
  failed: z.boolean(),
  /** Why the last reply failed. */
  failure: z.optional(z.object({ code: z.string(), message: z.string() })),
});
export type Summary = z.infer<typeof Summary>;

const IndexEntry = z.object({
  id: z.string(),
  /** Size of the record in bytes when the entry was made. */
  size: z.number(),
  /** Present in a subagent's session: the session that it works for. */
  parentID: z.optional(z.string()),
  /** Absent when the session is not listed: it has no messages, or the file is not a record. */
  summary: z.optional(Summary),
});
export type IndexEntry = z.infer<typeof IndexEntry>;

/** Number of outdated lines that do not yet make it worth rewriting the file. */
const maxOutdatedLines = 500;

export class Summaries {
  readonly #path: string;

  constructor(folder: string) {
    // Ids of sessions have no dots, so this is never the name of a record.
    this.#path = path.join(folder, "sessions.index");
  }

  /** Returns the entries by session id. Broken lines are ignored. */
  read(): Map<string, IndexEntry> {
    const entries = new Map<string, IndexEntry>();
    const lines = attempt(() => readFileSync(this.#path, "utf8"), "").split("\n");
    for (const line of lines) {
      const entry = parseIndexLine(line);
      if (entry) entries.set(entry.id, entry);
    }
    if (lines.length > 2 * entries.size + maxOutdatedLines) this.#rewrite(entries);
    return entries;
  }

  /** Never throws: an entry that cannot be saved is made again from its record. */
  add(entries: readonly IndexEntry[]): void {
    if (entries.length === 0) return;
    // The newline before them ends a line that a crash may have cut off.
    const lines = `\n${entries.map((entry) => JSON.stringify(entry)).join("\n")}\n`;
    attempt(() => appendFileSync(this.#path, lines, { mode: 0o600 }), undefined);
  }

  /** Entries that another process adds in the meantime are lost, and made again from their records. */
  #rewrite(entries: ReadonlyMap<string, IndexEntry>): void {
    const temporary = `${this.#path}.${process.pid}`;
    try {
      const lines = [...entries.values()].map((entry) => `${JSON.stringify(entry)}\n`);
      writeFileSync(temporary, lines.join(""), { mode: 0o600 });
      renameSync(temporary, this.#path);
    } catch {
      rmSync(temporary, { force: true });
    }
  }
}

const isIndexEntry = fastCheck(IndexEntry);

function parseIndexLine(line: string): IndexEntry | undefined {
  const value = attempt(() => JSON.parse(line), undefined);
  return isIndexEntry(value) ? value : IndexEntry.safeParse(value).data;
}

/** Returns the entry of a chat whose record has `size` bytes. */
export function indexEntryOf(chat: Chat, size: number): IndexEntry {
  const { id, parentID } = chat.session;
  return {
    id,
    size,
    ...(parentID !== undefined && { parentID }),
    ...(chat.messages.length > 0 && { summary: summarize(chat) }),
  };
}

function summarize(chat: Chat): Summary {
  const { session, messages } = chat;
  const { usd, partial } = costOfSession(chat);
  const last = messages.at(-1)?.info;
  const error = last?.role === "assistant" ? last.error : undefined;
  const replied = last?.role === "assistant" ? last.completedAt : undefined;
  return {
    id: session.id,
    title: session.title,
    cwd: session.cwd,
    createdAt: session.createdAt,
    updatedAt: replied ?? last?.createdAt ?? session.createdAt,
    messages: messages.length,
    tokens: messages.reduce((sum, { info }) => sum + (info.role === "assistant" ? contextSize(info.tokens) : 0), 0),
    ...(!partial && { cost: usd }),
    failed: error !== undefined,
    ...(error && { failure: { code: error.code, message: error.message } }),
  };
}
