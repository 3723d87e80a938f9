/** Finds model servers on this machine. Each is recognized by what it answers: any program may listen at its port. */
import {
  readListedModel,
  readLlamaCppProps,
  readLMStudioModel,
  readOllamaLoaded,
  type ServerFacts,
} from "../catalog/server-facts.ts";
import { jan, llamaCpp, lmStudio, ollama, vllm } from "../families/local-servers.ts";
import { fields, isShowable, list, text } from "../shared/answer-fields.ts";
import { askJson } from "../shared/ask-json.ts";

const localServers = { ollama, "lm-studio": lmStudio, "llama-cpp": llamaCpp, vllm, jan };

type LocalServerID = keyof typeof localServers;

export interface LocalServer {
  providerID: LocalServerID;
  name: string;
  /** With /v1. */
  baseURL: string;
  /** Models that hold conversations; none where the server tells them only to those who have its key. */
  models: readonly LocalModel[];
  needsKey: boolean;
}

/** `contextWindow`: the one that the model is loaded with. */
interface LocalModel extends Pick<ServerFacts, "label" | "contextWindow" | "images"> {
  id: string;
}

/** Addresses where the servers listen by default. */
export const usualAddresses: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(localServers).map(([id, { baseURL = "" }]) => [id, baseURL]),
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
  const ids = Object.keys(probes).filter((id): id is LocalServerID => Object.hasOwn(localServers, id));
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const found = await Promise.all(
    ids.map(async (providerID): Promise<LocalServer[]> => {
      const address = Object.hasOwn(addresses, providerID) ? addresses[providerID] : undefined;
      if (address === undefined || !/^https?:/.test(address) || !URL.canParse(address)) return [];
      const origin = address.replace(/(?<!\/)\/+$/, "").replace(/\/v1$/, "");
      const get: ProbeGet = async (path) => await askJson(`${origin}${path}`, { signal: limited });
      const answer = await probes[providerID](get);
      if (!answer) return [];
      const { name } = localServers[providerID];
      const models = answer.models.filter(({ id }) => isModelName(id)).slice(0, maxModels);
      return [{ providerID, name, baseURL: `${origin}/v1`, needsKey: answer.needsKey === true, models }];
    }),
  );
  return found.flat();
}

type ProbeGet = (path: string) => Promise<{ status: number; body: unknown } | undefined>;

/** Returns undefined where the server is another one. */
type Probe = (get: ProbeGet) => Promise<{ models: LocalModel[]; needsKey?: true } | undefined>;

const probes: Readonly<Record<LocalServerID, Probe>> = {
  ollama: findOllama,
  "lm-studio": findLMStudio,
  "llama-cpp": findLlamaCpp,
  vllm: findVllm,
  jan: findJan,
};

/** llama.cpp has /api/tags, too, but no /api/version (llama.cpp tools/server). */
async function findOllama(get: ProbeGet): ReturnType<Probe> {
  const paths = ["/api/version", "/api/tags", "/api/ps"];
  const [version, tags, loaded] = await Promise.all(paths.map(get));
  const { models } = fields(tags?.body);
  if (text(fields(version?.body)["version"]) === undefined || models === undefined) return undefined;
  // A model that only embeds has the architecture of BERT or says so (ollama docs/api.md).
  const talks = list(models).filter(({ details, capabilities }) => {
    const isBert = /bert/.test(text(fields(details)["family"]) ?? "");
    return !isBert && (!Array.isArray(capabilities) || capabilities.includes("completion"));
  });
  // The first one is used until the user chooses: an agent needs tools.
  const callsTools = ({ capabilities }: Record<string, unknown>) =>
    Array.isArray(capabilities) && capabilities.includes("tools") ? 0 : 1;
  talks.sort((a, b) => callsTools(a) - callsTools(b));
  return { models: talks.flatMap(({ name }) => toModel(name, (id) => readOllamaLoaded(loaded?.body, id))) };
}

/** lmstudio.ai/docs/developer/rest: /api/v1 since 0.4, before that /api/v0. All else is answered with an error and 200. */
async function findLMStudio(get: ProbeGet): ReturnType<Probe> {
  const [newer, older] = await Promise.all(["/api/v1/models", "/api/v0/models"].map(get));
  const talks = ({ type }: Record<string, unknown>) => type === "llm" || type === "vlm";
  const keys = list(fields(newer?.body)["models"]).filter(talks);
  const ids = list(fields(older?.body)["data"]).filter(talks);
  const isKnown = keys.length > 0 || ids.length > 0;
  if (!isKnown) return undefined;
  const names = keys.length > 0 ? keys.map(({ key }) => key) : ids.map(({ id }) => id);
  const answer = keys.length > 0 ? newer : older;
  return { models: names.flatMap((name) => toModel(name, (id) => readLMStudioModel(answer?.body, id))) };
}

/** Its models belong to "llamacpp" (llama.cpp tools/server). A router has more than one, each with its own window. */
async function findLlamaCpp(get: ProbeGet): ReturnType<Probe> {
  const [listed, props] = await Promise.all(["/v1/models", "/props"].map(get));
  const models = ownedBy(listed?.body, "llamacpp");
  if (models.length === 0) return undefined;
  const facts = models.length === 1 ? readLlamaCppProps(props?.body) : {};
  return { models: models.flatMap(({ id }) => toModel(id, () => facts)) };
}

/** Its models belong to "vllm" (vllm entrypoints/openai/protocol.py). */
async function findVllm(get: ProbeGet): ReturnType<Probe> {
  const listed = await get("/v1/models");
  const models = ownedBy(listed?.body, "vllm");
  if (models.length === 0) return undefined;
  return { models: models.flatMap(({ id }) => toModel(id, (name) => readListedModel(listed?.body, name))) };
}

/** Describes itself to everybody, but tells its models only with the key (jan src-tauri/src/core/server/proxy.rs). */
async function findJan(get: ProbeGet): ReturnType<Probe> {
  const [description, listed] = await Promise.all(["/openapi.json", "/v1/models"].map(get));
  const title = text(fields(fields(description?.body)["info"])["title"]) ?? "";
  if (!/\bJan\b/.test(title)) return undefined;
  if (listed?.status === 401 || listed?.status === 403) return { models: [], needsKey: true };
  return { models: list(fields(listed?.body)["data"]).flatMap(({ id }) => toModel(id, () => undefined)) };
}

function ownedBy(answer: unknown, owner: string): Record<string, unknown>[] {
  return list(fields(answer)["data"]).filter(({ owned_by }) => owned_by === owner);
}

function toModel(name: unknown, read: (id: string) => ServerFacts | undefined): LocalModel[] {
  const id = text(name);
  if (id === undefined) return [];
  const { label, contextWindow, images } = read(id) ?? {};
  return [
    {
      id,
      ...(label !== undefined && isShowable(label) && { label }),
      ...(contextWindow !== undefined && { contextWindow }),
      ...(images !== undefined && { images }),
    },
  ];
}

/** Whether a name is one to show, and by its usual parts not one of a model that embeds or ranks texts. */
function isModelName(id: string): boolean {
  return isShowable(id) && !/embed|minilm|rerank|(^|[/-])(bge|gte|e5)-/i.test(id);
}
