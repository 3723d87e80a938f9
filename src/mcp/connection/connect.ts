/** Connections to MCP servers over the SDK. This file is a separate bundle that is loaded with the first server. */

import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { auth, extractWWWAuthenticateParams, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  ErrorCode,
  ListRootsRequestSchema,
  McpError,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import { english, msg } from "../../l10n/l10n.ts";
import type { ServerLaunch } from "../config/server-config.ts";
import { boundedFetch } from "./http-fetch.ts";
import type { OAuthLogin } from "./oauth-login.ts";
import { type ListMethod, listPages } from "./paged-list.ts";
import { isFailure, ServerFailure } from "./server-failure.ts";
import { visibleText } from "./server-text.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** Unchecked data of the server. */
export interface ListedTool {
  name: string;
  description: unknown;
  inputSchema: unknown;
}

/** Unchecked data of the server. */
export interface CallAnswer {
  content: unknown[];
  structuredContent: unknown;
  isError: boolean;
}

/** What a server says that it has. */
export interface ServerOffers {
  prompts: boolean;
  resources: boolean;
  /** Whether it completes values of arguments. */
  completions: boolean;
}

export type AskMethod = "prompts/get" | "completion/complete" | "resources/read";

export interface ServerConnection {
  /** False after the connection ended or was closed. */
  readonly isOpen: boolean;
  readonly offers: ServerOffers;
  /** Reads all pages of the list. @throws ServerFailure */
  listTools(signal: AbortSignal): Promise<ListedTool[]>;
  /** Reads all pages of a list, whose entries are unchecked. @throws ServerFailure */
  list(method: Exclude<ListMethod, "tools/list">, signal: AbortSignal): Promise<unknown[]>;
  /** Returns the unchecked answer. Aborting cancels the request on the server. @throws ServerFailure */
  ask(method: AskMethod, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
  /** Aborting cancels the request on the server. @throws ServerFailure */
  call(name: string, args: Record<string, unknown>, signal: AbortSignal, onProgress: OnProgress): Promise<CallAnswer>;
  /** Whether it answers a ping in time. */
  isAlive(timeoutMs: number): Promise<boolean>;
  /** Resolves when its process or session has ended. */
  close(): Promise<void>;
}

export type ChangedList = "tools" | "prompts" | "resources";

export type OnProgress = (progress: number, total: number | undefined, message: string | undefined) => void;

export interface ConnectOptions {
  launch: ServerLaunch;
  env: NodeJS.ProcessEnv;
  /** Tokens of the server; undefined where sign-in is not possible. */
  login: OAuthLogin | undefined;
  version: string;
  folders(): readonly string[];
  /** Maximum time to initialize and to list its tools. */
  timeoutMs: number;
  signal: AbortSignal;
  onClosed(why: ServerFailure): void;
  onListChanged(list: ChangedList): void;
  onNote(line: string): void;
}

/** Maximum time to end the session with an HTTP server. */
const terminateTimeoutMs = 1000;
/** Time after the end of a stream in which the rest of an answer may still arrive. */
const answerGraceMs = 200;
/** Longer than any call may take, because calls have their own time limit. */
const maxRequestMs = 24 * 3_600_000;

const ToolEntry = z.object({
  name: z.string(),
  description: z.optional(z.unknown()),
  inputSchema: z.optional(z.unknown()),
});
const CallAnswerSchema = z.object({
  content: z._default(z.array(z.unknown()), []),
  structuredContent: z.optional(z.unknown()),
  isError: z._default(z.boolean(), false),
});

/** @throws ServerFailure after the process or session has ended */
export async function connect(options: ConnectOptions): Promise<ServerConnection> {
  const { launch, env, login, onNote } = options;
  if (launch.type === "stdio") {
    const transport = new StdioTransport(launch, env, onNote);
    return await openConnection(transport, options, () => transport.ended);
  }
  const transport = httpTransport(launch, login);
  const leave = () => transport.terminateSession().catch(() => {});
  return await openConnection(transport, options, () => undefined, leave);
}

type HttpLaunch = Extract<ServerLaunch, { type: "http" }>;

function httpTransport(launch: HttpLaunch, login: OAuthLogin | undefined): StreamableHTTPClientTransport {
  const url = new URL(launch.url);
  const answered = new Set<unknown>();
  const fetch = boundedFetch(url, launch.headers, (id, resumable, why) => {
    // Without event ids the SDK cannot ask for the rest, but would still wait for it.
    if (resumable) return;
    setTimeout(() => {
      if (answered.delete(id) || typeof id !== "number") return;
      const error = { code: ErrorCode.ConnectionClosed, message: why };
      transport.onmessage?.({ jsonrpc: "2.0", id, error });
    }, answerGraceMs);
  });
  const transport = new StreamableHTTPClientTransport(url, { fetch, ...(login && { authProvider: login }) });
  // The SDK keeps this handler and calls it before its own.
  transport.onmessage = (message) => {
    if ("id" in message && !("method" in message)) answered.add(message.id);
  };
  return transport;
}

/** `failure` returns why the transport ended on its own; `leave` ends the session. */
async function openConnection(
  transport: Transport,
  options: ConnectOptions,
  failure: () => ServerFailure | undefined,
  leave = async () => {},
): Promise<ServerConnection> {
  const { signal, timeoutMs, version, folders, onNote, onClosed, onListChanged } = options;
  const client = new Client(
    { name: "rondo", title: "Rondo", version },
    {
      capabilities: { roots: {} },
      // Schemas of servers are not compiled into code.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
  let isOpen = false;
  client.onerror = (error) => onNote(error.message.slice(0, 500));
  client.onclose = () => {
    if (isOpen) onClosed(failure() ?? new ServerFailure("passing", msg("The connection was cut.")));
    isOpen = false;
  };
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: folders().map((folder) => ({ uri: pathToFileURL(folder).href, name: path.basename(folder) })),
  }));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => onListChanged("tools"));
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => onListChanged("prompts"));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => onListChanged("resources"));
  client.fallbackRequestHandler = async ({ method }) => {
    onNote(`It asked for ${method.slice(0, 100)}, which is not offered to servers.`);
    if (method === "elicitation/create") return { action: "decline" };
    throw new McpError(ErrorCode.MethodNotFound, english("Method not found"));
  };
  const closeTransport = async () => {
    isOpen = false;
    await transport.close();
  };
  try {
    await client.connect(transport, { signal, timeout: timeoutMs });
    isOpen = true;
  } catch (error) {
    await closeTransport();
    throw failure() ?? failureOf(error, msg("It did not answer within {0} s.", Math.round(timeoutMs / 1000)));
  }
  const capabilities = client.getServerCapabilities();
  const listed = async (method: ListMethod, stop: AbortSignal, timeoutMessage: string) => {
    try {
      return await listPages(client, method, AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]), onNote);
    } catch (error) {
      throw failure() ?? failureOf(error, timeoutMessage);
    }
  };
  return {
    get isOpen() {
      return isOpen;
    },
    offers: {
      prompts: capabilities?.prompts !== undefined,
      resources: capabilities?.resources !== undefined,
      completions: capabilities?.completions !== undefined,
    },
    async listTools(stop) {
      if (!capabilities?.tools) return [];
      return namedTools(await listed("tools/list", stop, msg("It did not list its tools.")), onNote);
    },
    list: (method, stop) => listed(method, stop, msg("It did not answer in time.")),
    async ask(method, params, stop) {
      try {
        return await client.request({ method, params }, z.unknown(), { signal: stop, timeout: maxRequestMs });
      } catch (error) {
        throw failure() ?? failureOf(error, msg("It did not answer."));
      }
    },
    async call(name, args, stop, onProgress) {
      try {
        const params = { name, arguments: args };
        const answer = await client.request({ method: "tools/call", params }, CallAnswerSchema, {
          signal: stop,
          timeout: maxRequestMs,
          onprogress: ({ progress, total, message }) => onProgress(progress, total, message),
        });
        return { ...answer, structuredContent: answer.structuredContent };
      } catch (error) {
        throw failure() ?? failureOf(error, msg("It did not answer."));
      }
    },
    async isAlive(pingTimeoutMs) {
      try {
        await client.ping({ timeout: pingTimeoutMs });
        return true;
      } catch {
        return false;
      }
    },
    async close() {
      if (isOpen) {
        isOpen = false;
        await Promise.race([leave(), sleep(terminateTimeoutMs, undefined, { ref: false })]);
      }
      await closeTransport();
    },
  };
}

function namedTools(entries: readonly unknown[], note: (line: string) => void): ListedTool[] {
  return entries.flatMap((entry) => {
    const parsed = ToolEntry.safeParse(entry);
    if (parsed.success) return [{ description: undefined, inputSchema: undefined, ...parsed.data }];
    note(english("One of its tools has no name and is ignored."));
    return [];
  });
}

/** `timeoutMessage` is used when the request timed out. */
function failureOf(error: unknown, timeoutMessage: string): ServerFailure {
  if (isFailure(error)) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  if (isFailure(cause)) return cause;
  if (error instanceof UnauthorizedError) return new ServerFailure("sign-in", msg("It requires a sign-in."));
  if (error instanceof McpError) return failureOfCode(error, timeoutMessage);
  if (error instanceof StreamableHTTPError) return failureOfStatus(error.code ?? 0, error.message);
  if (error instanceof Error && /Zod/.test(error.name))
    return new ServerFailure("final", msg("Its answer is malformed."));
  const message = error instanceof Error ? error.message : String(error);
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new ServerFailure("passing", msg("It cannot be reached: {0}{1}.", message.slice(0, 300), code));
}

function failureOfCode({ code, message }: McpError, timeoutMessage: string): ServerFailure {
  if (code === ErrorCode.RequestTimeout) return new ServerFailure("final", timeoutMessage);
  if (code === ErrorCode.ConnectionClosed) return new ServerFailure("passing", withoutPrefix(message));
  return new ServerFailure("refused", withoutPrefix(message), "");
}

/** Removes the SDK's prefix. */
function withoutPrefix(message: string): string {
  return visibleText(message.replace(/^MCP error -?\d+: /, "")).slice(0, 2000);
}

function failureOfStatus(status: number, message: string): ServerFailure {
  const words = visibleText(message).slice(0, 300);
  if (status === 401 || status === 403) {
    return new ServerFailure(
      "final",
      msg("It denies access (status {0}).", status),
      msg("Put a token in its headers, or sign in where Rondo runs in VS Code."),
    );
  }
  // Some servers answer 400 where the protocol requires 404.
  if (status === 404 || (status === 400 && /session/i.test(message)))
    return new ServerFailure("lost-session", msg("It has lost the session, or no server runs at its address."));
  const kind = status >= 500 || status === 429 ? "passing" : "final";
  return new ServerFailure(kind, msg("It answered with an error: {0}", words), msg("Check its log and its address."));
}

/**
 * Signs in: `login` opens the user's browser, waits for its redirect and stores the tokens.
 * @throws ServerFailure, and the signal's reason on abort
 */
export async function signIn(launch: HttpLaunch, login: OAuthLogin, signal: AbortSignal): Promise<void> {
  const guarded = boundedFetch(new URL(launch.url), launch.headers, () => {});
  const fetchFn: FetchLike = (url, init) => guarded(url, { ...init, signal });
  const serverUrl = launch.url;
  try {
    const asked = await findAuthorizationServer(launch.url, fetchFn);
    if ((await auth(login, { serverUrl, fetchFn, ...asked })) === "AUTHORIZED") return;
    const authorizationCode = await login.code();
    await auth(login, { serverUrl, fetchFn, authorizationCode });
  } catch (error) {
    signal.throwIfAborted();
    if (isFailure(error)) throw error;
    const words = error instanceof Error ? error.message.slice(0, 300) : String(error);
    throw new ServerFailure(
      "final",
      msg("The sign-in failed: {0}", words),
      msg("Try again, or put a token in its headers."),
    );
  }
}

/** Asks the server without a token where to sign in. */
async function findAuthorizationServer(
  url: string,
  fetchFn: FetchLike,
): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const response = await fetchFn(url, { headers: { accept: "text/event-stream" } });
  await response.body?.cancel();
  const { resourceMetadataUrl, scope } = response.status === 401 ? extractWWWAuthenticateParams(response) : {};
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) };
}
