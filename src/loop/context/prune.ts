/** Removes old outputs from later requests (C6); the record and the panel keep them. */
import type { Entry } from "../../chat/apply.ts";
import type { ChatAccess } from "../turn.ts";
import { sizeOfOutputs, visibleEntries } from "./context.ts";
import { pinnedIDs } from "./pins.ts";
import { unbind } from "./prefix.ts";

const protectedTail = 40_000;

/** Pruning invalidates the provider's prompt cache, so it must free at least this many tokens. */
const worthIt = 20_000;

/** Call it after a turn: then the thoughts that are bound to what is removed matter least. */
export function prune(turn: ChatAccess): void {
  const { chat } = turn;
  const entries = visibleEntries(chat);
  const kept = pinnedIDs(chat);
  let tail = 0;
  let won = 0;
  let upTo: Entry | undefined;
  for (const entry of entries.toReversed()) {
    if (tail < protectedTail) {
      tail += sizeOfOutputs(entry);
      continue;
    }
    const size = sizeOfOutputs({ parts: entry.parts.filter(({ id }) => !kept.has(id)) });
    if (size > 0) upTo ??= entry;
    won += size;
  }
  if (won < worthIt || !upTo) return;
  turn.emit({ type: "pruned", outputs: upTo.info.id, ...(kept.size > 0 && { kept: [...kept] }) });
  unbind(turn);
}
