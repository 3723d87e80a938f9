/** Finds model servers on this machine. Each is recognized by what it answers: any program may listen at its port. */
import type { AnsweringServer } from "../../chat/connect.ts";
import { type FamilyID, localServers } from "../families/families.ts";
import { isShowable } from "../shared/answer-fields.ts";
import { askJson } from "../shared/ask-json.ts";
import type { LocalModel, ProbeGet } from "./local-server.ts";

export interface LocalServer {
  providerID: FamilyID;
  name: string;
  /** With /v1. */
  baseURL: string;
  models: readonly LocalModel[];
  needsKey: boolean;
}

/** Addresses where the servers listen by default. */
export const usualAddresses: Readonly<Record<string, string>> = Object.fromEntries(
  localServers.map(([id, { baseURL = "" }]) => [id, baseURL]),
);

/** Servers on this machine answer within a few milliseconds, unless they are loading a model. */
const timeoutMs = 1_000;

const maxModels = 500;

/**
 * Asks all addresses at once. Addresses are by provider, with or without /v1; unknown providers are ignored. Never
 * rejects: what does not answer within a second, or not as its provider would, is not there.
 */
export async function discoverLocalServers(
  addresses: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<LocalServer[]> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const found = await Promise.all(
    localServers.map(async ([providerID, { name, local }]): Promise<LocalServer[]> => {
      const address = Object.hasOwn(addresses, providerID) ? addresses[providerID] : undefined;
      if (address === undefined || !/^https?:/.test(address) || !URL.canParse(address)) return [];
      const origin = address.replace(/(?<!\/)\/+$/, "").replace(/\/v1$/, "");
      const get: ProbeGet = async (path) => await askJson(`${origin}${path}`, { signal: limited });
      const answer = await local.find(get);
      if (!answer) return [];
      const models = answer.models.filter(({ id }) => isModelName(id)).slice(0, maxModels);
      return [{ providerID, name, baseURL: `${origin}/v1`, needsKey: answer.needsKey === true, models }];
    }),
  );
  return found.flat();
}

/** Returns what the panel shows of a server that was found. */
export function answering({ providerID, name }: LocalServer): AnsweringServer {
  return { providerID, name, pull: localServers.find(([id]) => id === providerID)?.[1].local.pull };
}

/** Whether a name is one to show, and by its usual parts not one of a model that embeds or ranks texts. */
function isModelName(id: string): boolean {
  return isShowable(id) && !/embed|minilm|rerank|(^|[/-])(bge|gte|e5)-/i.test(id);
}
