/** External tools, which may come and go while Rondo runs: those of MCP servers and of other extensions. */
import type { Tool } from "../../tools/tool.ts";

export interface ExternalTools {
  /** Resolves when all have answered or timed out; later tools are offered from the next turn on. Never rejects. */
  ready(signal: AbortSignal): Promise<void>;
  /** Current tools, in a stable order. */
  tools(): readonly Tool[];
}

export const noExternalTools: ExternalTools = { ready: async () => {}, tools: () => [] };

export function combineExternalTools(all: readonly ExternalTools[]): ExternalTools {
  return {
    async ready(signal) {
      await Promise.all(all.map((one) => one.ready(signal)));
    },
    tools: () => all.flatMap((one) => [...one.tools()]),
  };
}
