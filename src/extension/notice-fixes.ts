/** What helps where something could not be done: a button of the panel's notice, or of VS Code's notification. */

import * as vscode from "vscode";
import type { HostNotice, NoticeFix } from "../chat/host-notice.ts";
import { t } from "../l10n/l10n.ts";
import { readSettings } from "./settings.ts";

interface Fix {
  title: string;
  run(): PromiseLike<unknown>;
}

const command = (title: string, id: string): Fix => ({ title, run: () => vscode.commands.executeCommand(id) });

const fixes: Record<Exclude<NoticeFix, "none">, Fix> = {
  connect: command(t("Connect a Model"), "rondo.focus"),
  "choose-model": command(t("Choose a Model"), "rondo.selectModel"),
  trust: command(t("Trust This Workspace"), "workbench.trust.manage"),
  "new-session": command(t("New Session"), "rondo.new"),
  "show-log": command(t("Show Log"), "rondo.showLog"),
  "open-record": command(t("Open Record"), "rondo.openRecord"),
  "raise-budget": { title: t("Raise Budget"), run: raiseDailyBudget },
};

export async function runFix(fix: NoticeFix): Promise<void> {
  if (fix !== "none") await fixes[fix].run();
}

/** Shows outside of the panel what could not be done, with the one button that helps. */
export async function showNotice(what: string, { message, next, fix }: HostNotice): Promise<void> {
  const words = `${what} ${message} ${next}`.trim();
  if (fix === "none") return void (await vscode.window.showErrorMessage(words));
  const { title, run } = fixes[fix];
  if ((await vscode.window.showErrorMessage(words, title)) === title) await run();
}

/** The setting is written here: the editor of settings does not show it in a remote window. */
async function raiseDailyBudget(): Promise<void> {
  const { maxDailyBudgetUsd = 0 } = readSettings().limits;
  const typed = await vscode.window.showInputBox({
    title: t("Daily Budget"),
    prompt: t("USD that all sessions of a day may cost. 0: no limit."),
    value: String(2 * maxDailyBudgetUsd),
    validateInput: (text) => (Number(text) >= 0 && text.trim() !== "" ? undefined : t("An amount, such as 20.")),
  });
  if (typed === undefined) return;
  const settings = vscode.workspace.getConfiguration("rondo");
  await settings.update("maxDailyBudgetUsd", Number(typed), vscode.ConfigurationTarget.Global);
}
