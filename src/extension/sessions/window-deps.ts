/** What all sessions of the window need from it: its files, models, tools, rules and settings. */

import type * as vscode from "vscode";
import type { Chat } from "../../chat/apply.ts";
import { forLog } from "../../loop/loop-events.ts";
import { combineExternalTools } from "../../loop/setup/external-tools.ts";
import type { SpendingLedger } from "../../record/ledger.ts";
import type { SessionParts } from "../../runtime/compose-session.ts";
import { editorCheckpoints, forgetCheckpoints } from "../checkpoints/editor-checkpoints.ts";
import type { EditorHost } from "../host/vscode-host.ts";
import { vscodeTools } from "../host/vscode-tools.ts";
import type { WindowServers } from "../mcp/window-servers.ts";
import type { Models } from "../models/models.ts";
import type { Review } from "../review/review.ts";
import type { StepChanges } from "../review/step-changes.ts";
import type { StoredRules } from "../rules/stored-rules.ts";
import { readSettings } from "../settings.ts";
import type { WindowDeps } from "./conversation-options.ts";
import type { SessionObserver } from "./observers.ts";
import type { Projects } from "./projects.ts";

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
  storage: vscode.Uri;
  tools: SessionParts["tools"];
  trace: Pick<SessionObserver, "loopEvent" | "firstByte">;
  /** Returns the folder of the session's own worktree; undefined if it has none. */
  ownFolderOf(chat: Chat): string | undefined;
  foldersOf(chat: Chat): string[];
}

export function windowDeps(parts: WindowParts): WindowDeps {
  const { changes, host, ledger, log, models, projects, review, rules, servers, storage, tools, trace } = parts;
  const { ownFolderOf, foldersOf } = parts;
  const externalTools = combineExternalTools([servers, vscodeTools(() => readSettings().vscodeTools)]);
  const bug = (error: unknown) => log.error(error instanceof Error ? error : String(error));
  return {
    ...{ ledger, bug, limits: models.limits },
    forgetCheckpoints: (sessionID) => forgetCheckpoints(storage, sessionID),
    partsOf(chat, choices, record) {
      const ownFolder = ownFolderOf(chat);
      const folders = () => foldersOf(chat);
      const about = { sessionID: chat.session.id, folders, isApart: ownFolder !== undefined };
      return {
        ...{ chat, choices, record, tools, externalTools, own: [] },
        host: host.forSession(record.outputs, ownFolder),
        checkpoints: editorCheckpoints({ ...about, storage, log, review, changes }),
        hooks: projects.hooks(chat, record.path, choices, folders()),
        models: {
          ...{ limits: models.limits, facts: models.facts },
          openModel: (ref) => models.open(ref),
          fallbackModel: () => models.fallback,
        },
        rules: {
          rules: (sessionID) => rules.inForce(sessionID),
          keepRules: (more, scope, sessionID) => void rules.keep(more, scope, sessionID).catch(bug),
          ruleUsed: (rule) => rules.used(rule),
        },
        project: {
          project: () => projects.load(folders()),
          gitState: () => projects.gitState(folders()),
        },
        user: { attended: true, sendsWaiting: true, lookPatienceMs: 200, titles: readSettings().window.titles },
        log: {
          event(event) {
            trace.loopEvent(event);
            if (event.type !== "stream:delta") log.debug(event.type, forLog(event));
          },
          firstByte: (messageID, afterMs) => trace.firstByte(messageID, afterMs),
          note: (message) => log.info(message),
          bug,
        },
      };
    },
  };
}
