/** What the panel shows of MCP servers. */

export interface ServerView {
  name: string;
  /** Source of the configuration: "settings", ".mcp.json". */
  source: string;
  target: string;
  state:
    | { type: "off" }
    /** Configured by the workspace: starts only after the user has allowed it. */
    | { type: "asks" }
    | { type: "starting" }
    | { type: "ready"; tools: { name: string; description: string }[] }
    | { type: "sign-in" }
    | { type: "failed"; message: string; next: string };
}
