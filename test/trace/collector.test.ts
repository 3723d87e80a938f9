/** Spans as an OpenTelemetry collector receives them, over a loopback server. */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { StepTrace, TurnTrace } from "../../src/chat/trace.ts";
import { sendTurns } from "../../src/trace/collector.ts";

interface Received {
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: string; doubleValue?: number; boolValue?: boolean; arrayValue?: object };
}

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  events: { name: string }[];
  status: { code: number };
}

const secret = "the words of the user";
const startedAt = 1_790_000_000_000;

const step: StepTrace = {
  messageID: "msg_2",
  kind: "reply",
  model: { providerID: "anthropic", modelID: "claude-sonnet-5" },
  startedAt,
  endedAt: startedAt + 1500,
  firstByteMs: 250,
  tokens: { input: 10, output: 5, reasoning: 2, cacheRead: 90, cacheWrite: 100 },
  cost: 0.25,
  finish: "tool-calls",
  error: undefined,
  retries: [{ attempt: 1, at: startedAt + 5, error: { code: "overloaded", message: secret, next: "" } }],
  calls: [
    {
      partID: "prt_1",
      callID: "call_1",
      tool: "bash",
      title: secret,
      status: "error",
      startedAt: startedAt + 1500,
      endedAt: startedAt + 1600,
      decision: { outcome: "allowed", why: secret, question: secret, waitedMs: 12 },
      turns: [],
    },
  ],
};
const turn: TurnTrace = {
  messageID: "msg_1",
  sessionID: "ses_1",
  agent: "build",
  startedAt,
  endedAt: startedAt + 2000,
  steps: [step],
};

describe("the trace collector", () => {
  const received: Received[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      received.push({ url: request.url, headers: request.headers, body });
      response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end("{}");
    });
  });
  let endpoint = "";

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on a port
  });
  beforeEach(() => {
    received.length = 0;
    status = 200;
  });
  after(() => server.close());

  async function spans(): Promise<Span[]> {
    await sendTurns({ endpoint, headers: undefined }, [turn]);
    return JSON.parse(received[0]?.body ?? "").resourceSpans[0].scopeSpans[0].spans;
  }
  const attributeOf = (span: Span | undefined, key: string) =>
    Object.values(span?.attributes.find((one) => one.key === key)?.value ?? {})[0];

  it("gets OTLP/JSON at /v1/traces with the configured headers", async () => {
    await sendTurns({ endpoint: `${endpoint}/`, headers: "x-team=a%20b, authorization=Bearer t=1" }, [turn]);
    const [request] = received;
    assert.equal(request?.url, "/v1/traces");
    assert.equal(request.headers["content-type"], "application/json");
    assert.equal(request.headers["x-team"], "a b");
    assert.equal(request.headers["authorization"], "Bearer t=1");
  });

  it("gets a span for the turn, the step and the call, in one trace, with parents and 64-bit times as strings", async () => {
    const [agent, chat, tool] = await spans();
    assert.deepEqual(
      [agent, chat, tool].map((span) => span?.name),
      ["invoke_agent build", "chat claude-sonnet-5", "execute_tool bash"],
    );
    assert.deepEqual([agent?.kind, chat?.kind, tool?.kind], [1, 3, 1]);
    for (const span of [agent, chat, tool]) {
      assert.match(span?.traceId ?? "", /^[0-9a-f]{32}$/);
      assert.match(span?.spanId ?? "", /^[0-9a-f]{16}$/);
      assert.equal(span?.traceId, agent?.traceId);
    }
    assert.deepEqual([chat?.parentSpanId, tool?.parentSpanId], [agent?.spanId, agent?.spanId]);
    assert.equal(agent?.parentSpanId, undefined);
    assert.equal(chat?.startTimeUnixNano, `${startedAt}000000`);
    assert.equal(chat?.endTimeUnixNano, `${startedAt + 1500}000000`);
  });

  it("gets the standard names for generative AI", async () => {
    const [agent, chat, tool] = await spans();
    assert.equal(attributeOf(agent, "gen_ai.operation.name"), "invoke_agent");
    assert.equal(attributeOf(agent, "gen_ai.conversation.id"), "ses_1");
    assert.equal(attributeOf(chat, "gen_ai.provider.name"), "anthropic");
    assert.equal(attributeOf(chat, "gen_ai.request.model"), "claude-sonnet-5");
    // The conventions count cached tokens as input.
    assert.equal(attributeOf(chat, "gen_ai.usage.input_tokens"), "200");
    assert.equal(attributeOf(chat, "gen_ai.usage.cache_read.input_tokens"), "90");
    assert.equal(attributeOf(chat, "gen_ai.usage.output_tokens"), "5");
    assert.equal(attributeOf(chat, "gen_ai.response.time_to_first_chunk"), 0.25);
    assert.equal(chat?.events[0]?.name, "rondo.retry");
    assert.equal(attributeOf(tool, "gen_ai.tool.name"), "bash");
    assert.equal(attributeOf(tool, "gen_ai.tool.call.id"), "call_1");
    assert.deepEqual([chat?.status.code, tool?.status.code], [1, 2]);
  });

  it("gets no words of prompts, titles, questions or errors", async () => {
    await spans();
    assert.ok(!received[0]?.body.includes(secret));
  });

  it("an error names a collector that refuses, is unreachable or redirects", async () => {
    const send = (address: string) => sendTurns({ endpoint: address, headers: undefined }, [turn]);
    status = 503;
    await assert.rejects(send(endpoint), { message: `The trace was not sent to ${endpoint}: it answered 503.` });
    status = 302;
    await assert.rejects(send(endpoint), /was not sent to/);
    assert.equal(received.length, 2, "the redirect is not followed");
    await assert.rejects(send("http://127.0.0.1:9"), /was not sent to http:\/\/127\.0\.0\.1:9/);
  });
});
