import { newID } from "../../base/ids.ts";
import type { FilesSeen } from "../../tools/tool.ts";
import type { Agent } from "../agents/agents.ts";
import { runSubagent } from "../agents/subagent.ts";
import { filesSeen, takeShown } from "../calls/files-seen.ts";
import { LoopDetection } from "../calls/loop-detection.ts";
import { type PendingPrompt, pendingPrompt } from "../context/context.ts";
import { withoutZeros } from "../limits.ts";
import { reporter } from "../log.ts";
import { type Choices, type ConfigResolver, presentMode } from "../setup/agent-config.ts";
import type { Project } from "../setup/project.ts";
import type { Turn } from "../turn.ts";
import { OverTime, pause, type Sleeper, workingClock } from "./clock.ts";
import type { SessionDeps } from "./session-deps.ts";

export interface SessionState extends Pick<Turn, "chat" | "permissions" | "budget" | "emit" | "takeQueued"> {
  choices: Choices;
  resolver: ConfigResolver;
}

export interface Running extends Sleeper {
  abort: AbortController;
  /** Resolves when the turn accepts prompts, or is over. */
  ready: Promise<void>;
  done: Promise<void>;
  /** Whether the turn no longer accepts prompts. */
  closed: boolean;
}

export function createTurn(runID: string, running: Running, deps: SessionDeps, state: SessionState): Turn {
  const { chat, choices, resolver, emit } = state;
  const { signal } = running.abort;
  const limits = withoutZeros(deps.limits());
  const limitMs = limits.executionTimeoutMs;
  const clock = workingClock(limitMs, () => running.abort.abort(new OverTime(limitMs)));
  // Asked for several times at each call, while looking for the prompt reads all messages since.
  let prompt: PendingPrompt | undefined;
  let answering: { project: Project; agent: Agent } | undefined;
  const nextPrompt = () => {
    answering = undefined;
    prompt = pendingPrompt(chat);
    return prompt;
  };
  const agentOf = () => {
    const { project } = resolver;
    if (answering?.project !== project) {
      const { user } = prompt ?? nextPrompt();
      answering = { project, agent: project.agents.find(user?.agent ?? choices.agent) };
    }
    return answering.agent;
  };
  const fallbackModel = deps.fallbackModel();
  let seen: FilesSeen | undefined;
  return {
    ...deps,
    ...state,
    runID,
    signal,
    limits,
    loopDetection: new LoopDetection(),
    // Created when it is first used: then the prompt with its attachments is stored.
    get seen() {
      seen ??= filesSeen(chat);
      return seen;
    },
    takeQueued() {
      const known = chat.messages.length;
      state.takeQueued();
      if (seen) takeShown(seen, chat.messages.slice(known));
    },
    nextPrompt,
    firstReply: chat.messages.length,
    fallbackModel,
    get lineage() {
      return [agentOf()];
    },
    flush: () => deps.recorder.flush(),
    project: () => resolver.project,
    mode: () => presentMode(choices),
    readOnly: () => presentMode(choices) === "plan" || agentOf().readOnly,
    modelFor: (user) => resolver.modelFor(user),
    resolveConfig: (user) => resolver.of(user),
    resolveConfigFor: (agent, user, depth) => resolver.ofAgent(agent, user, depth),
    refresh: () => resolver.refresh(),
    switchToFallback: () => fallbackModel && resolver.switchToFallback(fallbackModel),
    async connectExternalTools() {
      // Only a conversation that begins is told of it.
      const isNew = chat.prefix === undefined;
      await Promise.all([deps.externalTools.ready(signal), isNew ? resolver.learnGitState() : undefined]);
      resolver.takeExternalTools();
    },
    takeExternalTools: () => resolver.takeExternalTools(),
    report: reporter(deps.log, runID),
    notifyUser: (messageID, text) =>
      emit({
        type: "part",
        part: { type: "text", id: newID("prt"), sessionID: chat.session.id, messageID, text, ignored: true },
      }),
    close() {
      running.closed = true;
      clock.stop();
    },
    pause: (ms) => pause(ms, running, signal),
    onRetryNow(retry) {
      running.wake = retry;
      return () => {
        if (running.wake === retry) running.wake = undefined;
      };
    },
    untimed: (wait) => clock.untimed(wait),
    runSubagent,
  };
}
