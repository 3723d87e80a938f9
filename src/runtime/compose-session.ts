/** Composes a session for every front end, once: a front end gives what it decides, and translates what comes out. */

import process from "node:process";
import type { Chat } from "../chat/apply.ts";
import type { SessionCheckpoints } from "../checkpoints/session-checkpoints.ts";
import type { Hooks } from "../loop/hooks.ts";
import type { Log } from "../loop/log.ts";
import { Session } from "../loop/session/session.ts";
import type { SessionDeps } from "../loop/session/session-deps.ts";
import type { Choices } from "../loop/setup/agent-config.ts";
import type { ExternalTools } from "../loop/setup/external-tools.ts";
import { taskTool } from "../tools/built-in/task.ts";
import { standIns } from "../tools/built-in/tool-search.ts";
import type { Host } from "../tools/host.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { SessionRecord } from "./session-record.ts";

/** What differs between front ends. Each group has one owner: a window, a run, a connection. */
export interface SessionParts {
  chat: Chat;
  choices: Choices;
  record: SessionRecord;
  /** Its long outputs belong into `record.outputs`. */
  host: Host;
  checkpoints: SessionCheckpoints;
  tools: ToolRegistry;
  externalTools: ExternalTools;
  hooks: Hooks;
  models: Pick<SessionDeps, "limits" | "facts" | "openModel" | "fallbackModel">;
  rules: Pick<SessionDeps, "rules" | "keepRules" | "ruleUsed">;
  project: Required<Pick<SessionDeps, "project" | "gitState">>;
  /** Whether someone sees the session, and what is done for them. */
  user: Pick<SessionDeps, "attended" | "lookPatienceMs" | "sendsWaiting" | "titles">;
  log: Log;
  /** What this session alone uses, besides record and checkpoints. It is closed with the session. */
  own: readonly { close(): Promise<void> }[];
}

export interface ComposedSession {
  session: Session;
  checkpoints: SessionCheckpoints;
  /** Ends the session, with a reason if not as its last turn did. Resolves when its events are on disk and nothing that belongs to it is left. @throws RecordError */
  close(reason?: string): Promise<void>;
}

export function composeSession(parts: SessionParts): ComposedSession {
  const { chat, choices, record, host, checkpoints, tools, externalTools, hooks, log, own } = parts;
  const { recorder, lock, ledger, openChild } = record;
  const session = new Session(chat, choices, {
    ...{ host, tools, externalTools, toolSearchTools: standIns, taskTool, checkpoints, hooks, log },
    ...{ recorder, lock, ledger, openChild, platform: process.platform },
    ...parts.models,
    ...parts.rules,
    ...parts.project,
    ...parts.user,
  });
  session.listen((event) => {
    if (event.type === "ended" || event.type === "session") record.saveSummary(chat);
    if (event.type === "background")
      void checkpoints.background(event.commands.some(({ state }) => state.type !== "ended"));
  });
  return {
    session,
    checkpoints,
    async close(reason) {
      // Whatever fails, the rest ends, too.
      const [disposed] = await Promise.allSettled([session.dispose(reason)]);
      const closed = await Promise.allSettled([checkpoints, ...own].map((one) => one.close()));
      record.close();
      record.saveSummary(chat);
      for (const end of [disposed, ...closed]) if (end.status === "rejected") throw end.reason;
    },
  };
}
