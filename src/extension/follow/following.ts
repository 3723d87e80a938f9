/** Following the agent in the window: its button, its command, and the file that is shown where no other is open. */

import * as vscode from "vscode";
import { diffsOf } from "../../chat/diffs.ts";
import type { ChatEvent } from "../../chat/events.ts";
import { findFile } from "../answers/open.ts";
import type { Feature } from "../feature.ts";
import type { WindowServices } from "../services.ts";
import { readSettings } from "../settings.ts";
import type { EditorWindow } from "../window.ts";
import { Follow } from "./follow.ts";

export function following(
  { log, own, stateChanged }: EditorWindow,
  { ownFolderOf, page: { conversations } }: WindowServices,
) {
  const note = (message: string) => log.debug(message);
  const follow = own(new Follow({ on: readSettings().window.follow, changed: stateChanged, note }));
  return {
    handlers: { follow: ({ on }) => follow.set(on) },
    commands: { "rondo.follow": () => follow.set(follow.state !== "on") },
    observer: {
      event(session, event) {
        // Files of a worktree are outside of the workspace: VS Code would ask whether to trust each of them.
        if (session !== conversations.current || ownFolderOf(session.chat) !== undefined) return;
        follow.event(event);
        if (follow.state === "off") void showEdit(event).catch((error) => log.warn(String(error)));
      },
    },
    state: () => ({ follow: follow.state }),
  } satisfies Feature;
}

/** Shows a file that the agent has changed, but only if no other tab is open, so that it never gets in the way. */
async function showEdit(event: ChatEvent): Promise<void> {
  if (event.type !== "part" || event.part.type !== "tool" || event.part.state.status !== "completed") return;
  const [diff] = diffsOf(event.part.state.metadata);
  if (!diff || vscode.window.tabGroups.all.some((group) => group.tabs.length > 0)) return;
  await vscode.window.showTextDocument(await findFile(diff.path), { preview: true, preserveFocus: true });
}
