/** Asks a server for the facts of a model, by the endpoints that its provider documents. */
import { isLoopback } from "../../base/loopback.ts";
import { localServers } from "../families/families.ts";
import type { DescribedServer, LocalServerKind } from "../local-servers/local-server.ts";
import { askJson } from "../shared/ask-json.ts";
import { mergeFacts, readAnthropicModel, readListedModel, readLiteLLMModel, type ServerFacts } from "./server-facts.ts";

export interface ServerAddress {
  providerID: string;
  /** With the path of the API, such as /v1. */
  baseURL: string;
  apiKey: string | undefined;
  /** Whether requests tell the server which window to load the model with. */
  setsWindow?: boolean;
}

/**
 * Resolves with what the server says, without what it does not: an answer that fails, or comes not at all within the
 * signal's time, says nothing.
 */
export async function askServer(
  { providerID, baseURL, apiKey, setsWindow = false }: ServerAddress,
  modelID: string,
  signal: AbortSignal,
): Promise<ServerFacts> {
  const base = baseURL.replace(/(?<!\/)\/+$/, "");
  const { origin } = new URL(base);
  const key: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const getFrom =
    (address: string, more: Record<string, string> = {}): DescribedServer["get"] =>
    async (path, body) => {
      const headers = { ...key, ...more };
      const answer = await askJson(`${address}${path}`, { headers, signal, ...(body && { body }) });
      return answer && answer.status >= 200 && answer.status < 300 ? answer.body : undefined;
    };
  if (providerID === "anthropic") {
    const own = { "anthropic-version": "2023-06-01", ...(apiKey !== undefined && { "x-api-key": apiKey }) };
    const get = getFrom(base.replace(/\/v1$/, ""), own);
    return mergeFacts([readAnthropicModel(await get(`/v1/models/${encodeURIComponent(modelID)}`))]);
  }
  const listed = getFrom(base)("/models").then((answer) => readListedModel(answer, modelID) ?? {});
  const isNamed = localServers.some(([id, { local }]) => id === providerID && local.describe);
  const server = { get: getFrom(origin), setsWindow, isHere: isLoopback(new URL(origin).hostname), isNamed };
  const natives = likelyServers(providerID, origin).map((kind) => kind.describe?.(server, modelID) ?? {});
  // A server's own endpoint describes the model as it is loaded.
  const facts = mergeFacts([...(await Promise.all(natives)), await listed]);
  if (facts.contextWindow !== undefined || facts.largestWindow !== undefined) return facts;
  return mergeFacts([readLiteLLMModel(await getFrom(base)("/model/info"), modelID), facts]);
}

/** An unknown server that is not public is asked at all endpoints: the wrong ones answer 404 at once. */
function likelyServers(providerID: string, origin: string): LocalServerKind[] {
  const mayBeAny = providerID === "openai" && isPrivate(new URL(origin).hostname);
  return localServers.flatMap(([id, { local }]) => (id === providerID || mayBeAny ? [local] : []));
}

function isPrivate(host: string): boolean {
  return (
    isLoopback(host) ||
    /\.(local|internal|lan)$/.test(host) ||
    /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$/.test(host) ||
    !/[.:]/.test(host)
  );
}
