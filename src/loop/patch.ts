/** What the calls of a reply changed, as a part of it (E1): which files, and a mark by which two patches can be told apart. */
import { findEntry } from "./apply.ts";
import { newID } from "./id.ts";
import type { FileDiff } from "./message.ts";
import type { Turn } from "./turn.ts";

/** Does nothing when no file was changed. */
export function notePatch(turn: Turn, messageID: string): void {
  const diffs = (findEntry(turn.chat, messageID)?.parts ?? []).flatMap((part): FileDiff[] => {
    if (part.type !== "tool" || part.state.status !== "completed") return [];
    return part.state.metadata.diff ? [part.state.metadata.diff] : [];
  });
  if (diffs.length === 0) return;
  const files = [...new Set(diffs.map(({ path }) => path))];
  const hash = fingerprint(diffs.map(({ path, patch }) => `${path}\n${patch}`).join("\n"));
  const { id: sessionID } = turn.chat.session;
  turn.emit({ type: "part", part: { type: "patch", id: newID("prt"), sessionID, messageID, hash, files } });
}

/** FNV-1a of 32 bits, in hexadecimal: enough to tell patches apart, and no secret depends on it. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
