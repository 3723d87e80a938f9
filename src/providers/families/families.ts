/**
 * All providers, and which of them a server is. Whatever names providers is made from this list, or checked against it: a
 * new one is listed here.
 */
import { isLoopback } from "../../base/loopback.ts";
import { anthropic } from "./anthropic.ts";
import { azure } from "./azure.ts";
import { bedrock } from "./bedrock.ts";
import { cerebras } from "./cerebras.ts";
import { deepseek } from "./deepseek.ts";
import type { Provider, ProviderFamily } from "./family.ts";
import { gemini } from "./gemini.ts";
import { githubModels } from "./github-models.ts";
import { groq } from "./groq.ts";
import { jan } from "./jan.ts";
import { llamaCpp } from "./llama-cpp.ts";
import { lmStudio } from "./lm-studio.ts";
import { mistral } from "./mistral.ts";
import { moonshot } from "./moonshot.ts";
import { ollama } from "./ollama.ts";
import { openai } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import { qwen } from "./qwen.ts";
import { vertex } from "./vertex.ts";
import { vllm } from "./vllm.ts";
import { xai } from "./xai.ts";
import { zai } from "./zai.ts";

/** Those that are asked with OpenAI's APIs, or one of their own. */
export const families = {
  openai,
  azure,
  bedrock,
  vertex,
  gemini,
  openrouter,
  xai,
  deepseek,
  moonshot,
  zai,
  qwen,
  mistral,
  groq,
  cerebras,
  "github-models": githubModels,
  ollama,
  "lm-studio": lmStudio,
  "llama-cpp": llamaCpp,
  vllm,
  jan,
} satisfies Record<string, ProviderFamily>;

export type FamilyID = keyof typeof families;

// `Object.keys` knows no literal types.
export const familyIDs = Object.keys(families) as FamilyID[];

export const providerIDs = ["anthropic", ...familyIDs] as const;
export type ProviderID = (typeof providerIDs)[number];

export const providers: Readonly<Record<ProviderID, Provider>> = { anthropic, ...families };

export function isProviderID(id: string): id is ProviderID {
  return Object.hasOwn(providers, id);
}

/** Returns undefined for a provider of the user's own. */
export function providerOf(id: string): Provider | undefined {
  return isProviderID(id) ? providers[id] : undefined;
}

/** A family of servers that run on the user's machine. */
type LocalFamily = ProviderFamily & Required<Pick<ProviderFamily, "local">>;

function isLocal(entry: [FamilyID, ProviderFamily]): entry is [FamilyID, LocalFamily] {
  return entry[1].local !== undefined;
}

/** The servers that run on the user's machine, by their IDs. */
export const localServers = familyIDs.map((id): [FamilyID, ProviderFamily] => [id, families[id]]).filter(isLocal);

/** Returns the family of a server: by its host, else by the provider that was named, else by a local server's port. */
export function familyOf(providerID: string, baseURL: string): ProviderFamily | undefined {
  const { hostname, host } = new URL(baseURL);
  const byHost = Object.values(families).find((family: ProviderFamily) => family.host?.test(hostname));
  // "openai" is also the name of every compatible server.
  const id = familyIDs.find((one) => one === providerID && one !== "openai");
  const port = host.slice(hostname.length);
  const own = localServers.find(([, { baseURL: usual = "" }]) => usual.includes(`${port}/`));
  return byHost ?? (id && families[id]) ?? (isLoopback(hostname) && port !== "" ? own?.[1] : undefined);
}
