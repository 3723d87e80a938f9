/** Removes old outputs from later requests (C6); the record and the panel keep them. */
import type { Entry } from "../../chat/apply.ts";
import type { ChatAccess } from "../turn.ts";
import { sizeOfOutputs, visibleEntries } from "./context.ts";
import { unbind } from "./prefix.ts";

const protectedTail = 40_000;

/** Pruning invalidates the provider's prompt cache, so it must free at least this many tokens. */
const worthIt = 20_000;

/** Call it after a turn: then the thoughts that are bound to what is removed matter least. */
export function prune(turn: ChatAccess): void {
  const { chat } = turn;
  const entries = visibleEntries(chat);
  let tail = 0;
  let won = 0;
  let upTo: Entry | undefined;
  for (const entry of entries.toReversed()) {
    const size = sizeOfOutputs(entry);
    if (tail < protectedTail) tail += size;
    else if (size > 0) {
      upTo ??= entry;
      won += size;
    }
  }
  if (won < worthIt || !upTo) return;
  turn.emit({ type: "pruned", outputs: upTo.info.id });
  unbind(turn);
}
