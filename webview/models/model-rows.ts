/** Rows of the model picker: what fits the search, by provider. They stand in the order of the list, always. */

import type { PickerGroup, PickerList, PickerModel, UnconnectedProvider } from "../../src/chat/model-list.ts";
import { t } from "../../src/l10n/l10n.ts";
import { lettersOf } from "../find/letter-search.ts";
import { escapeInvisible } from "../text/escape-invisible.ts";

interface RowGroup {
  id: string;
  /** Stands above its rows: "Anthropic", "Found on this computer: Ollama". */
  name: string;
}

/** `key` differs from that of every other row, and stays as answers arrive. */
export type ModelRow = { key: string; group: RowGroup } & (
  | { type: "heading"; note: "prices" | "plan" | "none"; isLive: boolean }
  | { type: "model"; providerID: string; model: PickerModel; name: string; id: string; isCurrent: boolean }
  | { type: "asking"; name: string }
  | { type: "problem"; providerID: string; problem: string; remedy: "ask-again" | "set-key" | "type-id" }
  | { type: "connect"; provider: UnconnectedProvider; name: string; model: string }
  | { type: "typed"; providerID: string; modelID: string; name: string }
);

/** A list as it is shown and searched, made once for each. */
export interface SearchableModels extends Omit<PickerList, "groups" | "unconnected"> {
  groups: (Omit<PickerGroup, "models"> & { heading: string; letters: string; models: SearchableModel[] })[];
  unconnected: { provider: UnconnectedProvider; name: string; letters: string; models: Named[] }[];
}

interface Named {
  name: string;
  letters: string;
}

interface SearchableModel extends Named {
  model: PickerModel;
  id: string;
  idLetters: string;
}

const named = (text: string): Named => {
  const name = escapeInvisible(text);
  return { name, letters: lettersOf(name) };
};

export function searchableModels(list: PickerList): SearchableModels {
  return {
    ...list,
    groups: list.groups.map((group) => {
      const { name, letters } = named(group.name);
      const models = group.models.map((model) => {
        const id = named(model.modelID);
        return { model, ...named(model.label), id: id.name, idLetters: id.letters };
      });
      const heading = group.kind === "found" ? t("Found {0}: {1}", escapeInvisible(list.where), name) : name;
      return { ...group, name, heading, letters, models };
    }),
    unconnected: list.unconnected.map((provider) => {
      return { provider, ...named(provider.name), models: provider.models.map(named) };
    }),
  };
}

interface ModelSearch {
  /** In small letters, without signs. */
  words: readonly string[];
  /** As typed. */
  text: string;
}

interface ChosenModel {
  providerID: string;
  modelID: string;
}

export function modelRows(
  { groups, unconnected, openEnded }: SearchableModels,
  chosen: ChosenModel | undefined,
  { words, text }: ModelSearch,
): ModelRow[] {
  const rows = groups.flatMap((group) => groupRows(group, chosen, words));
  const isFound = rows.some(({ type }) => type === "model");
  return [
    ...rows,
    ...(words.length > 0 || !isFound ? connectRows(unconnected, words) : []),
    ...(isFound || words.length === 0 ? [] : typedRows(openEnded, chosen, text)),
  ];
}

function groupRows(
  { id, providerID, heading, letters, kind, state, ...listed }: SearchableModels["groups"][number],
  chosen: ChosenModel | undefined,
  words: readonly string[],
): ModelRow[] {
  const group = { id, name: heading };
  const found = listed.models.filter((one) => words.every((word) => fits(word, one.letters, one.idLetters, letters)));
  const rows = found.map(({ model, name, ...one }): ModelRow => {
    const isCurrent = providerID === chosen?.providerID && model.modelID === chosen.modelID;
    // The ID is shown where nothing else shows why it was found.
    const showsID = words.some((word) => !fits(word, one.letters, letters));
    const key = `model ${id} ${model.modelID}`;
    return { type: "model", key, group, providerID, model, name, id: showsID ? one.id : "", isCurrent };
  });
  const key = `state ${id}`;
  if (state.type === "asking") rows.push({ type: "asking", key, group, name: listed.name });
  if (state.type === "failed") {
    rows.push({
      type: "problem",
      key,
      group,
      providerID,
      problem: escapeInvisible(state.problem),
      remedy: state.remedy,
    });
  }
  if (rows.length === 0) return [];
  const hasPrices = found.some(({ model }) => model.cost.type === "usd");
  const note = kind === "plan" ? "plan" : hasPrices ? "prices" : "none";
  return [{ type: "heading", key: `heading ${id}`, group, note, isLive: kind === "found" }, ...rows];
}

const fits = (word: string, ...letters: string[]) => letters.some((one) => one.includes(word));

function connectRows(unconnected: SearchableModels["unconnected"], words: readonly string[]): ModelRow[] {
  const group = { id: "not connected", name: t("Not connected") };
  const rows = unconnected.flatMap(({ provider, name, letters, models }): ModelRow[] => {
    const row = { type: "connect", key: `connect ${provider.id}`, group, provider, name } as const;
    if (words.every((word) => letters.includes(word))) return [{ ...row, model: "" }];
    const found = models.find((one) => words.every((word) => fits(word, one.letters, letters)));
    return found ? [{ ...row, model: found.name }] : [];
  });
  return rows.length === 0 ? [] : [headingOf(group), ...rows];
}

/** Offers an ID that no list has with each provider; that of the chosen model comes first. */
function typedRows(openEnded: PickerList["openEnded"], chosen: ChosenModel | undefined, text: string): ModelRow[] {
  const modelID = text.trim();
  if (/\s/.test(modelID) || openEnded.length === 0) return [];
  const first = openEnded.filter(({ providerID }) => providerID === chosen?.providerID);
  const all = [...first, ...openEnded.filter((one) => !first.includes(one))];
  const group = { id: "typed ID", name: t("Another model, by its ID") };
  const rows = all.map(({ providerID, name }): ModelRow => {
    return { type: "typed", key: `typed ${providerID}`, group, providerID, modelID, name: escapeInvisible(name) };
  });
  return [headingOf(group), ...rows];
}

function headingOf(group: RowGroup): ModelRow {
  return { type: "heading", key: `heading ${group.id}`, group, note: "none", isLive: false };
}

/** Whether a row can be chosen. */
export function isOption(row: ModelRow): boolean {
  return row.type !== "heading" && row.type !== "asking" && !(row.type === "problem" && row.remedy === "type-id");
}

/** Returns the row that Enter takes before the user has moved: -1 if there is none. */
export function firstChoice(rows: readonly ModelRow[], isSearched: boolean): number {
  const current = isSearched ? -1 : rows.findIndex((row) => row.type === "model" && row.isCurrent);
  if (current >= 0) return current;
  for (const type of ["model", "connect", "typed", "problem"]) {
    const first = rows.findIndex((row) => row.type === type && isOption(row));
    if (first >= 0) return first;
  }
  return -1;
}
