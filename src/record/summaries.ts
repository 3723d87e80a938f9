/**
 * What the list of sessions shows, in one file for all of them, so that no record is read (spec R5). A line is added
 * when a session has changed; of two for one session the later counts. It can be made anew from the records at any time.
 */
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import type { Chat } from "../chat/apply.ts";
import { contextSize } from "../chat/message.ts";
import { costOfSession } from "../loop/budget.ts";
import { exactly } from "./schema-fast-path.ts";

const Summary = z.object({
  id: z.string(),
  title: z.string(),
  /** Where it works. */
  cwd: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** Prompts of the user and replies of the model. */
  messages: z.number(),
  tokens: z.number(),
  /** USD; absent when a model's price was not known. */
  cost: z.optional(z.number()),
  failed: z.boolean(),
});
export type Summary = z.infer<typeof Summary>;

/** What is known of one record. */
const Known = z.object({
  id: z.string(),
  /** Of the record, in bytes, when this was found out. */
  size: z.number(),
  /** Of a subagent's session: the one that it works for. */
  parentID: z.optional(z.string()),
  /** Absent when it is not to be listed: nothing was said in it, or it is no record. */
  summary: z.optional(Summary),
});
export type Known = z.infer<typeof Known>;

/** Lines that count no more and do not yet make it worth writing the file anew. */
const spare = 500;

export class Summaries {
  readonly #path: string;

  constructor(folder: string) {
    // Ids of sessions have no dots: no session is called like this.
    this.#path = path.join(folder, "sessions.index");
  }

  /** By the session's id. Lines that are torn or broken are as if they were not there. */
  read(): Map<string, Known> {
    const known = new Map<string, Known>();
    const lines = this.#text().split("\n");
    for (const line of lines) {
      const one = parse(line);
      if (one) known.set(one.id, one);
    }
    if (lines.length > 2 * known.size + spare) this.#rewrite(known);
    return known;
  }

  /** One that cannot be kept is found out again from its record, so a failure here is no loss. */
  add(some: readonly Known[]): void {
    if (some.length === 0) return;
    try {
      // The newline before them ends a line that a crash may have torn.
      appendFileSync(this.#path, `\n${some.map((one) => JSON.stringify(one)).join("\n")}\n`, { mode: 0o600 });
    } catch {
      return;
    }
  }

  #text(): string {
    try {
      return readFileSync(this.#path, "utf8");
    } catch {
      return "";
    }
  }

  /** What another process adds meanwhile is lost, and found out again. */
  #rewrite(known: ReadonlyMap<string, Known>): void {
    const anew = `${this.#path}.${process.pid}`;
    try {
      writeFileSync(anew, [...known.values()].map((one) => `${JSON.stringify(one)}\n`).join(""), { mode: 0o600 });
      renameSync(anew, this.#path);
    } catch {
      rmSync(anew, { force: true });
    }
  }
}

const isKnown = exactly(Known);

function parse(line: string): Known | undefined {
  if (line === "") return undefined;
  try {
    const value = JSON.parse(line);
    return isKnown(value) ? value : Known.safeParse(value).data;
  } catch {
    return undefined;
  }
}

/** `size` is the record's. */
export function knownOf(chat: Chat, size: number): Known {
  const { id, parentID } = chat.session;
  return {
    id,
    size,
    ...(parentID !== undefined && { parentID }),
    ...(chat.messages.length > 0 && { summary: summarize(chat) }),
  };
}

function summarize({ session, messages }: Chat): Summary {
  const { usd, partial } = costOfSession(messages);
  const last = messages.at(-1)?.info;
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
    failed: last?.role === "assistant" && last.error !== undefined,
  };
}
