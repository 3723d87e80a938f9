/** What 400, 401, 402, 403, 404 and 429 mean at each provider, in its own words: the error names that cause, not another. */
import assert from "node:assert/strict";
import type { Model, ModelErrorKind } from "../../src/loop/model.ts";
import { anthropicModel } from "../../src/providers/anthropic/anthropic-model.ts";
import { openaiResponses } from "../../src/providers/families/openai-responses.ts";
import { responsesModel } from "../../src/providers/openai-responses/responses-model.ts";
import { openaiModel } from "../chat-model.ts";
import { type Answer, type ModelServer, startModelServer } from "../model-server.ts";
import { ask, request } from "./ask.ts";

type Case = [provider: string, what: string, status: number, body: unknown, kind: ModelErrorKind];

const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message } });
const openai = (message: string, code: string | null = null, type = "invalid_request_error") => {
  return { error: { message, type, param: null, code } };
};
const google = (code: number, status: string, message: string) => [{ error: { code, message, status } }];
const openrouter = (code: number, message: string, metadata?: object) => ({ error: { code, message, metadata } });

const messages: Case[] = [
  ["Anthropic", "a wrong key", 401, anthropic("authentication_error", "invalid x-api-key"), "auth"],
  [
    "Anthropic",
    "a sign-in that has expired",
    401,
    anthropic(
      "authentication_error",
      "OAuth token has expired. Please obtain a new token or refresh your existing token.",
    ),
    "auth",
  ],
  [
    "Anthropic",
    "a key without access to the model",
    403,
    anthropic("permission_error", "Your API key does not have permission to use the specified resource."),
    "no-access",
  ],
  ["Anthropic", "a country that is not served", 403, anthropic("forbidden", "Request not allowed"), "no-access"],
  ["Anthropic", "no credit", 402, anthropic("billing_error", "Payment required."), "quota"],
  [
    "Anthropic",
    "no credit, as 400",
    400,
    anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    "quota",
  ],
];

const chat: Case[] = [
  ["OpenAI", "a wrong key", 401, openai("Incorrect API key provided: sk-…", "invalid_api_key"), "auth"],
  [
    "OpenAI",
    "a country that is not served",
    403,
    openai("Country, region, or territory not supported", "unsupported_country_region_territory", "request_forbidden"),
    "no-access",
  ],
  [
    "OpenAI",
    "an organization that is not verified, as 404",
    404,
    openai("Your organization must be verified to use the model `o3`. Please go to: https://platform.openai.com."),
    "no-access",
  ],
  [
    "OpenAI",
    "an organization that is not verified, as 400",
    400,
    openai("Your organization must be verified to stream this model.", "unsupported_value"),
    "no-access",
  ],
  [
    "OpenAI",
    "a project without the model",
    403,
    openai("Project `proj_1` does not have access to model `gpt-5`", "model_not_found"),
    "no-access",
  ],
  [
    "OpenAI",
    "a model that is not there",
    404,
    openai("The model `gpt-x` does not exist or you do not have access to it.", "model_not_found"),
    "unknown-model",
  ],
  ["OpenAI", "no credit", 429, openai("You exceeded your current quota.", "insufficient_quota"), "quota"],
  [
    "OpenRouter",
    "a message that its moderation has flagged",
    403,
    openrouter(
      403,
      'anthropic/claude-sonnet-5 requires moderation on Anthropic. Your input was flagged for "violence".',
      {
        reasons: ["violence"],
        flagged_input: "…",
        provider_name: "Anthropic",
      },
    ),
    "flagged",
  ],
  ["OpenRouter", "a wrong key", 401, openrouter(401, "User not found."), "auth"],
  [
    "OpenRouter",
    "no credit",
    402,
    openrouter(402, "Insufficient credits. Add more using https://openrouter.ai"),
    "quota",
  ],
  ["OpenRouter", "the limit of a key", 403, openrouter(403, "Key limit exceeded (total limit)."), "quota"],
  [
    "OpenRouter",
    "the user's own settings of privacy",
    404,
    openrouter(404, "No endpoints available matching your guardrail restrictions and data policy."),
    "no-access",
  ],
  [
    "xAI",
    "a team without credit",
    403,
    "Your newly created team doesn't have any credits or licenses yet. You can purchase those on https://console.x.ai.",
    "quota",
  ],
  [
    "xAI",
    "credit that is used up",
    429,
    { error: "Your team has either used all available credits or reached its monthly spending limit." },
    "quota",
  ],
  [
    "Groq",
    "a model that the organization has blocked",
    403,
    openai("The model `x` is blocked at the organization level.", "model_permission_blocked_org", "permissions_error"),
    "no-access",
  ],
  ["Gemini", "a leaked key", 403, google(403, "PERMISSION_DENIED", "Your API key was reported as leaked."), "auth"],
  [
    "Gemini",
    "a wrong key",
    400,
    google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
    "auth",
  ],
  [
    "Gemini",
    "a country that is not served",
    400,
    google(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
    "no-access",
  ],
  ["DeepSeek", "no credit", 402, openai("Insufficient Balance", "invalid_request_error", "unknown_error"), "quota"],
  ["SiliconFlow", "no credit", 403, { code: 30001, message: "Sorry, your account balance is insufficient" }, "quota"],
  [
    "Moonshot",
    "an account that is suspended",
    429,
    openai(
      "Your account is suspended, please check your plan and billing details",
      null,
      "exceeded_current_quota_error",
    ),
    "quota",
  ],
  [
    "GitHub Models",
    "a model that the plan does not have",
    403,
    openai("No access to model: o1", "no_access"),
    "no-access",
  ],
  ["GitHub Models", "a bad token", 401, openai("Bad credentials", "unauthorized"), "auth"],
  [
    "LiteLLM",
    "a team without the model",
    401,
    openai("team not allowed to access model.", null, "team_model_access_denied"),
    "no-access",
  ],
  [
    "Azure",
    "a message that its filter has refused",
    400,
    openai("The response was filtered due to the prompt triggering content management policy.", "content_filter"),
    "flagged",
  ],
  ["a gateway", "a missing token, as 403", 403, { message: "Missing Authentication Token" }, "auth"],
  ["a gateway", "a refusal without words", 403, "", "no-access"],
  ["a gateway", "a page of Cloudflare", 403, "<html><title>Attention Required!</title></html>", "no-access"],
];

/** One action for each: a page of a wrong key would send its reader the wrong way. */
const remedies: Partial<Record<ModelErrorKind, RegExp>> = {
  auth: /refused the API key/,
  "no-access": /does not let this account use/,
  flagged: /does not accept what the message says/,
  quota: /has nothing left/,
  "unknown-model": /has no model/,
};

describe("causes of refusals", () => {
  let answer: Answer = [];
  let server: ModelServer;
  before(async () => {
    server = await startModelServer(() => answer);
  });
  after(() => server?.stop());

  const key = "the-key-of-the-user";
  const open: Record<string, () => Model> = {
    Messages: () => anthropicModel({ apiKey: key, baseURL: server.url }),
    "Chat Completions": () => openaiModel({ apiKey: key, baseURL: server.url }),
    Responses: () => responsesModel({ apiKey: key, baseURL: server.url, rules: openaiResponses }),
  };

  function check(api: string, [provider, what, status, body, kind]: Case) {
    it(`H7 ${provider}, ${api}: ${status} for ${what} is ${kind}`, async () => {
      answer = { status, body };
      const asked = server.requests.length;
      const { error } = await ask((open[api] ?? assert.fail())(), request());
      assert.equal(error?.kind, kind, error?.message);
      assert.match(error?.message ?? "", remedies[kind] ?? assert.fail());
      assert.doesNotMatch(`${error?.message} ${error?.next}`, new RegExp(key));
      assert.equal(server.requests.length, asked + 1, "it is asked once");
    });
  }
  for (const one of messages) check("Messages", one);
  for (const one of chat) {
    check("Chat Completions", one);
    if (one[0] === "OpenAI" || one[0] === "xAI" || one[0] === "Azure") check("Responses", one);
  }
});
