/** The models that are available, and the one that is chosen. */
import { setTimeout as wait } from "node:timers/promises";
import type { ModelRef } from "../../chat/message.ts";
import type { ModelChoice, Readiness } from "../../chat/protocol.ts";
import { type Model, ModelError } from "../../loop/model.ts";
import { knownModels } from "../../loop/setup/model-catalog.ts";
import {
  defaultModel,
  isReady,
  openModel,
  type ProviderAccess,
  type ProviderID,
  providerIDs,
  providerNames,
} from "../../providers/providers.ts";
import { readSettings } from "../settings.ts";
import type { Keys } from "./keys.ts";
import { vscodeModel, vscodeProvider } from "./vscode-model.ts";
import { type OfferedModel, VSCodeModels } from "./vscode-models.ts";

const tourID = "tour";

/** Maximum wait for VS Code's models at the start. Later ones are added when they arrive. */
const maxWaitMs = 2_000;

/** All providers, in the order in which the first ready one is chosen: VS Code's models come last. */
const allProviders = [...providerIDs, vscodeProvider] as const;
type AnyProvider = (typeof allProviders)[number];

export class Models {
  readonly #keys: Keys;
  readonly #open = new Map<string, Promise<Model>>();
  readonly #offered = new VSCodeModels();
  #tour: Promise<{ url: string; stop(): void }> | undefined;
  #chosen: ModelRef | undefined;

  constructor(keys: Keys, chosen: ModelRef | undefined) {
    this.#keys = keys;
    this.#chosen = chosen;
  }

  get onDidChange(): VSCodeModels["onDidChange"] {
    return this.#offered.onDidChange;
  }

  /** Waits for VS Code's models if one of them may be needed. The keys must have been read. */
  async load(): Promise<void> {
    const isWanted = readSettings().provider === vscodeProvider || this.#chosen?.providerID === vscodeProvider;
    if (!isWanted && providerIDs.some((id) => this.#isReady(id))) return;
    await Promise.race([this.#offered.list(), wait(maxWaitMs, undefined, { ref: false })]);
  }

  /** Maximum tokens of a request to VS Code's models, by "vscode/vendor/id". */
  get windows(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#offered.known.map((one) => [`${one.providerID}/${one.modelID}`, one.window]));
  }

  choose(ref: ModelRef): void {
    this.#chosen = ref;
  }

  get readiness(): Readiness {
    if (this.#provider() !== undefined) return { type: "ready" };
    return this.#isTour ? { type: "tour" } : { type: "no-key", providers: providerIDs.map((id) => providerNames[id]) };
  }

  /** The model for the next prompt; undefined if no provider is ready, or no model of its server is known by name. */
  get current(): ModelRef | undefined {
    const provider = this.#provider();
    if (provider === undefined) return this.#isTour ? { providerID: "anthropic", modelID: tourID } : undefined;
    if (this.#chosen && this.#isReady(this.#chosen.providerID)) return this.#chosen;
    const named = readSettings().model ?? process.env["RONDO_MODEL"];
    if (provider === vscodeProvider) {
      const { known } = this.#offered;
      const found = known.find(({ modelID }) => named !== undefined && `/${modelID}`.endsWith(`/${named}`)) ?? known[0];
      return found && { providerID: found.providerID, modelID: found.modelID };
    }
    const modelID = named ?? defaultModel(provider, this.#access(provider));
    return modelID === undefined ? undefined : { providerID: provider, modelID };
  }

  get fallback(): ModelRef | undefined {
    const name = readSettings().fallbackModel;
    if (name === undefined) return undefined;
    const [, provider = "", rest = ""] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
    if (isProvider(provider) || provider === vscodeProvider) return { providerID: provider, modelID: rest };
    return { providerID: this.current?.providerID ?? "anthropic", modelID: name };
  }

  /** Models for the menu: the known ones of the providers that are ready, and the current one. */
  get choices(): ModelChoice[] {
    const current = this.current;
    const ready = knownModels.filter(({ providerID }) => {
      return this.#isReady(providerID) && this.#access(providerID).baseURL === undefined;
    });
    const choices = [...ready.map((known) => describeKnown(known)), ...this.#offered.known.map(describeOffered)];
    if (current && !choices.some((one) => isSameModel(one, current))) choices.unshift(this.describe(current));
    return choices;
  }

  describe(ref: ModelRef): ModelChoice {
    if (ref.modelID === tourID && this.#isTour) {
      return { ...ref, label: "Tour (a script)", group: "Rondo", price: undefined };
    }
    const offered = this.#offered.known.find((one) => isSameModel(one, ref));
    if (offered) return describeOffered(offered);
    const baseURL = isProvider(ref.providerID) ? this.#access(ref.providerID).baseURL : undefined;
    const choice = describeKnown(ref);
    return baseURL === undefined ? choice : { ...choice, group: new URL(baseURL).host };
  }

  /** Asks VS Code and the user's own server for their models. @throws ModelError if the server does not answer */
  async listFromServers(signal: AbortSignal): Promise<ModelChoice[]> {
    const found = (await this.#offered.list()).map(describeOffered);
    for (const provider of providerIDs) {
      const access = this.#access(provider);
      if (provider !== "openai" || !isReady(access) || access.baseURL === undefined) continue;
      for (const modelID of await fetchModelIDs(access.baseURL, access.apiKey, signal)) {
        found.push(this.describe({ providerID: provider, modelID }));
      }
    }
    return found;
  }

  /** Opens a model; loads the provider's SDK at the first call. @throws ModelError */
  async open(ref: ModelRef): Promise<Model> {
    if (ref.modelID === tourID && this.#isTour) {
      // A bundle of its own, which only `npm start` uses.
      this.#tour ??= import("../../tour/tour.ts").then(({ startTourModel }) => startTourModel());
      return await openModel("anthropic", { apiKey: "tour", baseURL: (await this.#tour).url });
    }
    if (ref.providerID === vscodeProvider) return vscodeModel();
    if (!isProvider(ref.providerID)) throw new ModelError("invalid", `There is no provider "${ref.providerID}".`, "");
    const access = this.#access(ref.providerID);
    const key = JSON.stringify([ref.providerID, access]);
    const open = this.#open.get(key) ?? openModel(ref.providerID, access);
    this.#open.set(key, open);
    open.catch(() => this.#open.delete(key));
    return await open;
  }

  /** Drops all connections, so that the next request uses the new key or address. */
  reset(): void {
    this.#open.clear();
    void this.load();
  }

  async dispose(): Promise<void> {
    this.#offered.dispose();
    (await this.#tour)?.stop();
  }

  get #isTour(): boolean {
    return process.env["RONDO_TOUR"] === "1" && this.#provider() === undefined;
  }

  #provider(): AnyProvider | undefined {
    const { provider } = readSettings();
    if (provider !== undefined) return this.#isReady(provider) ? provider : undefined;
    return allProviders.find((id) => this.#isReady(id));
  }

  #isReady(provider: string): boolean {
    if (provider === vscodeProvider) return this.#offered.known.length > 0;
    return isProvider(provider) && isReady(this.#access(provider));
  }

  /** The address in the settings belongs to the provider that they name; without one, to OpenAI-compatible servers. */
  #access(provider: ProviderID): ProviderAccess {
    const { baseURL, provider: chosen } = readSettings();
    return this.#keys.access(provider, provider === (chosen ?? "openai") ? baseURL : undefined);
  }
}

function isProvider(id: string): id is ProviderID {
  return providerIDs.some((one) => one === id);
}

function isSameModel(a: ModelRef, b: ModelRef): boolean {
  return a.providerID === b.providerID && a.modelID === b.modelID;
}

function describeOffered({ providerID, modelID, label }: OfferedModel): ModelChoice {
  const [vendor = ""] = modelID.split("/");
  return { providerID, modelID, label, group: `VS Code: ${vendor}`, price: undefined };
}

function describeKnown(ref: ModelRef): ModelChoice {
  const known = knownModels.find((one) => isSameModel(one, ref));
  return {
    providerID: ref.providerID,
    modelID: ref.modelID,
    label: known?.label ?? ref.modelID,
    group: isProvider(ref.providerID) ? providerNames[ref.providerID] : ref.providerID,
    price: known && `$${known.price.input} / $${known.price.output}`,
  };
}

async function fetchModelIDs(baseURL: string, apiKey: string | undefined, signal: AbortSignal): Promise<string[]> {
  const address = `${baseURL.replace(/\/+$/, "")}/models`;
  try {
    const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const answer: unknown = await (await fetch(address, { headers, signal })).json();
    const data = typeof answer === "object" && answer !== null && "data" in answer ? answer.data : [];
    if (!Array.isArray(data)) return [];
    return data.flatMap((one: unknown) =>
      typeof one === "object" && one !== null && "id" in one && typeof one.id === "string" ? [one.id] : [],
    );
  } catch (cause) {
    const host = new URL(baseURL).host;
    throw new ModelError("network", `The server at ${host} did not list its models.`, "Check that it runs.", { cause });
  }
}
