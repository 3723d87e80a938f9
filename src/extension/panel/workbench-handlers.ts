/** Handles the panel's requests to VS Code: files, links, the clipboard, settings, the log and the terminal. */

import path from "node:path";
import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import { NoticeError } from "../notice-error.ts";
import { runFix } from "../notice-fixes.ts";
import type { Handlers, PanelContext } from "./handlers.ts";
import { missingFiles, openInEditor } from "./open.ts";

interface WorkbenchOptions {
  log: vscode.LogOutputChannel;
  showTerminal(): void;
  /** The folder of the session on screen, if it works in one of its own. */
  ownFolder(): string | undefined;
}

export function workbenchHandlers({ send }: PanelContext, { log, showTerminal, ownFolder }: WorkbenchOptions) {
  return {
    "open-file": ({ path: file, line }) => {
      const own = ownFolder();
      return openInEditor(own === undefined ? file : path.resolve(own, file), line);
    },
    "check-files": async ({ paths }) => {
      const own = ownFolder();
      const open = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
      const missing = await missingFiles(paths, own === undefined ? open : [vscode.Uri.file(own)]);
      send({ type: "checked-files", paths, missing });
    },
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
    throw new NoticeError(t('Links of the kind "{0}:" are not opened.', uri.scheme));
  }
  await vscode.env.openExternal(uri);
}
