/** Looks up models in the catalogue, which `npm run catalog` writes: models.json, beside the bundles, too. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { ModelRef } from "../../chat/message.ts";
import type { ModelFacts, Price, Rates } from "../../loop/setup/model-facts.ts";
import type { CatalogEntry, CatalogFile, Numbers, ProviderEntries } from "./catalog-entry.ts";
import { defaultModels } from "./default-models.ts";
import { compareVersions, lineOf, undated } from "./lines.ts";

/** Providers that serve models of another one by its names. */
const alsoServes: Readonly<Record<string, string>> = { azure: "openai", vertex: "anthropic" };

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
  const entry = entryOf(providerID, modelID) ?? entryOf(alsoServes[providerID] ?? "", modelID);
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
  const standard = defaultModels[providerID];
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
  for (const providerID of makers) {
    const found = entryOf(providerID, name) ?? entryOf(providerID, name.replaceAll(".", "-"));
    if (found) return found;
  }
  return undefined;
}

const makers = ["anthropic", "openai", "gemini", "xai", "deepseek", "moonshot", "zai", "qwen", "mistral"];

const stemOf = (id: string) => /^[a-z]+/i.exec(id)?.[0];

/** By provider. Read when a model is first looked up. */
let catalog: Readonly<Record<string, ProviderEntries>> | undefined;

function entriesOf(providerID: string): ProviderEntries {
  catalog ??= readCatalog();
  return (Object.hasOwn(catalog, providerID) ? catalog[providerID] : undefined) ?? {};
}

/** The one reader of the file; its writer, scripts/catalog.mjs, is checked against the same type. */
function readCatalog(): Readonly<Record<string, ProviderEntries>> {
  const file: CatalogFile = JSON.parse(readFileSync(path.join(import.meta.dirname, "models.json"), "utf8"));
  return file.models;
}

function entryOf(providerID: string, modelID: string): CatalogEntry | undefined {
  const known = entriesOf(providerID);
  const name = [modelID, undated(modelID)].find((id) => Object.hasOwn(known, id));
  return name === undefined ? undefined : known[name];
}

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
