/** Error texts that say that the context window is full, and similar ones that do not. */
import assert from "node:assert/strict";
import { loopCases } from "./loop-cases.ts";
import { failures } from "./provider-failures.ts";

const full: Record<string, string> = {
  Anthropic: "prompt is too long: 213462 tokens > 200000 maximum",
  "Anthropic, including the reply": "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
  OpenAI: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "OpenAI, older":
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
  Google: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
  xAI: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  Groq: "Please reduce the length of the messages or completion.",
  OpenRouter:
    "This endpoint's maximum context length is 1000 tokens. However, you requested about 1500 tokens (1400 of text input, 100 in the output).",
  Bedrock: "Input is too long for requested model.",
  Copilot: "prompt token count of 130000 exceeds the limit of 128000",
  "llama.cpp": "the request exceeds the available context size, try increasing it",
  "llama.cpp, while streaming": "Context size has been exceeded.",
  "LM Studio": "The number of tokens to keep from the initial prompt is greater than the context length.",
  "llama.cpp, by its type": "exceed_context_size_error",
  "LM Studio, before 0.4":
    "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
  MiniMax: "invalid params, context window exceeds limit",
  Kimi: "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)",
  Mistral: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
  Ollama: "prompt too long; exceeded max context length by 4 tokens",
  vLLM: "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
  "vLLM, older": "max_tokens must be at least 1, got -186.",
  LiteLLM: "litellm.BadRequestError: litellm.ContextWindowExceededError: AnthropicError - {}",
};

const not: Record<string, string> = {
  "an invalid key": "invalid api key",
  "a lost connection": "fetch failed: socket closed",
  "a reply limit above the model's maximum":
    "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens",
  "a limit per minute":
    "Request too large for model `x` in organization `y` on tokens per minute (TPM): Limit 6000, Requested 7000",
  throttling: "ThrottlingException: Too many tokens, please wait before trying again.",
  "a field of a tool named context": "tools.3.context: Field required",
};

const answerTooLong: Record<string, string> = {
  OpenAI:
    "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 in the messages, 6048 in the completion). Please reduce the length of the messages or completion.",
  Anthropic: "input length and `max_tokens` exceed context limit: 568 + 6048 > 6048",
  vLLM: "'max_tokens' or 'max_completion_tokens' is too large: 6048. This model's maximum context length is 6048 tokens and your request has 568 input tokens (6048 > 6048 - 568).",
};

describe("H2 C3 a full context window", () => {
  const kinds = async (text: string) => {
    const errors = (await failures({ status: 400, body: { error: { message: text } } })) ?? [];
    return errors.map(({ kind }) => kind);
  };

  for (const [who, text] of Object.entries(full)) {
    it(`is recognized in the error of ${who}`, async () =>
      assert.deepEqual(await kinds(text), ["context-full", "context-full"]));
  }

  for (const [what, text] of Object.entries(not)) {
    it(`does not include ${what}`, async () => assert.ok(!(await kinds(text)).includes("context-full")));
  }

  for (const [who, text] of Object.entries(answerTooLong)) {
    it(`does not include a reply limit above the window, from ${who}: the error names the setting, because compaction would not help`, async () => {
      for (const error of (await failures({ status: 400, body: { error: { message: text } } })) ?? []) {
        assert.equal(error.kind, "invalid");
        assert.match(error.message, /up to 6048 tokens/);
        assert.match(error.next, /max_tokens/);
      }
    });
  }

  it("is recognized by a code, in the stream, or in a body without an error", async () => {
    const code = { error: { code: "context_length_exceeded", message: "No." } };
    const bare = { object: "error", message: full["OpenAI, older"], type: "BadRequestError", code: 400 };
    for (const failure of [{ status: 400, body: code }, { sse: [code] }, { status: 400, body: bare }]) {
      for (const { kind } of (await failures(failure)) ?? []) assert.equal(kind, "context-full");
    }
  });

  describe("collected cases", () => {
    for (const { id, title, input, expect } of loopCases("overflow-text")) {
      it(`${id} ${title}`, async () => {
        const text = String(input["text"]);
        const failure = Number(input["status"] ?? 400) === 200 ? { sse: [{ error: { message: text } }] } : undefined;
        const errors = (await failures(failure ?? { status: 400, body: { error: { message: text } } })) ?? [];
        const compacts = expect["overflow"] === true && expect["compaction_helps"] !== false;
        for (const { kind } of errors) assert.equal(kind === "context-full", compacts, kind);
      });
    }
  });
});
