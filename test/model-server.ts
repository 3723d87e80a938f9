/** A model server on loopback that plays a script in both wire formats, over a real connection. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { anthropicEvents, type Block, openaiEvents, responsesEvents, type Said } from "./model-server/encode.ts";

export type { Block } from "./model-server/encode.ts";

export interface ReceivedRequest {
  api: "anthropic" | "openai" | "responses";
  path: string;
  headers: IncomingMessage["headers"];
  /** The body as received, and parsed. */
  raw: string;
  body: Record<string, unknown>;
  /** When its last byte arrived, in `performance.now()` of this process. */
  arrivedAt: number;
  /** When the last byte of the answer was passed to the system; undefined until then. */
  answeredAt: number | undefined;
  /** When the client closed the connection before the end of the answer; undefined if it did not. */
  readonly left: Promise<number>;
}

interface Pace {
  /** Wait before the answer begins, in ms; its headers come at once when it is `silent`. */
  wait?: number;
  silent?: boolean;
  /** Bytes per write; by default an event per write. */
  size?: number;
  /** Wait after each write, in ms. */
  delay?: number;
  /** Stops after this many writes until the promise resolves or the client leaves. */
  pause?: { writes: number; until: Promise<void> };
  /** Interval in ms of comments that keep the connection alive, before the answer and while it hangs. */
  pings?: number;
  /** Ends the connection after this many bytes. */
  cutAt?: number;
  /** Way of cutting: the connection breaks, or the answer ends as if it were complete. */
  cut?: "break" | "end";
  /** Sends no more after the last byte, but keeps the connection open. With `bytes: ""`: headers, then nothing. */
  hang?: boolean;
}

export type Answer =
  /** In the requested format. */
  | Block[]
  | (Said & Pace)
  /** The answer's exact body. */
  | ({ bytes: string | Uint8Array } & Pace)
  /** An answer that is not a stream. */
  | { status: number; headers?: Record<string, string>; body?: unknown; wait?: number };

/** The answers in order, or a function that makes them; `index` counts requests from 0. */
export type Script = Answer[] | ((request: ReceivedRequest, index: number) => Answer | Promise<Answer>);

export interface ModelServer {
  /** Scheme, host and port; OpenAI's formats are spoken under any path that ends in `/chat/completions` or `/responses`. */
  url: string;
  requests: ReceivedRequest[];
  /** Answers to requests for anything but a reply, by path, as JSON; 404 for others. */
  facts: Record<string, unknown>;
  /** Breaks open connections and resolves when all are closed. */
  stop(): Promise<void>;
}

/** `port` 0, the default, uses a free one. */
export async function startModelServer(script: Script, port = 0): Promise<ModelServer> {
  const requests: ReceivedRequest[] = [];
  const facts: ModelServer["facts"] = {};
  const server = createServer((incoming, response) => {
    void serve(incoming, response).catch((error) => response.destroy(error));
  });
  server.keepAliveTimeout = 60_000;

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await receive(incoming, response);
    if (!request) {
      const fact = facts[incoming.url ?? ""];
      response.writeHead(fact === undefined ? 404 : 200, { "content-type": "application/json" });
      return void response.end(JSON.stringify(fact ?? {}));
    }
    const index = requests.push(request) - 1;
    const answer = typeof script === "function" ? await script(request, index) : script[index];
    await play(answer ?? { status: 500, body: { error: { message: "the script is over" } } }, request, response);
    request.answeredAt = performance.now();
  }

  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    facts,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const apis = [
  ["/v1/messages", "anthropic"],
  ["/chat/completions", "openai"],
  ["/responses", "responses"],
] as const;

async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<ReceivedRequest | undefined> {
  const path = (incoming.url ?? "").replace(/\?.*/, "");
  const [, api] = apis.find(([end]) => path.endsWith(end)) ?? [];
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const arrivedAt = performance.now();
  if (!api) return undefined;
  const raw = Buffer.concat(chunks).toString();
  const left = new Promise<number>((resolve) => {
    response.on("close", () => !response.writableFinished && resolve(performance.now()));
  });
  const body = JSON.parse(raw);
  return { api, path, headers: incoming.headers, raw, body, arrivedAt, answeredAt: undefined, left };
}

async function play(answer: Answer, request: ReceivedRequest, response: ServerResponse): Promise<void> {
  if ("status" in answer) {
    const { status, headers, body, wait: pause = 0 } = answer;
    if (pause > 0) await wait(pause);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    return void response.end(typeof body === "string" ? body : JSON.stringify(body ?? {}));
  }
  const { wait: pause = 0, silent = false } = Array.isArray(answer) ? {} : answer;
  if (pause > 0 && !silent) await wait(pause);
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (Array.isArray(answer)) return void response.end(events(request, { blocks: answer }).join(""));
  await stream("bytes" in answer ? [answer.bytes] : events(request, answer), answer, response);
}

function events({ api }: ReceivedRequest, said: Said): string[] {
  const encode = { anthropic: anthropicEvents, openai: openaiEvents, responses: responsesEvents };
  return encode[api](said);
}

async function stream(items: (string | Uint8Array)[], pace: Pace, response: ServerResponse): Promise<void> {
  const { wait: begin = 0, silent, size, delay = 0, pause, pings, cutAt = Number.POSITIVE_INFINITY, cut, hang } = pace;
  response.flushHeaders();
  if (silent) {
    const stop = ping(response, pings);
    await wait(begin);
    stop();
  }
  let left = cutAt;
  let written = 0;
  for (const write of writes(items, size)) {
    if (pause && written++ === pause.writes) await Promise.race([pause.until, once(response, "close")]);
    if (response.destroyed) return;
    const bytes = write.subarray(0, left);
    left -= bytes.length;
    // Waiting for each write separates writes on the wire; a cut must come after the sent bytes.
    if (bytes.length > 0) await new Promise((sent) => response.write(bytes, sent));
    if (left <= 0) return cut === "end" ? void response.end() : void response.socket?.destroy();
    if (delay > 0) await wait(delay);
  }
  if (hang) ping(response, pings);
  else response.end();
}

function ping(response: ServerResponse, every: number | undefined): () => void {
  if (every === undefined) return () => undefined;
  const timer = setInterval(() => response.write(": ping\n\n"), every);
  const stop = () => clearInterval(timer);
  response.on("close", stop);
  return stop;
}

function* writes(items: (string | Uint8Array)[], size: number | undefined): Generator<Uint8Array> {
  const chunks = items.map((item) => (typeof item === "string" ? Buffer.from(item) : item));
  if (size === undefined) return yield* chunks;
  const all = Buffer.concat(chunks);
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}
