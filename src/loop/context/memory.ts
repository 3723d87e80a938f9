/** Shortly before the conversation is compacted the model may write down what should last (C5). */
import type { Entry } from "../../chat/apply.ts";
import type { UserMessage } from "../../chat/message.ts";
import { runCalls } from "../calls/calls.ts";
import { notePatch } from "../calls/record-changes.ts";
import { streamReply } from "../reply/reply.ts";
import type { Setup, Turn } from "../turn.ts";
import { entriesThatCount, estimateContext, overflowLimit } from "./context.ts";
import { say } from "./synthetic-message.ts";

/** What the model answers when there is nothing to keep. */
const noReply = "NO_REPLY";

/** Replies that the silent turn may take. */
const mostSteps = 3;

/** Whether notes are due at this size of the context: once in each cycle of compaction, where they could be kept. */
export function isFlushDue(turn: Turn, setup: Setup, entries: readonly Entry[], size: number): boolean {
  const { reserveFloor, flushThreshold } = turn.limits;
  const latest = overflowLimit(setup, turn.limits);
  // In a small window the threshold lies below what any conversation takes.
  const due = Math.max(setup.contextWindow - reserveFloor - flushThreshold, latest / 2);
  // What a subagent learns reaches its parent; who works for the user keeps the notes.
  const isChild = turn.lineage.length > 1;
  if (isChild || size < Math.min(due, latest) || size > setup.contextWindow) return false;
  const canWrite = setup.tools.has("write") || setup.tools.has("edit");
  if (!canWrite || !turn.host.workspace.trusted || turn.readOnly() || !turn.project().memory) return false;
  return entries.some(({ info }) => info.role === "assistant") && !entries.some(({ info }) => info.silent);
}

/** A silent turn: nothing of it is shown, and no failure of it ends the turn that it is part of. */
export async function flushMemory(turn: Turn, setup: Setup, user: UserMessage): Promise<void> {
  const { memory } = turn.project();
  if (!memory) return;
  const parent = say(turn, user, question(memory), true);
  for (let step = 0; step < mostSteps; step++) {
    const entries = entriesThatCount(turn.chat);
    const size = estimateContext(entries, setup);
    // What its own calls have put out may fill the window; the compaction that comes then leaves it out.
    if (size > setup.inputLimit) return;
    turn.report({ type: "loop:context", tokenEstimate: size });
    const reply = await streamReply(turn, setup, { entries, kind: "silent", parent, maxTokens: setup.maxTokens });
    if (reply.calls.length === 0) return;
    const end = await runCalls(turn, setup, reply.calls);
    await notePatch(turn, reply.message.id);
    if (end !== "continue") return;
  }
}

function question({ path, text }: { path: string; text: string }): string {
  return [
    "Session nearing compaction. Store durable memories now.",
    `Write any lasting notes to ${path}${text === "" ? ", which does not exist yet" : ""}: decisions, conventions, commands that work, things the user wants in general; nothing that the files themselves say, nothing secret. Reply with ${noReply} if nothing to store, and with ${noReply} when you are done.`,
  ].join("\n\n");
}
