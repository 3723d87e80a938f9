/** Plans as documents that the user can comment on: the reply of a session in which the plan stands. */

import * as vscode from "vscode";
import type { Chat } from "../../chat/apply.ts";
import { planText } from "../../chat/plan-text.ts";
import { textOf } from "../../chat/words.ts";
import { t } from "../../l10n/l10n.ts";
import { newestPlan } from "./newest-plan.ts";

const scheme = "rondo-plan";

export const isPlan = (uri: vscode.Uri): boolean => uri.scheme === scheme;

/** Returns the session that has made the plan. */
export const planSessionOf = (uri: vscode.Uri): string => uri.query.split(" ", 1)[0] ?? "";

/** Returns the message in which the plan stands. */
export const planIDOf = (uri: vscode.Uri): string => uri.query.slice(uri.query.indexOf(" ") + 1);

/** Returns the text of a plan's document. `chatOf` returns the chat of a session. @throws RecordError if there is none */
export function planAt({ query }: vscode.Uri, chatOf: (sessionID: string) => Chat): string {
  const [sessionID = "", messageID = ""] = query.split(" ");
  const plan = chatOf(sessionID).messages.find(({ info }) => info.id === messageID);
  return plan ? planText(textOf(plan.parts)) : `${t("This plan is no longer part of its session.")}\n`;
}

/** Opens the newest plan, or the one in this message. */
export async function openPlan(chat: Chat, messageID?: string): Promise<void> {
  const plan = messageID ?? newestPlan(chat.messages);
  if (plan === undefined) return;
  const uri = vscode.Uri.from({ scheme, path: "/Plan.md", query: `${chat.session.id} ${plan}` });
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
}
