/** What helps where something could not be done: a button of the panel's notice, or of VS Code's notification. */
import * as vscode from "vscode";
import type { HostNotice, NoticeFix } from "../chat/protocol.ts";
import { readSettings } from "./settings.ts";

interface Fix {
  title: string;
  run(): PromiseLike<unknown>;
}

const command = (title: string, id: string): Fix => ({ title, run: () => vscode.commands.executeCommand(id) });

const fixes: Record<Exclude<NoticeFix, "none">, Fix> = {
  connect: command("Connect a Model", "rondo.focus"),
  "choose-model": command("Choose a Model", "rondo.selectModel"),
  trust: command("Trust This Workspace", "workbench.trust.manage"),
  "new-session": command("New Session", "rondo.new"),
  "show-log": command("Show Log", "rondo.showLog"),
  "open-record": command("Open Record", "rondo.openRecord"),
  "raise-budget": { title: "Raise Budget", run: raiseDailyBudget },
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
    title: "Daily Budget",
    prompt: "USD that all sessions of a day may cost. 0: no limit.",
    value: String(2 * maxDailyBudgetUsd),
    validateInput: (text) => (Number(text) >= 0 && text.trim() !== "" ? undefined : "An amount, such as 20."),
  });
  if (typed === undefined) return;
  const settings = vscode.workspace.getConfiguration("rondo");
  await settings.update("maxDailyBudgetUsd", Number(typed), vscode.ConfigurationTarget.Global);
}
