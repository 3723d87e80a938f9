import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import Anthropic from "@anthropic-ai/sdk";
import { todoWrite } from "../../src/tools/built-in/todo-write.ts";
import { startTourModel } from "../../src/tour/tour.ts";
import { stopwatch } from "../timing.ts";

type Call = Anthropic.ToolUseBlock;
type Result = Omit<Anthropic.ToolResultBlockParam, "type" | "tool_use_id">;
type Runner = (call: Call) => Promise<Result>;

const run = promisify(execFile);
const tools: Anthropic.Tool[] = [{ name: "read", input_schema: { type: "object" } }];
const prompt: Anthropic.MessageParam = { role: "user", content: "Make the failing test pass" };

describe("the tour model, through the real SDK", () => {
  let tour: Awaited<ReturnType<typeof startTourModel>>;
  let client: Anthropic;
  let folder: string;

  beforeEach(async () => {
    tour = await startTourModel(0);
    client = new Anthropic({ baseURL: tour.url, apiKey: "any", maxRetries: 0 });
    folder = await mkdtemp(path.join(tmpdir(), "rondo-tour-"));
    await cp("sample", folder, { recursive: true });
  });
  afterEach(async () => {
    tour.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (messages: Anthropic.MessageParam[]) =>
    client.messages.stream({ model: "tour", max_tokens: 1000, messages, tools }).finalMessage();

  /** Runs a whole turn, until a reply has no calls. Returns all text and the calls. */
  async function play(runner: Runner): Promise<{ said: string[]; calls: Call[]; messages: Anthropic.MessageParam[] }> {
    const messages: Anthropic.MessageParam[] = [prompt];
    const said: string[] = [];
    const calls: Call[] = [];
    for (let step = 0; step < 10; step++) {
      const reply = await ask(messages);
      messages.push({ role: "assistant", content: reply.content });
      said.push(reply.content.map((block) => (block.type === "text" ? block.text : "")).join(""));
      const now = reply.content.filter((block) => block.type === "tool_use");
      assert.equal(reply.stop_reason, now.length > 0 ? "tool_use" : "end_turn");
      if (now.length === 0) return { said, calls, messages };
      calls.push(...now);
      const results = now.map(async (call) => ({
        ...(await runner(call)),
        type: "tool_result" as const,
        tool_use_id: call.id,
      }));
      messages.push({ role: "user", content: await Promise.all(results) });
    }
    throw new Error("the tour does not end");
  }

  /** The parts of the three tools that the script needs. */
  async function real(call: Call): Promise<Result> {
    const { file_path, old_string, new_string } = call.input as Record<string, string>;
    const file = path.join(folder, file_path ?? "");
    switch (call.name) {
      case "read":
        return { content: await readFile(file, "utf8") };
      case "edit": {
        const [before, after, ...more] = (await readFile(file, "utf8")).split(old_string ?? "");
        assert.ok(before !== undefined && after !== undefined && more.length === 0, "old_string is there exactly once");
        await writeFile(file, before + new_string + after);
        return { content: [{ type: "text", text: "Edited src/cart.js" }] };
      }
      case "todo_write":
        return { content: "0 of 4 done" };
      case "bash":
        return run(process.execPath, ["--test"], { cwd: folder }).then(
          ({ stdout }) => ({ content: stdout }),
          (error: { stdout: string }) => ({ content: error.stdout, is_error: true }),
        );
      default:
        throw new Error(call.name);
    }
  }

  it("makes the sample's failing test pass, and says that it is a script", async () => {
    const { said, calls } = await play(real);
    const work = calls.filter(({ name }) => name !== "todo_write");
    assert.deepEqual(
      work.map((call) => call.name),
      ["read", "read", "bash", "edit", "bash"],
    );
    assert.equal(new Set(calls.map((call) => call.id)).size, calls.length);
    assert.match(said[0] ?? "", /scripted tour/);
    assert.match(said.join("\n"), /expects 905 and gets 906/);
    assert.match(said.at(-1) ?? "", /All tests pass.*no model wrote.*Set API Key….*ANTHROPIC_API_KEY.*Ollama/s);
  });

  it("keeps a valid to-do list whose steps are all done at the end", async () => {
    const { calls } = await play(real);
    const lists = calls.filter(({ name }) => name === "todo_write").map(({ input }) => todoWrite.input.parse(input));
    const done = lists.map(({ todos }) => JSON.stringify(todos).split('"completed"').length - 1);
    assert.deepEqual(done, [0, 1, 2, 3, 4]);
  });

  it("stops with a message when the edit is denied", async () => {
    const { said, calls } = await play(async (call) =>
      call.name === "edit" ? { content: "The user denied this: leave it", is_error: true } : real(call),
    );
    assert.equal(calls.at(-1)?.name, "edit");
    assert.match(said.at(-1) ?? "", /not made.*leave it/s);
  });

  it("continues from the code when the tests may not run, and claims nothing it did not see", async () => {
    const { said, calls } = await play(async (call) =>
      call.name === "bash" ? { content: "The user denied this.", is_error: true } : real(call),
    );
    assert.deepEqual(
      calls.filter(({ name }) => name !== "todo_write").map(({ name }) => name),
      ["read", "read", "bash", "edit", "bash"],
    );
    assert.match(said.join("\n"), /did not see the test fail \(“The user denied this.”\)/);
    assert.match(said.at(-1) ?? "", /did not see the tests pass/);
  });

  it("stops in a folder other than the sample, and in a fixed sample", async () => {
    const missing = await play(async () => ({ content: "No such file: test/cart.test.js", is_error: true }));
    assert.match(missing.said.at(-1) ?? "", /could not read.*No such file/s);
    await play(real);
    const again = await play(real);
    assert.match(again.said.at(-1) ?? "", /may already be fixed/);
  });

  it("answers a second prompt by saying how to connect a model", async () => {
    const { messages } = await play(real);
    const reply = await ask([...messages, { role: "user", content: "And now?" }]);
    const [block] = reply.content;
    assert.ok(block?.type === "text");
    assert.match(block.text, /scripted tour.*Set API Key…/s);
    assert.equal(reply.stop_reason, "end_turn");
  });

  it("gives the session a title, streamed or not", async () => {
    const request = { model: "tour", max_tokens: 50, messages: [prompt] };
    const reply = await client.messages.create(request);
    assert.deepEqual(reply.content, [{ type: "text", text: "Fix the rounding in cart totals" }]);
    assert.equal(await client.messages.stream(request).finalText(), "Fix the rounding in cart totals");
  });

  it("rejects unknown requests with the provider's kind of error", async () => {
    await assert.rejects(client.models.list(), Anthropic.NotFoundError);
    const broken = { model: "tour", max_tokens: 1, messages: "none" as unknown as [] };
    await assert.rejects(client.messages.create(broken), Anthropic.BadRequestError);
  });

  it("writes at a human pace, and stops when nobody reads any more", async () => {
    tour.stop();
    tour = await startTourModel(20);
    client = new Anthropic({ baseURL: tour.url, apiKey: "any", maxRetries: 0 });
    const elapsed = stopwatch();
    const start = performance.now();
    const stream = client.messages.stream({ model: "tour", max_tokens: 1000, messages: [prompt], tools });
    for await (const event of stream) {
      if (event.type === "content_block_delta" && performance.now() - start > 200) break;
    }
    assert.ok(elapsed() < 2000, "it was not all sent first");
  });
});
