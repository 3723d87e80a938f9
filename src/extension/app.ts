/** The composition root: builds everything and connects it. `extension.ts` loads it when it is needed. */
import path from "node:path";
import * as vscode from "vscode";
import { attempt } from "../base/attempt.ts";
import { Owned } from "../base/owned.ts";
import type { Chat } from "../chat/apply.ts";
import { presentMode } from "../loop/setup/agent-config.ts";
import { ServerPrompts } from "../mcp/prompts/server-prompts.ts";
import { ServerResources } from "../mcp/resources/server-resources.ts";
import { RateLimits } from "../providers/shared/rate-limits.ts";
import { SpendingLedger } from "../record/ledger.ts";
import { Sessions } from "../record/sessions.ts";
import { builtInTools } from "../tools/built-in/all.ts";
import { registryOf } from "../tools/registry.ts";
import { folderOf } from "../worktrees/create.ts";
import { WorktreeStore } from "../worktrees/worktree-store.ts";
import { readAnswerImage } from "./answers/answer-images.ts";
import { symbolHandlers } from "./answers/symbol-handlers.ts";
import { workbenchHandlers } from "./answers/workbench-handlers.ts";
import { attachHandlers } from "./attachments/attach-handlers.ts";
import { Attachments } from "./attachments/attachments.ts";
import { EditorSelection } from "./attachments/selection.ts";
import { BypassEnds } from "./bypass/bypass-ends.ts";
import { SandboxOffer } from "./bypass/sandbox-offer.ts";
import { RestorePage } from "./checkpoints/restore-page.ts";
import { commands } from "./commands.ts";
import { commentCommands } from "./comments/comment-commands.ts";
import { Comments } from "./comments/comments.ts";
import { Composer } from "./composer/composer.ts";
import { SlashCommands } from "./composer/slash-commands.ts";
import { updateContextKeys } from "./context-keys.ts";
import { conversationHandlers } from "./conversation/conversation-handlers.ts";
import { documentText } from "./document-texts.ts";
import { BriefModel } from "./editor/brief-model.ts";
import { CommitMessages } from "./editor/commit/commit-messages.ts";
import { contextCommands } from "./editor/context-commands.ts";
import type { DebugOutput } from "./editor/debug-output.ts";
import { EditorContexts } from "./editor/editor-contexts.ts";
import { editPermission } from "./editor/inline/edit-permission.ts";
import { InlinePrompts } from "./editor/inline/inline-prompt.ts";
import { TerminalCommands } from "./editor/terminal-commands.ts";
import { Follow } from "./follow/follow.ts";
import { openFolders } from "./host/documents.ts";
import { vscodeHost } from "./host/vscode-host.ts";
import { endLeftCommands, removeLeftWorktrees } from "./left-behind.ts";
import { WindowServers } from "./mcp/window-servers.ts";
import { AttachMention } from "./mentions/attach-mention.ts";
import { FileIndex } from "./mentions/file-index.ts";
import { Mentions } from "./mentions/mention-page.ts";
import { ConnectPage } from "./models/connect-page.ts";
import { Keys } from "./models/keys.ts";
import { ModelPage } from "./models/model-page.ts";
import { Models } from "./models/models.ts";
import { Attention } from "./outside/attention.ts";
import { explainError } from "./panel/explain-error.ts";
import type { Handlers, PanelContext } from "./panel/handlers.ts";
import { Panel } from "./panel/panel.ts";
import { panelState } from "./panel/panel-state.ts";
import { questionHandlers } from "./questions/question-handlers.ts";
import { DecisionTeller } from "./review/decision-teller.ts";
import { offerDiffLenses } from "./review/diff-lens-offer.ts";
import { Review } from "./review/review.ts";
import { reviewCommands, reviewHandlers } from "./review/review-commands.ts";
import { ShownReview } from "./review/shown-review.ts";
import { StepChanges } from "./review/step-changes.ts";
import { rulesHandlers } from "./rules/rules-handlers.ts";
import { StoredRules } from "./rules/stored-rules.ts";
import { ChangeAuthors } from "./sessions/change-authors.ts";
import { initialChoices, modelToBeginWith, SessionChoices } from "./sessions/choices.ts";
import { Conversations } from "./sessions/conversations.ts";
import { restoreLastSession } from "./sessions/last-session.ts";
import { Projects } from "./sessions/projects.ts";
import { SessionMarks } from "./sessions/session-marks.ts";
import { SessionsPage } from "./sessions/sessions-page.ts";
import { windowBoundary } from "./sessions/window-boundary.ts";
import { windowDeps } from "./sessions/window-deps.ts";
import { readSettings, watchSettings } from "./settings.ts";
import { Starters } from "./starters/starters.ts";
import { openTour } from "./tour/tour.ts";
import { TracePage } from "./trace/trace-page.ts";
import { windowObserver } from "./window-observer.ts";
import { windowStorage } from "./window-storage.ts";
import { RivalsPage } from "./worktrees/rivals-page.ts";
import { worktreeCommands } from "./worktrees/worktree-commands.ts";
import { WorktreePage } from "./worktrees/worktree-page.ts";

export interface App {
  panel: Panel;
  commands: Record<string, (...args: unknown[]) => unknown>;
  /** Returns the text of a document with one of Rondo's schemes. */
  document(uri: vscode.Uri): Promise<string>;
  /** Stops everything that runs. Resolves when all events are on disk. */
  close(): Promise<void>;
}

interface StartOptions {
  context: vscode.ExtensionContext;
  /** Commands that are registered already. The internal ones are registered here. */
  declared: ReadonlySet<string>;
  debugOutput: DebugOutput;
  log: vscode.LogOutputChannel;
}

/** Starts Rondo. If it throws, nothing of it is left, so that it can be started again. */
export function start(options: StartOptions): App {
  const owned = new Owned((error) => options.log.error("A part of Rondo could not be ended", error));
  try {
    const app = compose(options, <T extends vscode.Disposable>(one: T): T => owned.add(one));
    options.context.subscriptions.push(owned);
    return app;
  } catch (error) {
    owned.dispose();
    throw error;
  }
}

/** `own`: gets each part that ends with the window, or with a start that fails. */
function compose(
  { context, declared, debugOutput, log }: StartOptions,
  own: <T extends vscode.Disposable>(one: T) => T,
): App {
  const { workspaceState: memory } = context;
  const storage = windowStorage(context.globalStorageUri);
  const stateChanged = () => {
    panel.stateChanged();
    rivals.refresh();
    modelPage.refresh();
    updateContextKeys(conversations, worktrees, models.readiness.type === "ready");
  };
  const send: PanelContext["send"] = (message) => panel.send(message);

  const keys = own(new Keys(context.secrets));
  const rateLimits = new RateLimits(vscode.Uri.joinPath(context.globalStorageUri, "rate-limits").fsPath);
  const models = own(new Models(keys, rateLimits, modelToBeginWith(memory, context.globalState)));
  const review = own(new Review({ storage, warn: (message) => void vscode.window.showWarningMessage(message) }));
  const follow = own(
    new Follow({ on: readSettings().follow, changed: stateChanged, note: (message) => log.debug(message) }),
  );
  const tell = (sentence: string) => void vscode.window.showInformationMessage(sentence);
  const changes = own(new StepChanges({ review, tell }));
  const sessions = new Sessions(vscode.Uri.joinPath(storage, "sessions").fsPath);
  // One folder for all workspaces: whichever is opened next ends the commands of a window that was killed.
  const markersFolder = vscode.Uri.joinPath(context.globalStorageUri, "commands").fsPath;
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
  const boundary = windowBoundary(rules, (sentence) => void vscode.window.showWarningMessage(sentence));
  const mcp = own(new WindowServers({ memory, secrets: context.secrets, boundary, onChange: stateChanged, log }));
  const projects = own(new Projects(log, boundary));
  const spending = path.join(context.globalStorageUri.fsPath, "spending");
  const ledger = new SpendingLedger(spending, (message) => log.warn(message));
  const tools = registryOf(builtInTools({ editor: true }));
  // Makes the tools' schemas before the first request needs them.
  const warmUp = setTimeout(() => tools.definitions(), 300);
  own({ dispose: () => clearTimeout(warmUp) });

  const worktreeStore = new WorktreeStore(vscode.Uri.joinPath(storage, "worktrees").fsPath);
  const ownFolderOf = ({ session }: Chat) => {
    const worktree = worktreeStore.of(session.id);
    return worktree && folderOf(worktree);
  };
  const foldersOf = (chat: Chat) => [ownFolderOf(chat) ?? openFolders()].flat();

  const deps = windowDeps({
    ...{ changes, host, ledger, log, models, ownFolderOf, projects, review, rules, storage, tools },
    foldersOf,
    servers: mcp.servers,
    trace: {
      event: (event) => tracePage.event(event),
      firstByte: (messageID, afterMs) => tracePage.firstByte(messageID, afterMs),
    },
  });
  const observer = windowObserver(() => ({
    ...{ attention, authors, bypassEnds, comments, conversations, follow, log, marks, memory, ownFolderOf, panel },
    ...{ restorePage, review, rivals, stateChanged, worktrees },
  }));
  const marks = own(new SessionMarks(storage.fsPath));
  const authors = new ChangeAuthors(memory, () => review.files().filter(({ hunks }) => hunks > 0));
  const conversations = own(
    new Conversations({
      store: sessions,
      deps,
      observer,
      choicesFor: (chat) => initialChoices(models, memory, chat),
      folder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "",
      toReview: (id) => authors.count(id),
      markOf: (id) => marks.of(id),
      worktreeOf: (id) => worktrees.view(id),
    }),
  );

  let prepared: Promise<void> | undefined;
  const sandboxOffer = new SandboxOffer(context.globalState);
  const prepare = async () => {
    prepared ??= readKeysAndLastSession();
    await prepared;
    await sandboxOffer.saved;
  };
  async function readKeysAndLastSession(): Promise<void> {
    projects.watch();
    await keys.load();
    await models.load();
    // Looked for only where there is no model: the start page offers what is found.
    if (models.readiness.type === "no-key") void connect.look();
    void removeLeftWorktrees(worktreeStore, (id) => conversations.has(id), log);
    restoreLastSession(conversations, memory, log);
  }

  const page: PanelContext = {
    ...{ conversations, memory, send, stateChanged, prepare },
    explain: (error) => explainError(error, log),
  };
  const files = new Attachments(host.workspace, boundary);
  const selection = own(new EditorSelection({ files, memory, changed: stateChanged }));
  const comments = own(new Comments({ storage, review, files, conversations }));
  const teller = own(
    new DecisionTeller({
      review,
      // In a worktree a file of the same name is another one.
      chats: () => conversations.sessions.map(({ chat }) => chat).filter((chat) => ownFolderOf(chat) === undefined),
      authors: (names) =>
        authors
          .sessionsOf(names)
          .filter((id) => attempt(() => ownFolderOf(conversations.chat(id)) === undefined, false)),
      record: (sessionID, decisions) => conversations.decided(sessionID, decisions),
      locate: (uri) => host.workspace.locate(uri.fsPath),
      failed: (error) => log.warn(String(error)),
    }),
  );
  const worktrees = new WorktreePage(page, models, worktreeStore);
  const rivals = own(new RivalsPage(page, worktrees));
  const composer = new Composer(page, {
    ...{ models, files, selection, worktrees, comments: comments.threads },
    commands: new SlashCommands(() => projects.loadCommands(), new ServerPrompts(mcp.servers)),
    decided: ({ chat }) => teller.settled(chat.session.id),
  });
  const bypassEnds = own(
    new BypassEnds({
      ...{ choices: new SessionChoices(memory), storage: storage.fsPath },
      ...{ sessions: () => conversations.sessions, stateChanged },
    }),
  );
  const terminals = own(new TerminalCommands());
  const contexts = new EditorContexts({ page, composer, files, terminals, debugOutput });
  const index = new FileIndex({
    search: host.search,
    folders: () => foldersOf(conversations.current.chat),
  });
  const resources = new ServerResources(mcp.servers);
  const noteInPanel = (message: string) => send({ type: "notice", message, next: "", fix: "none" });
  const attach = new AttachMention({ files, composer, conversations, index, resources, tell: noteInPanel });
  const mentions = new Mentions({ page, index, attach, servers: mcp.servers, resources });
  const restorePage = own(new RestorePage(page, models));
  const starters = own(new Starters(() => conversations.current.chat.messages.length === 0, stateChanged));
  const connect = own(
    new ConnectPage(page, {
      ...{ keys, models, globalState: context.globalState },
      setModel: (ref) => composer.handlers["set-model"]({ type: "set-model", ...ref }),
      openTour: () => openTour(context.extensionUri, conversations),
    }),
  );
  const modelPage = own(new ModelPage(page, models));
  const rulePage = rulesHandlers(page, rules);
  const tracePage = own(new TracePage(page, log));
  /** To be called when the panel's document is gone. A new one shows the conversation, not a page. */
  const closePages = () => {
    rulePage["hide-rules"]();
    tracePage.hide();
    rivals.hide();
    modelPage.hide();
  };
  const sessionsPage = new SessionsPage(page, composer, worktrees);
  own(marks.onDidChange(() => void sessionsPage.refresh()));
  const handlers: Handlers = {
    ...composer.handlers,
    ...contexts.handlers,
    ...mentions.handlers,
    ...selection.handlers,
    ...attachHandlers({
      composer,
      attachFolder: (uri) => attach.attach({ kind: "folder", uri: uri.toString() }),
      chat: () => conversations.current.chat,
      copies: vscode.Uri.joinPath(storage, "shown"),
    }),
    ...conversationHandlers(page, models, foldersOf),
    ...sessionsPage.handlers,
    ...worktrees.handlers,
    ...rivals.handlers,
    ...restorePage.handlers,
    ...rulePage,
    ...tracePage.handlers,
    ...questionHandlers(page, composer),
    ...connect.handlers,
    ...modelPage.handlers,
    ...comments.handlers,
    "set-mode"(request) {
      composer.handlers["set-mode"](request);
      if (request.mode !== "bypassPermissions") return bypassEnds.check();
      bypassEnds.begun(conversations.current.chat.session.id);
      void sandboxOffer.show();
    },
    ...symbolHandlers(page, () => foldersOf(conversations.current.chat)),
    ...workbenchHandlers(page, {
      log,
      showTerminal: () => host.showTerminal(),
      meant: (file) => index.meant(file),
      ownFolder: () => ownFolderOf(conversations.current.chat),
      readImage: (file, folders) => readAnswerImage(file, folders, readSettings().secrets, boundary),
    }),
    ready: closePages,
    "panel-focus": ({ on }) => {
      panel.focusChanged(on);
      if (on) mentions.warmUp();
    },
    "write-commit-message": () => commitMessages.generate(),
    follow: ({ on }) => follow.set(on),
    ...reviewHandlers(review),
    server: ({ name, action }) => mcp.act(name, action),
  };
  const panel = own(
    new Panel({
      handlers,
      closePages,
      log,
      chat: () => conversations.current.chat,
      state: () =>
        panelState({
          ...{ comments, memory, composer, conversations, follow, ledger, models, projects, restorePage, review, mcp },
          ...{ authors, marks, starters, worktrees },
        }),
      draft: () => composer.draft,
      prepare,
      explain: page.explain,
      seenChanged: () => attention.update(),
    }),
  );
  const attention = own(
    new Attention({
      panel,
      sessions: () => conversations.sessions,
      currentID: () => conversations.current.chat.session.id,
      async show(id) {
        await panel.reveal();
        conversations.show(id);
      },
    }),
  );

  const shownReview = own(new ShownReview(review));
  own(offerDiffLenses(context.globalState));
  const reviewLoaded = review.load();
  void comments.load();
  for (const { onDidChange } of [marks, review, comments.threads, keys, models, projects])
    own(onDidChange(stateChanged));
  own(vscode.workspace.onDidChangeWorkspaceFolders(stateChanged));
  own(
    watchSettings(() => {
      models.reset();
      const { agent, problems } = readSettings();
      for (const problem of problems) log.warn(problem);
      const { chat, choices } = conversations.current;
      if (chat.messages.length === 0) choices.agent = agent;
      attention.update();
      stateChanged();
    }),
  );
  const agents = () => projects.load().agents;
  const briefModel = new BriefModel({ models, agents, ledger });
  const commitMessages = own(new CommitMessages({ page, model: briefModel, files }));
  const mayEdit = async (uri: vscode.Uri) => {
    const mode = presentMode(conversations.current.choices);
    return editPermission(await host.workspace.locate(uri.fsPath), { mode, ...rules.inForce() });
  };
  const inlinePrompts = own(new InlinePrompts({ page, model: briefModel, files, watch: review, mayEdit }));
  const table = {
    ...commands({ page, composer, handlers, panel, keys, models, files }),
    ...reviewCommands(review),
    ...commentCommands({
      threads: comments.threads,
      send: (ids) => composer.sendComments(ids),
      showSession: (commentID) => comments.showSession(commentID),
      openPlan: () => comments.openPlan(),
    }),
    ...worktreeCommands({ page, handlers, panel, worktrees }),
    ...contextCommands({ page, composer, panel, files, contexts }),
    "rondo.generateCommitMessage": (sourceControl: unknown) => commitMessages.generate(sourceControl),
    "rondo.inlinePrompt": () => inlinePrompts.show(),
    "rondo.cancelCommitMessage": () => commitMessages.cancel(),
    "rondo.showWaiting": () => attention.show(),
    "rondo.follow": () => follow.set(follow.state !== "on"),
  };
  for (const [id, run] of Object.entries(table)) {
    if (!declared.has(id)) own(vscode.commands.registerCommand(id, run));
  }
  return {
    panel,
    commands: table,
    async document(uri) {
      await reviewLoaded;
      return await documentText(uri, { shownReview, chatOf: (sessionID) => conversations.chat(sessionID) });
    },
    async close() {
      composer.close();
      await Promise.all(conversations.sessions.map(({ chat }) => teller.settled(chat.session.id)));
      await conversations.closeAll();
      await mcp.stop();
      await Promise.all([review.flush(), comments.threads.flush()]);
      await models.dispose();
    },
  };
}
