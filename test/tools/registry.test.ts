import assert from "node:assert/strict";
import * as z from "zod/mini";
import type { ToolDefinition } from "../../src/chat/message.ts";
import { anthropicBody as anthropicBytes } from "../../src/providers/anthropic/anthropic-request.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { taskTool } from "../../src/tools/built-in/task.ts";
import { registryOf, ToolRegistry } from "../../src/tools/registry.ts";
import { defineTool, type Tool } from "../../src/tools/tool.ts";
import { chatBodyText, request } from "../wire/ask.ts";

const anthropicBody = (...asked: Parameters<typeof anthropicBytes>) => Buffer.from(anthropicBytes(...asked)).toString();

function tool(name: string): Tool {
  return defineTool({
    name,
    sideEffect: "none",
    description: `Does ${name}.`,
    input: z.object({ path: z.string().check(z.describe("Where")), depth: z.optional(z.int()) }),
    prepare: async () => ({
      title: name,
      preview: { type: "text", text: "" },
      requires: [],
      writes: [],
      run: async () => ({ output: "", metadata: {} }),
    }),
  });
}

/** The JSON Schema of `tool` above. */
const schema = {
  type: "object",
  properties: {
    path: { type: "string", description: "Where" },
    depth: { type: "integer" },
  },
  required: ["path"],
};

function sent(body: (tools: ToolDefinition[]) => string, tools: ToolDefinition[]): unknown {
  return (JSON.parse(body(tools)) as { tools: unknown }).tools; // the body of a request
}

describe("the tool registry", () => {
  it("T2 TestRegistry register, get, disable: a round trip", () => {
    const registry = new ToolRegistry({ disabled: ["b", "c"] });
    const tools = [tool("a"), tool("b"), tool("c")];
    for (const one of tools) registry.register(one);
    for (const one of tools) assert.equal(registry.get(one.name), one);
    assert.equal(registry.get("d"), undefined);
    assert.deepEqual(
      ["a", "b", "c", "d"].map((name) => registry.isDisabled(name)),
      [false, true, true, false],
    );
  });

  it("T2 TestRegistry names are in the order of registration", () => {
    const registry = new ToolRegistry();
    for (const name of ["z", "a", "m"]) registry.register(tool(name));
    assert.deepEqual(registry.names(), ["z", "a", "m"]);
    assert.deepEqual(
      registry.definitions().map(({ name }) => name),
      ["z", "a", "m"],
    );
  });

  it("T2 registering a name twice is an error, and the first stays", () => {
    const registry = new ToolRegistry();
    const first = tool("a");
    registry.register(first);
    assert.throws(() => registry.register(tool("a")), /A tool named "a" is registered already/);
    assert.equal(registry.get("a"), first);
  });

  it("T2 disabled tools are not defined, but can be looked up", () => {
    const registry = registryOf([tool("a"), tool("b")], ["a"]);
    assert.deepEqual(
      registry.definitions().map(({ name }) => name),
      ["b"],
    );
    assert.equal(registry.get("a")?.name, "a");
    assert.ok(registry.names().includes("a"));
  });

  it("T4 the tool `invalid` exists and is never offered", () => {
    const registry = registryOf(coreTools);
    assert.equal(registry.get("invalid")?.name, "invalid");
    assert.ok(!registry.offered().some(({ name }) => name === "invalid"));
  });

  it("T2 TestRegistry definitions in each provider's format", () => {
    const definitions = registryOf([tool("a")]).definitions();
    const anthropic = sent((tools) => anthropicBody({ ...request(), tools }), definitions);
    const openai = sent((tools) => chatBodyText({ ...request(), tools }, true), definitions);
    assert.deepEqual(anthropic, [{ name: "a", description: "Does a.", input_schema: schema }]);
    assert.deepEqual(openai, [
      { type: "function", function: { name: "a", description: "Does a.", parameters: schema } },
    ]);
  });

  it("T2 the schemas of all tools are JSON Schema objects, and stable", () => {
    const task = taskTool([{ name: "explore", description: "Finds." }]);
    for (const one of registryOf([...coreTools, task]).definitions()) {
      assert.equal(one.schema["type"], "object");
      assert.ok(one.description.length > 20);
      assert.match(one.name, /^[a-z_]{1,64}$/);
    }
    const twice = () => JSON.stringify(registryOf([...coreTools, task]).definitions());
    assert.equal(twice(), twice());
  });
});
