/** A request of the user that an MCP server did not answer: a sentence for people, and what to do next. */

import { unlessAborted } from "../base/node/until-aborted.ts";
import { msg } from "../l10n/l10n.ts";
import { ToolError } from "../tools/tool.ts";
import { isFailure } from "./connection/server-failure.ts";
import type { McpServer } from "./mcp-server.ts";
import type { McpServers } from "./mcp-servers.ts";

export class ServerRequestError extends Error {
  override readonly name = "ServerRequestError";
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** Starts the server if it is allowed to run. @throws ServerRequestError if no server has this name, and the signal's reason */
export async function startedServer(servers: McpServers, name: string, signal: AbortSignal): Promise<McpServer> {
  servers.refresh();
  const server = servers.get(name);
  if (!server)
    throw new ServerRequestError(msg("There is no MCP server {0} any more.", name), msg("Check its configuration."));
  await unlessAborted(server.ready(), signal);
  return server;
}

/**
 * Runs a request with a time limit. @throws ServerRequestError for every failure of the server, and the signal's reason
 * on abort
 */
export async function withTimeLimit<Answer>(
  server: string,
  timeoutMs: number,
  signal: AbortSignal,
  request: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await request(AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    throw requestError(server, error, timeout.aborted ? timeoutMs : undefined);
  }
}

function requestError(server: string, error: unknown, timeoutMs: number | undefined): unknown {
  if (timeoutMs !== undefined) {
    const seconds = Math.round(timeoutMs / 1000);
    return new ServerRequestError(
      msg("The MCP server {0} did not answer within {1} s.", server, seconds),
      msg("Try again, or look at its log."),
    );
  }
  if (isFailure(error)) {
    return error.kind === "refused"
      ? new ServerRequestError(msg("The MCP server {0} refused: {1}", server, error.message), "")
      : new ServerRequestError(msg("The MCP server {0} did not answer. {1}", server, error.message), error.next);
  }
  if (error instanceof ToolError)
    return new ServerRequestError(error.words, msg("Its state is under MCP servers in the mode menu."));
  return error;
}
