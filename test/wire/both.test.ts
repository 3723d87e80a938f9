/** Behaviour of all wire formats, over a real connection. */
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { anthropicModel } from "../../src/providers/anthropic/anthropic-model.ts";
import { openaiResponses } from "../../src/providers/families/openai-responses.ts";
import { responsesModel } from "../../src/providers/openai-responses/responses-model.ts";
import { openaiModel } from "../chat-model.ts";
import { anthropicEvents, openaiEvents, responsesEvents } from "../model-server/encode.ts";
import { type Answer, type Block, type ModelServer, type Script, startModelServer } from "../model-server.ts";
import { stopwatch, until } from "../timing.ts";
import { ask, growing, request } from "./ask.ts";

const key = "sk-test-0123456789abcdef";
/** The shortest complete reply with a call, which can be cut at every byte. `closing` is optional. */
const least = {
  anthropic: {
    bytes: [
      'event:x\ndata:{"type":"message_start","message":{}}\n\n',
      'event:x\ndata:{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"1","name":"ls"}}\n\n',
      'event:x\ndata:{"type":"content_block_stop","index":0}\n\n',
      'event:x\ndata:{"type":"message_delta","delta":{"stop_reason":"tool_use"}}\n\n',
      'event:x\ndata:{"type":"message_stop"}\n\n',
    ].join(""),
    closing: { break: "", end: "" },
  },
  openai: {
    bytes: [
      'data:{"choices":[{"delta":{"tool_calls":[{"id":"1","function":{"name":"ls"}}]}}]}\n\n',
      'data:{"choices":[{"finish_reason":"tool_calls"}]}\n\ndata:{"usage":{}}\n\ndata: [DONE]\n\n',
    ].join(""),
    // A reply with its reason is complete; if the connection breaks after it, only `[DONE]` confirms that.
    closing: { break: "\n\n", end: 'data:{"usage":{}}\n\ndata: [DONE]\n\n' },
  },
  responses: {
    bytes: [
      'data:{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"1","name":"ls"}}\n\n',
      'data:{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"1","name":"ls"}}\n\n',
      'data:{"type":"response.completed","response":{"status":"completed"}}\n\n',
    ].join(""),
    closing: { break: "", end: "" },
  },
};
const openResponses = (access: { apiKey: string; baseURL: string }) =>
  responsesModel({ ...access, rules: openaiResponses });
const providers = [
  { name: "anthropic", open: anthropicModel, events: anthropicEvents, prefix: "" },
  { name: "openai", open: openaiModel, events: openaiEvents, prefix: "/v1" },
  { name: "responses", open: openResponses, events: responsesEvents, prefix: "/v1" },
] as const;
const reply: Block[] = [{ text: "Grüße 👋" }, { call: { name: "read", input: { file_path: "ä.txt" } } }];

for (const { name, open, events, prefix } of providers) {
  describe(`${name}: the connection`, () => {
    let server: ModelServer | undefined;
    afterEach(() => server?.stop());

    async function serve(script: Script) {
      server = await startModelServer(script);
      return { server, model: open({ apiKey: key, baseURL: server.url + prefix }) };
    }

    async function failure(answer: Answer) {
      const { model } = await serve([answer]);
      const { error, finish } = await ask(model, request());
      assert.ok(error, "an error");
      assert.equal(finish, undefined);
      return error;
    }

    it("E3 E4 a reply that arrives byte by byte is the same reply", async () => {
      const { model } = await serve([{ blocks: [{ thinking: "Hm." }, ...reply], size: 1 }]);
      const { text, reasoning, calls, finish, tokens } = await ask(model, request());
      assert.deepEqual({ text, reasoning, finish }, { text: "Grüße 👋", reasoning: "Hm.", finish: "tool-calls" });
      assert.deepEqual(calls[0]?.arguments, { ok: true, input: { file_path: "ä.txt" } });
      assert.deepEqual(tokens, { input: 100, output: 20, reasoning: 0, cacheRead: 0, cacheWrite: 0 });
    });

    it("E1 the events of a reply are in order", async () => {
      const { model } = await serve([
        [{ thinking: "Hm." }, { text: "Hi", pieces: 2 }, { call: { name: "read", input: { a: 1 } } }],
      ]);
      const { events } = await ask(model, request());
      const types = events.map(({ type }) => type).filter((type) => type !== "usage");
      assert.deepEqual(types, [
        ...["start", "start-step", "reasoning-start", "reasoning-delta", "reasoning-end"],
        ...["text-start", "text-delta", "text-delta", "text-end"],
        ...["tool-input-start", "tool-input-delta", "tool-input-delta", "tool-input-end", "tool-call"],
        ...["finish-step", "finish"],
      ]);
    });

    it("E3 E4 several calls, without arguments and with malformed ones", async () => {
      const { model } = await serve([
        [
          { call: { name: "list" } },
          { call: { name: "read", input: { file_path: "a" } } },
          { call: { name: "edit", raw: '{"file_path": "a", old' } },
        ],
      ]);
      const { calls, finish } = await ask(model, request());
      assert.equal(finish, "tool-calls");
      assert.deepEqual(calls.map((call) => call.name).sort(), ["edit", "list", "read"]);
      assert.deepEqual(calls.find((call) => call.name === "list")?.arguments, { ok: true, input: {} });
      const edit = calls.find((call) => call.name === "edit");
      assert.equal(edit?.raw, '{"file_path": "a", old');
      assert.equal(edit?.arguments.ok, false);
      assert.equal(new Set(calls.map((call) => call.id)).size, 3);
    });

    it("C4 a call cut off by the end of the reply is no call", async () => {
      const stop = { anthropic: "max_tokens", openai: "length", responses: "max_output_tokens" }[name];
      const { model } = await serve([
        { blocks: [{ text: "x" }, { call: { name: "write", raw: '{"content": "abc' } }], stop },
      ]);
      const { calls, finish } = await ask(model, request());
      assert.deepEqual({ calls, finish }, { calls: [], finish: "length" });
    });

    for (const cut of ["break", "end"] as const) {
      it(`E5 a stream cut off at any byte is a network error (${cut})`, async () => {
        const { bytes, closing } = least[name];
        const { model } = await serve(({ body }) => ({ bytes, cut, cutAt: Number(body["model"]) }));
        const complete = bytes.length - closing[cut].length;
        const check = async (cutAt: number) => {
          const { error, finish, calls } = await ask(model, request({ model: String(cutAt) }));
          if (cutAt >= complete)
            assert.deepEqual([error, finish, calls.length], [undefined, "tool-calls", 1], `at ${cutAt}`);
          else assert.deepEqual([error?.kind, finish], ["network", undefined], `at ${cutAt}`);
        };
        for (let at = 0; at <= bytes.length; at += 16) {
          await Promise.all(Array.from({ length: Math.min(16, bytes.length + 1 - at) }, (_, more) => check(at + more)));
        }
      });
    }

    it("L11 Stop during a reply closes the connection at once", async () => {
      const { model, server } = await serve([{ blocks: [{ text: "word ".repeat(100), pieces: 100 }], delay: 20 }]);
      const stop = new AbortController();
      let stoppedAt = 0;
      const { error, text } = await ask(model, request({ signal: stop.signal }), (event) => {
        if (event.type !== "text-delta" || stoppedAt) return;
        stoppedAt = performance.now();
        stop.abort();
      });
      assert.equal(error?.kind, "aborted");
      assert.ok(text.startsWith("word "));
      const left = await server.requests[0]?.left;
      assert.ok(left && left - stoppedAt < 500, `closed after ${left && left - stoppedAt} ms`);
    });

    it("H6 reports headers, events and comments as they arrive, and nothing during silence", async () => {
      const { model } = await serve([
        { blocks: reply, wait: 200, silent: true, pings: 10 },
        { bytes: "", hang: true },
      ]);
      let bytes = 0;
      let beforeText: number | undefined;
      let finish: string | undefined;
      for await (const event of model.stream(request({ onBytes: () => bytes++ }))) {
        if (event.type === "text-start") beforeText ??= bytes;
        if (event.type === "finish-step") finish = event.reason;
      }
      assert.equal(finish, "tool-calls");
      assert.ok(beforeText !== undefined && beforeText >= 3, `headers and comments: ${beforeText}`);
      bytes = 0;
      const stop = new AbortController();
      const asked = ask(model, request({ signal: stop.signal, onBytes: () => bytes++ }));
      await until(() => bytes > 0);
      await wait(60);
      assert.equal(bytes, 1, "the headers");
      stop.abort();
      assert.equal((await asked).error?.kind, "aborted");
    });

    it("M2 options are merged deeply into the parameters, except for the loop's own", async () => {
      const { model, server } = await serve(() => reply);
      const mine = { model: "evil", messages: [], system: "Evil.", tools: [], stream: false };
      const options = { ...mine, metadata: { a: { b: 1 } }, stream_options: { x: 1 }, cache_control: { ttl: "1h" } };
      const tools = [{ name: "read", description: "Reads.", schema: { type: "object", properties: {} } }];
      await ask(model, request({ tools }));
      await ask(model, request({ tools, options }));
      const [plain, body] = server.requests.map((one) => one.body);
      assert.ok(plain && body);
      // All marks of Anthropic's cache live equally long.
      const sent = (value: unknown) => JSON.stringify(value)?.replace(',"ttl":"1h"', "");
      for (const name of Object.keys(mine)) assert.equal(sent(body[name]), sent(plain[name]), name);
      assert.deepEqual(body["metadata"], { a: { b: 1 } });
      if (name === "anthropic") assert.deepEqual(body["cache_control"], { type: "ephemeral", ttl: "1h" });
      if (name === "openai") assert.deepEqual(body["stream_options"], { include_usage: true, x: 1 });
      // What may change from request to request follows the conversation.
      const last = name === "responses" ? ["input", "reasoning", "max_output_tokens"] : ["messages"];
      assert.deepEqual(Object.keys(body).slice(-last.length), last);
    });

    it("L8 tools that may not be called are still sent; without tools none are sent", async () => {
      const { model, server } = await serve(() => reply);
      const tools = [{ name: "read", description: "Reads.", schema: { type: "object", properties: {} } }];
      await ask(model, request({ tools, toolUse: "none" }));
      await ask(model, request({ tools: [], toolUse: "none" }));
      const [told, bare] = server.requests.map(({ body }) => body);
      assert.deepEqual(told?.["tool_choice"], name === "anthropic" ? { type: "none" } : "none");
      assert.equal(Array.isArray(told?.["tools"]), true);
      assert.deepEqual([bare?.["tool_choice"], bare?.["tools"]], [undefined, undefined]);
    });

    it("L11 Stop before the answer begins", async () => {
      const { model, server } = await serve(() => new Promise(() => undefined));
      const stop = new AbortController();
      const asked = ask(model, request({ signal: stop.signal }));
      while (!server.requests[0]) await wait(5);
      stop.abort();
      assert.equal((await asked).error?.kind, "aborted");
      await server.requests[0].left;
    });

    it("a reader that stops closes the connection", async () => {
      const { model, server } = await serve([{ blocks: [{ text: "word ".repeat(100), pieces: 100 }], delay: 20 }]);
      for await (const event of model.stream(request())) if (event.type === "text-delta") break;
      await server.requests[0]?.left;
    });

    it("a server that ends its reply but keeps the connection open does not delay the reply", async () => {
      const { model } = await serve([{ blocks: reply, hang: true }]);
      const elapsed = stopwatch();
      assert.equal((await ask(model, request())).finish, "tool-calls");
      assert.ok(elapsed() < 500);
    });

    it("H3 reads the delay of a 429: seconds, date, milliseconds", async () => {
      const body = { error: { type: "rate_limit_error", message: "Slow down" } };
      const seconds = await failure({ status: 429, headers: { "retry-after": "7" }, body });
      assert.deepEqual([seconds.kind, seconds.status, seconds.retryAfterMs], ["rate-limit", 429, 7000]);
      await server?.stop();
      const date = new Date(Date.now() + 30_000).toUTCString();
      const dated = await failure({ status: 429, headers: { "retry-after": date }, body });
      assert.ok(dated.retryAfterMs && dated.retryAfterMs > 28_000 && dated.retryAfterMs <= 30_000);
      await server?.stop();
      const ms = await failure({ status: 429, headers: { "retry-after-ms": "150", "retry-after": "9" }, body });
      assert.equal(ms.retryAfterMs, 150);
    });

    it("H2 one attempt per request: the SDK does not retry", async () => {
      await failure({ status: 503, headers: { "x-should-retry": "true" }, body: { error: { message: "no" } } });
      await wait(20);
      assert.equal(server?.requests.length, 1);
    });

    const answers: [string, Answer, string][] = [
      ["401", { status: 401, body: { error: { message: `bad key ${key}` } } }, "auth"],
      ["403", { status: 403, body: { error: { message: "no" } } }, "no-access"],
      ["404", { status: 404, body: { error: { message: "model: test-model" } } }, "unknown-model"],
      ["404 without words", { status: 404, body: "404 page not found" }, "unknown-model"],
      ["400", { status: 400, body: { error: { message: "tools.0: no" } } }, "invalid"],
      [
        "400, no such model",
        { status: 400, body: { error: { message: "x is not a valid model ID" } } },
        "unknown-model",
      ],
      ["413", { status: 413, body: { error: { message: "Request too large" } } }, "invalid"],
      ["500", { status: 500, body: "<html><b>Oops</b></html>" }, "server"],
      ["502", { status: 502, body: "" }, "server"],
      ["529", { status: 529, body: { error: { type: "overloaded_error", message: "Overloaded" } } }, "overloaded"],
      ...[
        "prompt is too long: 205000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
        "the request exceeds the available context size. try increasing the context size",
        "Please reduce the length of the messages or completion.",
        "Input is too long for requested model.",
      ].map((message): [string, Answer, string] => [
        message,
        { status: 400, body: { error: { message } } },
        "context-full",
      ]),
    ];
    for (const [title, answer, kind] of answers) {
      it(`H2 ${title} is ${kind}`, async () => {
        const error = await failure(answer);
        assert.equal(error.kind, kind, error.message);
        assert.ok(error.message.length > 10 && error.next.length > 5);
        assert.ok(!`${error.message} ${error.next} ${error.stack}`.includes(key), "the key is told");
      });
    }

    it("an error inside the stream has the server's message", async () => {
      const bytes = `event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy ${key}"}}\n\n`;
      const error = await failure({ bytes: events({ blocks: reply }).slice(0, 2).join("") + bytes });
      assert.equal(error.kind, "overloaded");
      assert.match(error.message, /Busy …/);
    });

    it("names an unreachable server", async () => {
      const { server } = await serve([]);
      await server.stop();
      const { error } = await ask(open({ apiKey: key, baseURL: server.url + prefix }), request());
      assert.equal(error?.kind, "network");
      assert.match(error?.message ?? "", new RegExp(`^${new URL(server.url).host} does not answer`));
    });

    it("E6 unknown events of a stream are skipped", async () => {
      const strange = ': hello\n\nevent: nobody_knows\ndata: {"type":"nobody_knows","index":0}\n\n';
      const bytes = events({ blocks: reply })
        .flatMap((event) => [strange, event])
        .join("");
      const { model } = await serve([{ bytes: bytes.replaceAll("\n", "\r\n") }]);
      const { text, calls, error } = await ask(model, request());
      assert.deepEqual([text, calls.length, error], ["Grüße 👋", 1, undefined]);
    });

    it("C7 each request begins with the bytes of the previous one", async () => {
      const { model, server } = await serve(() => reply);
      for (const entries of growing(6)) await ask(model, request({ entries }));
      const bodies = server.requests.map(({ raw }) => raw);
      assert.equal(bodies.length, 6);
      for (const [index, body] of bodies.slice(1).entries()) {
        // All but what closes the list of messages and the body.
        const end = name === "responses" ? /\],"reasoning":.*$/ : /\]\}$/;
        assert.match(bodies[index] ?? "", end);
        assert.ok(body.startsWith(bodies[index]?.replace(end, "") ?? "?"), `request ${index + 1}`);
      }
    });
  });
}
