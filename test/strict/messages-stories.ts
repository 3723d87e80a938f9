/** Stories of the Messages API: what it has a form of its own for. */
import assert from "node:assert/strict";
import * as z from "zod/mini";
import type { Tool } from "../../src/tools/tool.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { marksOf } from "./anthropic.ts";
import { openSession, stories } from "./stories.ts";
import type { Block, StrictRequest, StrictServer } from "./strict-server.ts";

const think = (thinking: string): Block => ({ thinking });
const read = (name: string): Block => ({ call: { name: "read", input: { file_path: name } } });
const done: Block[] = [think("That is all."), { text: "Done." }];
const one: Block[] = [think("One more."), read("a.txt")];

/** A tool whose schema has a choice at its top, as MCP servers bring them. */
const late: Tool = {
  ...defineTool({
    name: "mcp__late__look",
    sideEffect: "read-only",
    description: "Comes late.",
    input: z.object({ path: z.optional(z.string()) }),
    prepare: async () => ({
      title: "Look",
      preview: { type: "text", text: "" },
      requires: [],
      writes: [],
      run: async () => ({ output: "Nothing.", metadata: {} }),
    }),
  }),
  schema: {
    type: "object",
    oneOf: [
      { properties: { path: { type: "string" } }, required: ["path"] },
      { properties: { id: { type: "number" } }, required: ["id"] },
    ],
  },
};

async function manyChanges({ server, other }: { server: StrictServer; other: StrictServer }): Promise<void> {
  const tools: Tool[] = [];
  const arrives = { blocks: one, before: () => tools.push(late) };
  const calls = [think("The new one."), { call: { name: late.name, input: { path: "a.txt" } } }];
  const leaves = { blocks: one, before: () => tools.pop() };
  server.play(arrives, calls, leaves, one, done, one, done, one, done, one, done);
  const h = openSession([server, other], { externalTools: { ready: async () => {}, tools: () => tools } });
  try {
    const ends = async (text: string, more = {}) => {
      const { reason, error } = await h.turn(text, more);
      assert.equal(reason, "end_turn", error?.message);
    };
    await ends("Look around.");
    h.session.choose({ thinking: "high" });
    h.session.setMode("plan");
    await ends("Go on.");
    h.session.setMode("bypassPermissions");
    h.session.choose({ thinking: "low" });
    await ends("Go on.", { agent: "plan", tools: { grep: false } });
    await ends("Go on.", { system: "Speak French." });
    for (const thinking of ["default", "off", "high"] as const) {
      h.session.choose({ thinking });
      await ends("Go on.");
    }
    assert.ok(h.results().includes("Nothing."));
  } finally {
    await h.close();
  }
}

/** Twelve calls at once are 25 blocks; a mark looks back for 20. */
async function wideSteps({ server, other }: { server: StrictServer; other: StrictServer }): Promise<void> {
  // Calls with the same input would count as a loop.
  const wide = (step: number) => [
    think("All of them."),
    ...Array.from({ length: 12 }, (_, at) => ({ call: { name: "glob", input: { pattern: `${step}-${at}*` } } })),
  ];
  server.play(one, wide(0), wide(1), one, wide(2), done);
  const h = openSession([server, other]);
  try {
    assert.equal((await h.turn("Look around.")).reason, "end_turn");
  } finally {
    await h.close();
  }
  for (const [at, request] of server.requests.entries()) {
    const before = server.requests[at - 1];
    if (before) assert.ok(isFound(blocksOf(before), request), `request ${at + 1} misses the cache`);
    assert.ok(marksOf(request.body as Record<string, unknown>) <= 4);
  }
}

interface Marked {
  cache_control?: unknown;
}

function blocksOf({ body }: StrictRequest<unknown>): Marked[] {
  const { messages } = body as { messages: { content: Marked[] }[] }; // as the provider's own type says
  return messages.flatMap(({ content }) => content);
}

/** Whether a mark, or the end of the request, stands at most 20 blocks behind the end of the last request. */
function isFound(before: Marked[], request: StrictRequest<unknown>): boolean {
  const now = blocksOf(request);
  const marks = now.flatMap((block, at) => (block.cache_control || at === now.length - 1 ? [at] : []));
  return marks.some((at) => at >= before.length - 1 && at - (before.length - 1) < 20);
}

export const messagesStories = {
  ...stories,
  "effort, mode, agent and tools that change": manyChanges,
  "many calls at once": wideSteps,
};
