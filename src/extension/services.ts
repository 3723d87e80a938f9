/**
 * What the sessions of a window run with, and what features use. Each part is made once, after all that it needs. `page`
 * is what a feature gets.
 */
import path from "node:path";
import * as vscode from "vscode";
import type { Chat } from "../chat/apply.ts";
import { RateLimits } from "../providers/shared/rate-limits.ts";
import { SpendingLedger } from "../record/ledger.ts";
import { Sessions } from "../record/sessions.ts";
import { builtInTools } from "../tools/built-in/all.ts";
import { registryOf } from "../tools/registry.ts";
import { WorktreeStore } from "../worktrees/worktree-store.ts";
import { Attachments } from "./attachments/attachments.ts";
import { openFolders } from "./host/documents.ts";
import { vscodeHost } from "./host/vscode-host.ts";
import { endLeftCommands } from "./left-behind.ts";
import { WindowServers } from "./mcp/window-servers.ts";
import { Keys } from "./models/keys.ts";
import { Models } from "./models/models.ts";
import type { PanelContext } from "./panel/handlers.ts";
import { Review } from "./review/review.ts";
import { StepChanges } from "./review/step-changes.ts";
import { StoredRules } from "./rules/stored-rules.ts";
import { ChangeAuthors } from "./sessions/change-authors.ts";
import { initialChoices, modelToBeginWith } from "./sessions/choices.ts";
import { Conversations } from "./sessions/conversations.ts";
import { Projects } from "./sessions/projects.ts";
import { SessionMarks } from "./sessions/session-marks.ts";
import { windowBoundary } from "./sessions/window-boundary.ts";
import { windowDeps } from "./sessions/window-deps.ts";
import { readSettings } from "./settings.ts";
import type { EditorWindow } from "./window.ts";
import { KnownWorktrees } from "./worktrees/known-worktrees.ts";

export type WindowServices = ReturnType<typeof services>;

export function services(window: EditorWindow) {
  const { context, log, memory, observers, own, prepare, send, stateChanged, explain, storage } = window;
  const shared = (name: string) => vscode.Uri.joinPath(context.globalStorageUri, name).fsPath;
  const warn = (message: string) => void vscode.window.showWarningMessage(message);

  const keys = own(new Keys(context.secrets));
  const rateLimits = new RateLimits(shared("rate-limits"));
  const models = own(new Models(keys, rateLimits, modelToBeginWith(memory, context.globalState)));
  const ledger = new SpendingLedger(shared("spending"), (message) => log.warn(message));
  const tools = registryOf(builtInTools({ editor: true }));
  // Makes the tools' schemas before the first request needs them.
  const warmUp = setTimeout(() => tools.definitions(), 300);
  own({ dispose: () => clearTimeout(warmUp) });

  const review = own(new Review({ storage, warn }));
  const tell = (sentence: string) => void vscode.window.showInformationMessage(sentence);
  const changes = own(new StepChanges({ review, tell }));
  const authors = new ChangeAuthors(memory, () => review.files().filter(({ hunks }) => hunks > 0));

  // One folder for all workspaces: whichever is opened next ends the commands of a window that was killed.
  const markersFolder = shared("commands");
  const host = own(
    vscodeHost({
      watch: review,
      terminal: () => readSettings().terminal,
      sandbox: () => readSettings().sandbox,
      secrets: () => readSettings().secrets,
      state: [context.globalStorageUri.fsPath, ...(context.storageUri ? [context.storageUri.fsPath] : [])],
      markersFolder,
    }),
  );
  void endLeftCommands(markersFolder, log);
  const rules = own(new StoredRules(memory));
  const boundary = windowBoundary(rules, warn);
  const files = new Attachments(host.workspace, boundary);
  const mcp = own(new WindowServers({ memory, secrets: context.secrets, boundary, onChange: stateChanged, log }));
  const projects = own(new Projects(log, boundary));

  const worktrees = new KnownWorktrees(new WorktreeStore(path.join(storage.fsPath, "worktrees")));
  const ownFolderOf = ({ session }: Chat) => worktrees.folderOf(session.id);
  const foldersOf = (chat: Chat) => [ownFolderOf(chat) ?? openFolders()].flat();
  const marks = own(new SessionMarks(storage.fsPath));
  const conversations = own(
    new Conversations({
      store: new Sessions(path.join(storage.fsPath, "sessions")),
      deps: windowDeps({
        ...{ changes, host, ledger, log, models, ownFolderOf, projects, review, rules, storage, tools, foldersOf },
        servers: mcp.servers,
        trace: observers,
      }),
      observer: observers,
      choicesFor: (chat) => initialChoices(models, memory, chat),
      folder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "",
      toReview: (id) => authors.count(id),
      markOf: (id) => marks.of(id),
      worktreeOf: (id) => worktrees.view(id),
    }),
  );
  const page: PanelContext = { conversations, explain, memory, prepare, send, stateChanged };
  return {
    ...{ authors, boundary, files, host, keys, ledger, marks, mcp, models, page, projects, review, rules, tools },
    ...{ worktrees, foldersOf, ownFolderOf },
  };
}
