/** Servers over HTTP: what they can make Rondo do, and how their failures are handled. */
import assert from "node:assert/strict";
import { ToolError } from "../../src/tools/tool.ts";
import { stopwatch } from "../timing.ts";
import { type HttpServer, serve } from "./http-server.ts";
import { call, endAll, ready, stateOf, until } from "./mcp.ts";

describe("MCP over HTTP", () => {
  const servers: HttpServer[] = [];
  const start = async (way: Parameters<typeof serve>[0]) => {
    const server = await serve(way);
    servers.push(server);
    return server;
  };
  afterEach(async () => {
    await endAll();
    for (const server of servers.splice(0)) await server.close();
  });

  it("T11 sends the configured headers to the server's own origin, also when it redirects within it", async () => {
    const server = await start(({ request, response }) => {
      if (request.path !== "/old") return false;
      response.writeHead(307, { location: "/mcp" }).end();
      return true;
    });
    const running = await ready({ http: { url: `${server.origin}/old`, headers: { "X-Token": "secret" } } });
    assert.equal((await call(running, "mcp__http__act")).output, "It was act.");
    assert.ok(server.asked.every(({ headers }) => headers["x-token"] === "secret"));
  });

  it("T11 follows no redirect to another origin", async () => {
    const other = await start(() => false);
    const server = await start(({ response }) => {
      response.writeHead(307, { location: other.url }).end();
      return true;
    });
    const running = await ready({ http: { url: server.url, headers: { "X-Token": "secret" } } });
    assert.match(JSON.stringify(stateOf(running, "http")), /Redirect to .* not followed/);
    assert.deepEqual(other.asked, []);
  });

  for (const [status, words] of [
    [404, ""],
    [400, "Bad Request: No valid session ID"],
  ] as const) {
    it(`T11 starts a new session when the server has lost the old one (${status}), and repeats the call`, async () => {
      let sessions = 0;
      const server = await start(({ message, response }) => {
        if (message?.method === "initialize") sessions++;
        if (message?.method !== "tools/call" || sessions > 1) return false;
        response.writeHead(status).end(words);
        return true;
      });
      const running = await ready({ http: { url: server.url } });
      assert.equal((await call(running, "mcp__http__act")).output, "It was act.");
      assert.equal(sessions, 2);
    });
  }

  it("T11 fails a call immediately when the stream of its answer is cut", async () => {
    const server = await start(({ message, response }) => {
      if (message?.method !== "tools/call") return false;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(': wait\n\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n');
      setTimeout(() => response.destroy(), 50);
      return true;
    });
    const running = await ready({ http: { url: server.url } });
    const elapsed = stopwatch();
    await assert.rejects(call(running, "mcp__http__act"), (error) => {
      assert.ok(error instanceof ToolError);
      assert.match(error.message, /cut before the answer/);
      return true;
    });
    assert.ok(elapsed() < 3_000);
  });

  for (const kind of ["application/json", "text/event-stream"]) {
    it(`T11 rejects an answer of 50 MB as ${kind}`, async () => {
      const server = await start(({ message, response }) => {
        if (message?.method !== "tools/call") return false;
        response.writeHead(200, { "content-type": kind });
        response.write("data: ");
        for (let at = 0; at < 50; at++) response.write("x".repeat(1024 * 1024));
        response.end("\n\n");
        return true;
      });
      const running = await ready({ http: { url: server.url } });
      await assert.rejects(call(running, "mcp__http__act"), /more than 16 MiB/);
      assert.equal(stateOf(running, "http").type, "ready");
    });
  }

  it("T11 reports a server that cannot be reached", async () => {
    const server = await start(() => false);
    await server.close();
    const running = await ready({ http: { url: server.url } });
    assert.match(JSON.stringify(stateOf(running, "http")), /cannot be reached: .*ECONNREFUSED/);
  });

  it("T11 says what to do when a server requires a sign-in that is not possible", async () => {
    const server = await start(({ response }) => {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      return true;
    });
    const running = await ready({ http: { url: server.url } });
    const state = stateOf(running, "http");
    assert.equal(state.type, "failed");
    assert.match(JSON.stringify(state), /status 401.*token in its headers/);
    assert.deepEqual(
      [...new Set(server.asked.map(({ path }) => path))],
      ["/mcp"],
      "it does not look for a sign-in on its own",
    );
  });

  it("T11 a stream that closes immediately is not reopened forever", async () => {
    const server = await start(({ request, response }) => {
      if (request.method !== "GET") return false;
      response.writeHead(200, { "content-type": "text/event-stream" }).end("retry: 0\n\n");
      return true;
    });
    const running = await ready({ http: { url: server.url } });
    const streams = () => server.asked.filter(({ method }) => method === "GET").length;
    await until(() => running.log.some((line) => line.includes("Maximum reconnection attempts")));
    assert.ok(streams() <= 100, `${streams()} streams`);
    assert.equal((await call(running, "mcp__http__act")).output, "It was act.");
  });

  it("T11 a stopped call is cancelled on the server", async () => {
    const server = await start(({ message }) => message?.method === "tools/call");
    const running = await ready({ http: { url: server.url } });
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error("enough")), 50);
    await assert.rejects(call(running, "mcp__http__act", {}, { signal: stop.signal }), /enough/);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(server.asked.some(({ body }) => body.includes("notifications/cancelled")));
  });
});
