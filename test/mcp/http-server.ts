/** Real MCP servers over HTTP with the behaviour that a test needs, and the OAuth server in front of one. */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

/** Requests that a server has received. */
interface Asked {
  method: string;
  path: string;
  headers: Record<string, unknown>;
  body: string;
}

export interface HttpServer {
  origin: string;
  /** Address of the MCP endpoint. */
  url: string;
  asked: Asked[];
  close(): Promise<void>;
}

interface Call {
  request: Asked;
  response: ServerResponse;
  /** The JSON-RPC message; undefined if the body is not one. */
  message: { id?: number; method?: string; params?: { name?: string } } | undefined;
  /** Answers the message. */
  result(value: unknown, headers?: Record<string, string>): void;
}

/** Handles a call itself. @returns whether it did */
type Way = (call: Call) => boolean;

/** A server with the tool `act`, unless `way` does otherwise. */
export async function serve(way: Way): Promise<HttpServer> {
  const asked: Asked[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await read(incoming);
    asked.push(request);
    const message = request.path === "/mcp" && request.body !== "" ? JSON.parse(request.body) : undefined;
    const result = (value: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(200, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message?.id, result: value }));
    };
    const call = { request, response, message, result };
    if (!way(call)) usual(call);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${portOf(server)}`;
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { origin, url: `${origin}/mcp`, asked, close };
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("There is no port");
  return address.port;
}

async function read(incoming: IncomingMessage): Promise<Asked> {
  let body = "";
  for await (const chunk of incoming) body += chunk;
  const { method = "", url = "", headers } = incoming;
  return { method, path: url.split("?")[0] ?? "", headers, body: body === "" ? (url.split("?")[1] ?? "") : body };
}

function usual({ request, response, message, result }: Call): void {
  const answers: Record<string, [value: unknown, headers?: Record<string, string>]> = {
    initialize: [
      { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "http", version: "1" } },
      { "mcp-session-id": randomBytes(8).toString("hex") },
    ],
    "tools/list": [{ tools: [{ name: "act", inputSchema: { type: "object" } }] }],
    "tools/call": [{ content: [{ type: "text", text: `It was ${message?.params?.name}.` }] }],
    ping: [{}],
  };
  const answer = answers[message?.method ?? ""];
  if (answer) result(...answer);
  else response.writeHead(request.method === "POST" ? 202 : 405).end();
}

interface OAuth {
  way: Way;
  /** Valid access tokens. */
  tokens: Set<string>;
  renewals(): number;
}

/**
 * Protects a server with OAuth: registration, PKCE with S256, one-time codes, and renewable tokens. `origin`: its own.
 */
export function oauth(origin: () => string): OAuth {
  const tokens = new Set<string>();
  const clients = new Map<string, string[]>();
  const codes = new Map<string, { client: string; challenge: string; redirect: string }>();
  const renewable = new Set<string>();
  let renewals = 0;
  const json = (response: ServerResponse, value: unknown, status = 200) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    return true;
  };
  const grant = (response: ServerResponse) => {
    const [token, refresh] = [randomBytes(8).toString("hex"), randomBytes(8).toString("hex")];
    tokens.add(token);
    renewable.add(refresh);
    return json(response, { access_token: token, token_type: "Bearer", expires_in: 3600, refresh_token: refresh });
  };
  const way: Way = ({ request, response }) => {
    const form = new URLSearchParams(request.body);
    switch (request.path) {
      case "/.well-known/oauth-protected-resource/mcp":
        return json(response, { resource: `${origin()}/mcp`, authorization_servers: [origin()] });
      case "/.well-known/oauth-authorization-server":
        return json(response, {
          issuer: origin(),
          authorization_endpoint: `${origin()}/authorize`,
          token_endpoint: `${origin()}/token`,
          registration_endpoint: `${origin()}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
        });
      case "/register": {
        const client = JSON.parse(request.body);
        const id = randomBytes(8).toString("hex");
        clients.set(id, client.redirect_uris);
        return json(response, { ...client, client_id: id }, 201);
      }
      case "/authorize": {
        const client = form.get("client_id") ?? "";
        const redirect = form.get("redirect_uri") ?? "";
        const challenge = form.get("code_challenge") ?? "";
        if (!clients.get(client)?.includes(redirect) || form.get("code_challenge_method") !== "S256" || !challenge) {
          return json(response, { error: "invalid_request" }, 400);
        }
        const code = randomBytes(8).toString("hex");
        codes.set(code, { client, challenge, redirect });
        const back = new URL(redirect);
        back.searchParams.set("code", code);
        back.searchParams.set("state", form.get("state") ?? "");
        response.writeHead(302, { location: back.href }).end();
        return true;
      }
      case "/token": {
        if (form.get("grant_type") === "refresh_token") {
          if (!renewable.delete(form.get("refresh_token") ?? ""))
            return json(response, { error: "invalid_grant" }, 400);
          renewals++;
          return grant(response);
        }
        const code = codes.get(form.get("code") ?? "");
        codes.delete(form.get("code") ?? "");
        const challenge = createHash("sha256")
          .update(form.get("code_verifier") ?? "")
          .digest("base64url");
        const isRight =
          code?.challenge === challenge &&
          code.client === form.get("client_id") &&
          code.redirect === form.get("redirect_uri");
        return isRight ? grant(response) : json(response, { error: "invalid_grant" }, 400);
      }
      case "/mcp": {
        const token = /^Bearer (.*)$/.exec(String(request.headers["authorization"]))?.[1];
        if (token !== undefined && tokens.has(token)) return false;
        const place = `${origin()}/.well-known/oauth-protected-resource/mcp`;
        response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${place}"` }).end();
        return true;
      }
      default:
        response.writeHead(404).end();
        return true;
    }
  };
  return { way, tokens, renewals: () => renewals };
}
