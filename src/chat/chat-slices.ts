/** Cuts long chats, so that the panel shows the newest messages before it gets the earlier ones. */
import type { Entry } from "./apply.ts";
import type { Part } from "./message.ts";

interface SliceLimits {
  messages: number;
  /** Characters of texts, inputs and outputs. The newest message is sent however long it is. */
  characters: number;
}

/** Fills the panel at its largest with lines. */
const newest: SliceLimits = { messages: 60, characters: 400_000 };
/** Costs the panel less than a frame. */
const earlier: SliceLimits = { messages: 200, characters: 600_000 };
/** So many messages a cut may move to be between two texts. */
const maxShift = 20;

/** Returns where the newest messages begin. */
export function tailStart(messages: readonly Entry[]): number {
  return startOfSlice(messages, messages.length, newest);
}

/** Returns the messages that end before `messageID`, and the number of those before them; undefined if it is unknown. */
export function sliceBefore(
  messages: readonly Entry[],
  messageID: string,
): { messages: Entry[]; missing: number } | undefined {
  const end = messages.findIndex(({ info }) => info.id === messageID);
  if (end < 0) return undefined;
  const start = startOfSlice(messages, end, earlier);
  return { messages: messages.slice(start, end), missing: start };
}

function startOfSlice(messages: readonly Entry[], end: number, limits: SliceLimits): number {
  let left = limits.characters;
  let start = end;
  while (start > 0 && end - start < limits.messages) {
    const entry = messages[start - 1];
    if (entry) left -= weightOf(entry);
    if (left < 0 && start < end) break;
    start--;
  }
  return cutNear(messages, start, end);
}

/** Returns a place to cut at or soon after `at`: neighbouring calls, which may be one line, stay together. */
export function cutNear(messages: readonly Entry[], at: number, end: number): number {
  if (at === 0) return 0;
  for (let cut = at; cut < Math.min(at + maxShift, end); cut++) if (beginsAnew(messages[cut])) return cut;
  // A summary belongs to the compaction before it.
  return messages[at]?.info.role === "assistant" && isSummary(messages[at]) ? at - 1 : at;
}

function beginsAnew(entry: Entry | undefined): boolean {
  if (!entry || entry.info.silent || isSummary(entry)) return false;
  if (entry.info.role === "user") return true;
  const first = entry.parts.find(({ type }) => type === "text" || type === "tool" || type === "reasoning");
  return first?.type === "text" && String(first.text).trim() !== "" && !first.synthetic;
}

const isSummary = ({ info }: Entry) => info.role === "assistant" && info.summary === true;

/** Counts the long texts of a message only. */
function weightOf({ parts }: Entry): number {
  return parts.reduce((sum, part) => sum + 300 + weightOfPart(part), 0);
}

function weightOfPart(part: Part): number {
  if ("text" in part) return part.text.length;
  if (part.type === "file") return part.url.length;
  if (part.type !== "tool") return 0;
  const { state } = part;
  const output = state.status === "completed" ? state.output : state.status === "error" ? state.error : "";
  const diffs = state.status === "completed" ? (state.metadata.diffs ?? [state.metadata.diff ?? { patch: "" }]) : [];
  const inputs = Object.values(state.input).map((value) => (typeof value === "string" ? value.length : 100));
  const patches = diffs.map(({ patch }) => patch.length);
  return [output.length, ...inputs, ...patches].reduce((sum, length) => sum + length, 0);
}
