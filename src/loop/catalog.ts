/** The models that Rondo knows by name: window, longest reply, price (spec B1). Others work, with their cost unknown. */
import type { ModelRef, Tokens } from "./message.ts";

/** USD for a million tokens. */
interface Price {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface KnownModel {
  providerID: "anthropic" | "openai";
  modelID: string;
  label: string;
  /** Tokens. */
  contextWindow: number;
  /** Most tokens that Rondo asks for in one reply. */
  maxOutput: number;
  price: Price;
}

const k = 1000;

/**
 * Windows and base prices as listed by the providers' price pages (read from @pydantic/genai-prices 0.1.8). Some models
 * cost more beyond 200,000 tokens of input; the base price is used throughout.
 */
function claude(
  modelID: string,
  label: string,
  contextWindow: number,
  input: number,
  output: number,
  cacheRead: number,
) {
  const price = { input, output, cacheRead, cacheWrite: input * 1.25 };
  return { providerID: "anthropic", modelID, label, contextWindow, maxOutput: 32 * k, price } as const;
}

function gpt(modelID: string, label: string, contextWindow: number, input: number, output: number, cacheRead: number) {
  const price = { input, output, cacheRead, cacheWrite: input };
  return { providerID: "openai", modelID, label, contextWindow, maxOutput: 32 * k, price } as const;
}

export const knownModels: readonly KnownModel[] = [
  claude("claude-sonnet-5", "Claude Sonnet 5", 1000 * k, 2, 10, 0.2),
  claude("claude-opus-5-5", "Claude Opus 5.5", 1000 * k, 4, 20, 0.2),
  claude("claude-fable-5", "Claude Fable 5", 1000 * k, 10, 50, 1),
  claude("claude-sonnet-4-6", "Claude Sonnet 4.6", 1000 * k, 3, 15, 0.3),
  claude("claude-sonnet-4-5", "Claude Sonnet 4.5", 200 * k, 3, 15, 0.3),
  claude("claude-haiku-4-5", "Claude Haiku 4.5", 200 * k, 1, 5, 0.1),
  gpt("gpt-5.6-terra", "GPT-5.6 Terra", 1050 * k, 2, 12, 0.2),
  gpt("gpt-5.6-sol", "GPT-5.6 Sol", 1050 * k, 4, 20, 0.4),
  gpt("gpt-5.6-luna", "GPT-5.6 Luna", 1050 * k, 0.2, 1.2, 0.02),
  gpt("gpt-5.4", "GPT-5.4", 1050 * k, 2.5, 15, 0.25),
  gpt("gpt-5.4-mini", "GPT-5.4 mini", 400 * k, 0.75, 4.5, 0.075),
  gpt("gpt-4.1", "GPT-4.1", 1000 * k, 2, 8, 0.5),
];

export function knownModel(ref: ModelRef): KnownModel | undefined {
  return knownModels.find((model) => model.providerID === ref.providerID && model.modelID === ref.modelID);
}

/** USD; undefined when the model's price is not known. */
export function costOf(ref: ModelRef, tokens: Tokens): number | undefined {
  const price = knownModel(ref)?.price;
  if (!price) return undefined;
  const { input, output, cacheRead, cacheWrite } = tokens;
  const micro =
    input * price.input + output * price.output + cacheRead * price.cacheRead + cacheWrite * price.cacheWrite;
  return micro / 1e6;
}
