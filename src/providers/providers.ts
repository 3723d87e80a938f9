/** The providers, their keys and addresses. A provider's SDK is loaded on first use. */

import { isLoopback } from "../base/loopback.ts";
import { msg } from "../l10n/l10n.ts";
import { type Model, ModelError, type ModelEvent } from "../loop/model.ts";
import { type ApiChoice, apiFor, nativeFor } from "./api-choice.ts";
import { askServer } from "./catalog/ask-server.ts";
import { listModels, type ModelList } from "./catalog/list-models.ts";
import type { ServerFacts } from "./catalog/server-facts.ts";
import {
  type FamilyID,
  families,
  familyOf,
  isProviderID,
  type ProviderID,
  providerIDs,
  providerOf,
  providers,
} from "./families/families.ts";
import type { ModelRoute } from "./families/family.ts";
import { chatRulesFor } from "./families/server-rules.ts";
import type { NativeApi, NativeServer } from "./native-apis.ts";
import { type ApiKey, openConnection } from "./shared/connection.ts";
import { abortedError, address } from "./shared/failure.ts";
import { sdkHeaders } from "./shared/sdk-environment.ts";

export { isProviderID, type ProviderID, providerIDs, providerOf, providers };

export interface ProviderAccess {
  apiKey: ApiKey | undefined;
  /** Undefined for the provider's own address. */
  baseURL: string | undefined;
  /** Which of OpenAI's APIs its server is asked with, or Anthropic's Messages. */
  api?: ApiChoice | "messages";
  /** Which models its names stand for: those of Azure's deployments and Bedrock's profiles do not tell. */
  models?: Readonly<Record<string, string>>;
  /** Headers of each request to it. */
  headers?: Readonly<Record<string, string>>;
  /** What people know the server by; without it, the provider's name or the host of another address. */
  name?: string;
}

interface EnvironmentAccess extends ProviderAccess {
  apiKey: string | undefined;
}

export function accessFromEnvironment(provider: ProviderID, env: NodeJS.ProcessEnv): EnvironmentAccess {
  const { keyVariable, urlVariable } = providers[provider];
  return { apiKey: env[keyVariable] || undefined, baseURL: env[urlVariable] || undefined };
}

/**
 * Returns headers from the environment, such as OpenAI's organization. They were meant for the address in the same
 * environment, or the provider's usual one, and go to no other.
 */
export function headersFromEnvironment(
  provider: ProviderID,
  baseURL: string | undefined,
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  const { baseURL: usual } = providers[provider];
  const meant = accessFromEnvironment(provider, env).baseURL ?? usual;
  const isMeant = plainAddress(baseURL ?? usual) === plainAddress(meant);
  return isMeant ? sdkHeaders(provider, env) : {};
}

function plainAddress(address: string | undefined): string | undefined {
  return address === undefined || !URL.canParse(address) ? undefined : new URL(address).href.replace(/(?<!\/)\/+$/, "");
}

/** Whether the provider can be used: it has a key, or its server runs on this machine and needs none. */
export function isReady(access: ProviderAccess): boolean {
  return access.apiKey !== undefined || isLocal(access.baseURL);
}

/**
 * Returns the model that the environment names (`ANTHROPIC_MODEL`, `OPENAI_MODEL` and so on, beside `…_BASE_URL`), or the
 * default; undefined for servers of others, which may have other models.
 */
export function defaultModel(provider: ProviderID, access: ProviderAccess, env: NodeJS.ProcessEnv): string | undefined {
  const named = env[providers[provider].urlVariable.replace(/BASE_URL$/, "MODEL")];
  if (named) return named;
  const isOwn = provider === "anthropic" || access.baseURL === undefined || isHostOf(provider, access.baseURL);
  return isOwn ? providers[provider].defaultModel : undefined;
}

/** Whether the address is one of the provider's own, such as a region of Vertex. */
function isHostOf(provider: FamilyID, baseURL: string): boolean {
  return URL.canParse(baseURL) && families[provider].host?.test(new URL(baseURL).hostname) === true;
}

/**
 * Loads the provider's SDK. A provider that is not named here needs an address, but no key.
 * @throws ModelError `no-key`, or `invalid` without an address
 */
export async function openModel(provider: string, access: ProviderAccess): Promise<Model> {
  const {
    name,
    keyVariable,
    urlVariable,
    keyPage,
    baseURL: usual,
  } = isProviderID(provider)
    ? providers[provider]
    : { name: provider, keyVariable: "", urlVariable: "", keyPage: undefined, baseURL: undefined };
  // Only servers that run on the user's own machines have no page for keys.
  if (keyPage !== undefined && !isReady(access)) {
    throw new ModelError(
      "no-key",
      msg("There is no key for {0}.", name),
      msg('Set one with "Rondo: Set API Key…", or start with {0} in the environment.', keyVariable),
    );
  }
  const baseURL = access.baseURL ?? usual;
  if (baseURL === undefined) {
    const next = msg("Set rondo.baseUrl, or start with {0} in the environment.", urlVariable);
    throw new ModelError("invalid", msg("The address of {0} is not known.", name), next);
  }
  const { href, host } = address(baseURL);
  const isElsewhere =
    keyPage !== undefined && access.baseURL !== undefined && plainAddress(baseURL) !== plainAddress(usual);
  const shownName = access.name ?? (isElsewhere ? host : name);
  const options = { ...access, name: shownName, providerID: provider, apiKey: access.apiKey ?? "none", keyVariable };
  const route = familyOf(provider, href)?.route;
  const isMessages = provider === "anthropic" || access.api === "messages";
  if (!route) return await openServer({ api: isMessages ? "messages" : "openai", baseURL }, options);
  const opened = new Map<string, Promise<Model>>();
  return routedModel(provider, (name) => {
    const model = opened.get(name) ?? openServer(route(href, { name, model: modelOf(access, name) }), options);
    opened.set(name, model);
    return model;
  });
}

interface OpenOptions extends ProviderAccess {
  name: string;
  providerID: string;
  apiKey: ApiKey;
  keyVariable: string;
}

async function openServer(way: ModelRoute, options: OpenOptions): Promise<Model> {
  const { providerID, name: shownName, apiKey, keyVariable, headers = {}, api = "auto" } = options;
  const { baseURL } = way;
  const access = { providerID, name: shownName, apiKey, keyVariable, baseURL, headers };
  const known = (name: string) => modelOf(options, name);
  if (way.api === "messages") {
    const { anthropicModel } = await import("./anthropic/anthropic-model.ts");
    return anthropicModel({ ...access, modelOf: known, ...(way.server && { server: way.server }) });
  }
  const { keyHeader } = familyOf(providerID, baseURL) ?? {};
  const serverName = way.name === undefined ? {} : { serverName: way.name };
  const server = {
    ...access,
    ...(keyHeader && { keyHeader }),
    rules: (name: string) => ({ ...chatRulesFor(providerID, baseURL, known(name)), ...serverName }),
  };
  const choice = api === "messages" ? "auto" : api;
  const native = nativeFor(choice, providerID, baseURL);
  if (native) {
    return await natives[native]({
      ...access,
      rules: server.rules,
      ask: async (name) =>
        (await askProvider(providerID, { ...options, baseURL }, name, AbortSignal.timeout(askTimeoutMs))) ?? {},
      openCompatible: () => openServer(way, { ...options, api: "chat" }),
    });
  }
  const plan = apiFor(choice, providerID, baseURL);
  const { eitherModel, openaiModel } = await import("./openai.ts");
  if (!plan) return openaiModel(server);
  return eitherModel(server, { rules: (name) => plan.rules(known(name)), first: (name) => plan.first(known(name)) });
}

/** Opens a model by an API that its provider alone has. Each is loaded on first use. */
const natives: Readonly<Record<NativeApi, (server: NativeServer) => Promise<Model>>> = {
  ollama: async (server) => (await import("./ollama/ollama-model.ts")).ollamaModel(server),
};

/** Opens a way of its own for each model. */
function routedModel(providerID: string, open: (name: string) => Promise<Model>): Model {
  return {
    providerID,
    async *stream(request) {
      const { signal, done } = openConnection(request.signal);
      const stopped = new Promise<"stopped">((resolve) => {
        signal.addEventListener("abort", () => resolve("stopped"), { once: true });
      });
      let events: AsyncIterator<ModelEvent> | undefined;
      try {
        events = (await open(request.model)).stream(request)[Symbol.asyncIterator]();
        // A token may have to be waited for: until the user has signed in.
        const first = signal.aborted ? "stopped" : await Promise.race([events.next(), stopped]);
        if (first === "stopped") throw abortedError();
        for (let next = first; !next.done; next = await events.next()) yield next.value;
      } catch (cause) {
        if (!(cause instanceof ModelError)) throw cause;
        yield { type: "error", error: cause };
      } finally {
        done();
        // Not awaited: it ends with what is waited for.
        void events?.return?.();
      }
    },
  };
}

/** Returns which model a name stands for. */
export function modelOf({ models = {} }: Pick<ProviderAccess, "models">, name: string): string {
  return (Object.hasOwn(models, name) ? models[name] : undefined) ?? name;
}

/** A server that is loading a model answers late. */
const askTimeoutMs = 5_000;

/** Returns the scope of a token of a Microsoft account that the provider's server takes instead of a key. */
export function microsoftScope(providerID: string, baseURL: string | undefined): string | undefined {
  return baseURL === undefined ? undefined : familyOf(providerID, baseURL)?.microsoftScope?.(new URL(baseURL));
}

/** Asks the provider's server what it knows of a model. Never rejects. */
export async function askProvider(
  providerID: string,
  { apiKey, baseURL: given, api = "auto" }: ProviderAccess,
  modelID: string,
  signal: AbortSignal,
): Promise<ServerFacts | undefined> {
  const baseURL = given ?? (isProviderID(providerID) ? providers[providerID].baseURL : undefined);
  // Gateways that speak Anthropic's Messages have no list of models in Anthropic's form.
  const isGateway = api === "messages" || (providerID === "anthropic" && given !== undefined);
  if (baseURL === undefined || isGateway || typeof apiKey === "function") return undefined;
  // Clouds list models without their sizes, and Azure not even its deployments.
  if (familyOf(providerID, baseURL)?.route) return undefined;
  const setsWindow = nativeFor(api, providerID, baseURL) !== undefined;
  return await askServer({ providerID, baseURL, apiKey, setsWindow }, modelID, signal);
}

/** Asks the provider's server for its models. Never rejects. Undefined where it has no list of what can be used. */
export async function listProviderModels(
  providerID: string,
  { apiKey, baseURL: given, api }: ProviderAccess,
  signal: AbortSignal,
): Promise<ModelList | undefined> {
  const baseURL = given ?? (isProviderID(providerID) ? providers[providerID].baseURL : undefined);
  // Clouds list what there is, not what the account has deployed.
  if (baseURL === undefined || typeof apiKey === "function" || familyOf(providerID, baseURL)?.route) return undefined;
  const speaksMessages = providerID === "anthropic" || api === "messages";
  const listURL = familyOf(providerID, baseURL)?.modelList?.(baseURL);
  return await listModels({ baseURL, apiKey, speaksMessages, listURL }, signal);
}

function isLocal(baseURL: string | undefined): boolean {
  if (baseURL === undefined || !URL.canParse(baseURL)) return false;
  return isLoopback(new URL(baseURL).hostname);
}
