/**
 * What a server says of one of its models. Each reader takes an answer as it came and returns only what it says; fields
 * that are missing or of another type are not there. Sizes in tokens.
 */
import type { Price, Rates } from "../../loop/setup/model-facts.ts";
import { fields, flag, list, size, text } from "../shared/answer-fields.ts";

export interface ServerFacts {
  label?: string | undefined;
  contextWindow?: number | undefined;
  /** The largest window that the model can be loaded with, which says little of the one that it has. */
  largestWindow?: number | undefined;
  maxOutput?: number | undefined;
  images?: boolean | undefined;
  pdfs?: boolean | undefined;
  reasoning?: boolean | undefined;
  price?: Price | undefined;
}

/** GET /v1/models/ID of Anthropic. */
export function readAnthropicModel(answer: unknown): ServerFacts {
  const { display_name, max_input_tokens, max_tokens, capabilities } = fields(answer);
  const supports = (name: string) => flag(fields(fields(capabilities)[name])["supported"]);
  return {
    label: text(display_name),
    contextWindow: size(max_input_tokens),
    maxOutput: size(max_tokens),
    images: supports("image_input"),
    pdfs: supports("pdf_input"),
    reasoning: supports("thinking"),
  };
}

/** Returns what GET /models says of a model; undefined when it is not listed. */
export function readListedModel(answer: unknown, modelID: string): ServerFacts | undefined {
  const found = list(Array.isArray(answer) ? answer : fields(answer)["data"]).find(
    ({ id, aliases }) => id === modelID || (Array.isArray(aliases) && aliases.includes(modelID)),
  );
  return found && readListEntry(found);
}

/**
 * An entry of GET /models as OpenAI has it, with the fields that others add: OpenRouter (context_length, top_provider,
 * pricing, architecture), Moonshot (context_length, supports_image_in), Groq (context_window, max_completion_tokens),
 * Mistral (max_context_length, capabilities), vLLM and SGLang (max_model_len).
 */
export function readListEntry(found: Record<string, unknown>): ServerFacts {
  const { context_length, context_window, max_context_length, max_model_len, max_completion_tokens } = found;
  const top = fields(found["top_provider"]);
  const abilities = fields(found["capabilities"]);
  const limits = fields(found["limits"]);
  const inputs = fields(found["architecture"])["input_modalities"] ?? found["supported_input_modalities"];
  const takes = (kind: string) => (Array.isArray(inputs) ? inputs.includes(kind) : undefined);
  const parameters = found["supported_parameters"];
  return {
    label: text(found["name"]),
    // What the provider behind OpenRouter has may be less than what the model could have.
    contextWindow:
      size(top["context_length"]) ??
      size(context_length ?? context_window ?? max_context_length ?? max_model_len ?? limits["max_input_tokens"]),
    maxOutput: size(top["max_completion_tokens"]) ?? size(max_completion_tokens ?? limits["max_output_tokens"]),
    images: takes("image") ?? flag(found["supports_image_in"]) ?? flag(abilities["vision"]),
    pdfs: takes("file"),
    reasoning:
      flag(found["supports_reasoning"]) ??
      flag(abilities["reasoning"]) ??
      (Array.isArray(parameters) ? parameters.includes("reasoning") : undefined),
    price: readPricing(found["pricing"]),
  };
}

/** OpenRouter's prices are USD for a token, as strings; -1 stands for one that varies. */
function readPricing(value: unknown): Rates | undefined {
  const pricing = fields(value);
  const usd = (name: string) => {
    const number = Number(text(pricing[name]) ?? Number.NaN);
    return number >= 0 ? Number((number * 1e6).toPrecision(9)) : undefined;
  };
  const [input, output, reasoning] = [usd("prompt"), usd("completion"), usd("internal_reasoning")];
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    ...(reasoning !== undefined && reasoning > 0 && { reasoning }),
    cacheRead: usd("input_cache_read") ?? input,
    cacheWrite: usd("input_cache_write") ?? input,
  };
}

/**
 * GET /model/info of LiteLLM (docs.litellm.ai/docs/proxy/model_management), which alone has `litellm_params`. A name may
 * stand for several deployments, and the next request may go to any of them.
 */
export function readLiteLLMModel(answer: unknown, modelID: string): ServerFacts {
  const deployments = list(fields(answer)["data"]).filter(
    ({ model_name, litellm_params }) => model_name === modelID && litellm_params !== undefined,
  );
  const all = deployments.map(({ model_info }) => fields(model_info));
  const least = (name: string) => {
    const sizes = all.map((info) => size(info[name])).filter((one) => one !== undefined);
    return sizes.length > 0 ? Math.min(...sizes) : undefined;
  };
  // Without a statement, each is assumed to be able to.
  const can = (name: string) => (all.length > 0 ? all.map((info) => flag(info[name])).reduce(both) : undefined);
  return {
    contextWindow: least("max_input_tokens"),
    maxOutput: least("max_output_tokens"),
    images: can("supports_vision"),
    pdfs: can("supports_pdf_input"),
    reasoning: can("supports_reasoning"),
    price: all.map(readCosts).reduce<Price | undefined>(dearer, undefined),
  };
}

function both(one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  return one === undefined || other === undefined ? undefined : one && other;
}

function dearer(one: Price | undefined, other: Price | undefined): Price | undefined {
  if (!one || !other) return one ?? other;
  return one.input + one.output >= other.input + other.output ? one : other;
}

/** USD for a token. Models that LiteLLM does not know cost nothing there, which says nothing of their price. */
function readCosts(info: Record<string, unknown>): Price | undefined {
  const rates = (suffix: string): Rates | undefined => {
    const usd = (name: string) => size(info[`${name}${suffix}`]);
    const [input, output] = [usd("input_cost_per_token"), usd("output_cost_per_token")];
    if (input === undefined || output === undefined) return undefined;
    const read = usd("cache_read_input_token_cost") ?? input;
    const write = usd("cache_creation_input_token_cost") ?? input;
    const perMillion = (cost: number) => Number((cost * 1e6).toPrecision(9));
    return {
      input: perMillion(input),
      output: perMillion(output),
      cacheRead: perMillion(read),
      cacheWrite: perMillion(write),
    };
  };
  const base = rates("");
  const tiers = [128_000, 200_000, 272_000].flatMap((inputTokensAbove) => {
    const above = rates(`_above_${inputTokensAbove / 1000}k_tokens`);
    return above ? [{ inputTokensAbove, ...above }] : [];
  });
  return base && { ...base, ...(tiers.length > 0 && { tiers }) };
}

/** The first answer with a field counts. */
export function mergeFacts(all: readonly ServerFacts[]): ServerFacts {
  const said = all.toReversed().flatMap((one) => Object.entries(one).filter(([, value]) => value !== undefined));
  return Object.fromEntries(said);
}
