/** Handles the panel's requests to VS Code: files, links, the clipboard, settings, the log and the terminal. */

import path from "node:path";
import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import type { Feature } from "../feature.ts";
import type { FileIndex } from "../mentions/file-index.ts";
import { NoticeError } from "../notice-error.ts";
import { runFix } from "../notice-fixes.ts";
import type { Handlers } from "../panel/handlers.ts";
import type { WindowServices } from "../services.ts";
import { readSettings } from "../settings.ts";
import type { EditorWindow } from "../window.ts";
import { readAnswerImage } from "./answer-images.ts";
import { missingFiles, openInEditor } from "./open.ts";

/** `index` finds the file that a path further down means, if only one can be meant. */
export function workbench({ log }: EditorWindow, services: WindowServices, index: Pick<FileIndex, "meant">) {
  const { boundary, host, ownFolderOf, page } = services;
  const own = () => ownFolderOf(page.conversations.current.chat);
  const handlers = {
    "open-file": async ({ path: file, line, lastLine }) => {
      const folder = own();
      const place = folder === undefined ? file : path.resolve(folder, file);
      await openInEditor(place, { line, lastLine }, () => index.meant(file));
    },
    "check-files": async ({ paths }) => {
      const missing = await missingFiles(paths, foldersOf(own()));
      const found = await Promise.all(missing.map((file) => index.meant(file)));
      page.send({ type: "checked-files", paths, missing: missing.filter((_, at) => found[at] === undefined) });
    },
    "load-image": async ({ path: file }) => {
      const folders = foldersOf(own()).filter(({ scheme }) => scheme === "file");
      const places = folders.map(({ fsPath }) => fsPath);
      const image = await readAnswerImage(file, places, readSettings().secrets, boundary);
      page.send({ type: "answer-image", path: file, image });
    },
    "open-link": ({ url }) => openLink(url),
    copy: async ({ text }) => await vscode.env.clipboard.writeText(text),
    "set-key": async () => await vscode.commands.executeCommand("rondo.setKey"),
    "open-settings": async ({ query }) => await vscode.commands.executeCommand("workbench.action.openSettings", query),
    "manage-trust": async () => await vscode.commands.executeCommand("workbench.trust.manage"),
    "show-log": () => log.show(),
    "run-fix": ({ fix }) => runFix(fix),
    "show-terminal": () => host.showTerminal(),
  } satisfies Partial<Handlers>;
  return { handlers, commands: { "rondo.showLog": () => log.show() } } satisfies Feature;
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
