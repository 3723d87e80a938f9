/**
 * The entry, kept small since VS Code reads it before anything is seen: it says that the view and the commands are there.
 * All else is a bundle of its own, loaded when the view opens or a command runs.
 */
import * as vscode from "vscode";
import type { App } from "./app.ts";

let app: Promise<App> | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const { subscriptions } = context;
  // The manifest is checked when it is packed; VS Code types it as anything.
  const { commands }: { commands: { command: string }[] } = context.extension.packageJSON.contributes;
  const ids = new Set(commands.map(({ command }) => command));
  const load = () => {
    app ??= import("./app.ts").then(({ start }) => start(context, ids));
    return app;
  };
  const provider: vscode.WebviewViewProvider = {
    resolveWebviewView: async (...view) => (await load()).panel.resolveWebviewView(...view),
  };
  subscriptions.push(vscode.window.registerWebviewViewProvider("rondo.chat", provider));
  for (const id of ids) {
    const run = async (...args: unknown[]) => (await load()).commands[id]?.(...args);
    subscriptions.push(vscode.commands.registerCommand(id, run));
  }
}

/** VS Code waits at most 5 s: what runs is stopped, and what was said is on disk. */
export async function deactivate(): Promise<void> {
  await (await app)?.leave();
}
