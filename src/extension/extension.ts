/**
 * The entry point, kept small because VS Code reads it at start-up: it registers the view, the commands, and what must be
 * there before it is used. The rest is a bundle of its own, loaded when the view opens or a command runs.
 */
import * as vscode from "vscode";
import type { App } from "./app.ts";
import { DebugOutput } from "./editor/debug-output.ts";
import { problemActions } from "./editor/problem-actions.ts";

interface Manifest {
  contributes: { commands: { command: string }[] };
  activationEvents: string[];
}

let app: Promise<App> | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const { subscriptions } = context;
  // VS Code types the manifest as `any`.
  const { contributes, activationEvents }: Manifest = context.extension.packageJSON;
  const debugOutput = new DebugOutput();
  subscriptions.push(debugOutput, problemActions());
  // VS Code may open a document of Rondo's before the view, as after a reload. It then sends this event.
  const schemes = activationEvents.map((event) => event.replace("onFileSystem:", ""));
  const ids = new Set(contributes.commands.map(({ command }) => command));
  const load = () => {
    app ??= import("./app.ts").then(({ start }) => start(context, ids, debugOutput));
    return app;
  };
  const provider: vscode.WebviewViewProvider = {
    resolveWebviewView: async (...view) => (await load()).view.resolveWebviewView(...view),
  };
  subscriptions.push(vscode.window.registerWebviewViewProvider("rondo.chat", provider));
  const provideTextDocumentContent = async (uri: vscode.Uri) => (await load()).document(uri);
  for (const scheme of schemes) {
    subscriptions.push(vscode.workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent }));
  }
  for (const id of ids) {
    const run = async (...args: unknown[]) => (await load()).commands[id]?.(...args);
    subscriptions.push(vscode.commands.registerCommand(id, run));
  }
}

/** Stops everything that runs. VS Code waits at most 5 s for it. */
export async function deactivate(): Promise<void> {
  await (await app)?.close();
}
