/** The providers that can be used in this window: the named ones, and the user's own. */
import {
  accessFromEnvironment,
  headersFromEnvironment,
  isProviderID,
  microsoftScope,
  type ProviderAccess,
  providerIDs,
  providers,
} from "../../providers/providers.ts";
import { readSettings } from "../settings.ts";
import { microsoftToken } from "./entra.ts";
import type { Keys } from "./keys.ts";

export interface ProviderEntry {
  id: string;
  name: string;
  /** `local`: a server of the user's own machines, which mostly has no key. */
  kind: "cloud" | "local" | "own";
  /** Address that was set, other than the provider's usual one. */
  ownAddress: string | undefined;
  /** Address in use; undefined while the user has to set it. */
  address: string | undefined;
  keyPage: string | undefined;
  /** Environment variable of the key. */
  keyVariable: string | undefined;
  /** Models that the user wants to be offered; empty: those of the server or the catalogue. */
  models: readonly string[];
}

/** Returns all providers: clouds, local servers, the user's own. */
export function providerEntries(): ProviderEntry[] {
  const own = Object.keys(readSettings().providers).filter((id) => !isProviderID(id));
  return [...providerIDs, ...own].flatMap((id) => entryOf(id) ?? []);
}

export function entryOf(id: string): ProviderEntry | undefined {
  const { providers: given, localServers } = readSettings();
  const setting = Object.hasOwn(given, id) ? given[id] : undefined;
  const more = { id, ownAddress: ownAddress(id), models: setting?.models ?? [] };
  if (isProviderID(id)) {
    const { name, keyPage, keyVariable, baseURL } = providers[id];
    const kind = keyPage === undefined ? "local" : "cloud";
    const usual = kind === "local" ? localServers[id] || undefined : baseURL;
    return { ...more, name: setting?.name ?? name, kind, address: more.ownAddress ?? usual, keyPage, keyVariable };
  }
  if (!setting) return undefined;
  const { name = id } = setting;
  return { ...more, name, kind: "own", address: more.ownAddress, keyPage: undefined, keyVariable: undefined };
}

/** `rondo.baseUrl` belongs to the provider that the settings name; without one, to OpenAI-compatible servers. */
function ownAddress(id: string): string | undefined {
  const { baseURL, provider = "openai", providers: given } = readSettings();
  const set = (id === provider ? baseURL : undefined) ?? given[id]?.baseURL;
  return set ?? (isProviderID(id) ? accessFromEnvironment(id, process.env).baseURL : undefined);
}

export function accessOf({ id, name, kind, ownAddress, address }: ProviderEntry, keys: Keys): ProviderAccess {
  const { api, providers: given } = readSettings();
  const baseURL = kind === "cloud" ? ownAddress : address;
  const setting = given[id];
  const named = setting?.name ?? (kind === "own" ? name : undefined);
  const scope = microsoftScope(id, baseURL);
  const apiKey = keys.keyOf(id)?.key ?? (scope === undefined ? undefined : microsoftToken(scope));
  const headers = isProviderID(id) ? headersFromEnvironment(id, baseURL, process.env) : {};
  return {
    apiKey,
    baseURL,
    api: setting?.api ?? api,
    models: setting?.standFor ?? {},
    headers,
    ...(named !== undefined && { name: named }),
  };
}
