/** Tools that come from elsewhere and may come and go while Rondo runs: those of MCP servers and of other extensions. */
import type { Tool } from "../../tools/tool.ts";

export interface ExternalTools {
  /**
   * Starts what is not running yet. Resolves when all have said what they offer, or have been waited for long enough; what
   * comes later is offered from the next turn on. Never rejects.
   */
  ready(signal: AbortSignal): Promise<void>;
  /** Those there are now, in an order that holds. */
  tools(): readonly Tool[];
}

export const noExternalTools: ExternalTools = { ready: async () => {}, tools: () => [] };

/** Those of several, in their order. */
export function combineExternalTools(all: readonly ExternalTools[]): ExternalTools {
  return {
    async ready(signal) {
      await Promise.all(all.map((one) => one.ready(signal)));
    },
    tools: () => all.flatMap((one) => [...one.tools()]),
  };
}
