/**
 * The entry point, kept small because VS Code reads it at start-up: it registers the view, the commands, and what must be
 * there before it is used. The rest is a bundle of its own, loaded when the view opens or a command runs.
 */
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { StartOnce } from "../base/start-once.ts";
import { localized, t, useLanguage } from "../l10n/l10n.ts";
import type { App } from "./app.ts";
import { DebugOutput } from "./editor/debug-output.ts";
import { problemActions } from "./editor/problem-actions.ts";
import { type EarlyView, openView } from "./panel/first-page.ts";

interface Manifest {
  contributes: { commands: { command: string }[] };
  activationEvents: string[];
}

/** After this time, the rest of Rondo is loaded before the first page is there. */
const longestLoadMs = 500;

let app: StartOnce<App> | undefined;

export function activate(context: vscode.ExtensionContext): void {
  useLanguage(vscode.env.language, vscode.l10n.bundle);
  const { subscriptions } = context;
  // VS Code types the manifest as `any`.
  const { contributes, activationEvents }: Manifest = context.extension.packageJSON;
  const debugOutput = new DebugOutput();
  subscriptions.push(debugOutput, problemActions());
  // VS Code may open a document of Rondo's before the view, as after a reload. It then sends this event.
  const schemes = activationEvents.map((event) => event.replace("onFileSystem:", ""));
  const declared = new Set(contributes.commands.map(({ command }) => command));
  let channel: vscode.LogOutputChannel | undefined;
  /** One for all tries. */
  const logChannel = (): vscode.LogOutputChannel => {
    if (channel) return channel;
    channel = vscode.window.createOutputChannel("Rondo", { log: true });
    subscriptions.push(channel);
    return channel;
  };
  /** The view with its first page, until the panel has taken it over. */
  let early: EarlyView | undefined;
  const rest = new StartOnce(async () => {
    const log = logChannel();
    try {
      const { start } = await import("./app.ts");
      return start({ context, declared, debugOutput, log });
    } catch (error) {
      hasFailed = true;
      log.error("Rondo could not be started", error);
      // The log has the rest, such as which module asked for a missing one.
      const [reason = ""] = reasonOf(error).split("\n", 1);
      const message = t("Rondo could not be started: {0}", reason);
      early?.failed(message);
      throw new Error(message, { cause: error });
    }
  });
  app = rest;
  let running: App | undefined;
  let hasFailed = false;
  const use = async (): Promise<App> => {
    running = await rest.use();
    if (early) running.panel.takeOver(early);
    early = undefined;
    return running;
  };
  /** Tells the user of a failed start, and lets `again` run if they want. */
  const started = (again: () => void): Promise<App | undefined> =>
    use().catch((error: Error) => {
      // The page says it.
      if (!early?.view.visible) void offerAgain(error.message, logChannel(), again);
      return undefined;
    });
  const provider: vscode.WebviewViewProvider = {
    async resolveWebviewView(view) {
      const load = async () => void (await started(load));
      const own = openView(view, context.extensionUri, load);
      // Reading the rest takes a processor for a moment, and stops this process.
      await Promise.race([own.loaded, wait(longestLoadMs)]);
      early = own;
      await load();
    },
  };
  subscriptions.push(vscode.window.registerWebviewViewProvider("rondo.chat", provider));
  const provideTextDocumentContent = async (uri: vscode.Uri) => (await use()).document(uri);
  for (const scheme of schemes) {
    subscriptions.push(vscode.workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent }));
  }
  for (const id of declared) {
    const run = async (...args: unknown[]): Promise<unknown> => {
      if (id === "rondo.focus") {
        await vscode.commands.executeCommand("rondo.chat.focus");
        // Until the rest of Rondo is there, the first page takes the focus and keeps what is typed: nothing is waited for.
        if (!running && !hasFailed) return undefined;
      }
      return (await started(() => void run(...args)))?.commands[id]?.(...args);
    };
    subscriptions.push(vscode.commands.registerCommand(id, run));
  }
}

/** Returns the first line: for a file that is missing, Node adds who has asked for it. */
function reasonOf(error: unknown): string {
  const message = localized(error instanceof Error ? error.message : String(error));
  return message.split("\n", 1)[0] ?? "";
}

async function offerAgain(message: string, log: vscode.LogOutputChannel, again: () => void): Promise<void> {
  const [tryAgain, showLog] = [t("Try Again"), t("Show Log")];
  const chosen = await vscode.window.showErrorMessage(message, tryAgain, showLog);
  if (chosen === tryAgain) again();
  if (chosen === showLog) log.show();
}

/** Stops everything that runs. VS Code waits at most 5 s for it. */
export async function deactivate(): Promise<void> {
  await (await app?.current())?.close();
}
