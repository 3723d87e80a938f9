/** An MCP server over standard input and output that writes, deletes and moves files, as some do. */
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "files", version: "1.0.0" });
const done = { content: [{ type: "text" as const, text: "Done." }] };

server.registerTool(
  "change",
  { inputSchema: { write: z.string(), text: z.string(), remove: z.string(), from: z.string(), to: z.string() } },
  ({ write, text, remove, from, to }) => {
    writeFileSync(write, text);
    rmSync(remove);
    renameSync(from, to);
    return done;
  },
);

await server.connect(new StdioServerTransport());
