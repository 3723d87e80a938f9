/** Known models: window, reply limit, price (spec B1). Others work, with an unknown cost. */

import { mergeDeep } from "../../chat/json.ts";
import type { ModelRef, Tokens } from "../../chat/message.ts";

/** USD per million tokens. */
interface Price {
  input: number;
  /** Includes reasoning unless that has its own price. */
  output: number;
  reasoning?: number;
  cacheRead: number;
  cacheWrite: number;
}

/** Prices by model, "gpt-5.4" or "openai/gpt-5.4", which override the catalog. */
export type Prices = Readonly<Record<string, Price>>;

/** A price as users write it: cached tokens cost as much as other input by default. */
interface GivenPrice {
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

export function withCachePrices(given: Readonly<Record<string, GivenPrice>>): Prices {
  const complete = Object.entries(given).map(([model, { input, output, cacheRead = input, cacheWrite = input }]) => {
    return [model, { input, output, cacheRead, cacheWrite }] as const;
  });
  return Object.fromEntries(complete);
}

/** Settings about models. Sizes in tokens. */
export interface ModelLimits {
  contextWindow: number;
  /** Windows reported by the provider, by "provider/model"; they override known ones. */
  windows: Readonly<Record<string, number>>;
  /** Window of every model, overriding known ones. */
  forcedWindow: number | undefined;
  prices: Prices;
}

export interface KnownModel {
  providerID: "anthropic" | "openai";
  modelID: string;
  label: string;
  /** Tokens of request and reply together. */
  contextWindow: number;
  /** Maximum tokens of a request, if less than the window. */
  inputLimit: number | undefined;
  maxOutput: number;
  price: Price;
}

const k = 1000;
const usual = { contextWindow: 1000 * k, inputLimit: undefined, maxOutput: 32 * k };
const claude = { providerID: "anthropic", ...usual } as const;
const claudeSmall = { ...claude, contextWindow: 200 * k };
const openai = { providerID: "openai", ...usual } as const;
const gpt5 = { ...openai, contextWindow: 1050 * k, inputLimit: 922 * k };
const gpt5Small = { ...openai, contextWindow: 400 * k, inputLimit: 272 * k };

/** From @pydantic/genai-prices 0.1.8, without prices for long contexts. Input limits: window less 128,000 tokens. */
export const knownModels: readonly KnownModel[] = [
  { ...claude, modelID: "claude-sonnet-5", label: "Claude Sonnet 5", price: usd(2, 10, 0.2, 2.5) },
  { ...claude, modelID: "claude-opus-5-5", label: "Claude Opus 5.5", price: usd(4, 20, 0.2, 5) },
  { ...claude, modelID: "claude-fable-5", label: "Claude Fable 5", price: usd(10, 50, 1, 12.5) },
  { ...claude, modelID: "claude-sonnet-4-6", label: "Claude Sonnet 4.6", price: usd(3, 15, 0.3, 3.75) },
  { ...claudeSmall, modelID: "claude-sonnet-4-5", label: "Claude Sonnet 4.5", price: usd(3, 15, 0.3, 3.75) },
  { ...claudeSmall, modelID: "claude-haiku-4-5", label: "Claude Haiku 4.5", price: usd(1, 5, 0.1, 1.25) },
  { ...gpt5, modelID: "gpt-5.6-terra", label: "GPT-5.6 Terra", price: usd(2, 12, 0.2, 2.5) },
  { ...gpt5, modelID: "gpt-5.6-sol", label: "GPT-5.6 Sol", price: usd(4, 20, 0.4, 5) },
  { ...gpt5, modelID: "gpt-5.6-luna", label: "GPT-5.6 Luna", price: usd(0.2, 1.2, 0.02, 0.25) },
  { ...gpt5, modelID: "gpt-5.4", label: "GPT-5.4", price: usd(2.5, 15, 0.25, 2.5) },
  { ...gpt5Small, modelID: "gpt-5.4-mini", label: "GPT-5.4 mini", price: usd(0.75, 4.5, 0.075, 0.75) },
  { ...gpt5Small, modelID: "gpt-5.2", label: "GPT-5.2", price: usd(1.75, 14, 0.175, 1.75) },
  { ...openai, modelID: "gpt-4.1", label: "GPT-4.1", price: usd(2, 8, 0.5, 2) },
];

function usd(input: number, output: number, cacheRead: number, cacheWrite: number): Price {
  return { input, output, cacheRead, cacheWrite };
}

/** Also finds dated versions: "gpt-5.4-2026-03-05", "claude-haiku-4-5-20251001". */
export function knownModel({ providerID, modelID }: ModelRef): KnownModel | undefined {
  const undated = modelID.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");
  return knownModels.find((model) => model.providerID === providerID && model.modelID === undated);
}

export function windowOf(ref: ModelRef, limits: Omit<ModelLimits, "prices">): number {
  const told = limits.windows[`${ref.providerID}/${ref.modelID}`];
  return limits.forcedWindow ?? told ?? knownModel(ref)?.contextWindow ?? limits.contextWindow;
}

export function costOf(ref: ModelRef, tokens: Tokens, prices: Prices = {}): number | undefined {
  const price = priceOf(ref, prices);
  if (!price) return undefined;
  const { input, output, reasoning, cacheRead, cacheWrite } = tokens;
  // Reasoning is part of the output; if there is more of it than output, it was counted separately, as by xAI.
  const said = reasoning > output ? output : output - reasoning;
  const micro =
    input * price.input +
    said * price.output +
    reasoning * (price.reasoning ?? price.output) +
    cacheRead * price.cacheRead +
    cacheWrite * price.cacheWrite;
  return micro / 1e6;
}

function priceOf(ref: ModelRef, prices: Prices): Price | undefined {
  for (const name of [`${ref.providerID}/${ref.modelID}`, ref.modelID]) {
    if (Object.hasOwn(prices, name)) return prices[name];
  }
  return knownModel(ref)?.price;
}

/**
 * Merges the agent's options with the variant (M2): an effort, unless it is a thinking level, which has its own field.
 */
export function optionsFor(
  { providerID }: ModelRef,
  variant: string | undefined,
  agent: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  if (variant === undefined || variant === "" || /^(default|off|low|medium|high)$/.test(variant)) return { ...agent };
  return mergeDeep(
    agent,
    providerID === "anthropic" ? { output_config: { effort: variant } } : { reasoning_effort: variant },
  );
}
