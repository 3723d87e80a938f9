/**
 * A model server on loopback that keeps the published rules of one provider: a request that breaks one is answered as the
 * provider would, in its error's shape and words; any other gets the next scripted reply in the provider's own form.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { ApiChoice } from "../../src/providers/api-choice.ts";
import type { Block } from "../model-server/encode.ts";

export type { Block } from "../model-server/encode.ts";

/** A rule that is published. */
export interface StrictRule<Body> {
  /** Page, or repository#thread. */
  source: string;
  /** Nobody can know it of this model before the first refusal. */
  isUnknowable?: true;
  /** Returns the provider's words if the request breaks the rule. */
  breach(request: StrictRequest<Body>): string | undefined;
}

export interface StrictRequest<Body> {
  body: Body;
  headers: IncomingMessage["headers"];
  path: string;
  raw: string;
}

/** What the model says next. */
export interface ScriptedReply {
  blocks: Block[];
  /** Sends so many events of the reply, never its end, and nothing more until the client leaves. */
  hangAfter?: number;
  /** Called when the request is here. */
  before?: () => unknown;
}

/** What a provider publishes of its API. */
export interface StrictProvider<Body> {
  /** The name by which Rondo knows it. */
  providerID: string;
  model: string;
  /** Set where the address does not tell that the Responses API is spoken. */
  api?: ApiChoice;
  /** Path below the origin that belongs to the base URL: "/v1". */
  basePath: string;
  /** An API of the provider's own, which is used in place of the usual ones. */
  native?: { path: string; contentType: string };
  /** Query of the base URL, with its question mark. */
  query?: string;
  /** Which models its names stand for, as a user says. */
  models?: Readonly<Record<string, string>>;
  rules: readonly StrictRule<Body>[];
  refuse(words: string): { status: number; body: unknown };
  /** Returns the events of a reply; `state` lives as long as the server. */
  reply(reply: ScriptedReply, request: StrictRequest<Body>): string[];
}

export interface Refusal {
  words: string;
  source: string;
}

export class StrictServer<Body = unknown> {
  readonly provider: StrictProvider<Body>;
  readonly requests: StrictRequest<Body>[] = [];
  readonly refusals: Refusal[] = [];
  readonly #server = createServer((incoming, response) => {
    void this.#serve(incoming, response).catch((error) => response.destroy(error));
  });
  #script: ScriptedReply[] = [];
  #origin = "";

  constructor(provider: StrictProvider<Body>) {
    this.provider = provider;
  }

  static async start<Body>(provider: StrictProvider<Body>): Promise<StrictServer<Body>> {
    const server = new StrictServer(provider);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    const address = server.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    server.#origin = `http://127.0.0.1:${address.port}`;
    return server;
  }

  get baseURL(): string {
    return `${this.#origin}${this.provider.basePath}${this.provider.query ?? ""}`;
  }

  get ref(): { providerID: string; modelID: string } {
    return { providerID: this.provider.providerID, modelID: this.provider.model };
  }

  /** Forgets requests and refusals and plays these replies, one a request; after the last, "Done.". */
  play(...replies: (ScriptedReply | Block[])[]): void {
    this.requests.length = 0;
    this.refusals.length = 0;
    this.script(...replies);
  }

  /** Replaces the replies that are still to come. */
  script(...replies: (ScriptedReply | Block[])[]): void {
    this.#script = replies.map((reply) => (Array.isArray(reply) ? { blocks: reply } : reply));
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { url: asked = "" } = incoming;
    // Questions about models, which only other servers know.
    const { basePath, native } = this.provider;
    if (native ? asked !== native.path : !asked.startsWith(`${basePath}/`)) return answer(response, 404, {});
    const raw = Buffer.concat(chunks).toString();
    const request = { raw, body: JSON.parse(raw), headers: incoming.headers, path: incoming.url ?? "" };
    this.requests.push(request);
    for (const rule of this.provider.rules) {
      const words = rule.breach(request);
      if (words === undefined) continue;
      if (!rule.isUnknowable) this.refusals.push({ words, source: rule.source });
      const { status, body } = this.provider.refuse(words);
      return answer(response, status, body);
    }
    const reply = this.#script.shift() ?? { blocks: [{ text: "Done." }] };
    await reply.before?.();
    response.writeHead(200, { "content-type": native?.contentType ?? "text/event-stream" });
    await stream(response, this.provider.reply(reply, request), reply.hangAfter);
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function stream(
  response: ServerResponse,
  events: readonly string[],
  hangAfter: number | undefined,
): Promise<void> {
  if (hangAfter === undefined) return void response.end(events.join(""));
  // The last two events may already say that the reply is complete.
  response.write(events.slice(0, Math.min(hangAfter, events.length - 2)).join(""));
  await once(response, "close");
}
