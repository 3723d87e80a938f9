/** All providers but Anthropic, and which of them a server is. */
import { isLoopback } from "../../base/loopback.ts";
import { catalogFacts, catalogModels, usualFacts } from "../catalog/catalog.ts";
import { azure } from "./azure.ts";
import { bedrock } from "./bedrock.ts";
import { cerebras } from "./cerebras.ts";
import {
  type ChatRules,
  commonRules,
  mistralNames,
  needsThoughts,
  type SentThoughts,
  thoughtsPlaceholder,
} from "./chat-rules.ts";
import { deepseek } from "./deepseek.ts";
import type { ProviderFamily } from "./family.ts";
import { gemini } from "./gemini.ts";
import { githubModels } from "./github-models.ts";
import { groq } from "./groq.ts";
import { jan, llamaCpp, lmStudio, ollama, vllm } from "./local-servers.ts";
import { mistral } from "./mistral.ts";
import { moonshot } from "./moonshot.ts";
import { openai } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import { qwen } from "./qwen.ts";
import { textModels } from "./text-models.ts";
import { vertex } from "./vertex.ts";
import { xai } from "./xai.ts";
import { zai } from "./zai.ts";

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

/** Returns the family of a server: by its host, else by the provider that was named, else by a local server's port. */
export function familyOf(providerID: string, baseURL: string): ProviderFamily | undefined {
  const { hostname, host } = new URL(baseURL);
  const byHost = Object.values(families).find((family: ProviderFamily) => family.host?.test(hostname));
  // "openai" is also the name of every compatible server.
  const id = familyIDs.find((one) => one === providerID && one !== "openai");
  const port = host.slice(hostname.length);
  const local = [ollama, lmStudio, llamaCpp, vllm, jan].find(({ baseURL: usual = "" }) => usual.includes(`${port}/`));
  return byHost ?? (id && families[id]) ?? (isLoopback(hostname) && port !== "" ? local : undefined);
}

/** Returns the rules of Chat Completions for a model of a server. */
export function chatRulesFor(providerID: string, baseURL: string, model: string): ChatRules {
  const family = familyOf(providerID, baseURL);
  if (!family) {
    // Few servers take PDFs: only models that are known for it are sent some. GitHub Models, whose names begin with the
    // maker's, takes none of OpenAI's (docs.github.com models).
    const takesPDFs = factsAnywhere(model)?.pdfs === true && !/^openai\//.test(model);
    return { ...unknownServerRules(model), takesPDFs, takesImages: takesImagesAnywhere(model) };
  }
  const rules = family.chatRules(model);
  const id = familyIDs.find((one) => families[one] === family) ?? providerID;
  return { ...rules, takesImages: rules.takesImages && !isTextModel(id, model) };
}

/** Makers whose models another server may serve by passing requests on to them, by the names of the models. */
const makers: readonly [RegExp, ProviderFamily][] = [
  [mistralNames, mistral],
  [/(^|\/)kimi-/i, moonshot],
  [/(^|\/)deepseek-/i, deepseek],
  [/(^|\/)gemini-/i, gemini],
  [/(^|\/)glm-/i, zai],
  [/(^|\/)grok-/i, xai],
];

/** An unknown server follows the rules of the model's maker, except those that only the maker's own server knows. */
function unknownServerRules(model: string): ChatRules {
  const common = commonRules(model);
  const maker = makers.find(([name]) => name.test(model))?.[1].chatRules(model);
  // A gateway sends thoughts in a form of its own. What the model needs where there are none is the same everywhere.
  const thoughts: SentThoughts = {
    type: "as-received",
    ...(needsThoughts(model) && { placeholder: thoughtsPlaceholder }),
    ...(maker?.thoughts.type === "call-signatures" && { dummy: maker.thoughts.dummy }),
  };
  // Gateways name Claude so; it is not cached unasked (OpenRouter prompt-caching; docs.litellm.ai prompt_caching).
  const cacheMarks = /^~?anthropic\//.test(model);
  if (!maker) return { ...common, thoughts, cacheMarks };
  return {
    ...maker,
    thinking: (level, request) => (level === "default" ? {} : maker.thinking(level, request)),
    thoughts: maker.thoughts.type === "none" ? maker.thoughts : thoughts,
    toolImages: "user",
    conversation: {},
    laterTools: "request",
    parameters: {},
  };
}

/** Whether the catalogue says that the model takes no images; gateways have models of others. */
function isTextModel(providerID: string, modelID: string): boolean {
  const isGateway = catalogModels(providerID).length === 0;
  const facts = isGateway ? usualFacts({ providerID, modelID }) : catalogFacts({ providerID, modelID });
  return facts ? !facts.images : textModels.test(modelID);
}

/** Uses the catalogue's entry of this name, else the rules for such names, else the newest model of its line. */
function takesImagesAnywhere(modelID: string): boolean {
  const exact = familyIDs
    .map((providerID) => catalogFacts({ providerID, modelID }))
    .find((facts) => facts !== undefined);
  if (exact) return exact.images === true;
  return !textModels.test(modelID) && factsAnywhere(modelID)?.images !== false;
}

/** Returns what the catalogue says of a model by its name alone. */
function factsAnywhere(modelID: string): ReturnType<typeof usualFacts> {
  const known = familyIDs.map((providerID) => catalogFacts({ providerID, modelID }));
  return known.find((facts) => facts !== undefined) ?? usualFacts({ providerID: "", modelID });
}
