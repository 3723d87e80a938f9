/** Ollama's own API over a real connection: the window, the stream, errors in all their places, and servers without it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { Model, ModelRequest } from "../../src/loop/model.ts";
import { openModel } from "../../src/providers/providers.ts";
import { openaiEvents } from "../model-server/encode.ts";
import { type OllamaBody, ollamaLines } from "../strict/ollama.ts";
import { png } from "../strict/stories.ts";
import { ask, request, user } from "./ask.ts";

interface Reply {
  status?: number;
  type?: string;
  /** Written one after the other. */
  pieces?: readonly (string | Uint8Array)[];
  /** Breaks the connection after them, or leaves it open. */
  end?: "break" | "hang";
}

describe("Ollama's /api/chat", () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  interface Place {
    model: Model;
    /** Bodies of requests for a reply, in order. */
    bodies: OllamaBody[];
    paths: string[];
    closed: Promise<unknown>[];
  }

  /** `answers`: what the server says of its models, by path. */
  async function serve(replies: Reply[], answers: Record<string, unknown> = {}): Promise<Place> {
    const place: Omit<Place, "model"> = { bodies: [], paths: [], closed: [] };
    const server = createServer(async (asked, response) => {
      const path = asked.url ?? "";
      let raw = "";
      for await (const chunk of asked) raw += chunk;
      place.paths.push(path);
      const answer = answers[path];
      if (answer === "hang") return;
      if (!/chat|responses/.test(path))
        return send(response, { status: answer ? 200 : 404, pieces: [JSON.stringify(answer ?? {})] });
      place.bodies.push(JSON.parse(raw));
      place.closed.push(once(response, "close"));
      await send(response, replies.shift() ?? { pieces: ollamaLines({ blocks: [{ text: "Done." }] }) });
    });
    servers.push(server.listen(0, "127.0.0.1"));
    await once(server, "listening");
    const address = server.address();
    assert.ok(address && typeof address === "object");
    const baseURL = `http://127.0.0.1:${address.port}/v1`;
    return { ...place, model: await openModel("ollama", { apiKey: undefined, baseURL }) };
  }

  async function send(response: ServerResponse, { status = 200, type, pieces = [], end }: Reply): Promise<void> {
    response.writeHead(status, { "content-type": type ?? "application/x-ndjson" });
    response.flushHeaders();
    for (const piece of pieces) await new Promise((sent) => response.write(piece, sent));
    if (end === "break") response.socket?.destroy();
    else if (end === undefined) response.end();
  }

  const one = (more: Partial<ModelRequest> = {}) => request({ model: "qwen3.5:9b", ...more });
  const error = (words: string, status = 400): Reply => ({ status, pieces: [JSON.stringify({ error: words })] });
  const shown = {
    "/api/show": {
      capabilities: ["completion", "tools"],
      model_info: { "qwen35.context_length": 262_144, "qwen35.block_count": 4 },
    },
    "/api/ps": { models: [] },
  };

  const whole = ollamaLines({
    blocks: [
      { thinking: "Grüße 👋" },
      { text: "Ich lese." },
      { call: { name: "read", input: { file_path: "ä.txt" }, id: "call_9" } },
      { call: { name: "read", input: {}, id: "call_9" } },
    ],
  });

  it("E4 a reply that arrives byte by byte is the same reply, with its calls and counts", async () => {
    const bytes = Buffer.from(whole.join(""));
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    const { model } = await serve([{ pieces: whole }, { pieces: single }]);
    for (const way of ["line by line", "byte by byte"]) {
      const { reasoning, text, finish, calls, tokens } = await ask(model, one());
      assert.deepEqual([reasoning, text, finish], ["Grüße 👋", "Ich lese.", "tool-calls"], way);
      assert.deepEqual(
        calls.map(({ name, arguments: input }) => [name, input]),
        [
          ["read", { ok: true, input: { file_path: "ä.txt" } }],
          ["read", { ok: true, input: {} }],
        ],
      );
      assert.equal(calls[0]?.id, "call_9");
      assert.notEqual(calls[1]?.id, "call_9", "ids are unique within a reply");
      assert.deepEqual(tokens, { input: 50, output: 20, reasoning: 0, cacheRead: 150, cacheWrite: 0 });
    }
  });

  it("E5 a reply that is cut anywhere before its last line is no reply; what follows that line does not matter", async () => {
    const bytes = Buffer.from(whole.join(""));
    const last = bytes.lastIndexOf("}");
    const cuts = Array.from({ length: 12 }, (_, at) => Math.round((at * last) / 12));
    for (const end of ["break", undefined] as const) {
      const { model } = await serve(cuts.map((at) => ({ pieces: [bytes.subarray(0, at)], ...(end && { end }) })));
      for (const at of cuts) {
        const { error: failed, finish } = await ask(model, one());
        assert.deepEqual([failed?.kind, finish], ["network", undefined], `${end} at ${at}`);
      }
    }
    const { model } = await serve([{ pieces: whole, end: "hang" }, { pieces: [bytes.subarray(0, last + 1)] }]);
    assert.equal((await ask(model, one())).finish, "tool-calls");
    assert.equal((await ask(model, one())).finish, "tool-calls", "without a last line break");
  });

  it("E5 errors as status, as JSON within JSON, and in the middle of a stream", async () => {
    const overflow = {
      error: {
        code: 400,
        message: "request (8889 tokens) exceeds the available context size (4096 tokens), try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 8889,
        n_ctx: 4096,
      },
    };
    const longer = "the prompt is longer than the context length currently available to the model; shorten the prompt";
    const begun = ollamaLines({ blocks: [{ text: "Well, I" }] }).slice(0, 1);
    for (const [reply, kind, words] of [
      [error(JSON.stringify(overflow)), "context-full", /8889 tokens/],
      [error(longer), "context-full", /longer than the context/],
      [error("model 'qwen3.5:9b' not found", 404), "unknown-model", /not found/],
      [error("unauthorized", 401), "auth", /unauthorized/],
      [error("model is loading", 503), "overloaded", /loading/],
      [error("llama runner process has terminated: exit status 2", 500), "server", /terminated/],
      [error("this model does not support image input"), "images-refused", /image input/],
      [{ status: 502, type: "text/html", pieces: ["<html><title>Bad gateway</title>"] }, "server", /Bad gateway/],
      [
        { pieces: [...begun, '{"error":"an error was encountered while running the model"}\n'] },
        "server",
        /encountered/,
      ],
      [{ pieces: [...begun, `${JSON.stringify({ error: JSON.stringify(overflow) })}\n`] }, "context-full", /8889/],
      [{ pieces: [...begun, "nonsense\n"] }, "server", /cannot be read/],
    ] as const) {
      const { model } = await serve([reply]);
      const { error: failed, finish } = await ask(model, one());
      assert.deepEqual([failed?.kind, finish], [kind, undefined], failed?.message);
      assert.match(failed?.message ?? "", words);
    }
  });

  it("a model without tools is said to have none in one sentence, and is not asked again", async () => {
    const { model, bodies } = await serve([error("registry.ollama.ai/library/gemma3:4b does not support tools")]);
    const { error: failed } = await ask(model, one({ model: "gemma3:4b" }));
    assert.deepEqual(
      [failed?.kind, failed?.shouldRetry, failed?.message],
      ["invalid", false, "“gemma3:4b” cannot call tools, and Rondo works with tools."],
    );
    assert.equal(bodies.length, 1);
  });

  it("the same window in each request: the one it is given, else the one that suits model and server", async () => {
    const given = await serve([], shown);
    await ask(given.model, one({ contextWindow: 40_000 }));
    assert.deepEqual(given.bodies[0]?.options, { num_ctx: 40_000, num_predict: 1000 });
    const asked = await serve([], shown);
    const parameters = { temperature: 0.5, options: { top_p: 0.9, keep_alive: "1h", options: { min_p: 0.1 } } };
    for (const more of [{}, { maxTokens: undefined }, parameters]) await ask(asked.model, one(more));
    const { 0: first, 2: last } = asked.bodies;
    assert.deepEqual(
      asked.bodies.map(({ options }) => options?.["num_ctx"]),
      [65_536, 65_536, 65_536],
    );
    assert.deepEqual(
      [first?.truncate, first?.think, asked.bodies[1]?.options],
      [false, undefined, { num_ctx: 65_536 }],
    );
    assert.deepEqual(last?.options, { num_ctx: 65_536, num_predict: 1000, temperature: 0.5, top_p: 0.9, min_p: 0.1 });
    assert.equal(asked.paths.filter((path) => path === "/api/show").length, 1, "asked once");
    const silent = await serve([]);
    await ask(silent.model, one());
    assert.deepEqual(silent.bodies[0]?.options, { num_predict: 1000 });
  });

  it("a level of thinking that the model does not know is left out from then on", async () => {
    const refusal = error('think value "high" is not supported for this model');
    const { model, bodies } = await serve([refusal], shown);
    assert.equal((await ask(model, one({ thinking: "high" }))).text, "Done.");
    await ask(model, one({ thinking: "off" }));
    await ask(model, one({ model: "other", thinking: "off" }));
    assert.deepEqual(
      bodies.map(({ think }) => think),
      ["high", undefined, undefined, false],
    );
  });

  it("images go as base64; a model that is known to take none gets a sentence", async () => {
    const url = `data:image/png;base64,${png}`;
    const picture = { type: "file", mime: "image/png", filename: "dot.png", url } as const;
    const entries = [user("See.", picture)];
    const seeing = await serve([], {
      ...shown,
      "/api/show": { capabilities: ["completion", "vision"], model_info: {} },
    });
    await ask(seeing.model, one({ entries }));
    assert.deepEqual(seeing.bodies[0]?.messages.at(-1), { role: "user", content: "See.", images: [png] });
    const blind = await serve([], shown);
    await ask(blind.model, one({ entries }));
    assert.deepEqual(blind.bodies[0]?.messages.at(-1), {
      role: "user",
      content: "See.\n\n(dot.png, an image, is not shown: this model does not take it.)",
    });
  });

  it("a server without /api/chat, and one that speaks Chat Completions there, are asked with /v1 from then on", async () => {
    const sse = { type: "text/event-stream", pieces: openaiEvents({ blocks: [{ text: "Hi" }] }) };
    const missing = { status: 404, type: "text/plain", pieces: ["404 page not found"] };
    for (const first of [missing, { status: 404, pieces: ['{"detail":"Not Found"}'] }, sse]) {
      const { model, paths } = await serve([first, sse, sse]);
      assert.equal((await ask(model, one())).text, "Hi");
      assert.equal((await ask(model, one())).text, "Hi");
      const asked = paths.filter((path) => /chat/.test(path));
      assert.deepEqual(asked, ["/api/chat", "/v1/chat/completions", "/v1/chat/completions"]);
    }
  });

  it("rondo.api says otherwise: /v1 is used", async () => {
    const { paths } = await serve([]);
    const address = servers[0]?.address();
    assert.ok(address && typeof address === "object");
    const baseURL = `http://127.0.0.1:${address.port}/v1`;
    for (const api of ["chat", "responses"] as const) {
      const model = await openModel("ollama", { apiKey: undefined, baseURL, api });
      await ask(model, one());
    }
    assert.deepEqual(paths, ["/v1/chat/completions", "/v1/responses"]);
  });

  it("H4 Stop closes the connection, also before the first byte and while the server is asked for the window", async () => {
    for (const [replies, answers, after] of [
      [[{ pieces: whole.slice(0, 2), end: "hang" }], shown, "reasoning-delta"],
      [[{ pieces: [], end: "hang" }], shown, undefined],
      [[], { "/api/show": "hang" }, undefined],
    ] as const) {
      const { model, closed, bodies } = await serve([...replies], answers);
      const stop = new AbortController();
      if (after === undefined) setTimeout(() => stop.abort(), 100);
      const { error: failed } = await ask(model, one({ signal: stop.signal }), ({ type }) => {
        if (type === after) stop.abort();
      });
      assert.equal(failed?.kind, "aborted");
      assert.equal(bodies.length, replies.length);
      await Promise.all(closed);
    }
  });
});
