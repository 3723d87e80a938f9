/** A connection to one MCP server. The one file that knows the SDK, and a bundle of its own: loaded with the first server. */

import path from "node:path";
import { pathToFileURL } from "node:url";
import { auth, extractWWWAuthenticateParams, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  ErrorCode,
  ListRootsRequestSchema,
  McpError,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import type { Launch } from "../config/server-config.ts";
import { fetchFor } from "./http-fetch.ts";
import type { Login } from "./oauth-login.ts";
import { isFailure, ServerFailure } from "./server-failure.ts";
import { visible } from "./server-text.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** As the server sent it: nothing of it is checked yet. */
export interface ListedTool {
  name: string;
  description: unknown;
  inputSchema: unknown;
}

/** As the server sent it: nothing of it is checked yet. */
export interface CallAnswer {
  content: unknown[];
  structuredContent: unknown;
  isError: boolean;
}

export interface Connection {
  /** Whether it has neither ended nor been closed. */
  readonly isOpen: boolean;
  /** Each page of the list. @throws ServerFailure */
  listTools(signal: AbortSignal): Promise<ListedTool[]>;
  /**
   * Aborting tells the server that nobody waits any more.
   * @throws ServerFailure
   */
  call(name: string, args: Record<string, unknown>, signal: AbortSignal, onProgress: OnProgress): Promise<CallAnswer>;
  /** Whether it answers within `timeout` ms. */
  isAlive(timeout: number): Promise<boolean>;
  /** Resolves when nothing of it is left. */
  close(): Promise<void>;
}

export type OnProgress = (progress: number, total: number | undefined, message: string | undefined) => void;

export interface ConnectOptions {
  launch: Launch;
  env: NodeJS.ProcessEnv;
  /** Its tokens; undefined: nobody can sign in. */
  login: Login | undefined;
  version: string;
  folders(): readonly string[];
  /** ms that it has to introduce itself. */
  timeout: number;
  signal: AbortSignal;
  onClosed(why: ServerFailure): void;
  onToolsChanged(): void;
  /** A line for its log. */
  onNote(line: string): void;
}

/** Of one list. */
const mostTools = 1000;
const mostPages = 100;
/** ms that an HTTP server has to take leave of us. */
const leaveTime = 1000;
/** ms in which the end of an answer is still on its way once its stream has ended. */
const answerGrace = 200;
/** ms; the call's own time limit ends it before. */
const longest = 24 * 3_600_000;

const Listed = z.object({
  tools: z.array(z.unknown()),
  nextCursor: z.optional(z.nullable(z.string())),
});
const OneTool = z.object({
  name: z.string(),
  description: z.optional(z.unknown()),
  inputSchema: z.optional(z.unknown()),
});
const Answer = z.object({
  content: z._default(z.array(z.unknown()), []),
  structuredContent: z.optional(z.unknown()),
  isError: z._default(z.boolean(), false),
});

/** @throws ServerFailure; then nothing of it is left */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { launch, env, login, onNote } = options;
  if (launch.type === "stdio") {
    const transport = new StdioTransport(launch, env, onNote);
    return await open(transport, options, {
      failure: () => transport.ended,
      leave: async () => {},
    });
  }
  const transport = httpTransport(launch, login);
  return await open(transport, options, {
    failure: () => undefined,
    leave: () => transport.terminateSession().catch(() => {}),
  });
}

type HttpLaunch = Extract<Launch, { type: "http" }>;

function httpTransport(launch: HttpLaunch, login: Login | undefined): StreamableHTTPClientTransport {
  const url = new URL(launch.url);
  const answered = new Set<unknown>();
  const fetch = fetchFor(url, launch.headers, (id, resumable, why) => {
    // Without numbers the SDK cannot ask for what is missing, and would wait for it all the same.
    if (resumable) return;
    setTimeout(() => {
      if (answered.delete(id)) return;
      if (typeof id !== "number") return;
      const error = { code: ErrorCode.ConnectionClosed, message: why };
      transport.onmessage?.({ jsonrpc: "2.0", id, error });
    }, answerGrace);
  });
  const transport = new StreamableHTTPClientTransport(url, { fetch, ...(login && { authProvider: login }) });
  // Kept by the SDK, which calls it before its own.
  transport.onmessage = (message) => {
    if ("id" in message && !("method" in message)) answered.add(message.id);
  };
  return transport;
}

interface Ways {
  /** Why the transport ended by itself. */
  failure(): ServerFailure | undefined;
  /** Says good-bye. */
  leave(): Promise<void>;
}

async function open(transport: Transport, options: ConnectOptions, ways: Ways): Promise<Connection> {
  const { signal, timeout, version, folders, onNote, onClosed, onToolsChanged } = options;
  const client = new Client(
    { name: "rondo", title: "Rondo", version },
    {
      capabilities: { roots: {} },
      // What servers say of their answers is not compiled into code.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
  let isOpen = false;
  client.onerror = (error) => onNote(error.message.slice(0, 500));
  client.onclose = () => {
    if (isOpen) onClosed(ways.failure() ?? new ServerFailure("passing", "The connection was cut."));
    isOpen = false;
  };
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: folders().map((folder) => ({ uri: pathToFileURL(folder).href, name: path.basename(folder) })),
  }));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => onToolsChanged());
  client.fallbackRequestHandler = async ({ method }) => {
    onNote(`It asked for ${method.slice(0, 100)}, which is not offered to servers.`);
    if (method === "elicitation/create") return { action: "decline" };
    throw new McpError(ErrorCode.MethodNotFound, "Method not found");
  };
  const shut = async () => {
    isOpen = false;
    await transport.close();
  };
  try {
    await client.connect(transport, { signal, timeout });
    isOpen = true;
  } catch (error) {
    await shut();
    throw ways.failure() ?? failureOf(error, `It did not answer within ${Math.round(timeout / 1000)} s.`);
  }
  return {
    get isOpen() {
      return isOpen;
    },
    async listTools(stop) {
      try {
        return await listAll(client, AbortSignal.any([stop, AbortSignal.timeout(timeout)]), onNote);
      } catch (error) {
        throw ways.failure() ?? failureOf(error, "It did not say which tools it has.");
      }
    },
    async call(name, args, stop, onProgress) {
      try {
        const params = { name, arguments: args };
        const answer = await client.request({ method: "tools/call", params }, Answer, {
          signal: stop,
          timeout: longest,
          onprogress: ({ progress, total, message }) => onProgress(progress, total, message),
        });
        return { ...answer, structuredContent: answer.structuredContent };
      } catch (error) {
        throw ways.failure() ?? failureOf(error, "It gave no answer.");
      }
    },
    async isAlive(time) {
      try {
        await client.ping({ timeout: time });
        return true;
      } catch {
        return false;
      }
    },
    async close() {
      if (isOpen) {
        isOpen = false;
        await Promise.race([ways.leave(), new Promise((resolve) => setTimeout(resolve, leaveTime).unref())]);
      }
      await shut();
    },
  };
}

async function listAll(client: Client, signal: AbortSignal, note: (line: string) => void): Promise<ListedTool[]> {
  const found: ListedTool[] = [];
  if (!client.getServerCapabilities()?.tools) return found;
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: "tools/list", params }, Listed, {
      signal,
      timeout: longest,
    });
    for (const tool of tools) {
      const parsed = OneTool.safeParse(tool);
      if (parsed.success) found.push({ description: undefined, inputSchema: undefined, ...parsed.data });
      else note("One of its tools has no name and is left out.");
    }
    if (found.length >= mostTools) {
      if (found.length > mostTools || nextCursor) note(`Only its first ${mostTools} tools are used.`);
      return found.slice(0, mostTools);
    }
    if (!nextCursor || cursors.has(nextCursor)) break;
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  return found;
}

/** `silence`: the sentence for when time was up. */
function failureOf(error: unknown, silence: string): ServerFailure {
  if (isFailure(error)) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  if (isFailure(cause)) return cause;
  if (error instanceof UnauthorizedError) return new ServerFailure("sign-in", "It asks for a sign-in.");
  if (error instanceof McpError) return ofCode(error, silence);
  if (error instanceof StreamableHTTPError) return ofStatus(error.code ?? 0, error.message);
  if (error instanceof Error && /Zod/.test(error.name)) return new ServerFailure("final", "Its answer is malformed.");
  const message = error instanceof Error ? error.message : String(error);
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new ServerFailure("passing", `It cannot be reached: ${message.slice(0, 300)}${code}.`);
}

function ofCode({ code, message }: McpError, silence: string): ServerFailure {
  if (code === ErrorCode.RequestTimeout) return new ServerFailure("final", silence);
  if (code === ErrorCode.ConnectionClosed) return new ServerFailure("passing", plain(message));
  return new ServerFailure("refused", plain(message), "");
}

/** Without the SDK's prefix. */
function plain(message: string): string {
  return visible(message.replace(/^MCP error -?\d+: /, "")).slice(0, 2000);
}

function ofStatus(status: number, message: string): ServerFailure {
  const words = visible(message).slice(0, 300);
  if (status === 401 || status === 403) {
    return new ServerFailure(
      "final",
      `It does not let us in (status ${status}).`,
      "Put a token into its headers, or sign in where Rondo runs in VS Code.",
    );
  }
  // Some answer 400 where the protocol wants 404.
  if (status === 404 || (status === 400 && /session/i.test(message)))
    return new ServerFailure("lost-session", "It does not know us any more, or there is no server.");
  const kind = status >= 500 || status === 429 ? "passing" : "final";
  return new ServerFailure(kind, `It answered with an error: ${words}`, "Look into its log, or correct its address.");
}

/**
 * Signs in: has the user's browser opened by `login`, waits for what comes back, and leaves the tokens with it.
 * @throws ServerFailure, and the signal's reason
 */
export async function signIn(launch: HttpLaunch, login: Login, signal: AbortSignal): Promise<void> {
  const guarded = fetchFor(new URL(launch.url), launch.headers, () => {});
  const fetchFn: FetchLike = (url, init) => guarded(url, { ...init, signal });
  const serverUrl = launch.url;
  try {
    const asked = await whereToAsk(launch.url, fetchFn);
    if ((await auth(login, { serverUrl, fetchFn, ...asked })) === "AUTHORIZED") return;
    const authorizationCode = await login.code();
    await auth(login, { serverUrl, fetchFn, authorizationCode });
  } catch (error) {
    signal.throwIfAborted();
    if (isFailure(error)) throw error;
    const words = error instanceof Error ? error.message.slice(0, 300) : String(error);
    throw new ServerFailure("final", `The sign-in failed: ${words}`, "Try again, or put a token into its headers.");
  }
}

/** What the server says about where to sign in when it is asked without a token. */
async function whereToAsk(url: string, fetchFn: FetchLike): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const response = await fetchFn(url, { headers: { accept: "text/event-stream" } });
  await response.body?.cancel();
  const { resourceMetadataUrl, scope } = response.status === 401 ? extractWWWAuthenticateParams(response) : {};
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) };
}
