/** The providers, their keys and addresses. A provider's SDK is loaded on first use. */
import { type Model, ModelError } from "../loop/model.ts";

export const providerIDs = ["anthropic", "openai"] as const;
export type ProviderID = (typeof providerIDs)[number];

export const providerNames: Record<ProviderID, string> = { anthropic: "Anthropic", openai: "OpenAI or compatible" };

export interface ProviderAccess {
  apiKey: string | undefined;
  /** Undefined for the provider's own address. */
  baseURL: string | undefined;
}

const variables = {
  anthropic: { key: "ANTHROPIC_API_KEY", url: "ANTHROPIC_BASE_URL" },
  openai: { key: "OPENAI_API_KEY", url: "OPENAI_BASE_URL" },
} as const;

export function accessFromEnvironment(provider: ProviderID, env: NodeJS.ProcessEnv): ProviderAccess {
  const { key, url } = variables[provider];
  return { apiKey: env[key] || undefined, baseURL: env[url] || undefined };
}

/** Whether the provider can be used: it has a key, or its server runs on this machine and needs none. */
export function isReady(access: ProviderAccess): boolean {
  return access.apiKey !== undefined || isLocal(access.baseURL);
}

/** Returns the default model; undefined for custom OpenAI-compatible servers. */
export function defaultModel(provider: ProviderID, access: ProviderAccess): string | undefined {
  if (provider === "anthropic") return "claude-sonnet-5";
  return access.baseURL === undefined ? "gpt-5.6-terra" : undefined;
}

/** Loads the provider's SDK. @throws ModelError `no-key` */
export async function openModel(provider: ProviderID, access: ProviderAccess): Promise<Model> {
  if (!isReady(access)) {
    throw new ModelError(
      "no-key",
      `There is no key for ${providerNames[provider]}.`,
      `Set one with "Rondo: Set API Key…", or start with ${variables[provider].key} in the environment.`,
    );
  }
  const options = { apiKey: access.apiKey ?? "none", ...(access.baseURL !== undefined && { baseURL: access.baseURL }) };
  if (provider === "anthropic") return (await import("./anthropic/anthropic-model.ts")).anthropicModel(options);
  return (await import("./openai-chat/chat-model.ts")).openaiModel(options);
}

function isLocal(baseURL: string | undefined): boolean {
  if (baseURL === undefined || !URL.canParse(baseURL)) return false;
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseURL).hostname);
}
