/** Errors of Chat Completions servers in every shape that has been published: their own words, and what follows. */
import assert from "node:assert/strict";
import type { ModelErrorKind } from "../../src/loop/model.ts";
import { openModel, type ProviderID } from "../../src/providers/providers.ts";
import { startModelServer } from "../model-server.ts";
import { ask, request } from "./ask.ts";

interface ErrorCase {
  provider: ProviderID;
  status: number;
  body: unknown;
  kind: ModelErrorKind;
  words: RegExp;
}

const cases: readonly ErrorCase[] = [
  {
    provider: "gemini",
    status: 400,
    body: [
      {
        error: {
          code: 400,
          message: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
          status: "INVALID_ARGUMENT",
        },
      },
    ],
    kind: "context-full",
    words: /1196265/,
  },
  {
    provider: "openrouter",
    status: 400,
    body: {
      error: {
        code: 400,
        message: "Provider returned error",
        metadata: {
          raw: '{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}',
          provider_name: "Anthropic",
        },
      },
    },
    kind: "context-full",
    words: /9 tokens > 8 maximum/,
  },
  {
    provider: "openrouter",
    status: 404,
    body: { error: { code: 404, message: "No endpoints found that support image input" } },
    kind: "images-refused",
    words: /support image input/,
  },
  {
    provider: "mistral",
    status: 422,
    body: {
      object: "error",
      message: { detail: [{ type: "extra_forbidden", loc: ["body", "x"], msg: "Extra inputs are not permitted" }] },
      type: "invalid_request_error",
      code: null,
    },
    kind: "invalid",
    words: /extra_forbidden/,
  },
  {
    provider: "mistral",
    status: 400,
    body: {
      object: "error",
      message: "Prompt contains 9 tokens and 0 draft tokens, too large for model with 8 maximum context length",
      type: "invalid_request_prompt",
      code: "3051",
    },
    kind: "context-full",
    words: /Prompt contains 9/,
  },
  {
    provider: "deepseek",
    status: 400,
    body: {
      error: {
        message:
          "Failed to deserialize the JSON body into the target type: messages[3]: unknown variant `image_url`, expected `text`",
        type: "invalid_request_error",
        param: null,
        code: "invalid_request_error",
      },
    },
    kind: "images-refused",
    words: /image_url/,
  },
  {
    provider: "groq",
    status: 400,
    body: { error: { message: "messages[2].content must be a string", type: "invalid_request_error" } },
    kind: "images-refused",
    words: /must be a string/,
  },
  {
    provider: "cerebras",
    status: 400,
    body: {
      message: "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000",
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    },
    kind: "context-full",
    words: /42328/,
  },
  {
    provider: "zai",
    status: 400,
    body: { error: { code: "1261", message: "Prompt exceeds max length" } },
    kind: "context-full",
    words: /max length/,
  },
  {
    provider: "qwen",
    status: 400,
    body: { error: { code: "invalid_parameter_error", message: "<400> Range of input length should be [1, 129024]" } },
    kind: "context-full",
    words: /129024/,
  },
  {
    provider: "moonshot",
    status: 400,
    body: { error: { message: "Your request exceeded model token limit: 262144", type: "invalid_request_error" } },
    kind: "context-full",
    words: /262144/,
  },
  {
    provider: "llama-cpp",
    status: 500,
    body: { error: { code: 500, message: "image input is not supported - hint: mmproj", type: "server_error" } },
    kind: "images-refused",
    words: /mmproj/,
  },
  {
    provider: "vllm",
    status: 400,
    body: { object: "error", message: "x is not a multimodal model", type: "BadRequestError", param: null, code: 400 },
    kind: "images-refused",
    words: /multimodal/,
  },
  {
    provider: "lm-studio",
    status: 400,
    body: { error: "Model does not support images. Please use a model that does." },
    kind: "images-refused",
    words: /does not support images/,
  },
  {
    provider: "ollama",
    status: 400,
    body: { error: { message: "this model does not support image input", type: "invalid_request_error" } },
    kind: "images-refused",
    words: /image input/,
  },
];

describe("errors of Chat Completions servers", () => {
  for (const { provider, status, body, kind, words } of cases) {
    it(`E6 ${provider}, ${status}: ${kind}`, async () => {
      const server = await startModelServer([{ status, body }]);
      const model = await openModel(provider, { apiKey: "test-key-1", baseURL: `${server.url}/v1` });
      const { error } = await ask(model, request());
      await server.stop();
      assert.equal(error?.kind, kind);
      assert.match(error.message, words);
    });
  }
});
