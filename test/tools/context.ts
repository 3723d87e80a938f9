/** What a tool is given that touches nothing of a host. */
import type { Host } from "../../src/tools/host.ts";
import { nobodyToAsk, noDelegate, type Tool, type ToolContext, type ToolPlan } from "../../src/tools/tool.ts";

/** Stands where a tool must not look. */
const noHost = new Proxy({} as Host, {
  get: (_, name) => {
    throw new Error(`the tool used host.${String(name)}`);
  },
});

function contextWith(more: Partial<ToolContext> = {}): ToolContext {
  const { signal } = new AbortController();
  const base = { host: noHost, callID: "call-1", seen: new Map(), signal };
  return { ...base, delegate: noDelegate, askUser: nobodyToAsk, ...more };
}

/** Parses the input as a call does, and plans. */
export async function planOf(
  tool: Tool,
  input: Record<string, unknown>,
  more?: Partial<ToolContext>,
): Promise<ToolPlan> {
  return await tool.prepare(tool.input.parse(input), contextWith(more));
}

/** The sentence of the ToolError that `work` ends in. */
export async function refusalOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Error && error.name === "ToolError") return error.message;
    throw error;
  }
  throw new Error("not refused");
}
