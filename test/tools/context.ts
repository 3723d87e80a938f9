/** A tool context without a host. */
import type { Host } from "../../src/tools/host.ts";
import { nobodyToAsk, noDelegate, type Tool, type ToolContext, type ToolPlan } from "../../src/tools/tool.ts";

/** A host that tools must not use. */
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

/** Parses the input like a call, and prepares the plan. */
export async function planOf(
  tool: Tool,
  input: Record<string, unknown>,
  more?: Partial<ToolContext>,
): Promise<ToolPlan> {
  return await tool.prepare(tool.input.parse(input), contextWith(more));
}

/** Returns the message of the ToolError that `work` throws. */
export async function refusalOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Error && error.name === "ToolError") return error.message;
    throw error;
  }
  throw new Error("not refused");
}
