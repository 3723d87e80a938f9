/** "Select Model…": all models of all providers that are ready, of VS Code, and of servers on this machine. */

import * as vscode from "vscode";
import type { ModelRef } from "../../chat/message.ts";
import type { ModelChoice } from "../../chat/model-views.ts";
import { t } from "../../l10n/l10n.ts";
import { readSettings } from "../settings.ts";
import { soughtServers } from "./machine.ts";
import type { ModelGroup, Models } from "./models.ts";

type Row = vscode.QuickPickItem &
  ({ model: ModelRef } | { command: string; argument?: string } | { model?: undefined });

/** Resolves with the model that the user chooses; undefined for none. Servers are asked while it is open. */
export async function pickModel(models: Models): Promise<ModelRef | undefined> {
  const picker = vscode.window.createQuickPick<Row>();
  picker.title = t("Select Model");
  picker.placeholder = t("Choose a model, or type the ID of one. Prices are those of input / output");
  picker.matchOnDescription = true;
  picker.keepScrollPosition = true;
  const closed = new AbortController();
  const show = () => {
    if (closed.signal.aborted) return;
    const [active] = picker.activeItems;
    const items = rowsOf(models, picker.value.trim(), picker.busy);
    picker.items = items;
    const same = items.find(({ label, description }) => label === active?.label && description === active.description);
    if (same) picker.activeItems = [same];
  };
  const picked = new Promise<Row | undefined>((resolve) => {
    picker.onDidAccept(() => {
      // Enter may arrive before the row of an ID that was just typed.
      const row = picker.selectedItems[0] ?? rowsForTyped(models, picker.value.trim()).find((one) => "model" in one);
      if (row) resolve(row);
    });
    picker.onDidHide(() => resolve(undefined));
  });
  picker.onDidChangeValue(show);
  picker.busy = true;
  show();
  picker.show();
  void models.ask(closed.signal, show).then(() => {
    if (closed.signal.aborted) return;
    picker.busy = false;
    show();
  });
  const row = await picked;
  closed.abort();
  picker.dispose();
  if (!row || !("command" in row)) return row?.model;
  await vscode.commands.executeCommand(row.command, row.argument);
  return undefined;
}

function rowsOf(models: Models, typed: string, isAsking: boolean): Row[] {
  const { groups, current } = models;
  const rows = groups.flatMap((group) => [separator(group.name), ...rowsOfGroup(group, models, current)]);
  const nothing = groups.length === 0 && !isAsking ? [nothingFound()] : [];
  return [...rowsForTyped(models, typed), ...rows, ...nothing, separator(t("Connect")), ...connectRows()];
}

function rowsOfGroup({ models: choices, problem }: ModelGroup, models: Models, current: ModelRef | undefined): Row[] {
  const rows = choices.map((choice): Row => {
    const isCurrent = choice.providerID === current?.providerID && choice.modelID === current.modelID;
    return {
      label: choice.label,
      description: describe(choice, models),
      model: { providerID: choice.providerID, modelID: choice.modelID },
      ...(isCurrent && { iconPath: new vscode.ThemeIcon("check") }),
    };
  });
  return problem === undefined ? rows : [...rows, { label: `$(warning) ${problem}` }];
}

/** "1M window · $4 / $20 per million tokens", what is unknown, and the ID where that is not the label. */
function describe(choice: ModelChoice, models: Models): string {
  const { contextWindow, unknown } = models.facts.of(choice);
  const parts = [
    unknown.includes("window") ? "" : t("{0} window", shortSize(contextWindow)),
    choice.price === undefined ? "" : t("{0} per million tokens", choice.price),
    choice.unknown ?? "",
    choice.label === choice.modelID ? "" : choice.modelID,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function shortSize(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1e6).toFixed(1))}M`;
  return `${Math.round(tokens / 1000)}k`;
}

/** Offers an ID that no list has with each provider; the current one comes first. */
function rowsForTyped({ groups, providersForID, current }: Models, typed: string): Row[] {
  const text = typed.toLowerCase();
  const names = groups.flatMap(({ models }) => models.flatMap(({ label, modelID }) => [label, modelID]));
  if (text === "" || names.some((name) => name.toLowerCase().includes(text))) return [];
  const first = providersForID.filter(({ id }) => id === current?.providerID);
  const all = [...first, ...providersForID.filter((one) => !first.includes(one))];
  if (groups.length === 0 || all.length === 0) return [];
  const rows = all.map(({ id, name }): Row => {
    return {
      label: typed,
      description: t("with {0}", name),
      alwaysShow: true,
      model: { providerID: id, modelID: typed },
    };
  });
  return [separator(t("Another model")), ...rows];
}

function nothingFound(): Row {
  const [names, last] = soughtServers();
  return {
    label: `$(info) ${t("No model is connected, and no model server was found")}`,
    detail: t("Set an API key, or start {0} or {1} and open this list again.", names, last),
  };
}

function connectRows(): Row[] {
  const problems = readSettings().problems.filter((problem) =>
    /rondo\.(providers|localServers|provider|baseUrl) /.test(problem),
  );
  const command = "workbench.action.openSettings";
  return [
    ...problems.map(
      (problem): Row => ({ label: `$(warning) ${problem}`, alwaysShow: true, command, argument: "rondo.providers" }),
    ),
    { label: `$(key) ${t("Set API Key…")}`, command: "rondo.setKey" },
    { label: `$(server) ${t("Add a provider or server…")}`, command, argument: "rondo.providers" },
  ];
}

function separator(label: string): Row {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
