/** The folder of sessions: one record per session, and the index for the session list. */

import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { attempt } from "../base/attempt.ts";
import { apply, type Chat } from "../chat/apply.ts";
import type { SessionInfo } from "../chat/events.ts";
import { english, msg } from "../l10n/l10n.ts";
import { titleFromPrompt } from "../loop/session/title.ts";
import { RecordError } from "../loop/storage.ts";
import { eventsOf } from "../loop/transfer/fork.ts";
import { runSteps, type Steps } from "../loop/transfer/slices.ts";
import { heldLock } from "./lock-file.ts";
import { searchRecord } from "./record-search.ts";
import { type Replay, replay } from "./replay.ts";
import { claimPath, lockPath } from "./session-lock.ts";
import { type IndexEntry, indexEntryOf, Summaries, type Summary } from "./summaries.ts";
import { Transcript } from "./transcript.ts";

export class Sessions {
  readonly folder: string;
  readonly #summaries: Summaries;

  constructor(folder: string) {
    this.folder = folder;
    this.#summaries = new Summaries(folder);
  }

  /** Creates the folder if necessary. `from` is the result of `open`. @throws RecordError */
  transcript(id: string, onError: (error: RecordError) => void, from?: Pick<Replay, "end">): Transcript {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      const message = msg("The folder for sessions cannot be created ({0}).", this.folder);
      throw new RecordError(message, msg("Check the permissions of its parent folder."), error);
    }
    return new Transcript(this.path(id), onError, from);
  }

  /** @throws RecordError when the id is invalid or the record cannot be read */
  open(id: string): Replay {
    const found = replay(this.path(id));
    // The line that describes the session is broken.
    if (found.chat.session.id === "") apply(found.chat, { type: "session", session: guessSessionInfo(found.chat, id) });
    return found;
  }

  has(id: string): boolean {
    return this.#size(id) !== undefined;
  }

  /** Returns the sessions without those of subagents, newest first. Reads only records that have changed since. */
  list(): Summary[] {
    return [...this.#entries().values()]
      .flatMap(({ parentID, summary }) => (parentID === undefined && summary ? [summary] : []))
      .sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1));
  }

  /** Call this after the record was written. */
  saveSummary(chat: Chat): void {
    const size = this.#size(chat.session.id);
    if (size !== undefined) this.#summaries.add([indexEntryOf(chat, size)]);
  }

  /** Writes the record of a session that has none yet. @throws RecordError */
  add(chat: Chat): Pick<Replay, "end"> {
    return runSteps(this.addSteps(chat));
  }

  /** As `add`, with a step for each event. A record that is not written to its end is removed. */
  *addSteps(chat: Chat): Steps<Pick<Replay, "end">> {
    const { id } = chat.session;
    let failure: RecordError | undefined;
    let isWhole = false;
    const transcript = this.transcript(id, (error) => {
      failure = error;
    });
    try {
      for (const event of eventsOf(chat)) {
        transcript.append(event);
        yield;
      }
      isWhole = true;
    } finally {
      try {
        transcript.close();
      } finally {
        if (!isWhole) rmSync(this.path(id), { force: true });
      }
    }
    if (failure) throw failure;
    this.saveSummary(chat);
    return { end: this.#size(id) ?? 0 };
  }

  /** Deletes a session and those of its subagents. @throws RecordError when the id is invalid */
  remove(id: string): void {
    const record = this.path(id);
    for (const entry of this.#entries().values()) if (entry.parentID === id && entry.id !== id) this.remove(entry.id);
    for (const file of [record, lockPath(record), claimPath(record)]) rmSync(file, { force: true });
    rmSync(this.outputs(id), { force: true, recursive: true });
  }

  /**
   * Returns excerpts by session id, for all sessions whose title and messages contain every word of `query`. Rejects
   * with the signal's reason on abort.
   */
  async search(query: string, signal: AbortSignal): Promise<Map<string, string>> {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = new Map<string, string>();
    if (words.length === 0) return found;
    for (const { id, title } of this.list()) {
      const excerpt = await searchRecord(this.path(id), title, words, signal);
      if (excerpt !== undefined) found.set(id, excerpt);
    }
    return found;
  }

  /** Folder for long outputs of tools (T9). */
  outputs(id: string): string {
    return path.join(this.folder, `${checkSessionID(id)}.outputs`);
  }

  path(id: string): string {
    return path.join(this.folder, `${checkSessionID(id)}.jsonl`);
  }

  #entries(): Map<string, IndexEntry> {
    const before = this.#summaries.read();
    const entries = new Map<string, IndexEntry>();
    const changed: IndexEntry[] = [];
    for (const id of this.#ids()) {
      const size = this.#size(id);
      if (size === undefined) continue;
      const old = before.get(id);
      // A session that runs is summarized when its turn ends.
      const isCurrent = old && (old.size === size || (old.size < size && heldLock(lockPath(this.path(id)))));
      const entry = isCurrent ? old : this.#readEntry(id, size);
      if (!isCurrent) changed.push(entry);
      entries.set(id, entry);
    }
    this.#summaries.add(changed);
    return entries;
  }

  #readEntry(id: string, size: number): IndexEntry {
    const entry = attempt(() => indexEntryOf(this.open(id).chat, size), undefined);
    return entry?.id === id ? entry : { id, size };
  }

  #ids(): string[] {
    const records = attempt(() => readdirSync(this.folder), []).filter((name) => name.endsWith(".jsonl"));
    return records.map((name) => name.slice(0, -".jsonl".length)).filter(isSessionID);
  }

  /** Returns the size of a record in bytes. @throws RecordError when the id is invalid */
  #size(id: string): number | undefined {
    const found = statSync(this.path(id), { throwIfNoEntry: false });
    return found?.isFile() ? found.size : undefined;
  }
}

/** Whether `id` is safe as the name of a file. */
export function isSessionID(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(id);
}

/** @throws RecordError */
function checkSessionID(id: string): string {
  if (isSessionID(id)) return id;
  const message = msg('"{0}" is not a valid session id.', id.slice(0, 100));
  throw new RecordError(message, msg("Use at most 100 letters, digits, - and _."));
}

function guessSessionInfo({ messages }: Chat, id: string): SessionInfo {
  const reply = messages.map(({ info }) => info).find((info) => info.role === "assistant");
  const text = messages[0]?.parts.find((part) => part.type === "text" && !part.synthetic);
  return {
    id,
    createdAt: messages[0]?.info.createdAt ?? 0,
    title: (text?.type === "text" && titleFromPrompt(text.text)) || english("Session"),
    cwd: reply?.path.cwd ?? "",
  };
}
