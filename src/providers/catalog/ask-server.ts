/** Asks a server for the facts of a model, by the endpoints that its provider documents. */
import { totalmem } from "node:os";
import { isLoopback } from "../../base/loopback.ts";
import { fields } from "../shared/answer-fields.ts";
import { askJson } from "../shared/ask-json.ts";
import { ollamaWindow } from "./ollama-window.ts";
import {
  readAnthropicModel,
  readListedModel,
  readLiteLLMModel,
  readLlamaCppProps,
  readLMStudioModel,
  readOllamaLoaded,
  readOllamaModel,
  type ServerFacts,
} from "./server-facts.ts";

export interface ServerAddress {
  providerID: string;
  /** With the path of the API, such as /v1. */
  baseURL: string;
  apiKey: string | undefined;
  /** Whether requests tell the server which window to load the model with. */
  setsWindow?: boolean;
}

type Get = (path: string, body?: object) => Promise<unknown>;

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
    (address: string, more: Record<string, string> = {}): Get =>
    async (path, body) => {
      const headers = { ...key, ...more };
      const answer = await askJson(`${address}${path}`, { headers, signal, ...(body && { body }) });
      return answer && answer.status >= 200 && answer.status < 300 ? answer.body : undefined;
    };
  if (providerID === "anthropic") {
    const own = { "anthropic-version": "2023-06-01", ...(apiKey !== undefined && { "x-api-key": apiKey }) };
    const get = getFrom(base.replace(/\/v1$/, ""), own);
    return merge([readAnthropicModel(await get(`/v1/models/${encodeURIComponent(modelID)}`))]);
  }
  const listed = getFrom(base)("/models").then((answer) => readListedModel(answer, modelID) ?? {});
  const isNamed = readers[providerID] !== undefined;
  const server = { get: getFrom(origin), setsWindow, isHere: isLoopback(new URL(origin).hostname), isNamed };
  const natives = nativeReaders(providerID, origin).map((read) => read(server, modelID));
  // A server's own endpoint describes the model as it is loaded.
  const facts = merge([...(await Promise.all(natives)), await listed]);
  if (facts.contextWindow !== undefined || facts.largestWindow !== undefined) return facts;
  return merge([readLiteLLMModel(await getFrom(base)("/model/info"), modelID), facts]);
}

interface NativeServer {
  get: Get;
  setsWindow: boolean;
  /** Whether it runs on this machine. */
  isHere: boolean;
  /** Whether its provider is known. */
  isNamed: boolean;
}

type NativeReader = (server: NativeServer, modelID: string) => Promise<ServerFacts>;

async function askOllama({ get, isNamed, setsWindow, isHere }: NativeServer, model: string): Promise<ServerFacts> {
  const asked = get("/api/ps");
  // An unknown server that answers any POST as if it were a prompt must not get this one.
  if (!isNamed && !Array.isArray(fields(await asked)["models"])) return {};
  const [loaded, shown] = await Promise.all([asked, get("/api/show", { model })]);
  const facts = merge([readOllamaLoaded(loaded, model), readOllamaModel(shown)]);
  if (!setsWindow || shown === undefined) return facts;
  const contextWindow = ollamaWindow(loaded, shown, { model, memoryBytes: isHere ? totalmem() : undefined });
  return { ...facts, contextWindow };
}

async function askLMStudio({ get }: NativeServer, model: string): Promise<ServerFacts> {
  const newer = readLMStudioModel(await get("/api/v1/models"), model);
  return newer ?? readLMStudioModel(await get("/api/v0/models"), model) ?? {};
}

/** A router is asked for one of its models, and must not load it for that. */
async function askLlamaCpp({ get }: NativeServer, model: string): Promise<ServerFacts> {
  return readLlamaCppProps(await get(`/props?model=${encodeURIComponent(model)}&autoload=false`));
}

const readers: Readonly<Record<string, NativeReader>> = {
  ollama: askOllama,
  "lm-studio": askLMStudio,
  "llama-cpp": askLlamaCpp,
};

/** An unknown server that is not public is asked at all endpoints: the wrong ones answer 404 at once. */
function nativeReaders(providerID: string, origin: string): NativeReader[] {
  const named = readers[providerID];
  if (named) return [named];
  return providerID === "openai" && isPrivate(new URL(origin).hostname) ? Object.values(readers) : [];
}

function isPrivate(host: string): boolean {
  return (
    isLoopback(host) ||
    /\.(local|internal|lan)$/.test(host) ||
    /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$/.test(host) ||
    !/[.:]/.test(host)
  );
}

/** The first answer with a field counts. */
function merge(all: readonly ServerFacts[]): ServerFacts {
  const said = all.toReversed().flatMap((one) => Object.entries(one).filter(([, value]) => value !== undefined));
  return Object.fromEntries(said);
}
