/** The composition root: builds everything and connects it. `extension.ts` loads it when it is needed. */
import { createHash } from "node:crypto";
import path from "node:path";
import * as vscode from "vscode";
import type { Chat } from "../chat/apply.ts";
import { diffsOf } from "../chat/diffs.ts";
import type { ChatEvent } from "../chat/events.ts";
import { ModelRef } from "../chat/message.ts";
import { forLog } from "../loop/loop-events.ts";
import { combineExternalTools } from "../loop/setup/external-tools.ts";
import { SpendingLedger } from "../record/ledger.ts";
import { Sessions } from "../record/sessions.ts";
import { builtInTools } from "../tools/built-in/all.ts";
import { taskTool } from "../tools/built-in/task.ts";
import { standIns } from "../tools/built-in/tool-search.ts";
import { registryOf } from "../tools/registry.ts";
import { commands } from "./commands.ts";
import { vscodeHost } from "./host/vscode-host.ts";
import { vscodeTools } from "./host/vscode-tools.ts";
import { WindowServers } from "./mcp/window-servers.ts";
import { Keys } from "./models/keys.ts";
import { Models } from "./models/models.ts";
import { Composer } from "./panel/composer.ts";
import { conversationHandlers } from "./panel/conversation-handlers.ts";
import { explainError } from "./panel/explain-error.ts";
import type { Handlers, PanelContext } from "./panel/handlers.ts";
import { proposedTexts, showIfNothingIsOpen } from "./panel/open.ts";
import { Panel } from "./panel/panel.ts";
import { panelState } from "./panel/panel-state.ts";
import { questionHandlers } from "./panel/question-handlers.ts";
import { RestorePage } from "./panel/restore-page.ts";
import { rulesHandlers } from "./panel/rules-handlers.ts";
import { offerSandbox } from "./panel/sandbox-offer.ts";
import { SessionsPage } from "./panel/sessions-page.ts";
import { TracePage } from "./panel/trace-page.ts";
import { workbenchHandlers } from "./panel/workbench-handlers.ts";
import { BaselineProvider } from "./review/baseline-provider.ts";
import { Decorations } from "./review/decorations.ts";
import { Review } from "./review/review.ts";
import { reviewCommands } from "./review/review-commands.ts";
import { initialChoices, remembered } from "./sessions/choices.ts";
import { type ConversationObserver, Conversations, type SharedDeps } from "./sessions/conversations.ts";
import { editorCheckpoints, forgetCheckpoints } from "./sessions/editor-checkpoints.ts";
import { Projects } from "./sessions/projects.ts";
import { StoredRules } from "./sessions/stored-rules.ts";
import { windowBoundary } from "./sessions/window-boundary.ts";
import { readSettings, watchSettings } from "./settings.ts";

export interface App {
  view: vscode.WebviewViewProvider;
  commands: Record<string, (...args: unknown[]) => unknown>;
  /** Stops everything that runs. Resolves when all events are on disk. */
  close(): Promise<void>;
}

/** Starts Rondo. `declared`: commands that are registered already; the internal ones are registered here. */
export function start(context: vscode.ExtensionContext, declared: ReadonlySet<string>): App {
  const { workspaceState: memory, subscriptions } = context;
  const own = <T extends vscode.Disposable>(one: T): T => {
    subscriptions.push(one);
    return one;
  };
  const log = own(vscode.window.createOutputChannel("Rondo", { log: true }));
  const storage = storageOf(context.globalStorageUri);
  const stateChanged = () => panel.stateChanged();
  const send: PanelContext["send"] = (message) => panel.send(message);

  const keys = own(new Keys(context.secrets));
  const models = new Models(keys, ModelRef.safeParse(memory.get(remembered.model)).data);
  const review = own(new Review({ storage, warn: (message) => void vscode.window.showWarningMessage(message) }));
  const sessions = new Sessions(vscode.Uri.joinPath(storage, "sessions").fsPath);
  const host = own(
    vscodeHost({
      watch: review,
      terminal: () => readSettings().terminal,
      sandbox: () => readSettings().sandbox,
      secrets: () => readSettings().secrets,
    }),
  );
  const rules = own(new StoredRules(memory));
  const boundary = windowBoundary(rules, (sentence) => void vscode.window.showWarningMessage(sentence));
  const mcp = own(new WindowServers({ memory, secrets: context.secrets, boundary, onChange: stateChanged, log }));
  const projects = own(new Projects(log, boundary));
  const spending = path.join(context.globalStorageUri.fsPath, "spending");
  const ledger = new SpendingLedger(spending, (message) => log.warn(message));
  const tools = registryOf(builtInTools({ editor: true }));
  // Makes the tools' schemas before the first request needs them.
  const warmUp = setTimeout(() => tools.definitions(), 300);
  own({ dispose: () => clearTimeout(warmUp) });

  const deps: SharedDeps = {
    hostFor: (id) => host.forSession(sessions.outputs(id)),
    hooksFor: (...session) => projects.hooks(...session),
    project: () => projects.load(),
    gitState: () => projects.gitState(),
    ledger,
    checkpointsFor: (sessionID) => editorCheckpoints({ storage, sessionID, log }),
    forgetCheckpoints: (sessionID) => forgetCheckpoints(storage, sessionID),
    tools,
    externalTools: combineExternalTools([mcp.servers, vscodeTools(() => readSettings().vscodeTools)]),
    toolSearchTools: standIns,
    taskTool,
    limits: models.limits,
    facts: models.facts,
    platform: process.platform,
    openModel: (ref) => models.open(ref),
    fallbackModel: () => models.fallback,
    rules: () => rules.inForce(),
    keepRules: (more) => rules.keep(more),
    ruleUsed: (rule) => rules.used(rule),
    attended: true,
    get titles() {
      return readSettings().titles;
    },
    log: {
      event(event) {
        tracePage.event(event);
        if (event.type !== "stream:delta") log.debug(event.type, forLog(event));
      },
      firstByte: (messageID, afterMs) => tracePage.firstByte(messageID, afterMs),
      note: (message) => log.info(message),
      bug: (error) => log.error(error instanceof Error ? error : String(error)),
    },
  };
  const observer: ConversationObserver = {
    event(session, event) {
      const isCurrent = session === conversations.current;
      if (isCurrent) panel.event(event);
      if (["message", "status", "ended", "session"].includes(event.type)) stateChanged();
      if (isCurrent) void showEdit(event).catch((error) => log.warn(String(error)));
      if (event.type === "status" || event.type === "message") updateContextKeys(conversations.current.chat);
    },
    switched({ chat }) {
      void memory.update(remembered.session, chat.session.id);
      panel.chatChanged();
      updateContextKeys(chat);
      void restorePage.refresh();
    },
    trouble: (problem) => send({ type: "notice", ...problem }),
  };
  const conversations = own(
    new Conversations({
      store: sessions,
      deps,
      observer,
      choicesFor: (chat) => initialChoices(models, memory, chat),
      folder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "",
    }),
  );

  const closed = new AbortController();
  own({ dispose: () => closed.abort() });
  let prepared: Promise<void> | undefined;
  const prepare = () => {
    prepared ??= readKeysAndLastSession();
    return prepared;
  };
  async function readKeysAndLastSession(): Promise<void> {
    projects.watch();
    await keys.load();
    await models.load();
    // Looked for only where there is no model: the start page offers what is found.
    if (models.readiness.type === "no-key") void models.discover(closed.signal).then(stateChanged);
    const id = memory.get<string>(remembered.session);
    if (id === undefined || !conversations.has(id) || conversations.current.chat.messages.length > 0) return;
    try {
      conversations.show(id);
    } catch (error) {
      log.error("The last session could not be opened", error);
    }
  }

  const page: PanelContext = {
    ...{ conversations, memory, send, stateChanged, prepare },
    explain: (error) => explainError(error, log),
  };
  const composer = new Composer(page, models);
  const restorePage = own(new RestorePage(page));
  const rulePage = rulesHandlers(page, rules);
  const tracePage = own(new TracePage(page, log));
  /** To be called when the panel's document is gone. A new one shows the conversation, not a page. */
  const closePages = () => {
    rulePage["hide-rules"]();
    tracePage.hide();
  };
  const handlers: Handlers = {
    ...composer.handlers,
    ...conversationHandlers(page, models),
    ...new SessionsPage(page, composer).handlers,
    ...restorePage.handlers,
    ...rulePage,
    ...tracePage.handlers,
    ...questionHandlers(page, composer),
    "set-mode"(request) {
      composer.handlers["set-mode"](request);
      if (request.mode === "bypassPermissions") void offerSandbox(context.globalState);
    },
    ...workbenchHandlers({ log, showTerminal: () => host.showTerminal() }),
    ready: closePages,
    review: ({ action, path }) => review.decide(action, path === undefined ? undefined : [vscode.Uri.file(path)]),
    server: ({ name, action }) => mcp.act(name, action),
  };
  const panel = own(
    new Panel({
      extensionUri: context.extensionUri,
      handlers,
      closePages,
      log,
      chat: () => conversations.current.chat,
      state: () => panelState({ composer, conversations, ledger, models, projects, restorePage, review, mcp }),
      draft: () => composer.draft,
      prepare,
      explain: page.explain,
    }),
  );

  own(proposedTexts());
  own(new Decorations(review));
  own(new BaselineProvider(review));
  void review.load();
  for (const { onDidChange } of [review, keys, models, projects]) own(onDidChange(stateChanged));
  own(vscode.workspace.onDidChangeWorkspaceFolders(stateChanged));
  own(
    watchSettings(() => {
      models.reset();
      const { agent, problems } = readSettings();
      for (const problem of problems) log.warn(problem);
      const { chat, choices } = conversations.current;
      if (chat.messages.length === 0) choices.agent = agent;
      stateChanged();
    }),
  );
  const table = { ...commands({ page, composer, handlers, panel, keys, models }), ...reviewCommands(review) };
  for (const [id, run] of Object.entries(table)) {
    if (!declared.has(id)) own(vscode.commands.registerCommand(id, run));
  }
  return {
    view: panel,
    commands: table,
    async close() {
      await conversations.closeAll();
      await mcp.stop();
      await review.flush();
      await models.dispose();
    },
  };
}

async function showEdit(event: ChatEvent): Promise<void> {
  if (event.type !== "part" || event.part.type !== "tool" || event.part.state.status !== "completed") return;
  const [diff] = diffsOf(event.part.state.metadata);
  if (diff) await showIfNothingIsOpen(diff.path);
}

/**
 * Returns the folder of this workspace's sessions and reviews. It is not `storageUri`: while the extension host of a
 * reloaded window lives on, VS Code gives the new window another folder, and the sessions would seem lost.
 */
function storageOf(root: vscode.Uri): vscode.Uri {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  const name = workspaceFile?.toString() ?? workspaceFolders.map(({ uri }) => uri.toString()).join("\n");
  const key = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return vscode.Uri.joinPath(root, "workspaces", name === "" ? "none" : key);
}

/** Context keys of the manifest's `when` clauses, with the value that VS Code has. */
const contextKeys = new Map<string, boolean>();

function updateContextKeys({ status, messages }: Chat): void {
  const now = { "rondo.running": status.type !== "idle", "rondo.hasMessages": messages.length > 0 };
  for (const [key, value] of Object.entries(now)) {
    if (contextKeys.get(key) === value) continue;
    contextKeys.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  }
}
