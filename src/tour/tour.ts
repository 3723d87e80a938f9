/** The tour model: a server on this machine that speaks the Anthropic Messages format and plays a fixed script. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { parseJson } from "../base/json.ts";
import { nextReply } from "./script.ts";
import { streamed, type TourReply, WireRequest, whole } from "./wire.ts";

/** Title of the tour's session. */
const title: TourReply = { text: "Fix the rounding in cart totals", calls: [] };

/**
 * Starts the server on a free port of 127.0.0.1. It accepts any key and any model.
 * @param paceMs time between two words; 0 sends all at once
 */
export async function startTourModel(paceMs = 18): Promise<{ url: string; stop(): void }> {
  const server = createServer((request, response) => {
    // The client may have disconnected, which is not an error.
    answer(request, response, paceMs).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the tour's server has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

let replies = 0;

async function answer(request: IncomingMessage, response: ServerResponse, paceMs: number): Promise<void> {
  const body = await text(request);
  const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
  if (request.method !== "POST" || path !== "/v1/messages") {
    return refuse(response, 404, "not_found_error", "The tour only answers POST /v1/messages.");
  }
  const parsed = WireRequest.safeParse(parseJson(body));
  if (!parsed.success) return refuse(response, 400, "invalid_request_error", parsed.error.message);
  const { model, stream, messages, tools } = parsed.data;
  // Only the request for a session's title comes without tools.
  const reply = tools.length === 0 ? title : nextReply(messages);
  const id = `tour${++replies}`;
  const tokens = Math.ceil(body.length / 4);
  if (!stream) {
    response.setHeader("content-type", "application/json").end(JSON.stringify(whole(reply, model, id, tokens)));
    return;
  }
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const event of streamed(reply, model, id, tokens)) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (paceMs > 0) await wait(paceMs, undefined, { signal: gone.signal });
  }
  response.end();
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "error", error: { type, message } }));
}
