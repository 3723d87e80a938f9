/** Handles the panel's requests to VS Code: files, links, the clipboard, settings, the log and the terminal. */
import * as vscode from "vscode";
import { NoticeError } from "../notice-error.ts";
import { runFix } from "../notice-fixes.ts";
import type { Handlers } from "./handlers.ts";
import { openInEditor } from "./open.ts";

interface WorkbenchOptions {
  log: vscode.LogOutputChannel;
  showTerminal(): void;
}

export function workbenchHandlers({ log, showTerminal }: WorkbenchOptions) {
  return {
    "open-file": ({ path, line }) => openInEditor(path, line),
    "open-link": ({ url }) => openLink(url),
    copy: async ({ text }) => await vscode.env.clipboard.writeText(text),
    "set-key": async () => await vscode.commands.executeCommand("rondo.setKey"),
    "open-settings": async ({ query }) => await vscode.commands.executeCommand("workbench.action.openSettings", query),
    "manage-trust": async () => await vscode.commands.executeCommand("workbench.trust.manage"),
    "show-log": () => log.show(),
    "run-fix": ({ fix }) => runFix(fix),
    "show-terminal": showTerminal,
  } satisfies Partial<Handlers>;
}

async function openLink(url: string): Promise<void> {
  const uri = vscode.Uri.parse(url);
  // A link in a model's answer may open a page and nothing else: no commands, no local files.
  if (uri.scheme !== "https" && uri.scheme !== "http" && uri.scheme !== "mailto") {
    throw new NoticeError(`Links of the kind "${uri.scheme}:" are not opened.`);
  }
  await vscode.env.openExternal(uri);
}
