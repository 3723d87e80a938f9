/** Which versions of files the model has seen (T12). The record of each call says what it has shown. */
import type { Chat } from "../../chat/apply.ts";
import type { TextPart } from "../../chat/message.ts";
import type { FilesSeen } from "../../tools/tool.ts";

/**
 * Returns what the calls and attachments of a conversation have shown, so that a reload, a fork and another process know it, and a rewind
 * forgets it. A compaction does not: what was read stays read, and its version tells whether it is still the same.
 */
export function filesSeen({ messages }: Pick<Chat, "messages">): FilesSeen {
  const seen: FilesSeen = new Map();
  takeShown(seen, messages);
  return seen;
}

/** Adds what messages have shown. */
export function takeShown(seen: FilesSeen, messages: Chat["messages"]): void {
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === "file") take(seen, part.seen);
      if (part.type === "text") takeChanged(seen, part.changed);
      if (part.type === "tool" && part.state.status === "completed") take(seen, part.state.metadata.seen);
    }
  }
}

function take(seen: FilesSeen, shown: Readonly<Record<string, string | null>> = {}): void {
  for (const [path, version] of Object.entries(shown)) {
    if (version === null) seen.delete(path);
    else seen.set(path, version);
  }
}

/** Whoever knew the text before knows it now: the change was told line by line. */
function takeChanged(seen: FilesSeen, changed: TextPart["changed"] = {}): void {
  for (const [path, { from, to }] of Object.entries(changed)) if (seen.get(path) === from) take(seen, { [path]: to });
}

/** What one call shows. It counts when the call has completed: the model gets nothing of a call that was stopped. */
export class SeenByCall implements FilesSeen {
  readonly #before: FilesSeen;
  readonly #shown = new Map<string, string | null>();

  constructor(before: FilesSeen) {
    this.#before = before;
  }

  get(path: string): string | undefined {
    const shown = this.#shown.get(path);
    return shown === undefined ? this.#before.get(path) : (shown ?? undefined);
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
  }

  set(path: string, version: string): void {
    this.#shown.set(path, version);
  }

  delete(path: string): void {
    this.#shown.set(path, null);
  }

  /** Returns what the call has shown, for its record; undefined if that is nothing. */
  commit(): Record<string, string | null> | undefined {
    if (this.#shown.size === 0) return undefined;
    const shown = Object.fromEntries(this.#shown);
    take(this.#before, shown);
    return shown;
  }
}
