/** The MCP servers in the panel: their states, and the buttons beside them. */
import type { Feature } from "../feature.ts";
import type { WindowServices } from "../services.ts";

export function mcpFeature({ mcp }: WindowServices) {
  return {
    handlers: { server: ({ name, action }) => mcp.act(name, action) },
    state: () => ({ servers: mcp.servers.views() }),
    close: () => mcp.stop(),
  } satisfies Feature;
}
