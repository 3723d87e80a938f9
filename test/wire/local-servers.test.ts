/** Finding model servers on this machine, over real connections to servers that answer as the documented ones do. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { discoverLocalServers, usualAddresses } from "../../src/providers/local-servers/discover.ts";

describe("local model servers", () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  async function listen(answer: RequestListener): Promise<string> {
    const server = createServer(answer);
    servers.push(server.listen(0, "127.0.0.1"));
    await once(server, "listening");
    const address = server.address();
    assert.ok(address && typeof address === "object");
    return `http://127.0.0.1:${address.port}`;
  }

  /** Answers by path; a number is a status. */
  async function serve(answers: Record<string, unknown>, otherStatus = 404): Promise<string> {
    return await listen((request, response) => {
      const answer = answers[request.url ?? ""];
      response.writeHead(typeof answer === "number" ? answer : answer === undefined ? otherStatus : 200);
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer ?? { error: "not found" }));
    });
  }

  const find = (addresses: Record<string, string>) => discoverLocalServers(addresses, new AbortController().signal);

  const ollama = {
    "/api/version": { version: "0.40.12" },
    "/api/tags": {
      models: [
        {
          name: "qwen3.5:9b",
          model: "qwen3.5:9b",
          details: { family: "qwen35" },
          capabilities: ["completion", "tools"],
        },
        { name: "nomic-embed-text:latest", details: { family: "nomic-bert" } },
        { name: "tiny:latest", details: { family: "gemma3" }, capabilities: ["embedding"] },
        { name: "glm-5.2:cloud", remote_model: "glm-5.2", details: { family: "" } },
      ],
    },
    "/api/ps": { models: [{ model: "qwen3.5:9b", context_length: 65_536 }] },
  };
  const lmStudio = {
    "/api/v1/models": {
      models: [
        {
          type: "llm",
          key: "qwen/qwen3.5-9b",
          display_name: "Qwen3.5 9B",
          loaded_instances: [{ id: "qwen/qwen3.5-9b", config: { context_length: 4096 } }],
          max_context_length: 262_144,
          capabilities: { vision: true },
        },
        { type: "embedding", key: "text-embedding-nomic-embed-text-v1.5" },
      ],
    },
  };
  const llamaCpp = {
    "/v1/models": { object: "list", data: [{ id: "Devstral-Q4.gguf", owned_by: "llamacpp" }] },
    "/props": { default_generation_settings: { n_ctx: 24_576 }, modalities: { vision: false } },
  };
  const vllm = {
    "/v1/models": {
      object: "list",
      data: [
        { id: "Qwen/Qwen3.8-27B", owned_by: "vllm", max_model_len: 40_960 },
        { id: "BAAI/bge-m3", owned_by: "vllm", max_model_len: 8192 },
      ],
    },
  };
  const jan = {
    "/openapi.json": { info: { title: "👋Jan API" } },
    "/v1/models": { object: "list", data: [{ id: "Jan-v3-4B", object: "model", created: 1, owned_by: "user" }] },
  };

  it("each is found with its models and their windows, but not those for embeddings", async () => {
    const addresses = {
      ollama: await serve(ollama),
      "lm-studio": `${await serve(lmStudio, 200)}/v1`,
      "llama-cpp": `${await serve(llamaCpp)}/v1/`,
      vllm: await serve(vllm),
      jan: await serve(jan),
      other: "http://127.0.0.1:1",
    };
    const origin = (id: keyof typeof addresses) => new URL(addresses[id]).origin;
    const found = await find(addresses);
    assert.deepEqual(
      found.map(({ providerID, name, baseURL, models, needsKey }) => [providerID, name, baseURL, models, needsKey]),
      [
        [
          "ollama",
          "Ollama",
          `${origin("ollama")}/v1`,
          [{ id: "qwen3.5:9b", contextWindow: 65_536 }, { id: "glm-5.2:cloud" }],
          false,
        ],
        [
          "lm-studio",
          "LM Studio",
          `${origin("lm-studio")}/v1`,
          [{ id: "qwen/qwen3.5-9b", label: "Qwen3.5 9B", contextWindow: 4096, images: true }],
          false,
        ],
        [
          "llama-cpp",
          "llama.cpp",
          `${origin("llama-cpp")}/v1`,
          [{ id: "Devstral-Q4.gguf", contextWindow: 24_576, images: false }],
          false,
        ],
        ["vllm", "vLLM", `${origin("vllm")}/v1`, [{ id: "Qwen/Qwen3.8-27B", contextWindow: 40_960 }], false],
        ["jan", "Jan", `${origin("jan")}/v1`, [{ id: "Jan-v3-4B" }], false],
      ],
    );
  });

  it("LM Studio before 0.4; Jan with a key, which tells its models to nobody else; Ollama without models", async () => {
    const older = {
      "/api/v0/models": {
        data: [
          { id: "m", type: "vlm", loaded_context_length: 8192 },
          { id: "e", type: "embeddings" },
        ],
      },
    };
    const addresses = {
      "lm-studio": await serve(older, 200),
      jan: await serve({ "/openapi.json": jan["/openapi.json"], "/v1/models": 401 }),
      ollama: await serve({ "/api/version": { version: "0.9.0" }, "/api/tags": { models: null }, "/api/ps": {} }),
    };
    const found = await find(addresses);
    assert.deepEqual(
      found.map(({ providerID, models, needsKey }) => [providerID, models, needsKey]),
      [
        ["ollama", [], false],
        ["lm-studio", [{ id: "m", contextWindow: 8192, images: true }], false],
        ["jan", [], true],
      ],
    );
  });

  it("another kind of server at a port is not taken for the one that is usual there", async () => {
    const kinds = { ollama, "lm-studio": lmStudio, "llama-cpp": llamaCpp, vllm, jan };
    const list = { object: "list", data: [{ id: "m", owned_by: "somebody" }] };
    const html = "<!doctype html><title>Tomcat</title>";
    const strangers = [...Object.values(kinds), { "/v1/models": list }, { "/": html }, { "/v1/models": html }];
    for (const stranger of strangers)
      for (const id of Object.keys(kinds)) {
        if (kinds[id as keyof typeof kinds] === stranger) continue;
        for (const status of [200, 401, 404]) {
          const found = await find({ [id]: await serve(stranger, status) });
          assert.deepEqual(found, [], `${id} at ${JSON.stringify(stranger).slice(0, 60)}`);
        }
      }
    // llama.cpp answers Ollama's list, too.
    const shim = { "/api/tags": { models: [{ name: "m", details: { family: "" } }] } };
    assert.deepEqual(await find({ ollama: await serve(shim) }), []);
  });

  it("answers that never end, are too long, lead elsewhere or lie do no harm, and keep nobody waiting", async () => {
    const elsewhere = await serve(vllm);
    const hostile: Record<string, RequestListener> = {
      silent: () => undefined,
      redirect: (request, response) => response.writeHead(302, { location: elsewhere + request.url }).end(),
      endless: (_request, response) => {
        response.writeHead(200);
        const more = (): void => void (response.destroyed || response.write("[".repeat(65_536), more));
        more();
      },
      deep: (_request, response) => response.end("[".repeat(1e6)),
      broken: (_request, response) => response.destroy(),
      proto: (_request, response) =>
        response.end('{"__proto__":{"data":[]},"data":{"length":9},"models":[null,{"name":{}}]}'),
    };
    const began = performance.now();
    await Promise.all(
      Object.entries(hostile).map(async ([name, answer]) => {
        const url = await listen(answer);
        const addresses = Object.fromEntries(Object.keys(usualAddresses).map((id) => [id, url]));
        assert.deepEqual(await find(addresses), [], name);
      }),
    );
    assert.ok(performance.now() - began < 5000);
    assert.deepEqual(await find({ vllm: "file:///etc", jan: "not an address", ollama: "http://127.0.0.1:1" }), []);
  });

  it("names that deceive are left out, and there are no more than 500", async () => {
    const ids = [
      "ok",
      "line\nbreak",
      "\u202egnol",
      "x".repeat(400),
      7,
      "",
      ...Array.from({ length: 600 }, (_, at) => `m${at}`),
    ];
    const data = ids.map((id) => ({ id, owned_by: "vllm" }));
    const [found] = await find({ vllm: await serve({ "/v1/models": { data } }) });
    assert.equal(found?.models.length, 500);
    assert.deepEqual(found?.models.slice(0, 2), [{ id: "ok" }, { id: "m0" }]);
  });

  it("Stop ends the search", async () => {
    const url = await listen(() => undefined);
    const stop = new AbortController();
    const search = discoverLocalServers({ ollama: url }, stop.signal);
    stop.abort();
    assert.deepEqual(await search, []);
  });
});
