/** The models that are available, and the one that is chosen. */

import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import type { StartModel } from "../../chat/connect.ts";
import type { ModelRef } from "../../chat/message.ts";
import type { ModelChoice, Readiness } from "../../chat/model-views.ts";
import { t } from "../../l10n/l10n.ts";
import type { Limits } from "../../loop/limits.ts";
import { type Model, ModelError } from "../../loop/model.ts";
import type { ModelList } from "../../providers/catalog/list-models.ts";
import { describeUnknown, KnownFacts } from "../../providers/catalog/model-facts.ts";
import { answering } from "../../providers/local-servers/discover.ts";
import {
  askProvider,
  defaultModel,
  isProviderID,
  isReady,
  modelOf,
  openModel,
  type ProviderAccess,
} from "../../providers/providers.ts";
import type { RateLimits } from "../../providers/shared/rate-limits.ts";
import { readSettings } from "../settings.ts";
import type { Keys } from "./keys.ts";
import { soughtServers, whereServersRun } from "./machine.ts";
import { type ListTrouble, ModelLists } from "./model-lists.ts";
import { accessOf, entryOf, type ProviderEntry, providerEntries } from "./provider-entries.ts";
import { vscodeModel, vscodeProvider } from "./vscode-model.ts";
import { type OfferedModel, VSCodeModels } from "./vscode-models.ts";

const tourID = "tour";

/** Maximum wait for VS Code's models at the start. Later ones are added when they arrive. */
const maxWaitMs = 2_000;

/** Maximum number of a provider's models in the panel's menu. All are in the picker. */
const maxInMenu = 40;

/** Opens VS Code's dialog for Copilot. */
export const signInCommand = "workbench.action.chat.triggerSetup";

/** A provider, and what is known of its models. */
export interface ModelSource {
  entry: ProviderEntry;
  name: string;
  modelIDs: readonly string[];
  /** Whether it is a server that was found on this machine. */
  isFound: boolean;
  isAsked: boolean;
  trouble: ListTrouble | undefined;
}

/** Models of a provider, for the quick pick. */
export interface ModelGroup {
  name: string;
  /** A sentence about a server that lists no models. */
  problem: string | undefined;
  models: ModelChoice[];
}

export class Models {
  readonly #keys: Keys;
  readonly #rateLimits: RateLimits;
  readonly #open = new Map<string, Promise<Model>>();
  readonly #offered = new VSCodeModels();
  readonly #lists = new ModelLists((providerID, modelID, facts) => this.facts.note({ providerID, modelID }, facts));
  /** Number of searches that go on. */
  #looks = 0;
  #canSignIn = false;
  #tour: Promise<{ url: string; stop(): void }> | undefined;
  #chosen: ModelRef | undefined;

  constructor(keys: Keys, rateLimits: RateLimits, chosen: ModelRef | undefined) {
    this.#keys = keys;
    this.#rateLimits = rateLimits;
    this.#chosen = chosen;
  }

  get onDidChange(): VSCodeModels["onDidChange"] {
    return this.#offered.onDidChange;
  }

  /** Waits for VS Code's models if one of them is wanted. The keys must have been read. */
  async load(): Promise<void> {
    const isWanted = readSettings().provider === vscodeProvider || this.#chosen?.providerID === vscodeProvider;
    if (isWanted) await Promise.race([this.#offered.list(), wait(maxWaitMs, undefined, { ref: false })]);
  }

  /** With the maximum tokens of a request to VS Code's models, by "vscode/vendor/id". */
  readonly limits = (): Limits => {
    const windows = this.#offered.known.map((one) => [`${one.providerID}/${one.modelID}`, one.window]);
    return { ...readSettings().limits, windows: Object.fromEntries(windows) };
  };

  readonly facts = new KnownFacts({
    limits: this.limits,
    isProvider: (id) => id === vscodeProvider || entryOf(id) !== undefined,
    modelOf({ providerID, modelID }) {
      const { providers } = readSettings();
      return modelOf({ models: providers[providerID]?.standFor ?? {} }, modelID);
    },
    ask: async ({ providerID, modelID }, signal) => {
      const entry = modelID === tourID ? undefined : entryOf(providerID);
      if (!entry || !this.#isReady(providerID)) return undefined;
      return await askProvider(providerID, accessOf(entry, this.#keys), modelID, signal);
    },
  });

  choose(ref: ModelRef): void {
    this.#chosen = ref;
  }

  /** Whether the model's provider is ready. */
  canUse({ providerID }: ModelRef): boolean {
    return this.#isReady(providerID);
  }

  get readiness(): Readiness {
    if (this.#provider() !== undefined) return { type: "ready" };
    if (this.#isTour) return { type: "tour" };
    const found = this.#lists.found.map((server) => {
      const { models, needsKey } = server;
      return { ...answering(server), models: models.length, needsKey };
    });
    const { known } = this.#offered;
    const isCopilot = known.some(({ modelID }) => modelID.startsWith("copilot/"));
    const names = known.map(({ label }) => label);
    return {
      ...{ type: "no-key", found, where: whereServersRun(), sought: soughtServers(), isLooking: this.#looks > 0 },
      offered: names.length > 0 ? { isCopilot, names } : undefined,
      canSignIn: this.#canSignIn && names.length === 0,
      providers: providerEntries().flatMap(({ kind, id, name }) => (kind === "cloud" ? [{ id, name }] : [])),
    };
  }

  /** Looks for all that can be used without typing. Calls `changed` as it begins and as answers arrive. Never rejects. */
  async look(signal: AbortSignal, changed: () => void): Promise<void> {
    this.#looks += 1;
    changed();
    const canSignIn = canSignInToCopilot().then((can) => {
      this.#canSignIn = can;
    });
    const offered = Promise.race([this.#offered.list(), wait(maxWaitMs, undefined, { ref: false })]).then(changed);
    await this.discover(signal);
    this.#looks -= 1;
    changed();
    await Promise.all([offered, canSignIn]);
    changed();
  }

  /** Returns the first model of VS Code's, or of a server that was found; undefined if there is none. */
  firstOf(providerID: string): ModelRef | undefined {
    if (providerID === vscodeProvider) {
      const [first] = this.#offered.known;
      return first && { providerID, modelID: first.modelID };
    }
    const entry = entryOf(providerID);
    const modelID = entry?.models[0] ?? this.#lists.found.find((one) => one.providerID === providerID)?.models[0]?.id;
    return modelID === undefined ? undefined : { providerID, modelID };
  }

  /**
   * Keeps the list of a provider's models and returns them, the usual one first. `access`: with which it was asked.
   */
  learn(entry: ProviderEntry, access: ProviderAccess, list: ModelList | undefined): StartModel[] {
    if (list) this.#lists.learn(entry, access, list);
    const usual = isProviderID(entry.id) ? (entry.models[0] ?? defaultModel(entry.id, access, process.env)) : undefined;
    const isListed = list === undefined || list.type === "listed";
    const all = isListed || entry.kind === "cloud" ? this.#lists.modelsOf(entry) : entry.models;
    const first = usual !== undefined && (all.includes(usual) || all.length === 0) ? [usual] : [];
    const ids = [...first, ...all.filter((id) => !first.includes(id))];
    return ids.map((modelID) => {
      const { label, price } = this.#describe({ providerID: entry.id, modelID });
      return { modelID, label, price: price ?? "" };
    });
  }

  /** The model for the next prompt; undefined if no provider is ready, or no model of its server is known by name. */
  get current(): ModelRef | undefined {
    const provider = this.#provider();
    if (provider === undefined) return this.#isTour ? { providerID: "anthropic", modelID: tourID } : undefined;
    if (this.#chosen?.modelID && this.#isReady(this.#chosen.providerID)) return this.#chosen;
    const named = readSettings().model ?? process.env["RONDO_MODEL"];
    if (provider === vscodeProvider) {
      const { known } = this.#offered;
      const found = known.find(({ modelID }) => named !== undefined && `/${modelID}`.endsWith(`/${named}`)) ?? known[0];
      return found && { providerID: found.providerID, modelID: found.modelID };
    }
    const modelID = named ?? this.#defaultModel(provider);
    return modelID === undefined ? undefined : { providerID: provider, modelID };
  }

  get fallback(): ModelRef | undefined {
    const name = readSettings().fallbackModel;
    if (name === undefined) return undefined;
    const [, provider = "", rest = ""] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
    if (entryOf(provider) || provider === vscodeProvider) return { providerID: provider, modelID: rest };
    return { providerID: this.current?.providerID ?? "anthropic", modelID: name };
  }

  /** Models for the panel's menu: those that are known without asking, and the current one. */
  get choices(): ModelChoice[] {
    const { current } = this;
    const choices = this.#groups(maxInMenu).flatMap(({ models }) => models);
    if (current && !choices.some((one) => isSameModel(one, current))) choices.unshift(this.describe(current));
    return choices;
  }

  /** All models that are known, by provider. */
  get groups(): ModelGroup[] {
    const groups = this.#groups(Number.POSITIVE_INFINITY);
    const { current } = this;
    if (!current || groups.some(({ models }) => models.some((one) => isSameModel(one, current)))) return groups;
    const choice = this.describe(current);
    const group = groups.find(({ name }) => name === choice.group);
    group?.models.unshift(choice);
    return group ? groups : [{ name: choice.group, problem: undefined, models: [choice] }, ...groups];
  }

  /** All providers that can be used, or that were found, with the models that are known of each. */
  get sources(): ModelSource[] {
    const found: string[] = this.#lists.found.map(({ providerID }) => providerID);
    return providerEntries().flatMap((entry) => {
      const isFound = found.includes(entry.id);
      if (!this.#isReady(entry.id) && !isFound) return [];
      const known = this.#lists.modelsOf(entry);
      const modelIDs = known.length > 0 ? known : [this.#defaultModel(entry.id) ?? []].flat();
      const isSought = this.#isSought(entry);
      const [isAsked, trouble] = [this.#lists.isAsked(entry, isSought), this.#lists.troubleOf(entry, isSought)];
      return [{ entry, name: groupOf(entry.id), modelIDs, isFound, isAsked, trouble }];
    });
  }

  /** Models of VS Code, as far as they are known. */
  get offered(): readonly OfferedModel[] {
    return this.#offered.known;
  }

  /** Providers that can be asked for a model that no list has. */
  get providersForID(): { id: string; name: string }[] {
    return this.#ready().map(({ id }) => ({ id, name: groupOf(id) }));
  }

  #groups(maxModels: number): ModelGroup[] {
    const groups = this.sources.map(({ entry, name, modelIDs }) => {
      const models = modelIDs.slice(0, maxModels).map((modelID) => this.#describe({ providerID: entry.id, modelID }));
      return { name, problem: this.#lists.problemOf(entry), models };
    });
    const offered = Map.groupBy(this.#offered.known.map(describeOffered), ({ group }) => group);
    return [...groups, ...[...offered].map(([name, models]) => ({ name, problem: undefined, models }))];
  }

  /**
   * Asks VS Code, the servers of all providers that are ready, and looks for local servers. Calls `changed` as answers
   * arrive. Never rejects.
   */
  async ask(signal: AbortSignal, changed: () => void): Promise<void> {
    const asked = this.#ready()
      .filter((entry) => !this.#isSought(entry))
      .map((entry) => this.#lists.ask(entry, accessOf(entry, this.#keys), signal));
    const all = [...asked, this.discover(signal), this.#offered.list()];
    await Promise.all(all.map((one) => one.then(changed)));
  }

  /** Asks one provider's server that has not answered. Never rejects. */
  async askAgain(providerID: string, signal: AbortSignal): Promise<void> {
    const entry = entryOf(providerID);
    if (!entry) return;
    if (this.#isSought(entry)) await this.discover(signal);
    else await this.#lists.ask(entry, accessOf(entry, this.#keys), signal);
  }

  /** Whether the server is asked by looking for it: it runs where such servers usually do, and has no key. */
  #isSought(entry: ProviderEntry): boolean {
    return entry.kind === "local" && entry.ownAddress === undefined && accessOf(entry, this.#keys).apiKey === undefined;
  }

  /** Looks for local servers. Never rejects. */
  async discover(signal: AbortSignal): Promise<void> {
    const isListed = new Set(this.#ready().flatMap(({ kind, address }) => (kind === "local" ? [] : (address ?? []))));
    const addresses = providerEntries().flatMap(({ id, kind, address }) =>
      kind === "local" && address !== undefined && !isListed.has(address) ? [[id, address] as const] : [],
    );
    await this.#lists.discover(Object.fromEntries(addresses), signal);
  }

  describe(ref: ModelRef): ModelChoice {
    if (ref.modelID === tourID && this.#isTour) {
      return { ...ref, label: t("Tour (a script)"), group: "Rondo", price: undefined, images: undefined };
    }
    const offered = this.#offered.known.find((one) => isSameModel(one, ref));
    if (offered) return describeOffered(offered);
    return this.#describe(ref);
  }

  #describe(ref: ModelRef): ModelChoice {
    const facts = this.facts.of(ref);
    const unknown = describeUnknown(facts);
    return {
      ...ref,
      label: facts.label,
      group: groupOf(ref.providerID),
      price: facts.price && `$${facts.price.input} / $${facts.price.output}`,
      images: facts.images,
      ...(unknown !== "" && { unknown }),
    };
  }

  /** Opens a model; loads the provider's SDK at the first call. @throws ModelError */
  async open(ref: ModelRef): Promise<Model> {
    if (ref.modelID === tourID && this.#isTour) {
      // A bundle of its own, which only `npm start` uses.
      this.#tour ??= import("../../tour/tour.ts").then(({ startTourModel }) => startTourModel());
      return await openModel("anthropic", { apiKey: "tour", baseURL: (await this.#tour).url });
    }
    if (ref.providerID === vscodeProvider) return vscodeModel();
    const entry = entryOf(ref.providerID);
    if (!entry) {
      const next = t("Choose another model, or set the provider in rondo.providers.");
      throw new ModelError("invalid", t('There is no provider "{0}".', ref.providerID), next);
    }
    const access = accessOf(entry, this.#keys);
    const key = JSON.stringify([ref.providerID, access]);
    const open = this.#open.get(key) ?? this.#openShared(ref.providerID, access);
    this.#open.set(key, open);
    open.catch(() => this.#open.delete(key));
    return await open;
  }

  async #openShared(providerID: string, access: ProviderAccess): Promise<Model> {
    return this.#rateLimits.shared(await openModel(providerID, access), access);
  }

  /** Drops all connections, so that the next request uses the new key or address. */
  reset(): void {
    this.#open.clear();
    this.facts.reset();
    this.#lists.reset();
    void this.load();
  }

  async dispose(): Promise<void> {
    this.#offered.dispose();
    (await this.#tour)?.stop();
  }

  get #isTour(): boolean {
    return process.env["RONDO_TOUR"] === "1" && this.#provider() === undefined;
  }

  /** The provider of the next prompt: the chosen model's, the one that the settings name, or the first that is ready. */
  #provider(): string | undefined {
    const chosen = this.#chosen?.providerID;
    if (chosen !== undefined && this.#isReady(chosen)) return chosen;
    const { provider } = readSettings();
    if (provider !== undefined) return this.#isReady(provider) ? provider : undefined;
    // VS Code's models cost the user's plan: they are used when the user has chosen them.
    return this.#ready()[0]?.id;
  }

  #ready(): ProviderEntry[] {
    return providerEntries().filter(({ id }) => this.#isReady(id));
  }

  #isReady(provider: string): boolean {
    if (provider === vscodeProvider) return this.#offered.known.length > 0;
    const entry = entryOf(provider);
    if (entry?.address === undefined) return false;
    // A server that was found on this machine is used when the user chooses one of its models, or names it.
    if (entry.kind === "local" && [readSettings().provider, this.#chosen?.providerID].includes(provider)) return true;
    const { apiKey } = accessOf(entry, this.#keys);
    return entry.kind === "own" || isReady({ apiKey, baseURL: entry.ownAddress });
  }

  #defaultModel(provider: string): string | undefined {
    const entry = entryOf(provider);
    if (!entry || !isProviderID(provider)) return entry?.models[0];
    return entry.models[0] ?? defaultModel(provider, accessOf(entry, this.#keys), process.env);
  }
}

/** Whether VS Code has Copilot's sign-in, and its AI features are not disabled. */
async function canSignInToCopilot(): Promise<boolean> {
  if (vscode.workspace.getConfiguration("chat").get("disableAIFeatures") === true) return false;
  return (await vscode.commands.getCommands(true)).includes(signInCommand);
}

/** Names the provider, or the server where its address is not the usual one. */
function groupOf(providerID: string): string {
  const { name = providerID, kind, ownAddress, address } = entryOf(providerID) ?? {};
  if (kind === "local") return isReady({ apiKey: undefined, baseURL: address }) ? `${name} ${whereServersRun()}` : name;
  return kind === "own" || ownAddress === undefined ? name : new URL(ownAddress).host;
}

function isSameModel(a: ModelRef, b: ModelRef): boolean {
  return a.providerID === b.providerID && a.modelID === b.modelID;
}

/** VS Code has no way to set it. */
const unavailable = t("thinking level not available");

function describeOffered({ providerID, modelID, label }: OfferedModel): ModelChoice {
  const [vendor = ""] = modelID.split("/");
  const group = t("VS Code: {0}", vendor);
  return { providerID, modelID, label, group, price: undefined, images: undefined, unknown: unavailable };
}
