/** What servers say of their models: asked over real connections, of servers that answer as the documented ones do. */
import assert from "node:assert/strict";
import { getEventListeners, once } from "node:events";
import { createServer, type Server } from "node:http";
import { defaultLimits } from "../../src/loop/limits.ts";
import { askServer } from "../../src/providers/catalog/ask-server.ts";
import { describeUnknown, KnownFacts } from "../../src/providers/catalog/model-facts.ts";
import { ollamaWindow } from "../../src/providers/ollama/ollama-facts.ts";

type Answers = Record<string, unknown>;

describe("what servers say of their models", () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  /** Answers by "METHOD path"; others with 404. "hang" never answers. */
  async function serve(answers: Answers): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = [];
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const key = `${request.method} ${request.url}`;
      asked.push(body === "" ? key : `${key} ${body}`);
      const answer = answers[key];
      if (answer === "hang") return;
      response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer ?? { error: "not found" }));
    });
    servers.push(server.listen(0, "127.0.0.1"));
    await once(server, "listening");
    const address = server.address();
    assert.ok(address && typeof address === "object");
    return { url: `http://127.0.0.1:${address.port}`, asked };
  }

  async function ask(providerID: string, modelID: string, answers: Answers, path = "/v1") {
    const { url } = await serve(answers);
    return await askServer({ providerID, baseURL: url + path, apiKey: "k" }, modelID, AbortSignal.timeout(2000));
  }

  const listed = (...models: object[]) => ({ "GET /v1/models": { object: "list", data: models } });

  it("Anthropic: the window, the longest reply, and what it takes", async () => {
    const capabilities = {
      image_input: { supported: true },
      pdf_input: { supported: false },
      thinking: { supported: true },
    };
    const model = {
      id: "claude-next",
      display_name: "Claude Next",
      max_input_tokens: 2e6,
      max_tokens: 256_000,
      capabilities,
    };
    for (const path of ["", "/v1"])
      assert.deepEqual(await ask("anthropic", "claude-next", { "GET /v1/models/claude-next": model }, path), {
        label: "Claude Next",
        contextWindow: 2e6,
        maxOutput: 256_000,
        images: true,
        pdfs: false,
        reasoning: true,
      });
  });

  it("OpenRouter: prices for a token as strings, and the window of the provider behind it", async () => {
    const model = {
      id: "vendor/model",
      name: "Vendor: Model",
      context_length: 400_000,
      architecture: { input_modalities: ["text", "image"] },
      top_provider: { context_length: 262_144, max_completion_tokens: 65_536 },
      pricing: {
        prompt: "0.00000125",
        completion: "0.00001",
        input_cache_read: "0.000000125",
        internal_reasoning: "0",
      },
      supported_parameters: ["tools", "reasoning"],
    };
    assert.deepEqual(await ask("openrouter", "vendor/model", listed(model)), {
      label: "Vendor: Model",
      contextWindow: 262_144,
      maxOutput: 65_536,
      images: true,
      pdfs: false,
      reasoning: true,
      price: { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 1.25 },
    });
    const varying = { ...model, pricing: { prompt: "-1", completion: "-1" } };
    assert.equal((await ask("openrouter", "vendor/model", listed(varying))).price, undefined);
  });

  it("Groq, Mistral, Moonshot, vLLM and SGLang: each in its own field of the list", async () => {
    for (const [provider, more, expected] of [
      [
        "groq",
        { context_window: 131_072, max_completion_tokens: 32_768 },
        { contextWindow: 131_072, maxOutput: 32_768 },
      ],
      [
        "mistral",
        { max_context_length: 262_144, capabilities: { vision: true } },
        { contextWindow: 262_144, images: true },
      ],
      [
        "moonshot",
        { context_length: 1_048_576, supports_image_in: false },
        { contextWindow: 1_048_576, images: false },
      ],
      ["vllm", { max_model_len: 40_960, owned_by: "vllm" }, { contextWindow: 40_960 }],
      ["openai", { max_model_len: 32_768, owned_by: "sglang" }, { contextWindow: 32_768 }],
      ["openai", { context_length: "4096", max_model_len: -1, pricing: [], top_provider: null }, {}],
    ] as const)
      assert.deepEqual(await ask(provider, "m", listed({ id: "other" }, { id: "m", ...more })), expected, provider);
  });

  it("LiteLLM: window, prices and tiers of a model, the worst where its name stands for several; no price is not free", async () => {
    const info = {
      max_input_tokens: 1_048_576,
      max_output_tokens: 65_536,
      max_tokens: 65_536,
      input_cost_per_token: 1.25e-6,
      output_cost_per_token: 0.00001,
      cache_read_input_token_cost: 1.25e-7,
      input_cost_per_token_above_200k_tokens: 2.5e-6,
      output_cost_per_token_above_200k_tokens: 0.000015,
      supports_vision: true,
      supports_pdf_input: null,
      supports_reasoning: true,
    };
    const params = { model: "gemini/gemini-4-argon" };
    const deployment = (model_info: object, model_name = "mine") => ({
      model_name,
      litellm_params: params,
      model_info,
    });
    const answers = (data: readonly unknown[]) => ({
      ...listed({ id: "mine", object: "model", created: 1_677_610_602, owned_by: "openai" }),
      "GET /v1/model/info": { data },
    });
    const smaller = { ...info, max_input_tokens: 200_000, supports_vision: false, input_cost_per_token: 1e-6 };
    const facts = { maxOutput: 65_536, reasoning: true };
    const tier = { inputTokensAbove: 200_000, input: 2.5, output: 15, cacheRead: 2.5, cacheWrite: 2.5 };
    const price = { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 1.25, tiers: [tier] };
    const other = deployment({ max_input_tokens: 1 }, "other");
    for (const [data, expected] of [
      [[other, deployment(info)], { ...facts, contextWindow: 1_048_576, images: true, price }],
      [[deployment(info), deployment(smaller)], { ...facts, contextWindow: 200_000, images: false, price }],
      [[deployment({ input_cost_per_token: 0, output_cost_per_token: 0 })], {}],
      [[{ model_name: "mine", model_info: info }], {}],
      [[deployment({ max_input_tokens: "9", input_cost_per_token: Number.MAX_VALUE * 2 })], {}],
      [[null, 7, { model_name: "mine", litellm_params: 1, model_info: [] }], {}],
    ] as const)
      assert.deepEqual(await ask("openai", "mine", answers(data)), expected);
  });

  it("a server that tells the window in its list is asked no more", async () => {
    for (const [providerID, more] of [
      ["openai", { max_model_len: 9000 }],
      ["groq", { context_window: 9000 }],
    ] as const) {
      const { url, asked } = await serve(listed({ id: "m", ...more }));
      await askServer({ providerID, baseURL: `${url}/v1`, apiKey: "k" }, "m", AbortSignal.timeout(2000));
      assert.ok(!asked.some((one) => one.includes("/model/info")), providerID);
    }
  });

  it("Ollama: the window that is loaded, not the largest; else the one that the model's file sets", async () => {
    const shown = {
      parameters: 'stop "<|im_end|>"\nnum_ctx                        16384',
      model_info: { "general.architecture": "qwen3", "qwen3.context_length": 262_144 },
      capabilities: ["completion", "tools", "vision", "thinking"],
    };
    const loaded = {
      models: [
        { name: "other:8b", context_length: 1 },
        { model: "qwen3:latest", context_length: 4096 },
      ],
    };
    const both = { "GET /api/ps": loaded, "POST /api/show": shown };
    const abilities = { largestWindow: 262_144, images: true, reasoning: true };
    assert.deepEqual(await ask("ollama", "qwen3", both), { contextWindow: 4096, ...abilities });
    assert.deepEqual(await ask("openai", "qwen3", both), { contextWindow: 4096, ...abilities });
    const idle = { ...both, "GET /api/ps": { models: [] } };
    assert.deepEqual(await ask("ollama", "qwen3", idle), { contextWindow: 16_384, ...abilities });
  });

  it("Ollama with a window of our choice: the loaded one, the file's, or what agents need and the memory allows", () => {
    const info = { "qwen3.context_length": 262_144 };
    const heads = { "qwen3.block_count": 36, "qwen3.attention.head_count_kv": 8 };
    const sizes = { ...heads, "qwen3.attention.key_length": 128, "qwen3.attention.value_length": 128 };
    const byWidth = { ...heads, "qwen3.attention.head_count": 32, "qwen3.embedding_length": 4096 };
    const layers = {
      ...sizes,
      "qwen3.attention.head_count_kv": Array.from({ length: 36 }, (_, at) => (at % 4 ? 0 : 8)),
    };
    const running = (context_length: number) => ({ models: [{ model: "qwen3:latest", context_length }] });
    const GiB = 2 ** 30;
    for (const [loaded, shown, memoryBytes, expected] of [
      [{}, { model_info: info }, undefined, 65_536],
      [{}, { model_info: { "llama.context_length": 8192 } }, undefined, 8192],
      [running(131_072), { model_info: info }, undefined, 131_072],
      [running(32_768), { model_info: info }, undefined, 32_768],
      // Loaded as Ollama does by default: too small for an agent.
      [running(4096), { model_info: info }, undefined, 65_536],
      [running(8192), { model_info: { "llama.context_length": 8192 } }, undefined, 8192],
      [running(4096), { model_info: info, parameters: "num_ctx 24576" }, undefined, 24_576],
      [{}, { model_info: { "llama.context_length": 8192 }, parameters: "num_ctx 24576" }, undefined, 8192],
      // 147,456 bytes for a token.
      [{}, { model_info: { ...info, ...sizes } }, 64 * GiB, 65_536],
      [{}, { model_info: { ...info, ...sizes } }, 16 * GiB, 28_672],
      [{}, { model_info: { ...info, ...byWidth } }, 16 * GiB, 28_672],
      [{}, { model_info: { ...info, ...sizes } }, 4 * GiB, 16_384],
      [{}, { model_info: { ...info, ...layers } }, 16 * GiB, 65_536],
      [{}, { model_info: info, remote_host: "https://ollama.com:443" }, 4 * GiB, 262_144],
      ["<html>", null, 4 * GiB, 65_536],
      [{}, { model_info: { a: [1], "x.context_length": "9", "x.block_count": -1 } }, 4 * GiB, 65_536],
    ] as const)
      assert.equal(ollamaWindow(loaded, shown, { model: "qwen3", memoryBytes }), expected, JSON.stringify(shown));
  });

  it("LM Studio, also before 0.4; llama.cpp, also as a router", async () => {
    const newer = {
      models: [
        {
          key: "qwen/qwen3.5-9b",
          display_name: "Qwen3.5 9B",
          loaded_instances: [{ id: "qwen/qwen3.5-9b", config: { context_length: 4096 } }],
          max_context_length: 262_144,
          capabilities: { vision: true, trained_for_tool_use: true },
        },
      ],
    };
    assert.deepEqual(await ask("lm-studio", "qwen/qwen3.5-9b", { "GET /api/v1/models": newer }), {
      label: "Qwen3.5 9B",
      contextWindow: 4096,
      largestWindow: 262_144,
      images: true,
    });
    const older = { data: [{ id: "m", type: "llm", loaded_context_length: 8192, max_context_length: 32_768 }] };
    assert.deepEqual(await ask("lm-studio", "m", { "GET /api/v0/models": older }), {
      contextWindow: 8192,
      largestWindow: 32_768,
      images: false,
    });
    const props = { default_generation_settings: { n_ctx: 24_576 }, modalities: { vision: false } };
    assert.deepEqual(await ask("llama-cpp", "m", { "GET /props?model=m&autoload=false": props }), {
      contextWindow: 24_576,
      images: false,
    });
  });

  it("answers that are none say nothing", async () => {
    for (const answer of ["", "<html>", "null", "[]", '{"data":[null,1,{"id":7}]}', '{"data":{}}'])
      for (const provider of ["anthropic", "openrouter", "ollama", "lm-studio", "llama-cpp", "openai"]) {
        const paths = ["/v1/models", "/v1/models/m", "/api/ps", "/api/v1/models", "/api/v0/models"];
        const answers = Object.fromEntries(paths.map((path) => [`GET ${path}`, answer]));
        assert.deepEqual(
          await ask(provider, "m", { ...answers, "POST /api/show": answer }),
          {},
          `${provider} ${answer}`,
        );
      }
    const nobody = { providerID: "openai", baseURL: "http://127.0.0.1:9/v1", apiKey: undefined };
    assert.deepEqual(await askServer(nobody, "m", AbortSignal.timeout(2000)), {});
  });

  const ref = { providerID: "openai", modelID: "mine" };
  const never = new AbortController().signal;

  function factsFrom(url: string, more: Partial<typeof defaultLimits> = {}): KnownFacts {
    return new KnownFacts({
      limits: () => ({ ...defaultLimits, ...more }),
      ask: ({ providerID, modelID }, signal) =>
        askServer({ providerID, baseURL: `${url}/v1`, apiKey: undefined }, modelID, signal),
    });
  }

  it("C1 what the server says goes before what is assumed, and settings before both", async () => {
    const { url, asked } = await serve(listed({ id: "mine", max_model_len: 24_000 }));
    const facts = factsFrom(url);
    assert.equal(describeUnknown(facts.of(ref)), "window unknown, 128k assumed; price unknown");
    await Promise.all([facts.learn(ref, never), facts.learn(ref, never)]);
    assert.deepEqual([facts.of(ref).contextWindow, describeUnknown(facts.of(ref))], [24_000, "price unknown"]);
    await facts.learn(ref, never);
    assert.equal(asked.filter((one) => one === "GET /v1/models").length, 1, "once");
    facts.observeWindow(ref, 4096);
    assert.deepEqual([facts.of(ref).contextWindow, facts.of(ref).inputLimit], [4096, 4096]);
    const forced = factsFrom(url, { forcedWindow: 9000 });
    await forced.learn(ref, never);
    assert.equal(forced.of(ref).contextWindow, 9000);
  });

  it("once the server has answered, nothing is left that waits for Stop", async () => {
    const { url } = await serve(listed({ id: "mine", max_model_len: 24_000 }));
    const facts = factsFrom(url);
    const { signal } = new AbortController();
    for (let round = 0; round < 3; round++) await facts.learn(ref, signal);
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  it("nothing is asked of a model that the catalogue knows", async () => {
    const { url, asked } = await serve({});
    await factsFrom(url).learn({ providerID: "anthropic", modelID: "claude-sonnet-5-5" }, never);
    assert.deepEqual(asked, []);
  });

  it("a server that does not answer delays a request by little, once; Stop ends the wait", async () => {
    const { url } = await serve({ "GET /v1/models": "hang" });
    const facts = factsFrom(url);
    const stopped = performance.now();
    await facts.learn(ref, AbortSignal.timeout(50));
    assert.ok(performance.now() - stopped < 1000);
    const before = performance.now();
    await facts.learn(ref, never);
    assert.ok(performance.now() - before < 2500);
    const again = performance.now();
    await facts.learn(ref, never);
    assert.ok(performance.now() - again < 100);
  });

  it("a local model that is not loaded is asked about again, and its largest window is a bound", async () => {
    const answers: Answers = { "POST /api/show": { model_info: { "llama.context_length": 8192 } }, "GET /api/ps": {} };
    const { url } = await serve(answers);
    const local = { providerID: "ollama", modelID: "llama" };
    const facts = factsFrom(url);
    await facts.learn(local, never);
    assert.deepEqual([facts.of(local).contextWindow, facts.of(local).unknown[0]], [8192, "window"]);
    answers["GET /api/ps"] = { models: [{ model: "llama:latest", context_length: 4096 }] };
    await facts.learn(local, never);
    assert.deepEqual([facts.of(local).contextWindow, facts.of(local).unknown], [4096, ["price"]]);
  });
});
