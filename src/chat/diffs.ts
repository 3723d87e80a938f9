import type { CallMetadata, FileDiff } from "./message.ts";

/** Returns the changes of a call, one for each file. */
export function diffsOf({ diff, diffs }: CallMetadata): readonly FileDiff[] {
  return diffs ?? (diff ? [diff] : []);
}
