/** Google Vertex: Claude by the Messages API, Gemini and others by Chat Completions, with an access token of Google's. */

import type { AskedModel, ModelRoute, ProviderFamily } from "./family.ts";
import { gemini } from "./gemini.ts";
import { cloudRules, type MessagesServer } from "./messages-rules.ts";

export const vertex: ProviderFamily = {
  name: "Google Vertex",
  /** Names of Google's tools, and those of Anthropic's for Vertex (code.claude.com/docs/en/google-vertex-ai). */
  get baseURL() {
    const { ANTHROPIC_VERTEX_PROJECT_ID, GOOGLE_CLOUD_PROJECT, CLOUD_ML_REGION, GOOGLE_CLOUD_LOCATION } = process.env;
    const project = ANTHROPIC_VERTEX_PROJECT_ID || GOOGLE_CLOUD_PROJECT;
    const location = CLOUD_ML_REGION || GOOGLE_CLOUD_LOCATION || "global";
    return project ? `https://${hostOf(location)}/v1/projects/${project}/locations/${location}` : undefined;
  },
  addressExample: "https://aiplatform.googleapis.com/v1/projects/PROJECT/locations/global",
  host: /(^|[.-])aiplatform\.([a-z]+\.rep\.)?googleapis\.com$/,
  keyVariable: "VERTEX_ACCESS_TOKEN",
  urlVariable: "VERTEX_BASE_URL",
  keyPage: "https://cloud.google.com/docs/authentication/rest",
  hasAccountToken: true,
  keyForms: { own: /^ya29\./ },
  defaultModel: "gemini-4-argon",
  catalog: { models: "google-vertex", prices: "google" },
  alsoServes: "anthropic",
  documented: { section: "azure-bedrock-and-vertex" },
  chatRules: gemini.chatRules,
  route: vertexRoute,
};

/** Regions, `global`, and the joint regions `us` and `eu` (platform.claude.com build-with-claude/claude-on-vertex-ai). */
function hostOf(location: string): string {
  if (location === "global") return "aiplatform.googleapis.com";
  return /^(us|eu)$/.test(location)
    ? `aiplatform.${location}.rep.googleapis.com`
    : `${location}-aiplatform.googleapis.com`;
}

function vertexRoute(baseURL: string, { name, model }: AskedModel): ModelRoute {
  const base = baseURL.replace(/(?<!\/)\/+$/, "").replace(/\/(?:endpoints\/openapi|publishers)(?:\/.*|$)/, "");
  if (/(^|\/)claude-/.test(model)) return { api: "messages", baseURL: base, server: vertexMessages };
  // Google's own models bear their maker's name there (cloud.google.com vertex-ai openai compatibility).
  return { api: "openai", baseURL: `${base}/endpoints/openapi`, name: name.includes("/") ? name : `google/${name}` };
}

/** The model stands in the path, the version in the body (platform.claude.com build-with-claude/claude-on-vertex-ai). */
const vertexMessages: MessagesServer = {
  rules: cloudRules,
  path: (name) => `/publishers/anthropic/models/${name.replace(/^anthropic\//, "")}:streamRawPredict`,
  head: () => ({ anthropic_version: "vertex-2023-10-16" }),
  takesKeyHeader: false,
  headers: { "anthropic-version": null },
};
