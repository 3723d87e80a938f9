/** The MCP servers of a run: those of the caller, and the folder's own where the caller says so. */
import { existsSync } from "node:fs";
import path from "node:path";
import { version } from "../chat/version.ts";
import { type ExternalTools, noExternalTools } from "../loop/setup/external-tools.ts";
import type { Options } from "./types.ts";

export interface RunServers extends ExternalTools {
  /** For the first message. */
  status(): { name: string; status: string }[];
  /** Resolves when no process of them is left. */
  close(): Promise<void>;
}

const none: RunServers = { ...noExternalTools, status: () => [], close: async () => {} };

interface About {
  folders: readonly string[];
  trusted: boolean;
  say(sentence: string): void;
  log(line: string): void;
}

/** Nobody can be asked, so a server that the folder brings starts only with `allowProjectMcpServers`. */
export async function serversOf(options: Options, { folders, trusted, say, log }: About): Promise<RunServers> {
  const { mcpServers, allowProjectMcpServers = false, env = process.env } = options;
  const isThere = folders.some((folder) => existsSync(path.join(folder, ".mcp.json")));
  if (isThere && trusted && !allowProjectMcpServers) {
    say("The servers of .mcp.json were not started: allowProjectMcpServers (--project-mcp) allows them.");
  }
  if (mcpServers === undefined && !(isThere && allowProjectMcpServers)) return none;
  const [{ McpServers }, { loadServers }] = await Promise.all([
    import("../mcp/servers.ts"),
    import("../mcp/config/server-config.ts"),
  ]);
  const servers = new McpServers({
    load: () => {
      const files = allowProjectMcpServers;
      return loadServers({ caller: mcpServers, settings: undefined, folders, files, trusted, env });
    },
    consent: { has: () => allowProjectMcpServers, give() {} },
    folders: () => folders,
    env,
    version,
    loginPlace: undefined,
    log: (server, line) => log(`${server}: ${line}`),
    onProblem: say,
  });
  // So that the first message can name them; they start with the first prompt.
  servers.refresh();
  const told = new Set<string>();
  const tellFailures = () => {
    for (const { name, state } of servers.views()) {
      if (state.type !== "failed" || told.has(name)) continue;
      told.add(name);
      say(`The MCP server ${name} cannot be used: ${state.message} ${state.next}`.trim());
    }
  };
  return {
    async ready(signal) {
      await servers.ready(signal);
      tellFailures();
    },
    tools: () => servers.tools(),
    status: () => servers.views().map(({ name, state }) => ({ name, status: statusOf(state.type) })),
    close: () => servers.dispose(),
  };
}

/** In the public SDK's words. */
function statusOf(state: string): string {
  if (state === "ready") return "connected";
  if (state === "sign-in") return "needs-auth";
  return state === "failed" ? "failed" : "pending";
}
