/** Reads an event from a line of a record. */
import * as z from "zod/mini";
import { attempt } from "../base/attempt.ts";
import { RecordedEvent } from "../chat/events.ts";
import { fastCheck } from "./fast-check.ts";

const isPlainEvent = fastCheck(RecordedEvent);

/** A type of part that version 0.4.0 knew and this one does not. */
const RemovedPart = z.object({ type: z.literal("part"), part: z.object({ type: z.literal("snapshot") }) });

/** Returns undefined for a broken line, and "ignored" for an event of an older version that has no effect any more. */
export function readEvent(line: string): RecordedEvent | "ignored" | undefined {
  const value = attempt(() => JSON.parse(line), undefined);
  if (isPlainEvent(value)) return value;
  return RecordedEvent.safeParse(value).data ?? (RemovedPart.safeParse(value).success ? "ignored" : undefined);
}
