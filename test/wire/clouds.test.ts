/** Azure, Bedrock and Vertex: where a model is asked, with which key, and what their errors say. */
import assert from "node:assert/strict";
import { ModelError } from "../../src/loop/model.ts";
import { familyOf } from "../../src/providers/families/families.ts";
import { askProvider, microsoftScope, openModel, type ProviderAccess } from "../../src/providers/providers.ts";
import { startModelServer } from "../model-server.ts";
import { ask, request } from "./ask.ts";

/** Returns API and address with which a model is asked. */
function routeOf(provider: string, address: string, name: string, model = name): string {
  const route = familyOf(provider, address)?.route?.(new URL(address).href, { name, model }) ?? assert.fail();
  return `${route.api} ${route.baseURL}`;
}

describe("clouds: addresses", () => {
  it("E4 Azure: the resource, v1, deployments and whole targets", () => {
    const azure = (address: string) => routeOf("azure", address, "ours").replace("openai https://me.", "");
    assert.equal(azure("https://me.openai.azure.com"), "openai.azure.com/openai/v1");
    assert.equal(azure("https://me.openai.azure.com/openai/"), "openai.azure.com/openai/v1");
    assert.equal(azure("https://me.services.ai.azure.com/openai/v1/"), "services.ai.azure.com/openai/v1");
    assert.equal(azure("https://me.openai.azure.com/openai/v1/responses"), "openai.azure.com/openai/v1");
    const deployment = "openai.azure.com/openai/deployments/ours?api-version=2025-01-01";
    assert.equal(azure("https://me.openai.azure.com/?api-version=2025-01-01"), deployment);
    assert.equal(azure("https://me.openai.azure.com/openai/deployments/ours?api-version=2025-01-01"), deployment);
    assert.equal(azure(`https://me.${deployment.replace("?", "/chat/completions?")}`), deployment);
  });

  it("E3 E4 Bedrock: Claude by Messages, regional names and others at the runtime's address", () => {
    const mantle = "https://bedrock-mantle.eu-west-1.api.aws";
    const runtime = "https://bedrock-runtime.eu-west-1.amazonaws.com";
    const at = (address: string, name: string, model?: string) => routeOf("bedrock", address, name, model);
    assert.equal(at(mantle, "anthropic.claude-sonnet-5-5"), `messages ${mantle}/anthropic`);
    assert.equal(at(`${mantle}/v1`, "anthropic.claude-sonnet-5-5"), `messages ${mantle}/anthropic`);
    assert.equal(at(mantle, "eu.anthropic.claude-sonnet-5-5"), `messages ${runtime}/anthropic`);
    assert.equal(at(runtime, "anthropic.claude-opus-4-6-v1"), `messages ${runtime}/anthropic`);
    assert.equal(at(mantle, "global.openai.gpt-6.1-terra"), `openai ${runtime}/openai/v1`);
    assert.equal(at(`${runtime}/openai/v1`, "qwen.qwen3-coder-next"), `openai ${runtime}/openai/v1`);
    assert.equal(at(`${mantle}/v1`, "openai.gpt-oss-120b"), `openai ${mantle}/v1`);
    const profile = "arn:aws:bedrock:eu-west-1:1:application-inference-profile/x";
    assert.equal(at(mantle, profile, "claude-opus-5-5"), `messages ${runtime}/anthropic`);
  });

  it("E3 E4 Vertex: Claude by Messages, Gemini by Chat Completions", () => {
    const base = "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1";
    assert.equal(routeOf("vertex", base, "claude-haiku-4-5@20251001"), `messages ${base}`);
    assert.equal(routeOf("openai", `${base}/endpoints/openapi`, "claude-sonnet-5-5"), `messages ${base}`);
    assert.equal(routeOf("vertex", base, "gemini-4-argon"), `openai ${base}/endpoints/openapi`);
  });
});

describe("clouds: keys and errors", () => {
  it("a token of the Microsoft account is for Azure's own hosts alone", () => {
    const scope = (address: string) => microsoftScope("azure", address);
    assert.equal(scope("https://me.openai.azure.com/openai/v1"), "https://ai.azure.com/.default");
    assert.equal(scope("https://me.services.ai.azure.com/openai/v1"), "https://ai.azure.com/.default");
    const older = "https://me.openai.azure.com/openai/deployments/x?api-version=2025-01-01";
    assert.equal(scope(older), "https://cognitiveservices.azure.com/.default");
    for (const other of [
      "http://me.openai.azure.com",
      "https://openai.azure.com.example.org",
      "https://me.example.org",
    ])
      assert.equal(scope(other), undefined, other);
    assert.equal(microsoftScope("openai", "https://api.openai.com/v1"), undefined);
  });

  const asked = async (provider: string, path: string, access: Partial<ProviderAccess>, model: string) => {
    const server = await startModelServer([[{ text: "Hi." }], [{ text: "Hi." }]]);
    const opened = await openModel(provider, { apiKey: "test-key-1", baseURL: `${server.url}${path}`, ...access });
    for (const _ of [1, 2]) assert.equal((await ask(opened, request({ model }))).error, undefined);
    await server.stop();
    return server.requests.map(({ path: where, headers, body }) => ({ where, headers, body }));
  };

  it("E4 a token is asked for with each request, and goes as Bearer; a key of Azure's has its own header", async () => {
    let count = 0;
    const renewed = await asked("azure", "/openai/v1", { apiKey: async () => `token-${++count}` }, "gpt-5.6-terra");
    assert.deepEqual(
      renewed.map(({ headers }) => [headers.authorization, headers["api-key"]]),
      [
        ["Bearer token-1", undefined],
        ["Bearer token-2", undefined],
      ],
    );
    const [pasted] = await asked("azure", "/openai/v1", { apiKey: "eyJhbGciOi.eyJzdWIi.sig" }, "gpt-5.6-terra");
    assert.equal(pasted?.headers["api-key"], undefined);
    const token = async () => "google-token";
    const [claude] = await asked("bedrock", "", { apiKey: token }, "anthropic.claude-opus-5");
    assert.equal(claude?.headers.authorization, "Bearer google-token");
    assert.equal(claude?.headers["x-api-key"], undefined);
  });

  it("E4 M1 a deployment keeps the rules of the model that it stands for", async () => {
    const models = { "our-model": "gpt-6.1-terra" };
    const [v1] = await asked("azure", "/openai/v1", { models }, "our-model");
    assert.equal(v1?.where, "/openai/v1/responses");
    assert.equal(v1?.body["model"], "our-model");
    assert.deepEqual(v1?.body["reasoning"], { summary: "auto" });
    const [profile] = await asked("bedrock", "", { models: { ours: "claude-haiku-4-5" } }, "ours");
    assert.equal(profile?.where, "/anthropic/v1/messages");
    assert.equal(profile?.body["model"], "ours");
  });

  it("E5 the content filter of Azure says what it found", async () => {
    const message = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.";
    const found = { hate: { filtered: false, severity: "safe" }, jailbreak: { filtered: true, detected: true } };
    const innererror = { code: "ResponsibleAIPolicyViolation", content_filter_result: found };
    const error = { message, type: null, param: "prompt", code: "content_filter", status: 400, innererror };
    const server = await startModelServer([{ status: 400, body: { error } }]);
    const opened = await openModel("azure", { apiKey: "test-key-1", baseURL: `${server.url}/openai/v1` });
    const { error: told } = await ask(opened, request({ model: "gpt-5.6-terra" }));
    await server.stop();
    assert.equal(told?.kind, "flagged");
    assert.match(told?.message ?? "", /content management policy\. \(Found: jailbreak\.\)/);
  });

  it("E5 a token that cannot be had ends the reply in the words of who should have given it", async () => {
    const fails = async () => {
      throw new ModelError("auth", "The sign-in was cancelled.", "Sign in.");
    };
    for (const [provider, model] of [
      ["azure", "gpt-5.6-terra"],
      ["vertex", "claude-opus-5-5"],
    ] as const) {
      const opened = await openModel(provider, { apiKey: fails, baseURL: "http://127.0.0.1:9/openai/v1" });
      const { error } = await ask(opened, request({ model }));
      assert.equal(error?.kind, "auth");
      assert.equal(error?.message, "The sign-in was cancelled.");
    }
  });

  it("H4 a stop ends the wait for a token", async () => {
    const stop = new AbortController();
    const waits = () => {
      stop.abort();
      return new Promise<string>(() => {});
    };
    const opened = await openModel("azure", { apiKey: waits, baseURL: "http://127.0.0.1:9/openai/v1" });
    const { error } = await ask(opened, request({ model: "gpt-5.6-terra", signal: stop.signal }));
    assert.equal(error?.kind, "aborted");
  });

  it("M1 clouds are not asked for facts that they do not tell", async () => {
    const server = await startModelServer([]);
    const access = { apiKey: "test-key-1", baseURL: server.url };
    for (const provider of ["azure", "bedrock", "vertex"]) {
      assert.equal(await askProvider(provider, access, "x", AbortSignal.timeout(5_000)), undefined);
    }
    await server.stop();
    assert.equal(server.requests.length, 0);
  });
});
