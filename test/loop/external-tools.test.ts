/** External tools (spec T1, T11, C7). */
import assert from "node:assert/strict";
import * as z from "zod/mini";
import type { ExternalTools } from "../../src/loop/setup/external-tools.ts";
import { defineTool, type Tool } from "../../src/tools/tool.ts";
import { harnesses } from "./harness.ts";

function outsideTool(name: string): Tool {
  return defineTool({
    name,
    sideEffect: "network",
    description: `Does what ${name} does.`,
    input: z.object({ word: z.string() }),
    prepare: async ({ word }) => ({
      title: `Ask ${name}`,
      preview: { type: "text", text: word },
      requires: [
        { permission: name, pattern: word, suggestedRule: "*", match: "pattern", protection: "none", effect: "" },
      ],
      writes: [],
      run: async () => ({ output: `${name} says ${word}`, metadata: {} }),
    }),
  });
}

class Source implements ExternalTools {
  all: Tool[];
  asked = 0;

  constructor(...names: string[]) {
    this.all = names.map(outsideTool);
  }

  async ready(): Promise<void> {
    this.asked += 1;
  }

  tools(): readonly Tool[] {
    return this.all;
  }
}

const allowAll = [{ permission: "*", pattern: "*", action: "allow" } as const];
const call = (name: string, input: Record<string, unknown>) => ({ call: name, input });

describe("external tools", () => {
  const open = harnesses();

  it("T1 T11 are offered, and permission is asked by their names", async () => {
    const outside = new Source("mcp__x__echo");
    const h = open([[call("mcp__x__echo", { word: "hello" })], ["Done."]], { externalTools: outside });
    const turn = h.turn();
    const request = await h.answerNext({ kind: "permission", type: "once" });
    assert.equal(request.permission, "mcp__x__echo");
    assert.equal((await turn).reason, "end_turn");
    assert.deepEqual(h.results(), ["mcp__x__echo says hello"]);
    assert.equal(outside.asked, 1, "once a turn");
    assert.ok(h.model.requests[0]?.tools.some(({ name }) => name === "mcp__x__echo"));
  });

  it("L10 a provider that throws ends the turn with an error", async () => {
    const outside = new Source("mcp__x__echo");
    outside.ready = () => Promise.reject(new Error("not even that"));
    const h = open([["Never said."]], { externalTools: outside });
    assert.equal((await h.turn()).reason, "error");
    assert.equal(h.chat.status.type, "idle");
  });

  it("C7 what comes within a turn is told at the end, and what leaves is", async () => {
    const outside = new Source("mcp__x__a");
    const h = open(
      [
        {
          say: [call("glob", { pattern: "a*" })],
          before: async () => void outside.all.push(outsideTool("mcp__x__b")),
        },
        { say: ["Done."], before: async () => void outside.all.shift() },
        {
          say: [call("mcp__x__a", { word: "x" }), call("mcp__x__b", { word: "y" })],
          before: async () => void outside.all.shift(),
        },
        [call("mcp__x__b", { word: "z" })],
        ["Again."],
      ],
      { externalTools: outside, rules: allowAll },
    );
    await h.turn();
    await h.turn();
    const [first, ...later] = h.model.requests;
    const isForeign = ({ name }: { name: string }) => name.startsWith("mcp__");
    assert.deepEqual(
      first?.tools.filter(isForeign).map(({ name }) => name),
      ["mcp__x__a"],
    );
    for (const { tools } of later) assert.equal(tools, first?.tools, "the prefix holds");
    const changes = h.chat.messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tools"));
    assert.deepEqual(
      changes.map(({ added, removed }) => [added.map(({ name }) => name), removed]),
      [
        [["mcp__x__b"], []],
        [[], ["mcp__x__a"]],
        [[], ["mcp__x__b"]],
      ],
    );
    const [, a = "", , b = ""] = h.results();
    assert.match(a, /"mcp__x__a" is gone/);
    assert.match(b, /"mcp__x__b" is gone/, "also of one that came late");
    assert.deepEqual(
      h.model.requests.map(({ toolUse }) =>
        typeof toolUse === "object" ? toolUse.only.filter((name) => name.startsWith("mcp__")) : toolUse,
      ),
      ["auto", "auto", ["mcp__x__b"], [], []],
    );
  });

  it("C7 those that leave together are named to the model in one sentence", async () => {
    const outside = new Source("mcp__x__a", "mcp__x__b");
    const h = open([["One."], ["Two."]], { externalTools: outside });
    await h.turn();
    outside.all = [];
    await h.turn();
    const texts = h.chat.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
    );
    assert.ok(texts.includes("These of your tools are gone: mcp__x__a, mcp__x__b."), texts.join("\n"));
  });

  it("T11 more than 40 become searchable and can still be called", async () => {
    const outside = new Source(...Array.from({ length: 41 }, (_, at) => `mcp__x__tool${at}`));
    const script = [
      [call("tool_search", { query: "tool7" })],
      [call("tool_call", { name: "mcp__x__tool7", input: { word: "one" } })],
      [call("mcp__x__tool7", { word: "two" })],
      ["Done."],
    ];
    const h = open(script, { externalTools: outside, rules: allowAll });
    assert.equal((await h.turn()).reason, "end_turn");
    const offered = h.model.requests[0]?.tools.map(({ name }) => name) ?? [];
    assert.ok(!offered.some((name) => name.startsWith("mcp__")));
    assert.ok(offered.includes("tool_search") && offered.includes("tool_call"));
    const [found, first, second] = h.results();
    assert.match(found ?? "", /mcp__x__tool7/);
    assert.deepEqual([first, second], ["mcp__x__tool7 says one", "mcp__x__tool7 says two"]);
  });

  it("T7 a deferred tool that a rule denies cannot run through tool_call", async () => {
    const outside = new Source(...Array.from({ length: 41 }, (_, at) => `mcp__x__tool${at}`));
    const rules = [...allowAll, { permission: "mcp__x__tool7", pattern: "secret", action: "deny" } as const];
    const script = [[call("tool_call", { name: "mcp__x__tool7", input: { word: "secret" } })], ["Done."]];
    const h = open(script, { externalTools: outside, rules });
    await h.turn();
    assert.match(h.results().join(), /ERROR Not allowed/);
  });

  it("T1 none runs in Plan mode or in an untrusted workspace", async () => {
    for (const options of [{ mode: "plan" }, { trusted: false }] as const) {
      const outside = new Source("mcp__x__echo");
      const h = open([[call("mcp__x__echo", { word: "hello" })], ["Done."]], {
        externalTools: outside,
        rules: allowAll,
        ...options,
      });
      await h.turn();
      assert.match(h.results().join(), /ERROR .*is off/);
    }
  });
});
