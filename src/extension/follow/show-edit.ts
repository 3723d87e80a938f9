import * as vscode from "vscode";
import { diffsOf } from "../../chat/diffs.ts";
import type { ChatEvent } from "../../chat/events.ts";
import { findFile } from "../answers/open.ts";

/** Shows a file that the agent has changed, but only if no other tab is open, so that it never gets in the way. */
export async function showEdit(event: ChatEvent): Promise<void> {
  if (event.type !== "part" || event.part.type !== "tool" || event.part.state.status !== "completed") return;
  const [diff] = diffsOf(event.part.state.metadata);
  if (!diff || vscode.window.tabGroups.all.some((group) => group.tabs.length > 0)) return;
  await vscode.window.showTextDocument(await findFile(diff.path), { preview: true, preserveFocus: true });
}
