/** Azure OpenAI, also as part of Foundry: OpenAI's models under the names of deployments. */
import type { AskedModel, ModelRoute, ProviderFamily } from "./family.ts";
import { openaiChatRules } from "./openai.ts";
import { cloudResponses } from "./openai-responses.ts";

const host = /(^|\.)(openai|services\.ai|cognitiveservices)\.azure\.(com|us|cn)$/;

export const azure: ProviderFamily = {
  name: "Azure OpenAI",
  baseURL: undefined,
  addressExample: "https://NAME.openai.azure.com/openai/v1",
  host,
  keyVariable: "AZURE_OPENAI_API_KEY",
  urlVariable: "AZURE_OPENAI_BASE_URL",
  keyPage: "https://ai.azure.com",
  keyForms: { possible: /^[A-Za-z0-9]{32}$/ },
  // Deployments of OpenAI's models cost what they cost there, with a few exceptions.
  catalog: "azure",
  alsoServes: "openai",
  documented: { section: "azure-bedrock-and-vertex" },
  // The older paths take a token alone as Bearer (learn.microsoft.com azure/ai-services/openai/reference, Authentication).
  keyHeader: "api-key",
  microsoftScope,
  chatRules: openaiChatRules,
  // The older deployment paths have Chat Completions alone (learn.microsoft.com api-version-lifecycle).
  responses: { path: /\/openai\/v1\/?$/, rules: cloudResponses },
  route: azureRoute,
};

/**
 * A token goes to Azure alone. The pages of v1 name the one scope, those of the older paths the other
 * (learn.microsoft.com api-version-lifecycle; ai-services/openai/how-to/managed-identity). Clouds of states have accounts of
 * their own.
 */
function microsoftScope({ protocol, hostname, searchParams }: URL): string | undefined {
  if (protocol !== "https:" || !host.test(hostname) || !hostname.endsWith(".azure.com")) return undefined;
  return `https://${searchParams.has("api-version") ? "cognitiveservices.azure.com" : "ai.azure.com"}/.default`;
}

/**
 * Accepts what Azure's pages show: the resource's address, its `/openai/v1`, and the whole target of a deployment with its
 * `api-version`. Without a version v1 is meant; with one, the deployment stands in the path.
 */
function azureRoute(baseURL: string, { name }: AskedModel): ModelRoute {
  const url = new URL(baseURL);
  const path = url.pathname.replace(/(?<!\/)\/+$/, "").replace(/\/(chat\/completions|responses)$/, "");
  const isResource = path === "/openai" || (path === "" && host.test(url.hostname));
  const inner = url.searchParams.has("api-version") ? `deployments/${encodeURIComponent(name)}` : "v1";
  url.pathname = isResource ? `/openai/${inner}` : path;
  return { api: "openai", baseURL: url.href };
}
