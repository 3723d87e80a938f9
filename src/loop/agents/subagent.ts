/** Work that an agent hands on: a session of its own, with the parent's rules, purse and Stop (spec S, L6). */

import { apply, type Chat, type Entry, newChat } from "../../chat/apply.ts";
import { type ChatEvent, isRecorded } from "../../chat/events.ts";
import { newID } from "../../chat/ids.ts";
import { type AssistantMessage, noTokens, type SubtaskPart, type UserMessage } from "../../chat/message.ts";
import { never } from "../../chat/never.ts";
import { type SubagentTask, ToolError } from "../../tools/tool.ts";
import { costOfSession } from "../budget.ts";
import { Blocked } from "../calls/blocked.ts";
import type { CallEnd } from "../calls/call.ts";
import type { CallRecord } from "../calls/call-record.ts";
import { runCalls } from "../calls/calls.ts";
import { DoomWatch } from "../calls/doom.ts";
import { noCheckpoints } from "../checkpoints.ts";
import { estimateContext, visibleEntries } from "../context/context.ts";
import type { Hooks } from "../hooks.ts";
import { runTurn } from "../loop.ts";
import type { ToolCall } from "../reply/reply.ts";
import { modelOf } from "../setup/agent-config.ts";
import { noteFor } from "../setup/system-prompt.ts";
import type { Recorder } from "../storage.ts";
import type { AgentConfig, Turn, TurnEnd } from "../turn.ts";
import type { Agent } from "./agents.ts";

const blockedText = "The user refused a call of the subagent and stopped the turn.";

/** Who hands the work on. */
interface Caller {
  turn: Turn;
  config: AgentConfig;
  call: ToolCall;
  record: CallRecord;
  /** Of the call. */
  signal: AbortSignal;
}

/**
 * Has a subagent do the task in a session of its own. Answers with its last words.
 * @throws ToolError when it did not come to its end, Blocked, the signal's reason on abort
 */
export async function runSubagent(caller: Caller, task: SubagentTask): Promise<string> {
  const { turn, record, signal } = caller;
  const agent = turn.project().agents.find(task.agent);
  const { id: parentID, cwd } = turn.chat.session;
  const chat = newChat({ id: newID("ses"), createdAt: Date.now(), title: task.description, cwd, parentID });
  const childID = chat.session.id;
  const recorder = turn.openChild(childID);
  record.follow(childID);
  turn.flush();
  const child = childTurn(caller, agent, chat, recorder);
  try {
    child.emit({ type: "session", session: chat.session });
    storeTask(child, caller, agent, task.prompt, await wordsOfHooks(caller, agent, childID));
    return answerOf(await runTurn(child), chat, signal);
  } finally {
    record.charge(costOfSession(chat.messages).usd);
    recorder.close();
  }
}

/** The parent's turn, but for what is the child's own. */
function childTurn({ turn, config, signal }: Caller, agent: Agent, chat: Chat, recorder: Recorder): Turn {
  const { id: sessionID } = chat.session;
  const lineage = [...turn.lineage, agent];
  const depth = lineage.length - 1;
  const narrow = narrowing(config);
  const emit = (event: ChatEvent) => {
    if (isRecorded(event)) recorder.append(event);
    apply(chat, event);
    turn.emit({ type: "child", sessionID, event });
  };
  return {
    ...turn,
    runID: newID("run"),
    chat,
    lineage,
    limits: { ...turn.limits, maxTurns: Math.min(agent.steps ?? Number.POSITIVE_INFINITY, turn.limits.maxTurns) },
    hooks: hooksOf(turn.hooks, agent, sessionID),
    doom: new DoomWatch(),
    seen: new Map(),
    firstReply: 0,
    signal,
    readOnly: () => turn.readOnly() || agent.readOnly,
    resolveConfig: (user) => narrow(turn.resolveConfigFor(agent, user, depth)),
    resolveConfigFor: (other, user, deeper) => turn.resolveConfigFor(other, user, deeper),
    // The prefix of the parent's requests holds, whatever the child does with its own.
    refresh() {},
    emit,
    flush: () => recorder.flush(),
    // Events of the loop are about the session's own run, and balanced; those of subagents would come in between.
    report() {},
    notifyUser: (messageID, text) =>
      emit({ type: "part", part: { type: "text", id: newID("prt"), sessionID, messageID, text, ignored: true } }),
    // What it changes counts as what the parent's step changes.
    checkpoints: {
      ...noCheckpoints,
      expect: () => turn.checkpoints.expect(),
      ready: (...about) => turn.checkpoints.ready(...about),
    },
    connectExternalTools: async () => {},
    takeQueued() {},
    close() {},
  };
}

/** A child has no tool that its parent has not. Answers with the same object for the same setup. */
function narrowing(parent: AgentConfig): (config: AgentConfig) => AgentConfig {
  const known = new WeakMap<AgentConfig, AgentConfig>();
  const isOffered = ({ name }: { name: string }) => parent.tools.has(name);
  return (config) => {
    const narrowed = known.get(config) ?? {
      ...config,
      tools: new Map([...config.tools].filter(([, tool]) => isOffered(tool))),
      definitions: config.definitions.filter(isOffered),
    };
    known.set(config, narrowed);
    return narrowed;
  };
}

/** Hooks are told who calls; where a turn's end would be theirs to hold back, it is the subagent's, and once. */
function hooksOf(parent: Hooks, agent: Agent, childID: string): Hooks {
  const who = { agent_id: childID, agent_type: agent.name };
  let wasHeldBack = false;
  return {
    has: (event) => parent.has(event === "Stop" ? "SubagentStop" : event),
    async fire(event, subject, input, signal) {
      if (event !== "Stop") return await parent.fire(event, subject, { ...who, ...input }, signal);
      const outcome = await parent.fire("SubagentStop", agent.name, { ...who, ...input }, signal);
      if (wasHeldBack) return { ...outcome, decision: undefined };
      wasHeldBack = outcome.decision === "deny";
      return outcome;
    },
  };
}

/** What the hooks have to say to a subagent that begins. */
async function wordsOfHooks({ turn, call, signal }: Caller, agent: Agent, childID: string): Promise<string[]> {
  if (!turn.hooks.has("SubagentStart")) return [];
  const who = { agent_id: childID, agent_type: agent.name };
  const outcome = await turn.hooks.fire("SubagentStart", agent.name, who, signal);
  for (const message of outcome.messages) turn.notifyUser(call.messageID, message);
  return outcome.additionalContext;
}

function storeTask(child: Turn, { turn, config }: Caller, agent: Agent, prompt: string, more: readonly string[]): void {
  const { id: sessionID } = child.chat.session;
  const model = modelOf(agent, config.model);
  const createdAt = Date.now();
  const message: UserMessage = { id: newID("msg"), sessionID, createdAt, role: "user", agent: agent.name, model };
  child.emit({ type: "message", message });
  const note = noteFor(new Date(createdAt), turn.readOnly() ? "plan" : "default", undefined) ?? "";
  for (const { text, synthetic } of [
    { text: note, synthetic: true },
    { text: prompt, synthetic: false },
    ...more.map((text) => ({ text, synthetic: true })),
  ]) {
    const base = { id: newID("prt"), sessionID, messageID: message.id };
    child.emit({ type: "part", part: { type: "text", text, ...(synthetic && { synthetic }), ...base } });
  }
}

/** @throws ToolError, Blocked, the signal's reason on abort */
function answerOf({ reason, error }: TurnEnd, chat: Chat, signal: AbortSignal): string {
  signal.throwIfAborted();
  const text = lastWords(chat);
  const sofar = text === "" ? "" : ` Its last words were:\n${text}`;
  switch (reason) {
    case "end_turn":
      return text;
    case "max_turns":
      throw new ToolError(`The subagent reached the most replies it may give, and was not done.${sofar}`);
    case "error_max_budget_usd":
      throw new ToolError(`The subagent was not done when the session's budget was used up.${sofar}`);
    case "blocked":
      if (!error) throw new Blocked(blockedText);
      throw new ToolError(`The subagent was stopped: ${error.message}${sofar}`);
    case "interrupted":
    case "aborted":
      throw new ToolError(`The subagent was interrupted.${sofar}`);
    case "max_tokens":
    case "error":
      throw new ToolError(
        `The subagent failed: ${error ? `${error.message} ${error.next}` : "no reason is known."}${sofar}`,
      );
    default:
      return never(reason);
  }
}

/** The text of the newest reply that has any. */
function lastWords({ messages }: Chat): string {
  for (const { info, parts } of messages.toReversed()) {
    if (info.role !== "assistant" || info.summary || info.silent) continue;
    const text = parts
      .flatMap((part) => (part.type === "text" && !part.ignored ? [part.text] : []))
      .join("\n")
      .trim();
    if (text !== "") return text;
  }
  return "";
}

/** The first subtask that the newest prompts ask for and that nobody has begun. */
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

/** By which the subtask is known to have been begun. */
function callIDOf(part: SubtaskPart): string {
  return `call_${part.id}`;
}

/** Runs a subtask as if the model had called the tool `task` for it, so that record and requests are ordinary (L6). */
export async function runSubtask(
  turn: Turn,
  config: AgentConfig,
  user: UserMessage,
  part: SubtaskPart,
): Promise<CallEnd> {
  const { id: sessionID, cwd } = turn.chat.session;
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
    path: { cwd, root: cwd },
    tokens: noTokens,
  };
  const base = { id: newID("prt"), sessionID, messageID: message.id };
  const callID = callIDOf(part);
  turn.report({ type: "loop:context", tokenEstimate: estimateContext(visibleEntries(turn.chat), config) });
  turn.emit({ type: "message", message });
  const state = { status: "pending", input, raw } as const;
  turn.emit({ type: "part", part: { type: "tool", callID, tool: "task", state, ...base } });
  turn.emit({ type: "message", message: { ...message, finish: "tool-calls", completedAt: createdAt } });
  const call = { messageID: message.id, partID: base.id, callID, tool: "task", raw, provider: undefined };
  return await runCalls(turn, config, [{ ...call, arguments: { ok: true, input } }]);
}
