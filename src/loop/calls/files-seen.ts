/** Which versions of files the model has seen (T12). The record of each call says what it has shown. */
import type { Chat } from "../../chat/apply.ts";
import type { Part, TextPart } from "../../chat/message.ts";
import type { FilesSeen } from "../../tools/tool.ts";

/**
 * Returns what the calls and attachments of a conversation have shown, so that a reload, a fork and another process know it, and a rewind
 * forgets it. A compaction does not: what was read stays read, and its version tells whether it is still the same.
 */
export function filesSeen({ messages, pieces }: Pick<Chat, "messages" | "pieces">): FilesSeen {
  const seen: FilesSeen = new Map();
  const dropped = Object.entries(pieces).filter(([, piece]) => piece.dropped?.after);
  if (dropped.length === 0) takeShown(seen, messages);
  else takeShownExcept(seen, messages, new Map(dropped.map(([id, piece]) => [id, piece.dropped?.after ?? ""])));
  return seen;
}

/** `dropped`: the messages after which parts were left out of requests, by the parts' ids (C8). */
function takeShownExcept(seen: FilesSeen, messages: Chat["messages"], dropped: ReadonlyMap<string, string>): void {
  const shown = new Map<string, Part>();
  for (const entry of messages) {
    takeShown(seen, [entry]);
    for (const part of entry.parts) if (dropped.has(part.id)) shown.set(part.id, part);
    for (const [id, after] of dropped) if (after === entry.info.id) forget(seen, shown.get(id));
  }
}

/** The model no longer sees what a part has shown of files. */
export function forget(seen: FilesSeen, part: Part | undefined): void {
  const shown = part?.type === "file" ? part.seen : undefined;
  const inCall = part?.type === "tool" && part.state.status === "completed" ? part.state.metadata.seen : undefined;
  for (const path of Object.keys(shown ?? inCall ?? {})) seen.delete(path);
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
