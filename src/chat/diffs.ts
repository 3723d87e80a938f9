import type { CallMetadata, FileDiff } from "./message.ts";

/** What a call changed, file by file. */
export function diffsOf({ diff, diffs }: CallMetadata): readonly FileDiff[] {
  return diffs ?? (diff ? [diff] : []);
}
