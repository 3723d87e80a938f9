/** Runs the calls of one reply in order, and adjacent ones without side effects concurrently (T5). */
import { isClosing } from "../../chat/stopped.ts";
import { isHarmless } from "../../tools/tool.ts";
import type { ToolCall } from "../reply/reply-sink.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import type { Turn } from "../turn.ts";
import { runCall } from "./call.ts";
import type { CallEnd } from "./call-in-progress.ts";

const mostAtOnce = 8;

/** Ends early when the user denied a call without a reason; later calls stay open. */
export async function runCalls(turn: Turn, config: AgentConfig, calls: readonly ToolCall[]): Promise<CallEnd> {
  turn.report({ type: "loop:execute", toolCount: calls.length });
  return await runGroups(turn, config, calls);
}

/** Runs the calls of a reopened session. Nothing runs unless the first one asks again and is answered. */
export async function runReopenedCalls(turn: Turn, config: AgentConfig, calls: readonly ToolCall[]): Promise<CallEnd> {
  turn.report({ type: "loop:execute", toolCount: calls.length });
  const [first, ...behind] = calls;
  const end = first ? await runCall(turn, config, first, true) : "continue";
  return end === "continue" ? await runGroups(turn, config, behind) : end;
}

async function runGroups(turn: Turn, config: AgentConfig, calls: readonly ToolCall[]): Promise<CallEnd> {
  for (const group of sideBySide(config, calls)) {
    // Calls after an open question wait with it.
    if (isClosing(turn.signal)) return "continue";
    const end = await runGroup(turn, config, group);
    if (end !== "continue") return end;
  }
  turn.flush();
  turn.report({ type: "loop:persist" });
  return "continue";
}

function sideBySide({ tools }: AgentConfig, calls: readonly ToolCall[]): ToolCall[][] {
  const groups: ToolCall[][] = [];
  let gathering = false;
  for (const call of calls) {
    const harmless = isHarmless(tools.get(call.tool) ?? tools.get(call.tool.toLowerCase()));
    const last = groups.at(-1);
    if (gathering && harmless && last && last.length < mostAtOnce) last.push(call);
    else groups.push([call]);
    gathering = harmless;
  }
  return groups;
}

/** Ends only when all have ended, so that none outlives the turn. */
async function runGroup(turn: Turn, config: AgentConfig, group: readonly ToolCall[]): Promise<CallEnd> {
  const ends = await Promise.allSettled(group.map((call) => runCall(turn, config, call)));
  const broken = ends.find((end) => end.status === "rejected");
  if (broken) throw broken.reason;
  for (const end of ends) if (end.status === "fulfilled" && end.value !== "continue") return end.value;
  return "continue";
}
