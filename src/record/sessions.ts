/** The folder of sessions: a record each, and one file with what the list of them shows. */
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { apply, type Chat } from "../chat/apply.ts";
import type { SessionInfo } from "../chat/events.ts";
import { titleFromPrompt } from "../loop/session/title.ts";
import { RecordError } from "../loop/storage.ts";
import { eventsOf } from "../loop/transfer/fork.ts";
import { heldLock } from "./lock-file.ts";
import { searchRecord, wordsOf } from "./record-search.ts";
import { type Replay, replay } from "./replay.ts";
import { claimPath, lockPath } from "./session-lock.ts";
import { type Known, knownOf, Summaries, type Summary } from "./summaries.ts";
import { Transcript } from "./transcript.ts";

export class Sessions {
  readonly folder: string;
  readonly #summaries: Summaries;

  constructor(folder: string) {
    this.folder = folder;
    this.#summaries = new Summaries(folder);
  }

  /** Makes the folder if need be. `from` is what `open` gave. @throws RecordError */
  transcript(id: string, onError: (error: RecordError) => void, from?: Pick<Replay, "end">): Transcript {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new RecordError(
        `The folder for sessions cannot be made (${this.folder}).`,
        "Check that its parent can be written.",
        error,
      );
    }
    return new Transcript(this.path(id), onError, from);
  }

  /** @throws RecordError when the id is not one, or its record cannot be read */
  open(id: string): Replay {
    const found = replay(this.path(id));
    // The line that names the session is the one that was broken.
    if (found.chat.session.id === "") apply(found.chat, { type: "session", session: guess(found.chat, id) });
    return found;
  }

  has(id: string): boolean {
    return this.#size(id) !== undefined;
  }

  /** Newest first, without those of subagents. What has changed since it was last listed is read anew. */
  list(): Summary[] {
    return [...this.#known().values()]
      .flatMap(({ parentID, summary }) => (parentID === undefined && summary ? [summary] : []))
      .sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1));
  }

  /** To be called after the record was written. */
  saveSummary(chat: Chat): void {
    const size = this.#size(chat.session.id);
    if (size !== undefined) this.#summaries.add([knownOf(chat, size)]);
  }

  /** Keeps a session that has no record yet. @throws RecordError */
  add(chat: Chat): void {
    let failure: RecordError | undefined;
    const transcript = this.transcript(chat.session.id, (error) => {
      failure = error;
    });
    for (const event of eventsOf(chat)) transcript.append(event);
    transcript.close();
    if (failure) throw failure;
    this.saveSummary(chat);
  }

  /** Also those that subagents had for it, and theirs. @throws RecordError when the id is not one */
  remove(id: string): void {
    const record = this.path(id);
    for (const known of this.#known().values()) if (known.parentID === id && known.id !== id) this.remove(known.id);
    for (const file of [record, lockPath(record), claimPath(record)]) rmSync(file, { force: true });
    rmSync(this.outputs(id), { force: true, recursive: true });
  }

  /**
   * Where the words of `query` stand, in context, by the session's id: in all sessions that hold every one of them in
   * their title or in what was said. Rejects with the signal's reason on abort.
   */
  async search(query: string, signal: AbortSignal): Promise<Map<string, string>> {
    const words = wordsOf(query);
    const found = new Map<string, string>();
    if (words.length === 0) return found;
    for (const { id, title } of this.list()) {
      const excerpt = await searchRecord(this.path(id), title, words, signal);
      if (excerpt !== undefined) found.set(id, excerpt);
    }
    return found;
  }

  /** Where the whole of long outputs is kept (T9). */
  outputs(id: string): string {
    return path.join(this.folder, `${checked(id)}.outputs`);
  }

  path(id: string): string {
    return path.join(this.folder, `${checked(id)}.jsonl`);
  }

  /** Of every record that there is. */
  #known(): Map<string, Known> {
    const before = this.#summaries.read();
    const known = new Map<string, Known>();
    const changed: Known[] = [];
    for (const id of this.#ids()) {
      const size = this.#size(id);
      if (size === undefined) continue;
      const old = before.get(id);
      // One that is being written is summarized when its turn ends.
      const holds = old && (old.size === size || (old.size < size && heldLock(lockPath(this.path(id)))));
      const one = holds ? old : this.#findOut(id, size);
      if (!holds) changed.push(one);
      known.set(id, one);
    }
    this.#summaries.add(changed);
    return known;
  }

  #findOut(id: string, size: number): Known {
    try {
      const { chat } = this.open(id);
      return chat.session.id === id ? knownOf(chat, size) : { id, size };
    } catch {
      return { id, size };
    }
  }

  #ids(): string[] {
    try {
      const names = readdirSync(this.folder).filter((name) => name.endsWith(".jsonl"));
      return names.map((name) => name.slice(0, -".jsonl".length)).filter(isSessionID);
    } catch {
      return [];
    }
  }

  /** Of a session's record, in bytes. @throws RecordError */
  #size(id: string): number | undefined {
    const found = statSync(this.path(id), { throwIfNoEntry: false });
    return found?.isFile() ? found.size : undefined;
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
