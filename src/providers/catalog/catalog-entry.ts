/** The form in which models.json keeps the catalogue. Sizes in tokens. */
import type { ModelFlag } from "../../loop/setup/model-facts.ts";

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
export type ProviderEntries = Readonly<Record<string, CatalogEntry>>;

export interface CatalogFile {
  /** By whom and from what; JSON has no comments. */
  written: string;
  /** By provider. */
  models: Readonly<Record<string, ProviderEntries>>;
}
