import assert from "node:assert/strict";
import * as z from "zod/mini";
import { deferredTools, mustDefer } from "../../src/tools/built-in/tool-search.ts";
import { defineTool, type Tool } from "../../src/tools/tool.ts";

const context = { signal: new AbortController().signal } as Parameters<Tool["prepare"]>[1];

function tool(name: string, description: string): Tool {
  return defineTool({
    name,
    description,
    sideEffect: "network",
    timeoutMs: 60_000,
    input: z.object({ text: z.string() }),
    prepare: async ({ text }) => ({
      title: `Call ${name}`,
      preview: { type: "text", text },
      requires: [
        { permission: name, pattern: text, suggestedRule: "*", match: "pattern", protection: "none", effect: "" },
      ],
      writes: "unknown",
      run: async () => ({ output: `${name}: ${text}`, metadata: {} }),
    }),
  });
}

const tools = [
  tool("mcp__github__create_issue", "Opens an issue in a repository"),
  tool("mcp__github__list_issues", "Lists the issues of a repository"),
  tool("mcp__github__getPullRequest", "Shows a pull request"),
  tool("mcp__mail__send", "Sends a message to a person, for example about an issue"),
  ...Array.from({ length: 40 }, (_, at) => tool(`mcp__many__job_${at}`, "Does a job in a repository")),
];

describe("deferred tools", () => {
  const [search, call] = deferredTools(tools);
  assert.ok(search && call);
  it("a call through tool_call has the longest time limit of any of them", () => {
    assert.equal(call.timeoutMs, 60_000);
    const own = { ...tools[0], timeoutMs: "own" } as Tool; // Tools use no other members.
    assert.equal(deferredTools([...tools, own])[1]?.timeoutMs, "own");
    const unlimited = { ...tools[0], timeoutMs: undefined } as Tool;
    assert.equal(deferredTools([...tools, unlimited])[1]?.timeoutMs, undefined);
  });

  const found = async (query: string) => {
    const { output } = await (await search.prepare({ query }, context)).run(() => {});
    return [...output.matchAll(/^(mcp__\w+):/gm)].map(([, name]) => name);
  };

  it("T11 are used for more than 40 tools, or too many tokens", () => {
    assert.equal(mustDefer(tools.slice(0, 40)), false);
    assert.equal(mustDefer(tools.slice(0, 41)), true);
    assert.equal(mustDefer(Array.from({ length: 31 }, (_, at) => tool(`t${at}`, "x".repeat(2000)))), true);
  });

  it("T11 are found by what they do, the best match first, at most ten", async () => {
    assert.deepEqual((await found("create an issue")).slice(0, 2), [
      "mcp__github__create_issue",
      "mcp__github__list_issues",
    ]);
    assert.equal((await found("pull requests"))[0], "mcp__github__getPullRequest");
    assert.equal((await found("send mail to a person"))[0], "mcp__mail__send");
    assert.equal((await found("mcp__many__job_7"))[0], "mcp__many__job_7");
    assert.equal((await found("repository")).length, 10);
  });

  it("T11 are shown with their schemas; a search without a match lists what there is", async () => {
    const { output } = await (await search.prepare({ query: "send mail" }, context)).run(() => {});
    assert.match(output, /^mcp__mail__send: Sends a message.*\nInput: \{.*"required":\["text"\]/);
    const none = await (await search.prepare({ query: "zebra" }, context)).run(() => {});
    assert.equal(none.output, "No tool fits. There are tools of: github, mail, many.");
  });

  it("T11 are called through one tool, with their own permissions", async () => {
    const plan = await call.prepare({ name: "mcp__mail__send", input: { text: "hello" } }, context);
    assert.equal(plan.title, "Call mcp__mail__send");
    assert.deepEqual(
      plan.requires.map(({ permission, pattern }) => [permission, pattern]),
      [["mcp__mail__send", "hello"]],
    );
    assert.equal((await plan.run(() => {})).output, "mcp__mail__send: hello");
    await assert.rejects(
      call.prepare({ name: "mcp__mail__burn", input: {} }, context),
      /There is no tool "mcp__mail__burn"/,
    );
    await assert.rejects(
      call.prepare({ name: "mcp__mail__send", input: {} }, context),
      /does not fit.*text.*Its schema/,
    );
  });

  it("T11 use few tokens of a request", () => {
    const size = (one: Tool) => one.name.length + one.description.length + JSON.stringify(one.schema).length;
    assert.ok(size(search) + size(call) < 1000, `${size(search) + size(call)} characters`);
  });
});
