/** The turn of a session: what the session has, as the loop wants it. */

import type { Chat } from "../../chat/apply.ts";
import type { ChatEvent } from "../../chat/events.ts";
import { newID } from "../../chat/ids.ts";
import type { FilesSeen } from "../../tools/tool.ts";
import type { Budget } from "../budget.ts";
import { DoomWatch } from "../calls/doom.ts";
import { standing } from "../context/context.ts";
import type { Permissions } from "../permissions/permission.ts";
import type { Choices, Setups } from "../setup/agent-config.ts";
import type { Turn } from "../turn.ts";
import { pause, type Sleeper, workingClock } from "./clock.ts";
import type { SessionDeps } from "./session-deps.ts";

/** What the turn and its session both work on. */
interface Parts {
  chat: Chat;
  choices: Choices;
  deps: SessionDeps;
  setups: Setups;
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
  const { chat, choices, deps, setups, permissions, budget, seen, emit, takeQueued } = parts;
  const { host, limits, hooks, checkpoints, outside, openModel, openChild, onLoopEvent, onNote, onBug, recorder } =
    deps;
  const { signal } = running.abort;
  const clock = workingClock();
  const agentOf = () => setups.project.agents.find(standing(chat).user?.agent ?? choices.agent);
  const fallback = deps.fallback();
  return {
    runID,
    chat,
    get lineage() {
      return [agentOf()];
    },
    limits: limits(),
    host,
    project: () => setups.project,
    permissions,
    hooks,
    budget,
    seen,
    doom: new DoomWatch(),
    checkpoints,
    firstReply: chat.messages.length,
    signal,
    fallback,
    gather: async () => {
      await outside.ready(signal);
      setups.begin();
    },
    readOnly: () => choices.mode === "plan" || agentOf().readOnly,
    setup: (user) => setups.of(user),
    setupFor: (agent, user, depth) => setups.ofAgent(agent, user, depth),
    refresh: () => setups.refresh(),
    fallBack: () => fallback && setups.fallBack(fallback),
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
    tellUser: (messageID, text) =>
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
