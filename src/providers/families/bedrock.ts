/** Amazon Bedrock with an API key: Claude by the Messages API, models of others by OpenAI's. */

import { type ChatRules, commonRules } from "./chat-rules.ts";
import type { AskedModel, ModelRoute, ProviderFamily } from "./family.ts";
import { cloudRules, messagesServer } from "./messages-rules.ts";
import { cloudResponses } from "./openai-responses.ts";

export const bedrock: ProviderFamily = {
  name: "Amazon Bedrock",
  get baseURL() {
    const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
    return `https://bedrock-mantle.${AWS_REGION || AWS_DEFAULT_REGION || "us-east-1"}.api.aws`;
  },
  host: /^bedrock-(mantle|runtime)\.[a-z0-9-]+\.(api\.aws|amazonaws\.com(\.cn)?)$/,
  // The name that the SDKs of AWS read (docs.aws.amazon.com bedrock/latest/userguide/api-keys-use.html).
  keyVariable: "AWS_BEARER_TOKEN_BEDROCK",
  urlVariable: "BEDROCK_BASE_URL",
  keyPage: "https://console.aws.amazon.com/bedrock/home#/api-keys",
  // github.com/gitleaks/gitleaks config
  keyForms: { own: /^(ABSK|bedrock-api-key-)/ },
  defaultModel: "anthropic.claude-sonnet-5-5",
  // Those that have an endpoint for Messages, Responses or Chat Completions.
  catalog: {
    models: "amazon-bedrock",
    prices: "aws",
    takes: /(^|\.)(anthropic|openai|xai|zai|moonshotai|qwen|deepseek)\./,
  },
  documented: { section: "azure-bedrock-and-vertex" },
  chatRules: bedrockChatRules,
  responses: { path: /\/openai\/v1\/?$/, rules: cloudResponses, models: /(^|\.)openai\.gpt-\d/ },
  route: bedrockRoute,
};

/** Rules of a gateway to many makers; thoughts of gpt-oss and others are plain text and not sent back. */
function bedrockChatRules(model: string): ChatRules {
  return { ...commonRules(model), takesPDFs: false };
}

const isClaude = (model: string) => /(^|[./])(anthropic\.)?claude-/.test(model);

/**
 * Both endpoints take API keys. `bedrock-mantle` has Claude under its plain names; names with a region in front are
 * inference profiles, which `bedrock-runtime` has, and OpenAI's APIs are recommended there, too
 * (docs.aws.amazon.com bedrock/latest/userguide/{inference-messages-api,inference-responses-api,apis}.html).
 */
function bedrockRoute(baseURL: string, { name, model }: AskedModel): ModelRoute {
  const url = new URL(baseURL);
  const given = url.pathname.replace(/(?<!\/)\/+$/, "");
  const [, region] = /^bedrock-mantle\.([a-z0-9-]+)\.api\.aws$/.exec(url.hostname) ?? [];
  if (isClaude(model)) {
    if (region && !name.startsWith("anthropic.")) url.host = runtimeHost(region);
    url.pathname = `${given.replace(/(\/anthropic(\/v1(\/messages)?)?|\/openai\/v1|\/v1)$/, "")}/anthropic`;
    return { api: "messages", baseURL: url.href, server: bedrockMessages };
  }
  if (/\/v1$/.test(given)) return { api: "openai", baseURL: url.href };
  if (region) url.host = runtimeHost(region);
  url.pathname = `${given.replace(/\/anthropic$/, "")}/openai/v1`;
  return { api: "openai", baseURL: url.href };
}

const runtimeHost = (region: string) => `bedrock-runtime.${region}.amazonaws.com`;

/**
 * The version is the one of inference-messages-api.html. Thoughts are checked against all before them, and refused by default where something has changed
 * (docs.aws.amazon.com bedrock/latest/userguide/claude-messages-thinking-block-binding.html).
 */
const bedrockMessages = { ...messagesServer, rules: cloudRules, headers: { "anthropic-version": "2023-06-01" } };
