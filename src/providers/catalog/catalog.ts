/** Looks up models in the catalogue, which is made when Rondo is built. */
import type { ModelRef } from "../../chat/message.ts";
import type { ModelFacts, Price, Rates } from "../../loop/setup/model-facts.ts";
import { providerIDs, providerOf } from "../families/families.ts";
import { type CatalogEntry, entriesOf, entryOf, type Numbers } from "./catalog-file.ts";
import { compareVersions, lineOf, undated } from "./lines.ts";

export function catalogModels(providerID: string): readonly string[] {
  return Object.keys(entriesOf(providerID));
}

/** Returns the models for a menu: the newest three of each line, without those that another name stands for. */
export function currentModels(providerID: string): string[] {
  const all = catalogModels(providerID);
  const lines = Map.groupBy(
    all.filter((id) => undated(id) === id || !all.includes(undated(id))),
    lineOf,
  );
  return [...lines.values()].flatMap((ids) => ids.toSorted((a, b) => compareVersions(b, a)).slice(0, 3));
}

/** Also finds dated versions: "gpt-5.4-2026-03-05", "claude-haiku-4-5-20251001". */
export function catalogFacts({ providerID, modelID }: ModelRef): ModelFacts | undefined {
  const entry = entryOf(providerID, modelID) ?? entryOf(providerOf(providerID)?.alsoServes ?? "", modelID);
  return entry && toFacts(entry);
}

/**
 * Returns what is usual for a model that the catalogue does not have: the newest of its line, else the provider's default
 * model where the names begin alike, else the same model of another provider. Never its price.
 */
export function usualFacts(ref: ModelRef): ModelFacts | undefined {
  const found = relatedEntry(ref);
  return found && { ...toFacts(found), label: ref.modelID, price: undefined, unknown: ["window", "price"] };
}

function relatedEntry({ providerID, modelID }: ModelRef): CatalogEntry | undefined {
  const line = lineOf(modelID);
  const related = catalogModels(providerID)
    .filter((id) => lineOf(id) === line)
    .sort(compareVersions)
    .at(-1);
  const standard = providerOf(providerID)?.defaultModel;
  const isAlike = standard !== undefined && stemOf(standard) === stemOf(modelID);
  return entryOf(providerID, related ?? (isAlike ? standard : "")) ?? elsewhere(modelID);
}

/**
 * Largest request that is usual for a model: above it OpenAI's prices double, so pi-ai takes it for the whole window.
 * Infinity where nothing speaks against the whole window.
 */
export function usualInput(ref: ModelRef): number {
  const { tiers = [] } = entryOf(ref.providerID, ref.modelID) ?? relatedEntry(ref) ?? {};
  return tiers.some(([above]) => above === longContext) ? longContext : Number.POSITIVE_INFINITY;
}

const longContext = 272_000;

/** Gateways name models as "anthropic/claude-sonnet-5.5" or by their makers' names alone, Bedrock by "us.anthropic.…-v1:0". */
function elsewhere(modelID: string): CatalogEntry | undefined {
  const name = modelID
    .slice(modelID.lastIndexOf("/") + 1)
    .replace(/^([a-z-]+\.)+/, "")
    .replace(/-v\d+(:\d+)?$/, "");
  for (const providerID of providerIDs.filter((id) => providerOf(id)?.isMaker)) {
    const found = entryOf(providerID, name) ?? entryOf(providerID, name.replaceAll(".", "-"));
    if (found) return found;
  }
  return undefined;
}

const stemOf = (id: string) => /^[a-z]+/i.exec(id)?.[0];

function toFacts(entry: CatalogEntry): ModelFacts {
  const { label, window, inputLimit = window, output, price, tiers = [], api } = entry;
  const { images = false, pdfs = false, reasoning = false, efforts = [], flags = [] } = entry;
  return {
    label,
    contextWindow: window,
    inputLimit,
    maxOutput: output,
    price: price && priceOf(price, tiers),
    images,
    pdfs,
    reasoning,
    efforts,
    api,
    flags,
    guidance: "",
    options: {},
    unknown: price ? [] : ["price"],
  };
}

function priceOf(base: Numbers, tiers: readonly Numbers[]): Price {
  const above = tiers.map(([inputTokensAbove = 0, ...numbers]) => ({ inputTokensAbove, ...ratesOf(numbers) }));
  return { ...ratesOf(base), ...(above.length > 0 && { tiers: above }) };
}

function ratesOf([input = 0, output = 0, cacheRead = input, cacheWrite = input, hour]: Numbers): Rates {
  return { input, output, cacheRead, cacheWrite, ...(hour !== undefined && { cacheWriteHour: hour }) };
}
