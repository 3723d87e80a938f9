/** Combines the facts about a model: settings override its server, which overrides the catalogue and usual values. */

import type { ModelRef } from "../../chat/message.ts";
import { msg } from "../../l10n/l10n.ts";
import { type FactSource, type ModelFacts, type ModelLimits, nameOfModel } from "../../loop/setup/model-facts.ts";
import { knowsPatches } from "../families/openai-responses.ts";
import { isShowable } from "../shared/answer-fields.ts";
import { catalogFacts, catalogModels, usualFacts, usualInput } from "./catalog.ts";
import { guidanceOf } from "./model-guidance.ts";
import type { ServerFacts } from "./server-facts.ts";

interface FactOptions {
  limits(): ModelLimits;
  /** Asks the server that has the model. May reject. Absent: no server is asked. */
  ask?(ref: ModelRef, signal: AbortSignal): Promise<ServerFacts | undefined>;
  /** Whether the user has a provider with this ID. Absent: those of the catalogue. */
  isProvider?(id: string): boolean;
  /** Returns which model a name stands for, where a provider's names do not tell. */
  modelOf?(ref: ModelRef): string;
}

/** Longest delay of a model's first request. Servers on this machine answer in a few ms, others mostly within half a second. */
const patienceMs = 1_500;

/** After this time an answer is no longer waited for, not even for later requests. */
const timeoutMs = 10_000;

export class KnownFacts implements FactSource {
  readonly #options: FactOptions;
  readonly #told = new Map<string, ServerFacts>();
  /** "over": nothing is waited for any more. */
  readonly #asked = new Map<string, Promise<void> | "over">();
  readonly #seenWindows = new Map<string, number>();
  readonly #scales = new Map<string, number>();
  /** Facts with the sources they were made from, since they are read several times at each step. */
  readonly #resolved = new Map<string, { sources: readonly unknown[]; facts: ModelFacts }>();

  constructor(options: FactOptions) {
    this.#options = options;
  }

  isProvider(id: string): boolean {
    return this.#options.isProvider?.(id) ?? catalogModels(id).length > 0;
  }

  of(ref: ModelRef): ModelFacts {
    const name = nameOfModel(ref);
    const { limits, modelOf = ({ modelID }) => modelID } = this.#options;
    const given = limits();
    const { forcedWindow, contextWindow, prices, modelOptions } = given;
    const [modelID, told, seenWindow] = [modelOf(ref), this.#told.get(name), this.#seenWindows.get(name)];
    const sources = [forcedWindow, contextWindow, prices, modelOptions, given.windows[name], modelID, told, seenWindow];
    const known = this.#resolved.get(name);
    if (known && sources.every((source, at) => source === known.sources[at])) return known.facts;
    const facts = resolveFacts(ref, { ...ref, modelID }, given, told, seenWindow);
    this.#resolved.set(name, { sources, facts });
    return facts;
  }

  async learn(ref: ModelRef, signal: AbortSignal): Promise<void> {
    const { ask } = this.#options;
    if (!ask || this.of(ref).unknown.length === 0) return;
    const name = nameOfModel(ref);
    const asked = this.#asked.get(name) ?? this.#ask(name, ask(ref, AbortSignal.timeout(timeoutMs)));
    if (asked === "over") return;
    this.#asked.set(name, asked);
    await untilAborted(asked, signal);
    if (this.#asked.get(name) === asked && !signal.aborted) this.#asked.set(name, "over");
  }

  /** Resolves with the answer, or when the wait has taken too long: then the answer counts once it arrives. */
  async #ask(name: string, answer: Promise<ServerFacts | undefined>): Promise<void> {
    const taken = answer.then(
      (facts) => {
        if (facts) this.#told.set(name, facts);
        // A local model that is not loaded yet has no window; the next turn can learn of it.
        if (facts?.largestWindow !== undefined && facts.contextWindow === undefined) this.#asked.delete(name);
      },
      // A server without an answer is treated like one without the API.
      () => undefined,
    );
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([taken, patience]);
    clearTimeout(timer);
  }

  /** Takes facts from a list of models, unless the model's server has been asked. */
  note(ref: ModelRef, facts: ServerFacts): void {
    const name = nameOfModel(ref);
    if (!this.#asked.has(name)) this.#told.set(name, facts);
  }

  observeWindow(ref: ModelRef, tokens: number): string | undefined {
    const name = nameOfModel(ref);
    if (this.#seenWindows.get(name) === tokens) return undefined;
    this.#seenWindows.set(name, tokens);
    return largerWindow;
  }

  tokenScale(ref: ModelRef): number {
    return this.#scales.get(nameOfModel(ref)) ?? 1;
  }

  observeScale(ref: ModelRef, scale: number): void {
    this.#scales.set(nameOfModel(ref), scale);
  }

  /** Forgets the answers of servers, so that they are asked again. */
  reset(): void {
    this.#told.clear();
    this.#asked.clear();
    this.#seenWindows.clear();
  }
}

/** Resolves when `done` has, or the signal is aborted. */
async function untilAborted(done: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let stop = () => {};
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
  });
  signal.addEventListener("abort", stop);
  await Promise.race([done, aborted]);
  signal.removeEventListener("abort", stop);
}

/** `model`: the one that the name of `ref` stands for. */
function resolveFacts(
  ref: ModelRef,
  model: ModelRef,
  limits: ModelLimits,
  told: ServerFacts = {},
  seenWindow?: number,
): ModelFacts {
  const found = catalogFacts(model) ?? usualFacts(model) ?? nothingKnown(model, limits);
  const known = model.modelID === ref.modelID ? found : { ...found, label: ref.modelID };
  const { largestWindow = Number.POSITIVE_INFINITY, label = "", ...others } = told;
  const named = label !== "" && isShowable(label) ? { ...others, label } : others;
  const said = Object.entries(named).filter(([, value]) => value !== undefined);
  const facts: ModelFacts = { ...known, ...Object.fromEntries(said) };
  const given = limits.forcedWindow ?? seenWindow ?? limits.windows[nameOfModel(ref)];
  const contextWindow = given ?? Math.min(facts.contextWindow, largestWindow);
  const price = ownOf(ref, limits.prices) ?? facts.price;
  const isAssumed = given === undefined && told.contextWindow === undefined && known.unknown.includes("window");
  return {
    ...facts,
    ...(knowsPatches(model.modelID) && { flags: [...facts.flags, "applyPatch"] }),
    contextWindow,
    inputLimit: Math.min(known.inputLimit, contextWindow, given === undefined ? usualInput(model) : contextWindow),
    price,
    guidance: guidanceOf(model.modelID),
    options: ownOf(ref, limits.modelOptions) ?? {},
    unknown: [...(isAssumed ? (["window"] as const) : []), ...(price ? [] : (["price"] as const))],
  };
}

function nothingKnown({ modelID }: ModelRef, { contextWindow }: ModelLimits): ModelFacts {
  return {
    label: modelID,
    contextWindow,
    inputLimit: Number.POSITIVE_INFINITY,
    maxOutput: undefined,
    price: undefined,
    images: undefined,
    pdfs: undefined,
    reasoning: undefined,
    efforts: [],
    api: undefined,
    flags: [],
    guidance: "",
    options: {},
    unknown: ["window", "price"],
  };
}

/** Returns what the user has set for a model: "openai/gpt-5.4" counts before "gpt-5.4". */
function ownOf<T>(ref: ModelRef, settings: Readonly<Record<string, T>>): T | undefined {
  const name = [nameOfModel(ref), ref.modelID].find((one) => Object.hasOwn(settings, one));
  return name === undefined ? undefined : settings[name];
}

/** For servers that cut requests; Ollama has 4,096 tokens by default, and recommends 64,000 for agents. */
const largerWindow = msg(
  "Load the model with a larger window, 64,000 tokens if it can: with Ollama by OLLAMA_CONTEXT_LENGTH=64000 or in its settings, with LM Studio by Context Length, with llama.cpp by --ctx-size.",
);

/** Names the unknown facts of a model: "window unknown, 128k assumed; price unknown". */
export function describeUnknown({ contextWindow, unknown }: ModelFacts): string {
  const words = {
    window: msg("window unknown, {0}k assumed", Math.round(contextWindow / 1000)),
    price: msg("price unknown"),
  };
  return unknown.map((one) => words[one]).join("; ");
}
