/** Parses the user's settings about providers: `rondo.providers` and `rondo.localServers`. */
import * as z from "zod/mini";
import { usualAddresses } from "../../providers/local-servers/discover.ts";
import { isProviderID } from "../../providers/providers.ts";
import { vscodeProvider } from "./vscode-model.ts";

const apis = ["auto", "chat", "responses", "messages"] as const;

interface ProviderSetting {
  name: string | undefined;
  baseURL: string | undefined;
  api: (typeof apis)[number] | undefined;
  /** Models that the user wants in the picker; empty: those of the server or the catalogue. */
  models: readonly string[];
  /** Which models these names stand for, where they do not tell. */
  standFor: Readonly<Record<string, string>>;
}

export type ProviderSettings = Readonly<Record<string, ProviderSetting>>;

const isHttp = (address: string) => /^https?:\/\//.test(address) && URL.canParse(address);
/** An empty address counts as none. */
const AnyAddress = z
  .string()
  .check(z.refine((address) => address === "" || isHttp(address), "baseUrl must be an http or https address"));
const wrongModels = "models must be a list of model IDs, or an object with the model that each name stands for";
const Entry = z.strictObject(
  {
    name: z.optional(z.string("name must be a text")),
    baseUrl: z.optional(AnyAddress),
    api: z.optional(z.enum(apis, `api must be one of ${apis.join(", ")}`)),
    models: z.optional(z.union([z.array(z.string()), z.record(z.string(), z.string())], wrongModels)),
  },
  {
    error: ({ code, keys }) =>
      code === "unrecognized_keys" ? `${keys} is not known` : "it must be an object with baseUrl, name, api or models",
  },
);

/** Returns the valid entries, and a sentence about each other one. */
export function parseProviders(given: Readonly<Record<string, unknown>>): [ProviderSettings, string[]] {
  const problems: string[] = [];
  const valid = Object.entries(given).flatMap(([id, value]) => {
    const entry = parseEntry(id, value);
    if (typeof entry !== "string") return [[id, entry] as const];
    problems.push(`The setting rondo.providers cannot be used for "${id}": ${entry}.`);
    return [];
  });
  return [Object.fromEntries(valid), problems];
}

function parseEntry(id: string, value: unknown): ProviderSetting | string {
  // IDs stand before the model in "provider/model".
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(id)) return "an ID has small letters, digits, dots and hyphens";
  if (id === vscodeProvider) return "this ID stands for VS Code's language models";
  const parsed = Entry.safeParse(value);
  if (!parsed.success) return parsed.error.issues[0]?.message ?? "it is malformed";
  const { name, baseUrl, api, models = [] } = parsed.data;
  if (!baseUrl && !isProviderID(id)) return "a provider of your own needs baseUrl, its address";
  const [ids, standFor] = Array.isArray(models) ? [models, {}] : [Object.keys(models), models];
  return { name: name || undefined, baseURL: baseUrl || undefined, api, models: ids, standFor };
}

/** Addresses by the ID of the server; "" for one that is not looked for. */
export type LocalServers = Readonly<Record<string, string>>;

/** Returns all addresses, the usual one where the user's is missing or invalid, and a sentence about each invalid one. */
export function parseLocalServers(given: Readonly<Record<string, unknown>>): [LocalServers, string[]] {
  const problems: string[] = [];
  const valid = Object.entries(given).flatMap(([id, value]) => {
    const address = AnyAddress.safeParse(value).data;
    const isKnown = Object.hasOwn(usualAddresses, id);
    if (isKnown && address !== undefined) return [[id, withPath(address)] as const];
    const why = isKnown ? "it must be an http or https address, or empty" : `the servers are ${serverIDs}`;
    problems.push(`The setting rondo.localServers cannot be used for "${id}": ${why}.`);
    return [];
  });
  return [{ ...usualAddresses, ...Object.fromEntries(valid) }, problems];
}

/** Adds the path of the API to an address that has none. */
function withPath(address: string): string {
  return address.replace(/^(https?:\/\/[^/]+)\/?$/, "$1/v1");
}

const serverIDs = Object.keys(usualAddresses).join(", ");
