/** Errors of Anthropic and OpenAI in the shapes and words that they publish, with status and within streams. */
import assert from "node:assert/strict";
import type { ModelErrorKind } from "../../src/loop/model.ts";
import { anthropicModel } from "../../src/providers/anthropic/anthropic-model.ts";
import { openaiResponses } from "../../src/providers/families/openai-responses.ts";
import { responsesModel } from "../../src/providers/openai-responses/responses-model.ts";
import { type Answer, type ModelServer, startModelServer } from "../model-server.ts";
import { ask, request } from "./ask.ts";

interface Case {
  answer: Answer;
  kind: ModelErrorKind;
  retryAfterMs?: number;
  shouldRetry?: boolean;
}

type Headers = Record<string, string>;

/** Anthropic's shape: platform.claude.com docs/en/api/errors. */
function messages(status: number, type: string, message: string, headers: Headers = {}): Answer {
  return { status, headers, body: { type: "error", error: { type, message }, request_id: "req_1" } };
}

/** OpenAI's shape: developers.openai.com/api/docs/guides/error-codes. */
function openai(status: number, message: string, code: string | null = null, headers: Headers = {}): Answer {
  return { status, headers, body: { error: { message, type: "invalid_request_error", param: null, code } } };
}

function events(...all: object[]): Answer {
  return { bytes: all.map((event) => `event: error\ndata: ${JSON.stringify(event)}\n\n`).join("") };
}

function failed(code: string, message: string): Answer {
  return events({ type: "response.failed", response: { status: "failed", error: { code, message } } });
}

const tpm = "Rate limit reached for gpt-5.5 in organization o on tokens per min (TPM): Limit 30000, Used 29990.";

const anthropicCases: Record<string, Case> = {
  "a wrong key": { answer: messages(401, "authentication_error", "invalid x-api-key"), kind: "auth" },
  "no money": { answer: messages(402, "billing_error", "There is a problem with your billing."), kind: "quota" },
  "a spend limit": {
    answer: messages(400, "invalid_request_error", "You have reached your specified API usage limits."),
    kind: "quota",
  },
  "a limit of the month": {
    answer: messages(429, "rate_limit_error", "This request would exceed your tier's monthly limit."),
    kind: "quota",
  },
  "a limit of the minute": {
    answer: messages(429, "rate_limit_error", "This would exceed 50,000 input tokens per minute.", {
      "retry-after": "7",
    }),
    kind: "rate-limit",
    retryAfterMs: 7_000,
  },
  "too many bytes": {
    answer: messages(413, "request_too_large", "Request exceeds the maximum size"),
    kind: "images-refused",
  },
  "a large image": {
    answer: messages(
      400,
      "invalid_request_error",
      "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum",
    ),
    kind: "images-refused",
  },
  "a PDF with many pages": {
    answer: messages(
      400,
      "invalid_request_error",
      "pdf.source.base64.data: A maximum of 100 PDF pages may be provided.",
    ),
    kind: "images-refused",
  },
  overload: { answer: messages(529, "overloaded_error", "Overloaded"), kind: "overloaded" },
  "overload within a stream": {
    answer: events({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    kind: "overloaded",
  },
  "an error as JSON with status 200": {
    answer: { status: 200, body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } },
    kind: "overloaded",
  },
  "a long prompt": {
    answer: messages(400, "invalid_request_error", "prompt is too long: 212345 tokens > 200000 maximum"),
    kind: "context-full",
  },
};

const openaiCases: Record<string, Case> = {
  "a wrong key": { answer: openai(401, "Incorrect API key provided: sk-…", "invalid_api_key"), kind: "auth" },
  // continue#10778
  "a wrong key at xAI": {
    answer: {
      status: 400,
      body: { code: "Client specified an invalid argument", error: "Incorrect API key provided" },
    },
    kind: "auth",
  },
  "an empty account": {
    answer: openai(429, "You exceeded your current quota.", "insufficient_quota"),
    kind: "quota",
  },
  "20 ms to wait": {
    answer: openai(429, `${tpm} Please try again in 20ms.`, "rate_limit_exceeded"),
    kind: "rate-limit",
    retryAfterMs: 20,
  },
  "a minute to wait": {
    answer: openai(429, `${tpm} Please try again in 1m2.5s.`, "rate_limit_exceeded"),
    kind: "rate-limit",
    retryAfterMs: 62_500,
  },
  "the time in a header": {
    answer: openai(429, "Slow down. Try again in 9s.", null, { "retry-after-ms": "250" }),
    kind: "rate-limit",
    retryAfterMs: 250,
  },
  "the limit that is used up": {
    answer: openai(429, tpm, "rate_limit_exceeded", {
      "x-ratelimit-remaining-requests": "99",
      "x-ratelimit-reset-requests": "1m0s",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "6ms",
    }),
    kind: "rate-limit",
    retryAfterMs: 6,
  },
  "Azure's words": {
    answer: openai(429, "Requests have exceeded the token rate limit. Please retry after 26 seconds.", "429"),
    kind: "rate-limit",
    retryAfterMs: 26_000,
  },
  "more than the limit of a minute": {
    answer: openai(429, "Request too large for gpt-5.5 (TPM): Limit 30000, Requested 45000.", "rate_limit_exceeded"),
    kind: "rate-limit",
    shouldRetry: false,
  },
  "too many requests": { answer: openai(429, "Too many requests", "too_many_requests"), kind: "rate-limit" },
  "a limit within a stream": {
    answer: events({ type: "error", code: "rate_limit_exceeded", message: `${tpm} Please try again in 1.2s.` }),
    kind: "rate-limit",
    retryAfterMs: 1_200,
  },
  "a limit in a failed response": {
    answer: failed("rate_limit_exceeded", `${tpm} Please try again in 11.054s.`),
    kind: "rate-limit",
    retryAfterMs: 11_054,
  },
  "an empty account in a failed response": {
    answer: failed("insufficient_quota", "You exceeded your current quota."),
    kind: "quota",
  },
  overload: { answer: failed("server_is_overloaded", "Our servers are currently overloaded."), kind: "overloaded" },
  "a bad image": { answer: failed("image_parse_error", "The image could not be parsed."), kind: "images-refused" },
  "a long prompt": {
    answer: failed("context_length_exceeded", "Your input exceeds the context window of this model."),
    kind: "context-full",
  },
  "another account's thoughts": {
    answer: openai(400, "The encrypted content for item rs_1 could not be verified.", "invalid_encrypted_content"),
    kind: "thoughts-refused",
  },
  "an error as JSON with status 200": {
    answer: { status: 200, body: { error: { message: "The model is not loaded", type: "server_error" } } },
    kind: "server",
  },
};

describe("E5 H3 published errors", () => {
  let answer: Answer = [];
  let server: ModelServer;
  before(async () => {
    server = await startModelServer(() => answer);
  });
  after(() => server.stop());

  for (const [name, cases] of Object.entries({ Anthropic: anthropicCases, OpenAI: openaiCases })) {
    for (const [what, { answer: given, kind, retryAfterMs, shouldRetry }] of Object.entries(cases)) {
      it(`${name}: ${what} is ${kind}`, async () => {
        answer = given;
        const access = { apiKey: "test-key-1", baseURL: server.url };
        const model =
          name === "OpenAI" ? responsesModel({ ...access, rules: openaiResponses }) : anthropicModel(access);
        const { error } = await ask(model, request({ model: name === "OpenAI" ? "gpt-5.5" : "claude-opus-5-5" }));
        assert.equal(error?.kind, kind, error?.message);
        assert.equal(error.retryAfterMs, retryAfterMs);
        assert.equal(error.shouldRetry, shouldRetry);
        assert.ok(error.next.length > 5 && !error.message.includes("test-key-1"));
      });
    }
  }
});
