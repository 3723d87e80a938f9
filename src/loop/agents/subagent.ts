/** Runs subagents: each in its own session, with its parent's rules, budget and Stop (spec S). */

import { newID } from "../../base/ids.ts";
import { never } from "../../base/never.ts";
import { apply, type Chat, newChat } from "../../chat/apply.ts";
import type { ChatEvent } from "../../chat/events.ts";
import type { UserMessage } from "../../chat/message.ts";
import { isRecorded } from "../../chat/recorded-events.ts";
import { textOf } from "../../chat/words.ts";
import { english, msg } from "../../l10n/l10n.ts";
import { type SubagentTask, ToolError } from "../../tools/tool.ts";
import { Blocked } from "../calls/blocked.ts";
import { LoopDetection } from "../calls/loop-detection.ts";
import { noCheckpoints } from "../checkpoints.ts";
import { pendingPrompt } from "../context/context.ts";
import { filesEdited } from "../context/survivors.ts";
import type { Hooks } from "../hooks.ts";
import { reporter } from "../log.ts";
import { runTurn } from "../loop.ts";
import { costOfSession } from "../session/budget.ts";
import { type AgentConfig, modelOf } from "../setup/agent-config.ts";
import { mayHandOn } from "../setup/patch-tool.ts";
import { promptNote } from "../setup/topics.ts";
import type { Recorder } from "../storage.ts";
import type { Delegation, Turn, TurnEnd } from "../turn.ts";
import type { Agent } from "./agents.ts";

export async function runSubagent(delegation: Delegation, task: SubagentTask): Promise<string> {
  const { turn, signal } = delegation;
  const agent = turn.project().agents.find(task.agent);
  const { id: parentID, cwd } = turn.chat.session;
  const chat = newChat({ id: newID("ses"), createdAt: Date.now(), title: task.description, cwd, parentID });
  const childID = chat.session.id;
  const recorder = turn.openChild(childID);
  delegation.follow(childID);
  turn.flush();
  const child = childTurn(delegation, agent, chat, recorder);
  try {
    child.emit({ type: "session", session: chat.session });
    const context = await runSubagentStartHooks(delegation, agent, childID);
    storeTask(child, delegation, { agent, prompt: task.prompt, context });
    return answerOf(await runTurn(child), chat, signal);
  } finally {
    delegation.ended(costOfSession(chat), filesEdited(chat.messages));
    recorder.close();
  }
}

/** Creates the child's turn from the parent's. */
function childTurn({ turn, config, signal }: Delegation, agent: Agent, chat: Chat, recorder: Recorder): Turn {
  const { id: sessionID } = chat.session;
  const lineage = [...turn.lineage, agent];
  const depth = lineage.length - 1;
  const runID = newID("run");
  const narrow = narrowing(config);
  const emit = (event: ChatEvent) => {
    if (isRecorded(event)) recorder.append(event);
    apply(chat, event);
    turn.emit({ type: "child", sessionID, event });
  };
  return {
    ...turn,
    runID,
    chat,
    lineage,
    limits: { ...turn.limits, maxTurns: Math.min(agent.steps ?? Number.POSITIVE_INFINITY, turn.limits.maxTurns) },
    hooks: hooksOf(turn.hooks, agent, sessionID),
    loopDetection: new LoopDetection(),
    seen: new Map(),
    firstReply: 0,
    signal,
    readOnly: () => turn.readOnly() || agent.readOnly,
    resolveConfig: (user) => narrow(turn.resolveConfigFor(agent, user, depth)),
    resolveConfigFor: (other, user, deeper) => turn.resolveConfigFor(other, user, deeper),
    // It works with the agents and rules of its parent.
    refresh() {},
    takeExternalTools() {},
    emit,
    flush: () => recorder.flush(),
    report: reporter(turn.log, runID),
    notifyUser: (messageID, text) =>
      emit({ type: "part", part: { type: "text", id: newID("prt"), sessionID, messageID, text, ignored: true } }),
    // Its changes count as changes of the parent's step.
    checkpoints: {
      ...noCheckpoints,
      expect: () => turn.checkpoints.expect(),
      ready: (...about) => turn.checkpoints.ready(...about),
    },
    connectExternalTools: async () => {},
    takeQueued() {},
    nextPrompt: () => pendingPrompt(chat),
    close() {},
  };
}

/** A child has only tools that its parent has. Returns the same object for the same setup. */
function narrowing(parent: AgentConfig): (config: AgentConfig) => AgentConfig {
  const known = new WeakMap<AgentConfig, AgentConfig>();
  const isOffered = ({ name }: { name: string }) => mayHandOn(parent.tools, name);
  return (config) => {
    const narrowed = known.get(config) ?? {
      ...config,
      tools: new Map([...config.tools].filter(([, tool]) => isOffered(tool))),
      refusals: new Map([
        ...config.refusals,
        ...[...config.tools.keys()]
          .filter((name) => !mayHandOn(parent.tools, name))
          .map((name) => [name, english(`${name} is off: the agent that gave you the task may not use it.`)] as const),
      ]),
      definitions: config.definitions.filter(isOffered),
    };
    known.set(config, narrowed);
    return narrowed;
  };
}

/** Tells hooks which subagent calls. Stop hooks become SubagentStop hooks, which can make it continue once. */
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

async function runSubagentStartHooks(
  { turn, messageID, signal }: Delegation,
  agent: Agent,
  childID: string,
): Promise<string[]> {
  if (!turn.hooks.has("SubagentStart")) return [];
  const who = { agent_id: childID, agent_type: agent.name };
  const outcome = await turn.hooks.fire("SubagentStart", agent.name, who, signal);
  for (const message of outcome.messages) turn.notifyUser(messageID, message);
  return outcome.additionalContext;
}

function storeTask(
  child: Turn,
  { config }: Delegation,
  { agent, prompt, context }: { agent: Agent; prompt: string; context: readonly string[] },
): void {
  const { id: sessionID } = child.chat.session;
  const model = modelOf(agent, config.model, child.facts);
  const createdAt = Date.now();
  const message: UserMessage = { id: newID("msg"), sessionID, createdAt, role: "user", agent: agent.name, model };
  child.emit({ type: "message", message });
  for (const part of [
    ...promptNote(child.mode(), {}),
    { text: prompt },
    ...context.map((text) => ({ text, synthetic: true })),
  ]) {
    const base = { id: newID("prt"), sessionID, messageID: message.id };
    child.emit({ type: "part", part: { type: "text", ...part, ...base } });
  }
}

/** @throws ToolError, Blocked, the signal's reason on abort */
function answerOf({ reason, error }: TurnEnd, chat: Chat, signal: AbortSignal): string {
  signal.throwIfAborted();
  const text = lastText(chat);
  const sofar = text === "" ? "" : english(` Its last words were:\n${text}`);
  const failed = (words: string) => new ToolError(`${words}${sofar}`, words);
  switch (reason) {
    case "end_turn":
      return text;
    case "max_turns":
      throw failed(msg("The subagent reached its limit of replies before it was done."));
    case "error_max_budget_usd":
      throw failed(msg("The subagent was not done when the session's budget was used up."));
    case "blocked":
      if (!error) throw new Blocked(english("The user refused a call of the subagent and stopped the turn."));
      throw failed(msg("The subagent was stopped: {0}", error.message));
    case "interrupted":
    case "aborted":
      throw failed(msg("The subagent was interrupted."));
    case "max_tokens":
    case "error":
      throw failed(
        error
          ? msg("The subagent failed: {0} {1}", error.message, error.next)
          : msg("The subagent failed: no reason is known."),
      );
    default:
      return never(reason);
  }
}

function lastText({ messages }: Chat): string {
  for (const { info, parts } of messages.toReversed()) {
    if (info.role !== "assistant" || info.summary || info.silent) continue;
    const text = textOf(parts).trim();
    if (text !== "") return text;
  }
  return "";
}
