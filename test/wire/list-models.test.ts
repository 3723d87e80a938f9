/** Lists of models, as servers publish them, over a real connection. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { listProviderModels } from "../../src/providers/providers.ts";

describe("lists of models", () => {
  const seen: IncomingMessage[] = [];
  let answer: { status?: number; body: unknown };
  const server = createServer((incoming, response) => {
    seen.push(incoming);
    response.writeHead(answer.status ?? 200, { "content-type": "application/json" });
    response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
  });
  let url: string;
  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  });
  after(() => void server.close());

  const signal = new AbortController().signal;
  async function namesOf(providerID: string, body: unknown, apiKey: string | undefined = "k"): Promise<unknown> {
    answer = { body };
    const list = await listProviderModels(providerID, { apiKey, baseURL: `${url}/v1` }, signal);
    return list?.type === "listed" ? list.models.map(({ modelID }) => modelID) : list;
  }

  it("are read with what they say of window and price, without models that hold no conversation", async () => {
    const data = [
      {
        id: "anthropic/claude-sonnet-5.5",
        context_length: 1_000_000,
        pricing: { prompt: "0.000002", completion: "0.00001" },
        supported_parameters: ["tools"],
      },
      { id: "toolless", supported_parameters: ["temperature"] },
      { id: "painter", architecture: { output_modalities: ["image"] } },
      { id: "mistral-ocr-latest", capabilities: { completion_chat: false } },
      { id: "text-embedding-3-large" },
      { id: "gpt-realtime" },
      { id: "whisper-large-v4" },
      { id: "together-embed", type: "embedding" },
      { id: "hidden\u202ename" },
      { id: 7 },
    ];
    answer = { body: { data } };
    const list = await listProviderModels("my-gateway", { apiKey: "k", baseURL: `${url}/v1/` }, signal);
    assert.equal(list?.type, "listed");
    assert.deepEqual(
      list.models.map(({ modelID }) => modelID),
      ["anthropic/claude-sonnet-5.5"],
    );
    assert.equal(list.models[0]?.facts.contextWindow, 1_000_000);
    assert.deepEqual([list.models[0]?.facts.price?.input, list.models[0]?.facts.price?.output], [2, 10]);
    assert.deepEqual([seen.at(-1)?.url, seen.at(-1)?.headers.authorization], ["/v1/models", "Bearer k"]);
  });

  it("of Gemini have paths for IDs, of which requests take the name", async () => {
    const data = [{ id: "models/gemini-4-argon" }, { id: "models/imagen-5" }];
    assert.deepEqual(await namesOf("gemini", { data }), ["gemini-4-argon"]);
  });

  it("may be bare, as Together's", async () => {
    assert.deepEqual(await namesOf("my-gateway", [{ id: "a", type: "chat" }]), ["a"]);
  });

  it("of GitHub Models stand beside its inference, with windows", async () => {
    const model = { limits: { max_input_tokens: 1_048_576 }, supported_input_modalities: ["text", "image"] };
    answer = {
      body: [
        { id: "openai/gpt-4.1", capabilities: ["streaming", "tool-calling"], ...model },
        { id: "deepseek/deepseek-r1", capabilities: ["streaming", "reasoning"], ...model },
      ],
    };
    const access = { apiKey: "k", baseURL: `${url}/orgs/mine/inference` };
    const list = await listProviderModels("github-models", access, signal);
    assert.equal(seen.at(-1)?.url, "/catalog/models");
    assert.ok(list?.type === "listed" && list.models.length === 1);
    assert.partialDeepStrictEqual(list.models[0], {
      modelID: "openai/gpt-4.1",
      facts: { contextWindow: 1_048_576, images: true },
    });
  });

  it("of Anthropic are asked in its own way, whole", async () => {
    const data = [{ id: "claude-opus-5-5", display_name: "Claude Opus 5.5", max_input_tokens: 1_000_000 }];
    assert.deepEqual(await namesOf("anthropic", { data, has_more: false }), ["claude-opus-5-5"]);
    const { url: path, headers } = seen.at(-1) ?? {};
    assert.deepEqual([path, headers?.["x-api-key"]], ["/v1/models?limit=1000", "k"]);
    assert.equal(headers?.authorization, undefined);
  });

  it("that do not come are told in a sentence, never with the key", async () => {
    const { host } = new URL(url);
    const problems: unknown[] = [];
    for (const given of [
      { status: 401, body: { error: "sk-secret" } },
      { status: 404, body: {} },
      { body: "<html>" },
    ]) {
      answer = given;
      problems.push(await listProviderModels("my-gateway", { apiKey: "sk-secret", baseURL: url }, signal));
    }
    answer = { status: 403, body: {} };
    problems.push(await listProviderModels("my-gateway", { apiKey: undefined, baseURL: url }, signal));
    problems.push(await listProviderModels("my-gateway", { apiKey: "k", baseURL: "http://127.0.0.1:1/v1" }, signal));
    const failed = (reason: string, problem: string, said = "") => ({ type: "failed", reason, said, problem });
    assert.deepEqual(problems, [
      failed("refused", `${host} refuses the key. Use “Rondo: Set API Key…”.`, "…"),
      failed("no-list", `${host} does not list its models. Type the ID of one.`),
      failed("no-list", `${host} does not list its models. Type the ID of one.`),
      failed("refused", `${host} needs a key. Use “Rondo: Set API Key…”.`),
      failed("no-answer", "127.0.0.1:1 did not answer. Check that it runs."),
    ]);
  });

  it("of clouds are not asked for: they do not tell what is deployed", async () => {
    const before = seen.length;
    const azure = { apiKey: "k", baseURL: "https://mine.openai.azure.com/openai/v1" };
    assert.equal(await listProviderModels("azure", azure, signal), undefined);
    const token = { apiKey: async () => "t", baseURL: `${url}/v1` };
    assert.equal(await listProviderModels("my-gateway", token, signal), undefined);
    assert.equal(seen.length, before);
  });
});
