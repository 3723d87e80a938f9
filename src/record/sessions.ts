/** The folder of sessions: a record and a summary each. The list is made of summaries, so that no record is read. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { apply, type Chat } from "../loop/apply.ts";
import type { SessionInfo } from "../loop/events.ts";
import { contextSize } from "../loop/message.ts";
import { RecordError } from "../loop/store.ts";
import { titleFromPrompt } from "../loop/title.ts";
import { ownerPath, type Replay, replay, Transcript } from "./transcript.ts";

const Summary = z.object({
  id: z.string(),
  title: z.string(),
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

export class Sessions {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes the folder if need be. @throws RecordError */
  transcript(id: string, onError: (error: RecordError) => void): Transcript {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new RecordError(
        `The folder for sessions cannot be made (${this.folder}).`,
        "Check that its parent can be written.",
        error,
      );
    }
    return new Transcript(this.path(id), onError);
  }

  /** @throws RecordError when the id is not one, or its record cannot be read */
  open(id: string): Replay {
    const found = replay(this.path(id));
    // The line that names the session is the one that was broken.
    if (found.chat.session.id === "") apply(found.chat, { type: "session", session: guess(found.chat, id) });
    return found;
  }

  has(id: string): boolean {
    return statSync(this.path(id), { throwIfNoEntry: false })?.isFile() ?? false;
  }

  /** Newest first. A record without a readable summary gets a new one. */
  list(): Summary[] {
    const names = this.#names();
    const ids = [...names].filter((name) => name.endsWith(".jsonl")).map((name) => name.slice(0, -".jsonl".length));
    return ids
      .map((id) => this.#readSummary(id) ?? this.#rebuild(id))
      .filter((summary) => summary !== undefined)
      .sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1));
  }

  /** A summary that cannot be kept is made again from the record, so a failure here is no loss. */
  saveSummary(chat: Chat): void {
    const target = this.#summaryPath(chat.session.id);
    try {
      if (!this.has(chat.session.id)) return;
      writeFileSync(`${target}.new`, JSON.stringify(summarize(chat)), { mode: 0o600 });
      renameSync(`${target}.new`, target);
    } catch {
      rmSync(`${target}.new`, { force: true });
    }
  }

  remove(id: string): void {
    rmSync(this.path(id), { force: true });
    rmSync(ownerPath(this.path(id)), { force: true });
    rmSync(this.#summaryPath(id), { force: true });
    rmSync(this.outputs(id), { force: true, recursive: true });
  }

  /** Where the whole of long outputs is kept (T9). */
  outputs(id: string): string {
    return path.join(this.folder, `${checked(id)}.outputs`);
  }

  path(id: string): string {
    return path.join(this.folder, `${checked(id)}.jsonl`);
  }

  #summaryPath(id: string): string {
    return path.join(this.folder, `${checked(id)}.json`);
  }

  #names(): Set<string> {
    try {
      return new Set(readdirSync(this.folder));
    } catch {
      return new Set();
    }
  }

  #readSummary(id: string): Summary | undefined {
    try {
      return Summary.parse(JSON.parse(readFileSync(this.#summaryPath(id), "utf8")));
    } catch {
      return undefined;
    }
  }

  #rebuild(id: string): Summary | undefined {
    try {
      const { chat } = this.open(id);
      if (chat.session.id !== id || chat.messages.length === 0) return undefined;
      this.saveSummary(chat);
      return summarize(chat);
    } catch {
      return undefined;
    }
  }
}

/** An id becomes a file's name, so nothing in it may lead elsewhere. */
export function isSessionID(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(id);
}

/** @throws RecordError */
function checked(id: string): string {
  if (isSessionID(id)) return id;
  throw new RecordError(
    `"${id.slice(0, 100)}" cannot be a session's id.`,
    "Use letters, digits, - and _, at most 100 of them.",
  );
}

function guess({ messages }: Chat, id: string): SessionInfo {
  const reply = messages.map(({ info }) => info).find((info) => info.role === "assistant");
  const text = messages[0]?.parts.find((part) => part.type === "text" && !part.synthetic);
  return {
    id,
    createdAt: messages[0]?.info.createdAt ?? 0,
    title: (text?.type === "text" && titleFromPrompt(text.text)) || "Session",
    cwd: reply?.path.cwd ?? "",
  };
}

function summarize(chat: Chat): Summary {
  let tokens = 0;
  let cost: number | undefined = 0;
  for (const { info } of chat.messages) {
    if (info.role !== "assistant") continue;
    const used = contextSize(info.tokens);
    tokens += used;
    cost = cost === undefined || (used > 0 && info.cost === undefined) ? undefined : cost + (info.cost ?? 0);
  }
  const last = chat.messages.at(-1)?.info;
  return {
    id: chat.session.id,
    title: chat.session.title,
    createdAt: chat.session.createdAt,
    updatedAt: last
      ? ((last.role === "assistant" ? last.completedAt : undefined) ?? last.createdAt)
      : chat.session.createdAt,
    messages: chat.messages.length,
    tokens,
    ...(cost !== undefined && { cost }),
    failed: last?.role === "assistant" && last.error !== undefined,
  };
}
