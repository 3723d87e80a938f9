/** The composition root: the one place that builds things and ties them together. */
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import * as z from "zod/mini";
import { type ChatEvent, Rule } from "../loop/events.ts";
import { ModelRef } from "../loop/message.ts";
import { Sessions } from "../record/sessions.ts";
import { coreTools } from "../tools/core.ts";
import { registryOf } from "../tools/registry.ts";
import { commands } from "./commands.ts";
import { Conversations } from "./conversations.ts";
import { Keys } from "./keys.ts";
import { Models } from "./models.ts";
import { proposedTexts, showIfNothingIsOpen } from "./open.ts";
import { Panel } from "./panel.ts";
import { Before } from "./review/before.ts";
import { reviewCommands } from "./review/commands.ts";
import { Marks } from "./review/marks.ts";
import { Review } from "./review/review.ts";
import { changesState, choicesNow, Rondo, remembered } from "./rondo.ts";
import { readSettings, watchSettings } from "./settings.ts";
import { vscodeHost } from "./vscode-host.ts";

/** Rules that were given with "Always allow", for this workspace. */
const rulesKey = "rondo.rules";

let leave: (() => Promise<void>) | undefined;

export function activate(context: vscode.ExtensionContext): void {
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
  const host = own(vscodeHost({ watch: review }));
  const workspaceRules = () => z.array(Rule).safeParse(memory.get(rulesKey)).data ?? [];
  const conversations = own(
    new Conversations(
      sessions,
      {
        hostFor: (id) => host.forSession(sessions.outputs(id)),
        tools: registryOf(coreTools),
        limits: () => readSettings().limits,
        platform: process.platform,
        openModel: (ref) => models.open(ref),
        rules: () => ({ user: readSettings().rules, workspace: workspaceRules() }),
        keepRules: (rules) => void memory.update(rulesKey, [...workspaceRules(), ...rules]),
        attended: true,
        titles: true,
        onLoopEvent: (event) => event.type !== "stream:delta" && log.debug(event.type, event),
        onNote: (message) => log.info(message),
        onBug: (error) => log.error(error instanceof Error ? error : String(error)),
      },
      () => choicesNow(models, memory),
      vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "",
    ),
  );
  const onChange = () => panel.stateChanged();
  const showSessions = () => panel.send({ type: "sessions", sessions: conversations.list() });
  const giveBack = (text: string) => panel.send({ type: "compose", text, send: false });
  const rondo = new Rondo({ conversations, models, keys, review, memory, log, onChange, giveBack, showSessions });
  const panel = own(new Panel(context.extensionUri, rondo, log));

  own(vscode.window.registerWebviewViewProvider("rondo.chat", panel));
  own(proposedTexts());
  own(new Marks(review));
  own(new Before(review));
  void review.load();
  const table = {
    ...commands({ rondo, panel, conversations, keys, models, log }),
    ...reviewCommands(review),
  };
  for (const [id, run] of Object.entries(table)) own(vscode.commands.registerCommand(id, run));

  own(conversations.onDidSwitch(() => rondo.switched()));
  own(conversations.onDidSwitch(() => panel.chatChanged()));
  own(conversations.onTrouble((trouble) => panel.send({ type: "notice", ...trouble })));
  own(
    conversations.onEvent(({ session, event }) => {
      if (session === conversations.current) panel.event(event);
      if (changesState(event)) panel.stateChanged();
      if (session === conversations.current) void showEdit(event).catch((error) => log.warn(String(error)));
      if (event.type === "status") setContext("rondo.running", conversations.current.chat.status.type !== "idle");
    }),
  );
  own(review.onDidChange(onChange));
  own(keys.onDidChange(onChange));
  own(vscode.workspace.onDidChangeWorkspaceFolders(onChange));
  own(
    watchSettings(() => {
      models.reset();
      for (const problem of readSettings().problems) log.warn(problem);
      onChange();
    }),
  );
  leave = async () => {
    await conversations.disposeAll();
    await review.flush();
    await models.dispose();
  };
}

/** VS Code waits at most 5 s: what runs is stopped, and what was said is on disk. */
export async function deactivate(): Promise<void> {
  await leave?.();
}

async function showEdit(event: ChatEvent): Promise<void> {
  if (event.type !== "part" || event.part.type !== "tool" || event.part.state.status !== "completed") return;
  const { diff } = event.part.state.metadata;
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

function setContext(key: string, value: boolean): void {
  void vscode.commands.executeCommand("setContext", key, value);
}
