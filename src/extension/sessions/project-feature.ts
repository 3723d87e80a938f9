/** The project's agents and settings, as they change on disk. */

import * as vscode from "vscode";
import type { Feature } from "../feature.ts";
import type { WindowServices } from "../services.ts";
import { readSettings, watchSettings } from "../settings.ts";
import type { EditorWindow } from "../window.ts";

export function projectFeature(
  { log, own, stateChanged }: EditorWindow,
  { page: { conversations }, projects }: WindowServices,
) {
  own(projects.onDidChange(stateChanged));
  own(vscode.workspace.onDidChangeWorkspaceFolders(stateChanged));
  own(
    watchSettings(() => {
      const { agent, problems } = readSettings();
      for (const problem of problems) log.warn(problem);
      const { chat, choices } = conversations.current;
      if (chat.messages.length === 0) choices.agent = agent;
      stateChanged();
    }),
  );
  return { prepare: () => projects.watch() } satisfies Feature;
}
