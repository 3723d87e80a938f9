/** Handles the panel's requests to VS Code: files, links, the clipboard, settings, the log and the terminal. */

import path from "node:path";
import * as vscode from "vscode";
import type { AnswerImage } from "../../chat/protocol.ts";
import { t } from "../../l10n/l10n.ts";
import { NoticeError } from "../notice-error.ts";
import { runFix } from "../notice-fixes.ts";
import type { Handlers, PanelContext } from "../panel/handlers.ts";
import { missingFiles, openInEditor } from "./open.ts";

interface WorkbenchOptions {
  log: vscode.LogOutputChannel;
  showTerminal(): void;
  /** Returns the file that a path further down means, if only one can be meant. */
  meant(file: string): Promise<vscode.Uri | undefined>;
  /** The folder of the session on screen, if it works in one of its own. */
  ownFolder(): string | undefined;
  readImage(file: string, folders: readonly string[]): Promise<AnswerImage>;
}

export function workbenchHandlers(
  { send }: PanelContext,
  { log, showTerminal, meant, ownFolder, readImage }: WorkbenchOptions,
) {
  return {
    "open-file": async ({ path: file, line, lastLine }) => {
      const own = ownFolder();
      await openInEditor(own === undefined ? file : path.resolve(own, file), { line, lastLine }, () => meant(file));
    },
    "check-files": async ({ paths }) => {
      const missing = await missingFiles(paths, foldersOf(ownFolder()));
      const found = await Promise.all(missing.map(meant));
      send({ type: "checked-files", paths, missing: missing.filter((_, at) => found[at] === undefined) });
    },
    "load-image": async ({ path: file }) => {
      const folders = foldersOf(ownFolder()).filter(({ scheme }) => scheme === "file");
      const image = await readImage(
        file,
        folders.map(({ fsPath }) => fsPath),
      );
      send({ type: "answer-image", path: file, image });
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

/** `own`: the folder of a session that works in one of its own. */
function foldersOf(own: string | undefined): vscode.Uri[] {
  return own === undefined ? (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri) : [vscode.Uri.file(own)];
}

async function openLink(url: string): Promise<void> {
  const uri = vscode.Uri.parse(url);
  // A link in a model's answer may open a page and nothing else: no commands, no local files.
  if (uri.scheme !== "https" && uri.scheme !== "http" && uri.scheme !== "mailto") {
    throw new NoticeError(t('Links of the kind "{0}:" are not opened.', uri.scheme));
  }
  await vscode.env.openExternal(uri);
}
