/** The composition root: the one place that builds things and ties them together. Loaded by extension.ts when it is needed. */
import { createHash } from "node:crypto";
import path from "node:path";
import * as vscode from "vscode";
import type { Chat } from "../chat/apply.ts";
import { diffsOf } from "../chat/diffs.ts";
import type { ChatEvent } from "../chat/events.ts";
import { ModelRef } from "../chat/message.ts";
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
import { Mcp } from "./mcp/mcp-servers.ts";
import { Keys } from "./models/keys.ts";
import { Models } from "./models/models.ts";
import { proposedTexts, showIfNothingIsOpen } from "./panel/open.ts";
import { Panel, type PanelMessage } from "./panel/panel.ts";
import { Restores } from "./panel/restore-page.ts";
import { changesState, choicesNow, Rondo, remembered } from "./panel/rondo.ts";
import { RulesPage } from "./panel/rules-page.ts";
import { Archive } from "./panel/sessions-page.ts";
import { Before } from "./review/baseline-provider.ts";
import { Marks } from "./review/decorations.ts";
import { Review } from "./review/review.ts";
import { reviewCommands } from "./review/review-commands.ts";
import { Conversations } from "./sessions/conversations.ts";
import { forgetCheckpoints, keptCheckpoints } from "./sessions/editor-checkpoints.ts";
import { Projects } from "./sessions/projects.ts";
import { Rules } from "./sessions/stored-rules.ts";
import { readSettings, watchSettings } from "./settings.ts";

/** ms */
const warmAfter = 300;

/** Rondo as it runs in a window. */
export interface App {
  panel: vscode.WebviewViewProvider;
  /** By id. */
  commands: Record<string, (...args: unknown[]) => unknown>;
  /** Stops what runs; then what was said is on disk. */
  leave(): Promise<void>;
}

/** `declared`: the commands that VS Code knows already; the others, which only Rondo itself runs, are made known here. */
export function start(context: vscode.ExtensionContext, declared: ReadonlySet<string>): App {
  const { workspaceState: memory, subscriptions } = context;
  const own = <T extends vscode.Disposable>(one: T): T => {
    subscriptions.push(one);
    return one;
  };
  const log = own(vscode.window.createOutputChannel("Rondo", { log: true }));
  const storage = storageOf(context.globalStorageUri);
  const keys = own(new Keys(context.secrets));
  const models = new Models(keys, ModelRef.safeParse(memory.get(remembered.model)).data);
  const review = own(new Review({ storage, tell: (message) => void vscode.window.showWarningMessage(message) }));
  const sessions = new Sessions(vscode.Uri.joinPath(storage, "sessions").fsPath);
  const host = own(
    vscodeHost({ watch: review, terminal: () => readSettings().terminal, secrets: () => readSettings().secrets }),
  );
  const rules = own(new Rules(memory));
  const mcp = own(new Mcp({ memory, secrets: context.secrets, onChange: () => panel.stateChanged(), log }));
  const projects = own(new Projects(log));
  const ledger = new SpendingLedger(path.join(context.globalStorageUri.fsPath, "spending"), (message) =>
    log.warn(message),
  );
  const tools = registryOf(builtInTools({ editor: true }));
  // Their schemas are made while nobody waits: the first request begins a few milliseconds sooner.
  const warming = setTimeout(() => tools.definitions(), warmAfter);
  own({ dispose: () => clearTimeout(warming) });
  const conversations = own(
    new Conversations(
      sessions,
      {
        hostFor: (id) => host.forSession(sessions.outputs(id)),
        hooksFor: (...session) => projects.hooks(...session),
        project: () => projects.load(),
        ledger,
        checkpointsFor: (sessionID) => keptCheckpoints({ storage, sessionID, log }),
        forgetCheckpoints: (sessionID) => forgetCheckpoints(storage, sessionID),
        tools,
        externalTools: combineExternalTools([mcp.servers, vscodeTools(() => readSettings().vscodeTools)]),
        toolSearchTools: standIns,
        taskTool,
        limits: () => ({ ...readSettings().limits, windows: models.windows }),
        platform: process.platform,
        openModel: (ref) => models.open(ref),
        fallbackModel: () => models.fallback,
        rules: () => rules.inForce(),
        keepRules: (more) => rules.keep(more),
        ruleUsed: (rule) => rules.used(rule),
        attended: true,
        titles: true,
        onLoopEvent: (event) => event.type !== "stream:delta" && log.debug(event.type, event),
        onNote: (message) => log.info(message),
        onBug: (error) => log.error(error instanceof Error ? error : String(error)),
      },
      (chat) => choicesNow(models, memory, chat),
      vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "",
    ),
  );
  const onChange = () => panel.stateChanged();
  const send = (message: PanelMessage) => panel.send(message);
  const archive = new Archive(conversations, send);
  const restores = own(new Restores({ conversations, send, onChange }));
  const rondo = new Rondo({
    conversations,
    mcp,
    restores,
    rulesPage: new RulesPage(rules, () => conversations.current, send),
    showTerminal: () => host.showTerminal(),
    archive,
    projects,
    ledger,
    models,
    keys,
    review,
    memory,
    log,
    onChange,
    send,
  });
  const panel = own(new Panel(context.extensionUri, rondo, log));

  own(proposedTexts());
  own(new Marks(review));
  own(new Before(review));
  void review.load();
  own(conversations.onDidSwitch(() => rondo.switched()));
  own(conversations.onDidSwitch(() => panel.chatChanged()));
  own(conversations.onDidSwitch(({ chat }) => showContext(chat)));
  own(conversations.onTrouble((trouble) => panel.send({ type: "notice", ...trouble })));
  own(
    conversations.onEvent(({ session, event }) => {
      if (session === conversations.current) panel.event(event);
      if (changesState(event)) panel.stateChanged();
      if (session === conversations.current) void showEdit(event).catch((error) => log.warn(String(error)));
      if (event.type === "status" || event.type === "message") showContext(conversations.current.chat);
    }),
  );
  own(review.onDidChange(onChange));
  own(keys.onDidChange(onChange));
  own(models.onDidChange(onChange));
  own(projects.onDidChange(onChange));
  own(vscode.workspace.onDidChangeWorkspaceFolders(onChange));
  own(
    watchSettings(() => {
      models.reset();
      const { agent, problems } = readSettings();
      for (const problem of problems) log.warn(problem);
      if (rondo.chat().messages.length === 0) rondo.session.choices.agent = agent;
      onChange();
    }),
  );
  const table = {
    ...commands({ rondo, archive, panel, conversations, keys, models, log }),
    ...reviewCommands(review),
  };
  for (const [id, run] of Object.entries(table)) {
    if (!declared.has(id)) own(vscode.commands.registerCommand(id, run));
  }
  return {
    panel,
    commands: table,
    async leave() {
      await conversations.disposeAll();
      await mcp.leave();
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
 * Where this workspace's sessions and reviews are kept. Not `storageUri`: while the host of a reloaded window lives on,
 * VS Code gives the new one another folder, and the sessions would seem lost.
 */
function storageOf(root: vscode.Uri): vscode.Uri {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  const name = workspaceFile?.toString() ?? workspaceFolders.map(({ uri }) => uri.toString()).join("\n");
  const key = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return vscode.Uri.joinPath(root, "workspaces", name === "" ? "none" : key);
}

/** What `when` clauses of the manifest ask, as VS Code was told of it last. */
const told = new Map<string, boolean>();

function showContext({ status, messages }: Chat): void {
  const now = { "rondo.running": status.type !== "idle", "rondo.hasMessages": messages.length > 0 };
  for (const [key, value] of Object.entries(now)) {
    if (told.get(key) === value) continue;
    told.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  }
}
