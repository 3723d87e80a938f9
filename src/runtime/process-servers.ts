/** Runs the MCP servers of a session without a window: those that its caller gives, and those of the folder if allowed. */

import { existsSync } from "node:fs";
import path from "node:path";
import { version } from "../base/version.ts";
import type { ServerView } from "../chat/server-views.ts";
import { type ExternalTools, noExternalTools } from "../loop/setup/external-tools.ts";
import type { ReadBoundary } from "../tools/node-host/config-files.ts";

export interface ProcessServers extends ExternalTools {
  views(): ServerView[];
  /** Resolves when all server processes have ended. */
  close(): Promise<void>;
}

const noServers: ProcessServers = { ...noExternalTools, views: () => [], close: async () => {} };

interface ServersContext {
  /** The caller's own, by name; undefined: none. */
  given: Record<string, unknown> | undefined;
  /** Whether the servers of the folders' `.mcp.json` are run, too. Nobody can be asked for consent. */
  allowed: boolean;
  folders: readonly string[];
  trusted: boolean;
  boundary: ReadBoundary;
  env: NodeJS.ProcessEnv;
  /** Names of variables that servers get. */
  passed: readonly string[];
  /** Gets a sentence for the user. */
  say(sentence: string): void;
  log(line: string): void;
}

/** Whether the folders have servers of their own. */
export function hasServers(folders: readonly string[]): boolean {
  return folders.some((folder) => existsSync(path.join(folder, ".mcp.json")));
}

export async function processServers(context: ServersContext): Promise<ProcessServers> {
  const { given, allowed, folders, trusted, boundary, env, passed, say, log } = context;
  if (given === undefined && !(allowed && hasServers(folders))) return noServers;
  // Loaded late: they are large.
  const [{ McpServers }, { loadServers }] = await Promise.all([
    import("../mcp/mcp-servers.ts"),
    import("../mcp/config/server-config.ts"),
  ]);
  const servers = new McpServers({
    load: () =>
      loadServers({ caller: given, settings: undefined, folders, files: allowed, trusted, boundary, env, passed }),
    consent: { has: () => allowed, give() {} },
    folders: () => folders,
    env,
    version,
    loginHost: undefined,
    log: (server, line) => log(`${server}: ${line}`),
    onProblem: say,
  });
  // They are known before the first prompt, and start with it.
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
    views: () => servers.views(),
    close: () => servers.dispose(),
  };
}
