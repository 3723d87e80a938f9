/** Records the changes of a reply's calls as its parts (E1): the files, a hash of the change, the state after it. */

import { newID } from "../../base/ids.ts";
import { findEntry } from "../../chat/apply.ts";
import { diffsOf } from "../../chat/diffs.ts";
import type { FileDiff } from "../../chat/message.ts";
import type { Change } from "../checkpoints.ts";
import type { ChatAccess, Services } from "../turn.ts";

type Changing = ChatAccess & Pick<Services, "checkpoints">;

/** Call it when the calls of a reply have ended. Resolves when their changes are recorded, or no longer needed. */
export async function recordChanges(turn: Changing, messageID: string, isWanted = () => true): Promise<void> {
  const change = (await turn.checkpoints.end()) ?? changesOfCalls(turn, messageID);
  if (!change || !isWanted()) return;
  const { snapshot, hash, files } = change;
  const { id: sessionID } = turn.chat.session;
  const finish = findEntry(turn.chat, messageID)?.parts.findLast((part) => part.type === "step-finish");
  if (finish?.type === "step-finish" && snapshot !== "") turn.emit({ type: "part", part: { ...finish, snapshot } });
  turn.emit({ type: "part", part: { type: "patch", id: newID("prt"), sessionID, messageID, hash, files } });
}

/** Returns the diffs of the calls, for sessions without checkpoints. */
function changesOfCalls({ chat }: ChatAccess, messageID: string): Change | undefined {
  const diffs = (findEntry(chat, messageID)?.parts ?? []).flatMap((part): FileDiff[] => {
    if (part.type !== "tool" || part.state.status !== "completed") return [];
    return [...diffsOf(part.state.metadata)];
  });
  if (diffs.length === 0) return undefined;
  const files = [...new Set(diffs.map(({ path }) => path))];
  return { snapshot: "", hash: fingerprint(diffs.map(({ path, patch }) => `${path}\n${patch}`).join("\n")), files };
}

/** FNV-1a with 32 bits, in hexadecimal: enough to distinguish patches; no secret depends on it. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
