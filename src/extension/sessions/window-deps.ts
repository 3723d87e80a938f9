/** What all sessions of the window need from it: its files, models, tools, rules and settings. */

import process from "node:process";
import type * as vscode from "vscode";
import type { Chat } from "../../chat/apply.ts";
import { forLog } from "../../loop/loop-events.ts";
import { combineExternalTools } from "../../loop/setup/external-tools.ts";
import type { SpendingLedger } from "../../record/ledger.ts";
import type { Sessions } from "../../record/sessions.ts";
import { taskTool } from "../../tools/built-in/task.ts";
import { standIns } from "../../tools/built-in/tool-search.ts";
import type { EditorHost } from "../host/vscode-host.ts";
import { vscodeTools } from "../host/vscode-tools.ts";
import type { WindowServers } from "../mcp/window-servers.ts";
import type { Models } from "../models/models.ts";
import type { TracePage } from "../panel/trace-page.ts";
import type { Review } from "../review/review.ts";
import type { StepChanges } from "../review/step-changes.ts";
import { readSettings } from "../settings.ts";
import type { SharedDeps } from "./conversation-options.ts";
import { editorCheckpoints, forgetCheckpoints } from "./editor-checkpoints.ts";
import type { Projects } from "./projects.ts";
import type { StoredRules } from "./stored-rules.ts";

interface WindowParts {
  changes: StepChanges;
  host: Pick<EditorHost, "forSession">;
  ledger: SpendingLedger;
  log: vscode.LogOutputChannel;
  models: Models;
  projects: Projects;
  review: Review;
  rules: StoredRules;
  servers: WindowServers["servers"];
  sessions: Sessions;
  storage: vscode.Uri;
  tools: SharedDeps["tools"];
  trace: Pick<TracePage, "event" | "firstByte">;
  /** Returns the folder of the session's own worktree; undefined if it has none. */
  ownFolderOf(chat: Chat): string | undefined;
  foldersOf(chat: Chat): string[];
}

export function windowDeps(parts: WindowParts): SharedDeps {
  const { changes, host, ledger, log, models, projects, review, rules, servers, sessions, storage, tools, trace } =
    parts;
  const { ownFolderOf, foldersOf } = parts;
  return {
    hostFor: (chat) => host.forSession(sessions.outputs(chat.session.id), ownFolderOf(chat)),
    hooksFor: (chat, ...session) => projects.hooks(chat, ...session, foldersOf(chat)),
    project: (chat) => projects.load(foldersOf(chat)),
    gitState: (chat) => projects.gitState(foldersOf(chat)),
    ledger,
    checkpointsFor: (chat) => {
      const isApart = ownFolderOf(chat) !== undefined;
      const about = { sessionID: chat.session.id, folders: () => foldersOf(chat), isApart };
      return editorCheckpoints({ ...about, storage, log, review, changes });
    },
    forgetCheckpoints: (sessionID) => forgetCheckpoints(storage, sessionID),
    tools,
    externalTools: combineExternalTools([servers, vscodeTools(() => readSettings().vscodeTools)]),
    toolSearchTools: standIns,
    taskTool,
    limits: models.limits,
    facts: models.facts,
    platform: process.platform,
    openModel: (ref) => models.open(ref),
    fallbackModel: () => models.fallback,
    rules: (sessionID) => rules.inForce(sessionID),
    keepRules: (more, scope, sessionID) => void rules.keep(more, scope, sessionID).catch((error) => log.error(error)),
    ruleUsed: (rule) => rules.used(rule),
    attended: true,
    sendsWaiting: true,
    lookPatienceMs: 200,
    get titles() {
      return readSettings().titles;
    },
    log: {
      event(event) {
        trace.event(event);
        if (event.type !== "stream:delta") log.debug(event.type, forLog(event));
      },
      firstByte: (messageID, afterMs) => trace.firstByte(messageID, afterMs),
      note: (message) => log.info(message),
      bug: (error) => log.error(error instanceof Error ? error : String(error)),
    },
  };
}
