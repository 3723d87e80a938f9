/** What the loop needs to know of a model, and what its tokens cost (spec B1). The loop itself knows no model by name. */
import * as z from "zod/mini";
import { mergeDeep } from "../../base/json.ts";
import type { ModelRef, Tokens } from "../../chat/message.ts";

/** USD per million tokens. */
export interface Rates {
  input: number;
  /** Includes reasoning unless that has its own price. */
  output: number;
  reasoning?: number;
  cacheRead: number;
  cacheWrite: number;
  /** For tokens that stay in the cache for an hour, if they cost more. */
  cacheWriteHour?: number;
}

export interface Price extends Rates {
  /** Prices of whole requests with more input than this, lowest first. */
  tiers?: readonly (Rates & { inputTokensAbove: number })[];
}

/** Prices by model, "gpt-5.4" or "openai/gpt-5.4", which override all others. */
export type Prices = Readonly<Record<string, Price>>;

const Usd = z.number().check(z.gte(0));

/** Prices as users write them: cached tokens cost as much as other input unless they say otherwise. */
export const GivenPrices = z.record(
  z.string(),
  z.object({ input: Usd, output: Usd, cacheRead: z.optional(Usd), cacheWrite: z.optional(Usd) }),
);

export function withCachePrices(given: z.infer<typeof GivenPrices>): Prices {
  const complete = Object.entries(given).map(([model, { input, output, cacheRead = input, cacheWrite = input }]) => {
    return [model, { input, output, cacheRead, cacheWrite }] as const;
  });
  return Object.fromEntries(complete);
}

export const ModelOptions = z.record(z.string(), z.record(z.string(), z.unknown()));

/** Returns "provider/model". */
export function nameOfModel({ providerID, modelID }: ModelRef): string {
  return `${providerID}/${modelID}`;
}

/** Settings about models. Sizes in tokens. */
export interface ModelLimits {
  /** Window that is assumed where nothing is known. */
  contextWindow: number;
  /** Windows as told by the provider, by "provider/model"; they override known ones. */
  windows: Readonly<Record<string, number>>;
  /** Window of every model, overriding known ones. */
  forcedWindow: number | undefined;
  prices: Prices;
  /** Parameters of requests (M2), by "model" or "provider/model". */
  modelOptions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export type ModelFlag =
  /** Thinks as much as it finds fit; its effort can be set, a budget of tokens cannot. */
  | "adaptiveThinking"
  /** Thinking cannot be switched off. */
  | "alwaysThinks"
  /** Takes messages of the role "system" within the conversation. */
  | "systemMessages"
  /** Takes tools that are added and removed within the conversation; `toolAdditions`: that are added. */
  | "toolChanges"
  | "toolAdditions"
  | "effortChanges"
  /** Takes tools with a grammar instead of a schema. */
  | "grammarTools"
  /** Was trained to change files by patches: see `apply_patch`. */
  | "applyPatch"
  /** Is told where its cached prefixes end. */
  | "explicitCache"
  /** Each reply with calls must go back with its reasoning, as plain text. */
  | "requiresReasoningContent"
  | "noDeveloperRole"
  | "noTemperature";

/** Sizes in tokens. A fact that nobody knows is undefined, unless the loop cannot do without one: see `unknown`. */
export interface ModelFacts {
  label: string;
  /** Request and reply together. */
  contextWindow: number;
  /** Maximum of a request, where that is less than the window; else the window. */
  inputLimit: number;
  maxOutput: number | undefined;
  price: Price | undefined;
  images: boolean | undefined;
  pdfs: boolean | undefined;
  reasoning: boolean | undefined;
  /** Efforts that the model takes, in the provider's words. */
  efforts: readonly string[];
  api: "messages" | "responses" | "chat" | undefined;
  flags: readonly ModelFlag[];
  /** What the system prompt tells models of this family in addition (M1). */
  guidance: string;
  /** The user's parameters for requests of this model; those of an agent and of a message override them (M2). */
  options: Readonly<Record<string, unknown>>;
  /** What is assumed or missing. */
  unknown: readonly ("window" | "price")[];
}

/** Facts of models: settings override the server, which overrides the catalogue and the provider's usual values. */
export interface FactSource {
  /** Whether "ID/model" names a model of that provider. Other IDs are part of a model's name, as with OpenRouter. */
  isProvider(id: string): boolean;
  of(ref: ModelRef): ModelFacts;
  /** Asks the model's server once, when the catalogue does not know all. Resolves soon, whatever happens. */
  learn(ref: ModelRef, signal: AbortSignal): Promise<void>;
  /**
   * Remembers the window that the server has shown by leaving out what is beyond it. Returns what the user can do;
   * undefined when this window was known.
   */
  observeWindow(ref: ModelRef, tokens: number): string | undefined;
  /** Tokens that the model's server has last counted for each that was estimated; 1 before its first reply. */
  tokenScale(ref: ModelRef): number;
  observeScale(ref: ModelRef, scale: number): void;
}

/** Returns the window, unless it is assumed. */
export function knownWindow({ contextWindow, unknown }: ModelFacts): number | undefined {
  return unknown.includes("window") ? undefined : contextWindow;
}

/** Returns the cost in USD; undefined when the price is not known. */
export function costOf(price: Price | undefined, tokens: Tokens): number | undefined {
  if (!price) return undefined;
  const { input, output, reasoning, cacheRead, cacheWrite, cacheWriteHour = 0 } = tokens;
  const request = input + cacheRead + cacheWrite;
  const rates = price.tiers?.findLast(({ inputTokensAbove }) => request > inputTokensAbove) ?? price;
  // Reasoning is part of the output; more of it than that was counted beside it, as xAI does.
  const said = reasoning > output ? output : output - reasoning;
  const micro =
    input * rates.input +
    said * rates.output +
    reasoning * (rates.reasoning ?? rates.output) +
    cacheRead * rates.cacheRead +
    (cacheWrite - cacheWriteHour) * rates.cacheWrite +
    cacheWriteHour * (rates.cacheWriteHour ?? rates.cacheWrite);
  return micro / 1e6;
}

/**
 * Merges layers of options, of the model and the agent, and the variant over them (M2). A variant is an effort, unless it
 * is a level of thinking, which has a field. Those of the provider are merged when the request is made.
 */
export function optionsFor(
  variant: string | undefined,
  ...layers: readonly Readonly<Record<string, unknown>>[]
): Record<string, unknown> {
  const options = layers.reduce<Record<string, unknown>>(mergeDeep, {});
  if (variant === undefined || variant === "" || /^(default|off|low|medium|high)$/.test(variant)) return options;
  // Each API puts it where it has a place for it.
  return mergeDeep(options, { reasoning_effort: variant });
}
