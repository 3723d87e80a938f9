/** The models that servers list. They are asked when the user opens a picker or has no model, never before. */
import { t } from "../../l10n/l10n.ts";
import { catalogFacts, currentModels } from "../../providers/catalog/catalog.ts";
import { undated } from "../../providers/catalog/lines.ts";
import type { ListedModel, ModelList } from "../../providers/catalog/list-models.ts";
import type { ServerFacts } from "../../providers/catalog/server-facts.ts";
import { discoverLocalServers, type LocalServer } from "../../providers/local-servers/discover.ts";
import { listProviderModels, type ProviderAccess } from "../../providers/providers.ts";
import type { ProviderEntry } from "./provider-entries.ts";

/** Servers answer within a second mostly; the picker shows the others as soon as they answer. */
const timeoutMs = 5_000;

/** A list may be this old when the picker opens again. */
const maxAgeMs = 10 * 60_000;

/** Why a provider has listed no models. */
export type ListTrouble = "no-answer" | "wants-key" | "refused" | "no-list" | "no-models";

interface KnownList {
  /** Key and address that were used, which may have changed since. */
  access: string;
  hadKey: boolean;
  at: number;
  list: ModelList;
}

export class ModelLists {
  readonly #lists = new Map<string, KnownList>();
  readonly #tell: (providerID: string, modelID: string, facts: ServerFacts) => void;
  readonly #asked = new Set<string>();
  /** Undefined until servers have been looked for. */
  #found: readonly LocalServer[] | undefined;
  #looks = 0;

  constructor(tell: (providerID: string, modelID: string, facts: ServerFacts) => void) {
    this.#tell = tell;
  }

  /** Servers that were found when they were last looked for. */
  get found(): readonly LocalServer[] {
    return this.#found ?? [];
  }

  /** Asks a provider's server, unless its list is known. Never rejects. */
  async ask(entry: ProviderEntry, given: ProviderAccess, signal: AbortSignal): Promise<void> {
    const access = JSON.stringify([given.apiKey, entry.address]);
    const known = this.#lists.get(entry.id);
    const isFresh = known?.list.type === "listed" && Date.now() - known.at < maxAgeMs;
    if (isFresh && known.access === access) return;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    this.#asked.add(entry.id);
    const list = await listProviderModels(entry.id, given, limited);
    this.#asked.delete(entry.id);
    if (!signal.aborted && list) this.learn(entry, given, list);
  }

  /** Keeps a list that a server has given. */
  learn(entry: ProviderEntry, given: ProviderAccess, list: ModelList): void {
    const access = JSON.stringify([given.apiKey, entry.address]);
    if (list.type === "listed") for (const { modelID, facts } of list.models) this.#tell(entry.id, modelID, facts);
    this.#lists.set(entry.id, { access, hadKey: given.apiKey !== undefined, at: Date.now(), list });
  }

  /** Looks for servers at these addresses. Never rejects. */
  async discover(addresses: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
    this.#looks += 1;
    const found = await discoverLocalServers(addresses, signal);
    this.#looks -= 1;
    if (signal.aborted) return;
    this.#found = found;
    this.#tellFound();
  }

  /** Forgets what providers have listed, so that they are asked again. */
  reset(): void {
    this.#lists.clear();
    this.#tellFound();
  }

  #tellFound(): void {
    for (const { providerID, models } of this.found) {
      for (const { id, ...facts } of models) this.#tell(providerID, id, facts);
    }
  }

  /** Returns the models of a provider: the user's choice, those of its server, or else those of the catalogue. */
  modelsOf({ id, models, ownAddress }: ProviderEntry): readonly string[] {
    if (models.length > 0) return models;
    const list = this.#lists.get(id)?.list;
    const found = this.#serverOf(id);
    if (list?.type === "listed") return offered(id, list.models, ownAddress !== undefined);
    if (found) return found.models.map((model) => model.id);
    return ownAddress === undefined ? currentModels(id) : [];
  }

  /** Returns a sentence about a server that has listed nothing. */
  problemOf({ id, models }: ProviderEntry): string | undefined {
    if (models.length > 0) return undefined;
    const list = this.#lists.get(id)?.list;
    const found = this.#serverOf(id);
    if (found?.needsKey) return t("{0} needs a key. Use “Rondo: Set API Key…”.", found.name);
    return list?.type === "failed" && !found ? list.problem : undefined;
  }

  /** Whether the provider's server is being asked now; `isSought`: it is asked by looking for it. */
  isAsked({ id }: ProviderEntry, isSought: boolean): boolean {
    return this.#asked.has(id) || (isSought && this.#looks > 0);
  }

  /** Returns why the provider's server has listed nothing; undefined if it has, or was not asked. */
  troubleOf({ id, models }: ProviderEntry, isSought: boolean): ListTrouble | undefined {
    if (models.length > 0) return undefined;
    const known = this.#lists.get(id);
    const found = this.#serverOf(id);
    if (found?.needsKey) return "wants-key";
    if (found) return found.models.length === 0 ? "no-models" : undefined;
    if (isSought) return this.#found ? "no-answer" : undefined;
    if (known?.list.type === "listed") return known.list.models.length === 0 ? "no-models" : undefined;
    if (known?.list.reason === "refused") return known.hadKey ? "refused" : "wants-key";
    return known?.list.reason;
  }

  #serverOf(id: string): LocalServer | undefined {
    return this.found.find(({ providerID }) => providerID === id);
  }
}

/** A provider's own server lists old and dated names, too: of those that the catalogue has, it knows the current ones. */
function offered(id: string, listed: readonly ListedModel[], isOwnAddress: boolean): string[] {
  const ids = listed.map(({ modelID }) => modelID);
  const current = isOwnAddress ? [] : currentModels(id);
  if (current.length === 0) return ids;
  const names = new Set(ids.flatMap((modelID) => [modelID, undated(modelID)]));
  const newer = ids.filter((modelID) => catalogFacts({ providerID: id, modelID }) === undefined);
  return [...current.filter((modelID) => names.has(modelID)), ...newer];
}
