/**
 * Leaves parts that the user has dropped out of requests; a short text stands in place of each (C8).
 */
import type { Chat, Entry } from "../../chat/apply.ts";
import type { Part } from "../../chat/message.ts";
import { kindOf } from "../part-kinds.ts";

/** A part of an entry that later requests leave out. */
export interface LeftOut {
  part: Part;
  instead: Part;
  /** The newest message when the first request without it was made. */
  after: string;
}

interface DroppedCopy {
  from: Pick<Entry, "info" | "parts">;
  copy: Entry;
  left: readonly LeftOut[];
}

/** Entries without what was dropped, created once, so that requests can be cached by their entries. */
const copies = new WeakMap<Entry, DroppedCopy>();
const leftOut = new WeakMap<Entry, readonly LeftOut[]>();
const marks = new WeakMap<Chat["pieces"], ReadonlyMap<string, string>>();
const nothing: readonly LeftOut[] = [];

/** Returns the id by which the user pins or drops a part: a copy in the message of a compaction has that of its original. */
export function pieceIDOf(part: Part): string {
  return (part.type === "text" || part.type === "file" ? part.pin : undefined) ?? part.id;
}

export function withoutDropped({ pieces }: Pick<Chat, "pieces">, entries: Entry[]): Entry[] {
  const dropped = droppedAfter(pieces);
  return dropped.size === 0 ? entries : entries.map((entry) => withoutThose(entry, dropped));
}

/** Returns what was dropped from an entry of a request. */
export function leftOutOf(entry: Entry): readonly LeftOut[] {
  return leftOut.get(entry) ?? nothing;
}

/** Returns the messages after which parts are left out, by the parts' ids. */
function droppedAfter(pieces: Chat["pieces"]): ReadonlyMap<string, string> {
  const known = marks.get(pieces);
  if (known) return known;
  const found = new Map<string, string>();
  for (const [id, { dropped }] of Object.entries(pieces)) if (dropped?.after) found.set(id, dropped.after);
  marks.set(pieces, found);
  return found;
}

function withoutThose(entry: Entry, dropped: ReadonlyMap<string, string>): Entry {
  const { info, parts } = entry;
  if (!parts.some((part) => dropped.has(pieceIDOf(part)))) return entry;
  const left = parts.flatMap((part): LeftOut[] => {
    const after = dropped.get(pieceIDOf(part));
    const instead = after === undefined ? undefined : insteadOf(part, info.role === "user");
    return after === undefined || !instead ? [] : [{ part, instead, after }];
  });
  if (left.length === 0) return entry;
  const known = copies.get(entry);
  if (known && isSame(known, entry, left)) return known.copy;
  const replaced = new Map(left.map(({ part, instead }) => [part, instead]));
  const copy = { info, parts: parts.map((part) => replaced.get(part) ?? part) };
  copies.set(entry, { from: { info, parts: [...parts] }, copy, left });
  leftOut.set(copy, left);
  return copy;
}

/** Messages may change after they were in a request: a notice for the user is added, or the message is marked. */
function isSame({ from, left }: DroppedCopy, { info, parts }: Entry, now: readonly LeftOut[]): boolean {
  return (
    from.info === info &&
    from.parts.length === parts.length &&
    parts.every((part, at) => part === from.parts[at]) &&
    left.length === now.length &&
    left.every(({ part }, at) => part === now[at]?.part)
  );
}

/** Returns what is sent in place of a part; undefined for one that cannot be dropped. */
export function insteadOf(part: Part, isOfUser: boolean): Part | undefined {
  return kindOf(part).instead(part, isOfUser);
}
