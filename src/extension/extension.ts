/**
 * The entry point, kept small because VS Code reads it at start-up: it registers the view, the commands, and what must be
 * there before it is used. The rest is a bundle of its own, loaded when the view opens or a command runs.
 */
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { useLanguage } from "../l10n/l10n.ts";
import type { App } from "./app.ts";
import { DebugOutput } from "./editor/debug-output.ts";
import { problemActions } from "./editor/problem-actions.ts";
import { openView } from "./panel/first-page.ts";

interface Manifest {
  contributes: { commands: { command: string }[] };
  activationEvents: string[];
}

/** After this time, the rest of Rondo is loaded before the first page is there. */
const longestLoadMs = 500;

let app: Promise<App> | undefined;
let started: App | undefined;

export function activate(context: vscode.ExtensionContext): void {
  useLanguage(vscode.env.language, vscode.l10n.bundle);
  const { subscriptions } = context;
  // VS Code types the manifest as `any`.
  const { contributes, activationEvents }: Manifest = context.extension.packageJSON;
  const debugOutput = new DebugOutput();
  subscriptions.push(debugOutput, problemActions());
  // VS Code may open a document of Rondo's before the view, as after a reload. It then sends this event.
  const schemes = activationEvents.map((event) => event.replace("onFileSystem:", ""));
  const ids = new Set(contributes.commands.map(({ command }) => command));
  const load = () => {
    app ??= import("./app.ts").then(({ start }) => {
      started = start(context, ids, debugOutput);
      return started;
    });
    return app;
  };
  const provider: vscode.WebviewViewProvider = {
    async resolveWebviewView(view) {
      const early = openView(view, context.extensionUri);
      // Reading the rest takes a processor for a moment, and stops this process.
      await Promise.race([early.loaded, wait(longestLoadMs)]);
      (await load()).panel.takeOver(early);
    },
  };
  subscriptions.push(vscode.window.registerWebviewViewProvider("rondo.chat", provider));
  const provideTextDocumentContent = async (uri: vscode.Uri) => (await load()).document(uri);
  for (const scheme of schemes) {
    subscriptions.push(vscode.workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent }));
  }
  for (const id of ids) {
    const run = async (...args: unknown[]) => {
      if (id !== "rondo.focus") return (await load()).commands[id]?.(...args);
      await vscode.commands.executeCommand("rondo.chat.focus");
      // Until the rest of Rondo is there, the first page takes the focus and keeps what is typed: nothing is waited for.
      return started?.commands[id]?.();
    };
    subscriptions.push(vscode.commands.registerCommand(id, run));
  }
}

/** Stops everything that runs. VS Code waits at most 5 s for it. */
export async function deactivate(): Promise<void> {
  await (await app)?.close();
}
