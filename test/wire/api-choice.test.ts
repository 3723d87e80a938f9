/** Which of OpenAI's two APIs a server is asked with, and what happens when it was the wrong one. */
import assert from "node:assert/strict";
import { type ApiChoice, apiFor } from "../../src/providers/api-choice.ts";
import { compatibleResponses } from "../../src/providers/families/compatible-responses.ts";
import { cloudResponses, openaiResponses } from "../../src/providers/families/openai-responses.ts";
import { xaiResponses } from "../../src/providers/families/xai-responses.ts";
import { openModel } from "../../src/providers/providers.ts";
import { type Answer, type ModelServer, startModelServer } from "../model-server.ts";
import { ask, request } from "./ask.ts";

const here = "http://localhost:8123/v1";

describe("OpenAI's two APIs", () => {
  it("E4 which one a server is asked with first", () => {
    const rules = (choice: ApiChoice, provider: string, url: string) => apiFor(choice, provider, url)?.rules;
    assert.equal(rules("auto", "openai", "https://api.openai.com/v1"), openaiResponses);
    assert.equal(rules("auto", "openai", "https://eu.api.openai.com/v1"), openaiResponses);
    assert.equal(rules("auto", "azure", "https://me.openai.azure.com/openai/v1/"), cloudResponses);
    assert.equal(rules("auto", "openai", "https://me.services.ai.azure.com/openai/v1"), cloudResponses);
    assert.equal(rules("auto", "azure", "https://me.openai.azure.com/openai/deployments/x?api-version=1"), undefined);
    assert.equal(rules("auto", "xai", "http://localhost:1/v1"), xaiResponses);
    assert.equal(rules("auto", "openai", "https://api.x.ai/v1"), xaiResponses);
    assert.equal(rules("auto", "openai", "http://localhost:11434/v1"), undefined);
    assert.equal(rules("responses", "openai", "http://localhost:11434/v1"), compatibleResponses);
    assert.equal(rules("chat", "openai", "https://api.openai.com/v1"), undefined);
    assert.equal(apiFor("auto", "openai", "https://api.openai.com/v1")?.first("gpt-4.1"), "responses");
  });

  it("E4 on other servers, models whose tools Chat Completions never takes are asked with Responses", () => {
    const first = apiFor("auto", "openai", here)?.first ?? assert.fail();
    const only = ["gpt-5.3-codex", "gpt-5-pro", "gpt-6-astra", "openai/gpt-6.1-sol", "GPT-6.2-sol", "gpt-6.2-astra"];
    for (const model of only) assert.equal(first(model), "responses", model);
    const both = ["gpt-4.1", "o4-mini", "gpt-5", "gpt-5.5", "gpt-5.6", "gpt-5.6-terra", "gpt-6-luna", "gpt-6.1-terra"];
    for (const model of [...both, "gpt-oss-120b", "qwen3", "my-deployment"]) assert.equal(first(model), "chat", model);
  });
});

describe("OpenAI's two APIs: the wrong one", () => {
  let server: ModelServer | undefined;
  afterEach(() => server?.stop());

  async function serve(refused: "/v1/responses" | "/v1/chat/completions", answer: Answer, api: ApiChoice = "auto") {
    const started = await startModelServer(({ path }) => (path === refused ? answer : [{ text: "ok" }]));
    server = started;
    const model = await openModel("openai", { apiKey: "test-key", baseURL: `${started.url}/v1`, api });
    const paths = () => started.requests.map(({ path }) => path.replace("/v1/", ""));
    return { model, paths };
  }

  const error = (status: number, message: string, code: string | null = null): Answer => ({
    status,
    body: { error: { message, type: "invalid_request_error", param: null, code } },
  });

  // litellm#34569; codex#5420; community.openai.com on codex and pro models.
  for (const [status, words] of [
    [
      400,
      "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. Please use /v1/responses instead.",
    ],
    [404, "This model is only supported in v1/responses and not in v1/chat/completions."],
    [400, "The requested model can only be used with the Responses API."],
    [404, "This is not a chat model and thus not supported in the v1/chat/completions endpoint."],
  ] as const) {
    it(`E4 E5 “${words.slice(0, 60)}…” leads to Responses, for good`, async () => {
      const { model, paths } = await serve("/v1/chat/completions", error(status, words));
      for (const text of ["ok", "ok"]) assert.equal((await ask(model, request({ model: "some-model" }))).text, text);
      assert.deepEqual(paths(), ["chat/completions", "responses", "responses"]);
    });
  }

  for (const [name, answer] of Object.entries({
    OpenAI: error(404, "Invalid URL (POST /v1/responses)"),
    FastAPI: { status: 404, body: { detail: "Not Found" } },
    Go: { status: 404, headers: { "content-type": "text/plain" }, body: "404 page not found" },
    "an empty body": { status: 404 },
    "405": { status: 405, body: { detail: "Method Not Allowed" } },
    "501": { status: 501, body: { error: "not implemented" } },
  } satisfies Record<string, Answer>)) {
    it(`E4 E5 a server without Responses gets Chat Completions, for good: ${name}`, async () => {
      const { model, paths } = await serve("/v1/responses", answer, "responses");
      for (const text of ["ok", "ok"]) assert.equal((await ask(model, request())).text, text);
      assert.deepEqual(paths(), ["responses", "chat/completions", "chat/completions"]);
    });
  }

  it("E5 other refusals are told at once, and no server is asked in circles", async () => {
    for (const answer of [
      error(404, "The model `x` does not exist or you do not have access to it.", "model_not_found"),
      error(400, "Invalid schema for function 'read'."),
      error(401, "Incorrect API key provided"),
    ]) {
      const { model, paths } = await serve("/v1/responses", answer, "responses");
      assert.ok((await ask(model, request())).error);
      assert.deepEqual(paths(), ["responses"]);
      await server?.stop();
    }
    const nowhere = await startModelServer(() => error(404, "Not found"));
    server = nowhere;
    const model = await openModel("openai", { apiKey: "k", baseURL: `${nowhere.url}/v1`, api: "responses" });
    assert.equal((await ask(model, request())).error?.kind, "unknown-model");
    assert.equal(nowhere.requests.length, 2);
  });

  it("E4 Chat Completions that the user has chosen stay", async () => {
    const { model, paths } = await serve(
      "/v1/chat/completions",
      error(400, "Please use /v1/responses instead."),
      "chat",
    );
    assert.match((await ask(model, request())).error?.message ?? "", /use \/v1\/responses/);
    assert.deepEqual(paths(), ["chat/completions"]);
  });
});
