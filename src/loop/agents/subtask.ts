/** Subtasks of a prompt, done by subagents before the model is called (spec L6). */

import { newID } from "../../base/ids.ts";
import type { Chat, Entry } from "../../chat/apply.ts";
import type { AssistantMessage, SubtaskPart, UserMessage } from "../../chat/message.ts";
import { noTokens } from "../../chat/token-counts.ts";
import type { CallEnd } from "../calls/call-in-progress.ts";
import { runCalls } from "../calls/calls.ts";
import { measureContext } from "../context/context.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import { pathOf } from "../setup/project.ts";
import type { Turn } from "../turn.ts";

/** Returns the first subtask of the newest prompts that has not begun. */
export function pendingSubtask({ messages }: Chat, user: UserMessage): SubtaskPart | undefined {
  const last = messages.findLastIndex(({ info }) => info.id === user.id);
  let first = last;
  while (messages[first - 1]?.info.role === "user") first -= 1;
  const asked = messages.slice(first, last + 1).flatMap(({ parts }) => parts.filter((part) => part.type === "subtask"));
  if (asked.length === 0) return undefined;
  const begun = new Set(messages.slice(last + 1).flatMap(callIDs));
  return asked.find((part) => !begun.has(callIDOf(part)));
}

function callIDs({ parts }: Entry): string[] {
  return parts.flatMap((part) => (part.type === "tool" ? [part.callID] : []));
}

function callIDOf(part: SubtaskPart): string {
  return `call_${part.id}`;
}

/** Runs a subtask as if the model had called `task` for it, so that record and requests are ordinary. */
export async function runSubtask(
  turn: Turn,
  config: AgentConfig,
  user: UserMessage,
  part: SubtaskPart,
): Promise<CallEnd> {
  const { id: sessionID } = turn.chat.session;
  const { agent: subagent_type, description, prompt } = part;
  const input = { description, prompt, subagent_type };
  const raw = JSON.stringify(input);
  const createdAt = Date.now();
  const message: AssistantMessage = {
    id: newID("msg"),
    sessionID,
    createdAt,
    role: "assistant",
    parentID: user.id,
    agent: config.agent.name,
    model: config.model,
    path: pathOf(turn.chat.session, turn.project()),
    tokens: noTokens,
  };
  const base = { id: newID("prt"), sessionID, messageID: message.id };
  const callID = callIDOf(part);
  turn.report({ type: "loop:context", tokenEstimate: measureContext(turn.chat, config).size });
  turn.emit({ type: "message", message });
  const state = { status: "pending", input, raw } as const;
  turn.emit({ type: "part", part: { type: "tool", callID, tool: "task", state, ...base } });
  turn.emit({ type: "message", message: { ...message, finish: "tool-calls", completedAt: createdAt } });
  const call = { messageID: message.id, partID: base.id, callID, tool: "task", raw, provider: undefined };
  return await runCalls(turn, config, [{ ...call, arguments: { ok: true, input } }]);
}
