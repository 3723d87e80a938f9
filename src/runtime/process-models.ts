/** The models of a process that has keys and addresses from its environment, or from whoever calls it. */

import type { ModelRef } from "../chat/message.ts";
import { msg } from "../l10n/l10n.ts";
import type { Limits } from "../loop/limits.ts";
import { type Model, ModelError } from "../loop/model.ts";
import { KnownFacts } from "../providers/catalog/model-facts.ts";
import {
  accessFromEnvironment,
  askProvider,
  defaultModel,
  headersFromEnvironment,
  isProviderID,
  isReady,
  openModel,
  type ProviderAccess,
  type ProviderID,
  providerIDs,
} from "../providers/providers.ts";

interface WantedModel extends Pick<Required<ProviderAccess>, "apiKey" | "baseURL" | "api"> {
  env: NodeJS.ProcessEnv;
  /** Undefined: the first whose key is there. Key, address and API of the choice are for this one. */
  provider: ProviderID | undefined;
  /** Undefined: the provider's usual one. */
  modelID: string | undefined;
}

/** Returns key and address of a provider: the caller's own for the chosen one, else those of the environment. */
type AccessTo = (provider: string) => { provider: ProviderID; access: ProviderAccess };

export interface ResolvedModel {
  provider: ProviderID;
  /** Undefined where the provider has no usual model. */
  modelID: string | undefined;
  /** @throws ModelError when there is no such provider */
  accessTo: AccessTo;
}

export function chooseModel({ env, provider: wanted, modelID, apiKey, baseURL, api }: WantedModel): ResolvedModel {
  const ownAccess = (id: ProviderID): ProviderAccess => {
    const found = accessFromEnvironment(id, env);
    const address = baseURL ?? found.baseURL;
    const headers = headersFromEnvironment(id, address, env);
    return { apiKey: apiKey ?? found.apiKey, baseURL: address, api, headers };
  };
  const provider = wanted ?? providerIDs.find((id) => isReady(ownAccess(id))) ?? "anthropic";
  return {
    provider,
    modelID: modelID ?? defaultModel(provider, ownAccess(provider), env),
    accessTo(id) {
      if (!isProviderID(id)) throw new ModelError("invalid", msg('There is no provider "{0}" here.', id), "");
      if (id === provider) return { provider: id, access: ownAccess(id) };
      const access = accessFromEnvironment(id, env);
      return { provider: id, access: { ...access, headers: headersFromEnvironment(id, access.baseURL, env) } };
    },
  };
}

export interface ProcessModels {
  limits(): Limits;
  facts: KnownFacts;
  openModel(ref: ModelRef): Promise<Model>;
  fallbackModel(): ModelRef | undefined;
}

/** `limits` and `fallback` hold for the life of the process. */
export function processModels(accessTo: AccessTo, limits: Limits, fallback: ModelRef | undefined): ProcessModels {
  const open = new Map<string, Promise<Model>>();
  return {
    limits: () => limits,
    facts: new KnownFacts({
      limits: () => limits,
      isProvider: isProviderID,
      ask: async ({ providerID, modelID }, signal) => {
        const { provider, access } = accessTo(providerID);
        return isReady(access) ? await askProvider(provider, access, modelID, signal) : undefined;
      },
    }),
    openModel({ providerID }) {
      const { provider, access } = accessTo(providerID);
      const model = open.get(provider) ?? openModel(provider, access);
      open.set(provider, model);
      return model;
    },
    fallbackModel: () => fallback,
  };
}
