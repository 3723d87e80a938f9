/** What a turn has done, for the question whether it is to continue. */
import type { Chat, Entry } from "../../src/chat/apply.ts";
import { type Spent, spentOnEntries } from "../../src/chat/spent.ts";

/** Number of steps whose cost shows what the next ones may cost. */
const mostRecent = 5;

export interface TurnWork {
  steps: number;
  /** Files that it has changed. */
  files: number;
  /** From its start to the end of its last step. */
  ms: number;
  recent: { steps: number; spent: Spent };
}

/** Returns the work of the turn that runs; undefined before its first step. `messages`: of the chat, the earlier ones too. */
export function turnWorkOf({ status }: Chat, messages: readonly Entry[]): TurnWork | undefined {
  if (status.type === "idle") return undefined;
  const steps = messages.filter(
    ({ info, parts }) =>
      info.role === "assistant" && info.createdAt >= status.since && parts.some(({ type }) => type === "step-start"),
  );
  const last = steps.at(-1);
  if (!last) return undefined;
  const files = steps.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "patch" ? part.files : [])));
  const recent = steps.slice(-mostRecent);
  return {
    steps: steps.length,
    files: new Set(files).size,
    ms: endOfStep(last) - status.since,
    recent: { steps: recent.length, spent: spentOnEntries(recent) },
  };
}

function endOfStep({ info, parts }: Entry): number {
  const reply = info.role === "assistant" ? (info.completedAt ?? info.createdAt) : info.createdAt;
  const calls = parts.flatMap((part) => (part.type === "tool" && "end" in part.state ? [part.state.end] : []));
  return Math.max(reply, ...calls);
}
