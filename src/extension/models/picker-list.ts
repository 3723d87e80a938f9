/** Makes the list of the panel's model picker from what is known now. */

import { isLoopback } from "../../base/loopback.ts";
import { never } from "../../base/never.ts";
import type { ModelRef } from "../../chat/message.ts";
import type { ModelCost, PickerGroup, PickerList, PickerModel, UnconnectedProvider } from "../../chat/model-list.ts";
import type { ThinkingLevel } from "../../chat/thinking.ts";
import { t } from "../../l10n/l10n.ts";
import { knownWindow } from "../../loop/setup/model-facts.ts";
import { catalogFacts, currentModels } from "../../providers/catalog/catalog.ts";
import { whereServersRun } from "./machine.ts";
import type { ListTrouble } from "./model-lists.ts";
import type { ModelSource, Models } from "./models.ts";
import { type ProviderEntry, providerEntries } from "./provider-entries.ts";
import { vscodeProvider } from "./vscode-model.ts";

/** Names come from servers and may have any length. */
const maxLabel = 200;

/** `chosen`: the model of the session on screen, which is in the list whether its server lists it or not. */
export function pickerList(models: Models, chosen: ModelRef | undefined, level: ThinkingLevel): PickerList {
  const { sources } = models;
  const ofProviders = (isLocal: boolean) =>
    sources.filter(({ entry }) => (entry.kind === "local") === isLocal).map((source) => groupOfSource(models, source));
  const groups = [...ofProviders(false), ...offeredGroups(models), ...ofProviders(true)];
  const connected = new Set(sources.map(({ entry }) => entry.id));
  const where = whereServersRun();
  return {
    groups: chosen ? withModel(groups, models, chosen) : groups,
    unconnected: providerEntries().flatMap((entry) => (connected.has(entry.id) ? [] : unconnected(entry))),
    openEnded: models.providersForID.map(({ id, name }) => ({ providerID: id, name })),
    where: where === "on this machine" ? t("on this computer") : where,
    thinking: { level, levels: chosen ? thinkingLevelsOf(models, chosen) : [] },
  };
}

function groupOfSource(models: Models, { entry, name, modelIDs, isFound, isAsked, trouble }: ModelSource): PickerGroup {
  const shown = entry.kind === "local" ? entry.name : name;
  return {
    ...{ id: entry.id, providerID: entry.id, name: shown, kind: isFound ? "found" : "provider" },
    state: isAsked ? { type: "asking" } : stateAfter(trouble, shown),
    models: [...new Set(modelIDs)].map((modelID) => describe(models, { providerID: entry.id, modelID }, entry)),
  };
}

function stateAfter(trouble: ListTrouble | undefined, name: string): PickerGroup["state"] {
  switch (trouble) {
    case undefined:
      return { type: "listed" };
    case "no-answer":
      return { type: "failed", problem: t("{0} does not answer", name), remedy: "ask-again" };
    case "wants-key":
      return { type: "failed", problem: t("{0} needs a key", name), remedy: "set-key" };
    case "refused":
      return { type: "failed", problem: t("{0} refuses the key", name), remedy: "set-key" };
    case "no-models":
      return { type: "failed", problem: t("{0} has no models yet", name), remedy: "ask-again" };
    case "no-list":
      return {
        type: "failed",
        problem: t("{0} does not list its models. Type the ID of one", name),
        remedy: "type-id",
      };
    default:
      return never(trouble);
  }
}

function describe({ facts }: Models, ref: ModelRef, entry: ProviderEntry | undefined): PickerModel {
  const known = facts.of(ref);
  const { label, price } = known;
  return {
    modelID: ref.modelID,
    label: cut(label),
    window: knownWindow(known),
    cost: price ? costOf(price.input, price.output) : { type: isOwnServer(entry) ? "free" : "unknown" },
  };
}

function costOf(input: number, output: number): ModelCost {
  return input === 0 && output === 0 ? { type: "free" } : { type: "usd", input, output };
}

/** Whether the provider is a program on this machine: what it answers costs nothing. */
function isOwnServer(entry: ProviderEntry | undefined): boolean {
  const { kind, address = "" } = entry ?? {};
  return kind === "local" && URL.canParse(address) && isLoopback(new URL(address).hostname);
}

function offeredGroups({ offered }: Models): PickerGroup[] {
  const vendors = Map.groupBy(offered, ({ modelID }) => modelID.slice(0, modelID.indexOf("/")));
  return [...vendors].map(([vendor, list]) => ({
    ...{ id: `${vscodeProvider}/${vendor}`, providerID: vscodeProvider, kind: "plan", state: { type: "listed" } },
    name: vendor === "copilot" ? t("Copilot") : t("VS Code: {0}", cut(vendor)),
    models: list.map(({ modelID, label, window }) => {
      return { modelID, label: cut(label), window, cost: { type: "plan" } };
    }),
  }));
}

/** Adds a model that no server lists. */
function withModel(groups: PickerGroup[], models: Models, ref: ModelRef): PickerGroup[] {
  const { providerID, modelID } = ref;
  const own = groups.filter((group) => group.providerID === providerID);
  if (own.some((group) => group.models.some((one) => one.modelID === modelID))) return groups;
  const entry = providerEntries().find(({ id }) => id === providerID);
  const { label, group: name } = models.describe(ref);
  const model = { ...describe(models, ref, entry), label: cut(label) };
  const [first] = own;
  if (!first)
    return [
      { id: providerID, providerID, name, kind: "provider", state: { type: "listed" }, models: [model] },
      ...groups,
    ];
  return groups.map((group) => (group === first ? { ...group, models: [model, ...group.models] } : group));
}

function unconnected(entry: ProviderEntry): UnconnectedProvider[] {
  const { id, name, kind, address, ownAddress } = entry;
  const isSought = kind === "local" && ownAddress === undefined;
  // The user has switched the search for this server off.
  if (isSought && address === undefined) return [];
  const models = currentModels(id).map((modelID) => catalogFacts({ providerID: id, modelID })?.label ?? modelID);
  return [{ id, name, models, needs: isSought ? { type: "address", usual: address ?? "" } : { type: "key" } }];
}

function thinkingLevelsOf({ facts }: Models, model: ModelRef): ThinkingLevel[] {
  const { reasoning, efforts, flags } = facts.of(model);
  if (!reasoning || model.providerID === vscodeProvider) return [];
  const levels = (["low", "medium", "high"] as const).filter((one) => efforts.length === 0 || efforts.includes(one));
  return ["default", ...(flags.includes("alwaysThinks") ? [] : ["off" as const]), ...levels];
}

function cut(name: string): string {
  return name.length > maxLabel ? `${name.slice(0, maxLabel).toWellFormed()}…` : name;
}
