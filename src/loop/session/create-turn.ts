/** The turn of a session: what the session has, as the loop wants it. */

import type { Chat } from "../../chat/apply.ts";
import type { ChatEvent } from "../../chat/events.ts";
import { newID } from "../../chat/ids.ts";
import type { FilesSeen } from "../../tools/tool.ts";
import type { Budget } from "../budget.ts";
import { DoomWatch } from "../calls/doom.ts";
import { pendingPrompt } from "../context/context.ts";
import type { Permissions } from "../permissions/permission.ts";
import type { Choices, ConfigResolver } from "../setup/agent-config.ts";
import type { Turn } from "../turn.ts";
import { pause, type Sleeper, workingClock } from "./clock.ts";
import type { SessionDeps } from "./session-deps.ts";

/** What the turn and its session both work on. */
interface Parts {
  chat: Chat;
  choices: Choices;
  deps: SessionDeps;
  resolver: ConfigResolver;
  permissions: Permissions;
  budget: Budget;
  seen: FilesSeen;
  emit(event: ChatEvent): void;
  takeQueued(): void;
}

/** The turn that runs, or waits for its lock. */
export interface Running extends Sleeper {
  abort: AbortController;
  /** Resolves when it takes prompts, or is over. */
  ready: Promise<void>;
  done: Promise<void>;
  /** It takes no more prompts. */
  closed: boolean;
}

export function turnOf(runID: string, running: Running, parts: Parts): Turn {
  const { chat, choices, deps, resolver, permissions, budget, seen, emit, takeQueued } = parts;
  const {
    host,
    limits,
    hooks,
    checkpoints,
    externalTools,
    openModel,
    openChild,
    onLoopEvent,
    onNote,
    onBug,
    recorder,
  } = deps;
  const { signal } = running.abort;
  const clock = workingClock();
  const agentOf = () => resolver.project.agents.find(pendingPrompt(chat).user?.agent ?? choices.agent);
  const fallback = deps.fallbackModel();
  return {
    runID,
    chat,
    get lineage() {
      return [agentOf()];
    },
    limits: limits(),
    host,
    project: () => resolver.project,
    permissions,
    hooks,
    budget,
    seen,
    doom: new DoomWatch(),
    checkpoints,
    firstReply: chat.messages.length,
    signal,
    fallback,
    connectExternalTools: async () => {
      await externalTools.ready(signal);
      resolver.begin();
    },
    readOnly: () => choices.mode === "plan" || agentOf().readOnly,
    resolveConfig: (user) => resolver.of(user),
    resolveConfigFor: (agent, user, depth) => resolver.ofAgent(agent, user, depth),
    refresh: () => resolver.refresh(),
    switchToFallback: () => fallback && resolver.switchToFallback(fallback),
    openModel,
    openChild,
    emit,
    flush: () => recorder.flush(),
    report(event) {
      // Who listens cannot break the turn.
      try {
        onLoopEvent(event);
      } catch (error) {
        onBug(error);
      }
    },
    notifyUser: (messageID, text) =>
      emit({
        type: "part",
        part: { type: "text", id: newID("prt"), sessionID: chat.session.id, messageID, text, ignored: true },
      }),
    note: onNote,
    bug: onBug,
    takeQueued,
    close() {
      running.closed = true;
    },
    pause: (ms) => pause(ms, running, signal),
    untimed: (wait) => clock.untimed(wait),
    elapsed: () => clock.elapsed(),
  };
}
