/** Signing in to a server: the whole flow, against a real OAuth server. */
import assert from "node:assert/strict";
import type { LoginHost } from "../../src/mcp/connection/oauth-login.ts";
import { type HttpServer, oauth, serve } from "./http-server.ts";
import { call, endAll, ready, stateOf } from "./mcp.ts";

/** The user, their browser and their secrets. `lead`: what the browser does with the opened address. */
class User implements LoginHost {
  readonly secrets = new Map<string, string>();
  readonly opened: URL[] = [];
  redirect = "vscode://rondo.rondo/mcp-auth?windowId=1";
  readonly #waiting = new Map<string, (answer: URLSearchParams) => void>();

  async redirectUrl(): Promise<string> {
    return this.redirect;
  }

  async open(url: URL): Promise<void> {
    this.opened.push(url);
    const response = await fetch(url, { redirect: "manual" });
    this.comeBack(new URL(response.headers.get("location") ?? "none:").searchParams);
  }

  comeBack(answer: URLSearchParams): void {
    this.#waiting.get(answer.get("state") ?? "")?.(answer);
  }

  waitForRedirect(state: string, signal: AbortSignal): Promise<URLSearchParams> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(state, resolve);
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  }

  async load(server: string): Promise<string | undefined> {
    return this.secrets.get(server);
  }

  async save(server: string, secret: string | undefined): Promise<void> {
    if (secret === undefined) this.secrets.delete(server);
    else this.secrets.set(server, secret);
  }
}

describe("signing in to an MCP server", () => {
  let server: HttpServer;
  let guard: ReturnType<typeof oauth>;
  let user: User;
  beforeEach(async () => {
    guard = oauth(() => server.origin);
    server = await serve(guard.way);
    user = new User();
  });
  afterEach(async () => {
    await endAll();
    await server.close();
  });
  const start = () => ready({ http: { url: server.url } }, { loginHost: user });

  it("T11 no browser opens, and only the server gets requests, until the user starts a sign-in", async () => {
    const running = await start();
    assert.deepEqual(stateOf(running, "http"), { type: "sign-in" });
    assert.deepEqual(user.opened, []);
    assert.deepEqual([...new Set(server.asked.map(({ path }) => path))], ["/mcp"]);
  });

  it("T11 signs in with PKCE and a state, and offers the tools", async () => {
    const running = await start();
    await running.servers.act("http", "sign-in");
    assert.equal(stateOf(running, "http").type, "ready");
    assert.equal(user.opened.length, 1);
    assert.equal(user.opened[0]?.searchParams.get("code_challenge_method"), "S256");
    assert.ok((user.opened[0]?.searchParams.get("state")?.length ?? 0) > 30);
    assert.equal((await call(running, "mcp__http__act")).output, "It was act.");
  });

  it("T11 uses the tokens for the next start, and renews expired ones", async () => {
    await (await start()).servers.act("http", "sign-in");
    const again = await start();
    assert.equal(stateOf(again, "http").type, "ready");
    guard.tokens.clear();
    assert.equal((await call(again, "mcp__http__act")).output, "It was act.");
    assert.equal(guard.renewals(), 1);
    assert.equal(user.opened.length, 1);
  });

  it("T11 asks the user to sign in again when the tokens cannot be renewed", async () => {
    const running = await start();
    await running.servers.act("http", "sign-in");
    guard.tokens.clear();
    const kept = JSON.parse(user.secrets.get(server.url) ?? "{}");
    await user.save(server.url, JSON.stringify({ ...kept, tokens: { ...kept.tokens, refresh_token: "stale" } }));
    await assert.rejects(call(running, "mcp__http__act"), /sign-in|sign in/);
    assert.deepEqual(stateOf(running, "http"), { type: "sign-in" });
    assert.equal(user.opened.length, 1);
    // Another window has another redirect address.
    user.redirect = "vscode://rondo.rondo/mcp-auth?windowId=2";
    await running.servers.act("http", "sign-in");
    assert.equal(stateOf(running, "http").type, "ready");
  });

  it("T11 ignores a redirect with another state", async () => {
    const running = await start();
    user.open = async (url) => {
      user.opened.push(url);
      user.comeBack(new URLSearchParams({ code: "stolen", state: "another" }));
    };
    const signingIn = running.servers.act("http", "sign-in");
    while (user.opened.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(stateOf(running, "http").type, "starting");
    await running.servers.act("http", "stop");
    await signingIn;
    assert.equal(stateOf(running, "http").type, "off");
    assert.deepEqual(
      server.asked.filter(({ path }) => path === "/token"),
      [],
    );
  });

  it("T11 explains a refusal", async () => {
    const running = await start();
    user.open = async (url) => {
      const state = url.searchParams.get("state") ?? "";
      user.comeBack(new URLSearchParams({ error: "access_denied", error_description: "You may not.", state }));
    };
    await running.servers.act("http", "sign-in");
    assert.match(JSON.stringify(stateOf(running, "http")), /You may not/);
  });

  it("T11 sends a token to its own server only", async () => {
    await (await start()).servers.act("http", "sign-in");
    const other = await serve(() => false);
    try {
      const running = await ready({ http: { url: other.url } }, { loginHost: user });
      await call(running, "mcp__http__act");
      assert.ok(other.asked.length > 0);
      assert.ok(other.asked.every(({ headers }) => headers["authorization"] === undefined));
    } finally {
      await endAll();
      await other.close();
    }
  });

  it("T11 does not follow a sign-in to a program on this machine", async () => {
    const { way } = oauth(() => hostile.origin);
    const hostile = await serve((asked) => {
      if (asked.request.path !== "/.well-known/oauth-authorization-server") return way(asked);
      asked.response.writeHead(200, { "content-type": "application/json" }).end(
        JSON.stringify({
          issuer: hostile.origin,
          authorization_endpoint: "file:///bin/sh",
          token_endpoint: `${hostile.origin}/token`,
          registration_endpoint: `${hostile.origin}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
        }),
      );
      return true;
    });
    try {
      const running = await ready({ http: { url: hostile.url } }, { loginHost: user });
      await running.servers.act("http", "sign-in");
      assert.match(JSON.stringify(stateOf(running, "http")), /which is not allowed/);
      assert.deepEqual(user.opened, []);
    } finally {
      await endAll();
      await hostile.close();
    }
  });
});
