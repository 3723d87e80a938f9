/** Model servers on loopback as users have them beside their provider: Ollama, and one that is compatible with OpenAI. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { openaiEvents } from "../model-server/encode.ts";

interface SeenRequest {
  path: string;
  headers: IncomingMessage["headers"];
  /** The body as received; "" for none. */
  body: string;
}

export interface ModelHost {
  url: string;
  /** All requests, those that only look included. */
  requests: SeenRequest[];
  stop(): Promise<void>;
}

interface HostAnswer {
  status?: number;
  type?: string;
  /** A text is sent as it is, anything else as JSON. */
  body: unknown;
}

async function startHost(answer: (request: SeenRequest) => HostAnswer): Promise<ModelHost> {
  const requests: SeenRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const request = { path: incoming.url ?? "", headers: incoming.headers, body: Buffer.concat(chunks).toString() };
    requests.push(request);
    const { status = 200, type = "application/json", body } = answer(request);
    response.writeHead(status, { "content-type": type });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${address.port}`, requests, stop };
}

const notFound = { status: 404, body: { error: { message: "not found" } } };

/** Ollama with a model that is loaded with 32k, and one that only embeds (ollama docs/api.md). */
export function startOllama(says: string): Promise<ModelHost> {
  const name = "qwen3:8b";
  const details = { family: "qwen3", parameter_size: "8B" };
  const done = { model: name, done: true, done_reason: "stop", prompt_eval_count: 2_000, eval_count: 5 };
  const reply = [{ model: name, message: { role: "assistant", content: says }, done: false }, done];
  const facts: Record<string, HostAnswer> = {
    "/api/version": { body: { version: "0.30.1" } },
    "/api/tags": {
      body: {
        models: [
          { name, model: name, details, capabilities: ["completion", "tools"] },
          { name: "nomic-embed-text:latest", model: "nomic-embed-text:latest", details: { family: "nomic-bert" } },
        ],
      },
    },
    "/api/ps": { body: { models: [{ name, model: name, context_length: 32_768 }] } },
    "/api/show": { body: { capabilities: ["completion", "tools"], model_info: { "qwen3.context_length": 40_960 } } },
    "/api/chat": { type: "application/x-ndjson", body: reply.map((line) => `${JSON.stringify(line)}\n`).join("") },
    "/v1/models": { body: { data: [{ id: name, owned_by: "library" }] } },
    "/v1/chat/completions": { type: "text/event-stream", body: openaiEvents({ blocks: [{ text: says }] }).join("") },
  };
  return startHost(({ path }) => facts[path] ?? notFound);
}

/** A gateway that needs a key, and lists a model with its window and price, and one without. */
export function startGateway(key: string, says: string): Promise<ModelHost> {
  const listed = [
    {
      id: "team/large",
      name: "Team Large",
      context_length: 1_000_000,
      pricing: { prompt: "0.000002", completion: "0.00001" },
    },
    { id: "team-small" },
    { id: "text-embedding-4" },
  ];
  return startHost(({ path, headers }) => {
    if (headers.authorization !== `Bearer ${key}`) {
      return { status: 401, body: { error: { message: "That key is not known here.", code: "invalid_api_key" } } };
    }
    if (path === "/v1/models") return { body: { object: "list", data: listed } };
    if (path !== "/v1/chat/completions") return notFound;
    return { type: "text/event-stream", body: openaiEvents({ blocks: [{ text: says }] }).join("") };
  });
}
