/** Runs the MCP servers of a query: the caller's, and those of the folder if the caller allows them. */

import { existsSync } from "node:fs";
import path from "node:path";
import { version } from "../base/version.ts";
import { msg } from "../l10n/l10n.ts";
import { type ExternalTools, noExternalTools } from "../loop/setup/external-tools.ts";
import type { ReadBoundary } from "../tools/node-host/config-files.ts";
import type { Options } from "./query-types.ts";

export interface RunServers extends ExternalTools {
  status(): { name: string; status: string }[];
  /** Resolves when all server processes have ended. */
  close(): Promise<void>;
}

const noServers: RunServers = { ...noExternalTools, status: () => [], close: async () => {} };

/** States of the public SDK, by Rondo's. */
const statuses: Record<string, string> = { ready: "connected", "sign-in": "needs-auth", failed: "failed" };

interface ServersContext {
  folders: readonly string[];
  trusted: boolean;
  boundary: ReadBoundary;
  say(sentence: string): void;
  log(line: string): void;
}

/** Nobody can be asked for consent, so servers of the folder start only with `allowProjectMcpServers`. */
export async function serversOf(options: Options, context: ServersContext): Promise<RunServers> {
  const { folders, trusted, boundary, say, log } = context;
  const { mcpServers, allowProjectMcpServers = false, passEnvironment: passed = [], env = process.env } = options;
  const isThere = folders.some((folder) => existsSync(path.join(folder, ".mcp.json")));
  if (isThere && trusted && !allowProjectMcpServers) {
    say(msg("The servers of .mcp.json were not started: allowProjectMcpServers (--project-mcp) allows them."));
  }
  if (mcpServers === undefined && !(isThere && allowProjectMcpServers)) return noServers;
  const [{ McpServers }, { loadServers }] = await Promise.all([
    import("../mcp/mcp-servers.ts"),
    import("../mcp/config/server-config.ts"),
  ]);
  const servers = new McpServers({
    load: () => {
      const files = allowProjectMcpServers;
      return loadServers({ caller: mcpServers, settings: undefined, folders, files, trusted, boundary, env, passed });
    },
    consent: { has: () => allowProjectMcpServers, give() {} },
    folders: () => folders,
    env,
    version,
    loginHost: undefined,
    log: (server, line) => log(`${server}: ${line}`),
    onProblem: say,
  });
  // The first message lists them; they start with the first prompt.
  servers.refresh();
  const reported = new Set<string>();
  const reportFailures = () => {
    for (const { name, state } of servers.views()) {
      if (state.type !== "failed" || reported.has(name)) continue;
      reported.add(name);
      say(`The MCP server ${name} cannot be used: ${state.message} ${state.next}`.trim());
    }
  };
  return {
    async ready(signal) {
      await servers.ready(signal);
      reportFailures();
    },
    tools: () => servers.tools(),
    status: () => servers.views().map(({ name, state }) => ({ name, status: statuses[state.type] ?? "pending" })),
    close: () => servers.dispose(),
  };
}
