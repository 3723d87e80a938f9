/** models.json, the catalogue that `npm run catalog` writes, beside the bundles, too: its form and its reader. Sizes in tokens. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { ModelFlag } from "../../loop/setup/model-facts.ts";
import { undated } from "./lines.ts";

/** USD per million tokens: input, output, read from the cache, written to it, written to it for an hour. */
export type Numbers = readonly number[];

export interface CatalogEntry {
  label: string;
  window: number;
  inputLimit?: number;
  output: number;
  price?: Numbers;
  /** The first number: the tokens of input above which these prices hold. */
  tiers?: readonly Numbers[];
  images?: true;
  pdfs?: true;
  reasoning?: true;
  efforts?: readonly string[];
  api: "messages" | "responses" | "chat";
  flags?: readonly ModelFlag[];
}

/** The models of a provider by their ids. */
type ProviderEntries = Readonly<Record<string, CatalogEntry>>;

export interface CatalogFile {
  /** By whom and from what; JSON has no comments. */
  written: string;
  /** By provider. */
  models: Readonly<Record<string, ProviderEntries>>;
}

/** Read when a model is first looked up. */
let models: CatalogFile["models"] | undefined;

export function entriesOf(providerID: string): ProviderEntries {
  models ??= readCatalog().models;
  return (Object.hasOwn(models, providerID) ? models[providerID] : undefined) ?? {};
}

/** The script that writes the file is checked against this type. */
function readCatalog(): CatalogFile {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, "models.json"), "utf8"));
}

/** Also finds dated versions: "gpt-5.4-2026-03-05", "claude-haiku-4-5-20251001". */
export function entryOf(providerID: string, modelID: string): CatalogEntry | undefined {
  const known = entriesOf(providerID);
  const name = [modelID, undated(modelID)].find((id) => Object.hasOwn(known, id));
  return name === undefined ? undefined : known[name];
}
