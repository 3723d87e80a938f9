/** Lets the model save lasting notes shortly before a compaction (C5). Its texts are for the model. */
import type { UserMessage } from "../../chat/message.ts";
import { runCalls } from "../calls/calls.ts";
import { recordChanges } from "../calls/record-changes.ts";
import { streamReply } from "../reply/reply.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import type { Turn } from "../turn.ts";
import { type ContextMeasure, measureContext, mostInput, overflowLimit } from "./context.ts";
import { leaveOut } from "./leave-out.ts";
import { addSyntheticMessage } from "./synthetic-message.ts";

const noReply = "NO_REPLY";

const mostSteps = 3;

interface MemoryState extends ContextMeasure {
  turn: Turn;
  config: AgentConfig;
}

/** Whether notes are due at this context size: once per compaction cycle, if they can be saved. */
export function shouldSaveMemory({ turn, config, entries, size }: MemoryState): boolean {
  const { reserveFloorTokens, flushThresholdTokens } = turn.limits;
  const latest = overflowLimit(config, turn.limits);
  // In a small window the threshold is below the size of any conversation.
  const due = Math.max(config.contextWindow - reserveFloorTokens - flushThresholdTokens, latest / 2);
  // A subagent reports to its parent, who saves the notes.
  const isChild = turn.lineage.length > 1;
  if (!turn.limits.autoCompact || isChild || size < Math.min(due, latest) || size > config.contextWindow) return false;
  const canWrite = ["write", "edit", "apply_patch"].some((name) => config.tools.has(name) && mayWrite(turn, name));
  if (!canWrite || !turn.host.workspace.trusted || turn.readOnly() || !turn.project().memory) return false;
  return entries.some(({ info }) => info.role === "assistant") && !entries.some(({ info }) => info.silent);
}

/** Whether a call that writes the notes may be allowed: no rule denies it, and someone can answer where it asks. */
function mayWrite({ permissions, hooks, lineage, project }: Turn, tool: string): boolean {
  const pattern = project().memory?.path ?? "";
  const need = { permission: "memory", pattern, suggestedRule: pattern, match: "pattern", effect: "" } as const;
  const { decision } = permissions.judge({ ...need, protection: "none" }, tool, lineage);
  if (decision !== "ask") return decision === "allow";
  return permissions.attended || hooks.has("PermissionRequest") || hooks.has("PreToolUse");
}

/** Asks the model for lasting notes in a silent turn, which is not shown. @throws ModelError */
export async function saveMemory(turn: Turn, config: AgentConfig, user: UserMessage): Promise<void> {
  const { memory } = turn.project();
  if (!memory) return;
  const parent = addSyntheticMessage(turn, user, question(memory), true);
  for (let step = 0; step < mostSteps; step++) {
    if (step > 0 && !turn.budget.permits(config)) return;
    leaveOut(turn);
    const { entries, size } = measureContext(turn.chat, config);
    // Its own calls may fill the window; the following compaction leaves their outputs out.
    if (size > mostInput(config)) return;
    turn.report({ type: "loop:context", tokenEstimate: size });
    const reply = await streamReply(turn, config, { entries, kind: "silent", parent, maxTokens: config.maxTokens });
    if (reply.calls.length === 0) return;
    const end = await runCalls(turn, config, reply.calls);
    await recordChanges(turn, reply.message.id);
    if (end !== "continue") return;
  }
}

function question({ path, text }: { path: string; text: string }): string {
  return [
    "Session nearing compaction. Store durable memories now.",
    `Write any lasting notes to ${path}${text === "" ? ", which does not exist yet" : ""}: decisions, conventions, commands that work, things the user wants in general; nothing that the files themselves say, nothing secret. ${text === "" ? "" : "Read it before you replace it. "}Reply with ${noReply} if nothing to store, and with ${noReply} when you are done.`,
  ].join("\n\n");
}
