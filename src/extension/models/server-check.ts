/** Finds out what listens at an address that the user has given, and which models it has. */

import type { ConnectCheck } from "../../chat/connect.ts";
import { localized, t } from "../../l10n/l10n.ts";
import { localServers } from "../../providers/families/families.ts";
import {
  answering,
  discoverLocalServers,
  type LocalServer,
  usualAddresses,
} from "../../providers/local-servers/discover.ts";
import { listProviderModels, type ProviderAccess } from "../../providers/providers.ts";
import { readSettings } from "../settings.ts";
import type { Models } from "./models.ts";
import { entryOf, type ProviderEntry } from "./provider-entries.ts";
import { keepAddress, keepLocalServer } from "./provider-setting.ts";

/** A server that can be used. */
interface ChosenServer {
  providerID: string;
  /** Writes its address into the user's settings, unless it is known. */
  keepAddress(): Promise<void>;
}

interface ServerQuestion {
  address: string;
  key: string;
  models: Models;
  signal: AbortSignal;
}

interface ServerAnswer {
  check: ConnectCheck;
  server: ChosenServer | undefined;
}

const timeoutMs = 8_000;

/** Never rejects. */
export async function checkServer({ address, key, models, signal }: ServerQuestion): Promise<ServerAnswer> {
  const baseURL = wholeAddress(address);
  if (baseURL === undefined) {
    return {
      check: { type: "invalid", message: t("This is not an address, such as http://localhost:1234/v1.") },
      server: undefined,
    };
  }
  const known = await recognized(baseURL, signal);
  if (known && !known.needsKey) return ofKnown(known, baseURL, models);
  const apiKey = key === "" ? undefined : key;
  const ways = ["auto", "messages"] as const;
  const asked = await Promise.all(
    ways.map(async (api) => {
      const access: ProviderAccess = { apiKey, baseURL, api };
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      return { api, access, list: await listProviderModels(ownID(baseURL), access, limited) };
    }),
  );
  const best = asked.find(({ list }) => list?.type === "listed" && list.models.length > 0) ?? asked[0];
  const { host } = new URL(baseURL);
  if (!best) return { check: { type: "no-answer", host, hint: hintFor(baseURL) }, server: undefined };
  const { access, list, api } = best;
  if (list?.type === "failed" && list.reason === "no-answer") {
    return { check: { type: "no-answer", host, hint: hintFor(baseURL) }, server: undefined };
  }
  if (list?.type === "failed" && list.reason === "refused") {
    const type = key === "" ? "wants-key" : "refused";
    return { check: { type, said: list.said }, server: undefined };
  }
  const entry = ownEntry(baseURL);
  const given = { baseUrl: baseURL, name: host, ...(api === "messages" && { api }) };
  return {
    check: { type: "accepted", models: models.learn(entry, access, list), isNewKey: key !== "" },
    server: { providerID: entry.id, keepAddress: () => keepAddress(entry.id, given) },
  };
}

/** Adds what users leave out: the scheme, and the path of the API. Undefined for what is no address. */
function wholeAddress(given: string): string | undefined {
  const address = /^https?:\/\//i.test(given)
    ? given
    : `${/^(localhost|[\d.]+|\[)/.test(given) ? "http" : "https"}://${given}`;
  if (/\s/.test(given) || given === "" || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  const path = url.pathname.replace(/(?<!\/)\/+$/, "").replace(/\/(chat\/completions|messages|models|responses)$/, "");
  url.pathname = path === "" ? "/v1" : path;
  return url.href;
}

async function recognized(baseURL: string, signal: AbortSignal): Promise<LocalServer | undefined> {
  const addresses = Object.fromEntries(Object.keys(usualAddresses).map((id) => [id, baseURL]));
  const [first] = await discoverLocalServers(addresses, signal);
  return first;
}

function ofKnown(found: LocalServer, baseURL: string, models: Models): ServerAnswer {
  const { providerID } = found;
  const isUsual = readSettings().localServers[providerID] === baseURL;
  const server = {
    providerID,
    keepAddress: async () => {
      if (!isUsual) await keepLocalServer(providerID, baseURL);
    },
  };
  if (found.models.length === 0) return { check: { type: "no-model", ...answering(found) }, server: undefined };
  const list = {
    type: "listed" as const,
    models: found.models.map(({ id, ...facts }) => ({ modelID: id, facts })),
  };
  const entry = entryOf(providerID) ?? ownEntry(baseURL);
  const at = { ...entry, address: baseURL };
  return {
    check: { type: "accepted", models: models.learn(at, { apiKey: undefined, baseURL }, list), isNewKey: false },
    server,
  };
}

/** An ID for `rondo.providers`, which begins with a letter or digit. */
function ownID(baseURL: string): string {
  return new URL(baseURL).host
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "");
}

function ownEntry(baseURL: string): ProviderEntry {
  const { host } = new URL(baseURL);
  return {
    ...{ id: ownID(baseURL), name: host, kind: "own", ownAddress: baseURL, address: baseURL, models: [] },
    ...{ keyPage: undefined, keyVariable: undefined },
  };
}

/** How to start the server that listens at such a port. */
function hintFor(baseURL: string): string {
  const { port } = new URL(baseURL);
  const found = localServers.find(([, { baseURL: usual = "" }]) => port !== "" && new URL(usual).port === port);
  return found ? localized(found[1].local.start) : "";
}
