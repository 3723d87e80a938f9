import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import * as z from "zod/mini";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { defineTool, type Tool, ToolError, type ToolResult } from "../../src/tools/tool.ts";
import { stopwatch } from "../timing.ts";
import { harnesses, until } from "./harness.ts";

const read = (file_path: string) => ({ call: "read", input: { file_path } });
const bash = (command: string) => ({ call: "bash", input: { command } });

/** A tool with the given behaviour that needs no permission. */
function tool(
  name: string,
  run: (input: { n?: number | undefined }, signal: AbortSignal) => Promise<ToolResult> | ToolResult,
  more: { sideEffect?: Tool["sideEffect"]; timeout?: number | "own" } = {},
): Tool {
  return defineTool({
    name,
    sideEffect: more.sideEffect ?? "none",
    description: "A test.",
    ...(more.timeout !== undefined && { timeoutMs: more.timeout }),
    input: z.object({ n: z.optional(z.number()) }),
    prepare: async (input, { signal }) => ({
      title: `Run ${name}`,
      preview: { type: "text", text: name },
      requires: [],
      writes: [],
      run: async () => await run(input, signal),
    }),
  });
}

/** Prints something and then hangs, ignoring Stop. */
function stuck(name: string): Tool {
  return defineTool({
    name,
    sideEffect: "none",
    description: "A test.",
    input: z.object({}),
    prepare: async () => ({
      title: `Run ${name}`,
      preview: { type: "text", text: name },
      requires: [],
      writes: [],
      run: (progress) => {
        progress("partial output", 1);
        return new Promise<never>(() => {});
      },
    }),
  });
}

const said = (output: string): ToolResult => ({ output, metadata: {} });

describe("a single call", () => {
  const open = harnesses();

  it("T4 a name in another case is repaired", async () => {
    const h = open([[{ call: "Read", input: { file_path: "a.txt" } }], ["Done."]], { files: { "a.txt": "x" } });
    await h.turn();
    assert.deepEqual(h.results(), ["1\tx"]);
    assert.equal(h.calls[0]?.tool, "read");
  });

  it("T4 an unknown tool: the model gets the name and the list of tools", async () => {
    const h = open([[{ call: "Foo", input: {} }], ["Done."]]);
    assert.equal((await h.turn()).reason, "end_turn");
    assert.equal(h.calls[0]?.tool, "Foo");
    assert.ok(!h.model.requests[0]?.tools.some(({ name }) => name === "invalid"), "it is never offered");
    assert.equal(
      h.results()[0],
      'ERROR There is no tool named "Foo". The tools are: bash, read, write, edit, glob, grep, task.',
    );
  });

  it("T4 invalid arguments: the model gets the field, the expected and the actual value", async () => {
    const input = { file_path: 7, offset: "x" };
    const h = open([
      [
        { call: "read", input },
        { call: "edit", input: { file_path: "a" } },
      ],
      ["Done."],
    ]);
    await h.turn();
    const [first = "", second = ""] = h.results();
    assert.match(first, /- file_path: .*expected string.*; came: 7/);
    assert.match(first, /- offset: .*expected number.*; came: "x"/);
    assert.match(second, /- old_string: .*; came: nothing/);
  });

  it("E5 malformed arguments are shown to the model", async () => {
    const h = open([[{ call: "read", raw: '{"file_path": "a.t' }], ["Done."]], { files: { "a.txt": "x" } });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.match(h.results()[0] ?? "", /could not be read: .*\{"file_path": "a\.t\n/s);
  });

  it("E5 arguments nested thousands of levels deep are refused with the reason, and the session goes on", async () => {
    const nested = (depth: number) => `{"n":${'{"a":'.repeat(depth - 1)}1${"}".repeat(depth)}`;
    const anything = { ...tool("anything", () => said("ok")), input: z.looseObject({}) };
    const calls = [200, 201, 100_000].map((depth) => [{ call: "anything", raw: nested(depth) }]);
    const h = open([...calls, ["Done."]], { tools: [anything] });
    assert.equal((await h.turn()).reason, "end_turn");
    const [fine, ...others] = h.results();
    assert.equal(fine, "ok");
    assert.equal(others.length, 2);
    for (const result of others) assert.match(result, /could not be read: nested more than 200 levels deep/);
  });

  it("T4 missing arguments become an empty object", async () => {
    const h = open([[{ call: "quiet", raw: "" }], ["Done."]], { tools: [tool("quiet", () => said("ok"))] });
    await h.turn();
    assert.deepEqual(h.results(), ["ok"]);
  });

  it("T4 a tool that throws ToolError: an error result, and the loop continues", async () => {
    const h = open([[read("gone.txt")], ["Done."]]);
    assert.equal((await h.turn()).reason, "end_turn");
    assert.match(h.results()[0] ?? "", /^ERROR gone\.txt does not exist/);
    assert.equal(h.bugs.length, 0);
  });

  it("T4 a tool with a bug: the error is the result and logged, and the loop continues", async () => {
    const broken = tool("broken", () => {
      throw new TypeError("boom");
    });
    const h = open([[{ call: "broken" }], ["Done."]], { tools: [broken] });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.equal(h.results()[0], "ERROR broken failed inside Rondo: boom");
    assert.equal(h.bugs.length, 1);
  });

  it("T4 the time limit immediately ends a tool that obeys its signal", async () => {
    const slow = tool(
      "slow",
      (_, signal) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
      { timeout: 20 },
    );
    const h = open([[{ call: "slow" }], ["Done."]], { tools: [slow] });
    const elapsed = stopwatch();
    assert.equal((await h.turn()).reason, "end_turn");
    assert.equal(h.results()[0], "ERROR slow took longer than 20 ms and was aborted.");
    assert.ok(elapsed() < 500);
  });

  it("T4 toolTimeoutMs limits tools without their own limit, and keeps their output so far", async () => {
    const h = open([[{ call: "slow" }], ["Done."]], { tools: [stuck("slow")], limits: { toolTimeoutMs: 20 } });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.deepEqual(h.results(), ["ERROR partial output\n\nslow took longer than 20 ms and was aborted."]);
    const own = tool("own", () => new Promise((resolve) => setTimeout(() => resolve(said("late")), 40)), {
      timeout: "own",
    });
    const other = open([[{ call: "own" }], ["Done."]], { tools: [own], limits: { toolTimeoutMs: 20 } });
    await other.turn();
    assert.deepEqual(other.results(), ["late"]);
  });

  it("T9 output that a tool did not truncate itself is truncated and saved in full", async () => {
    const lines = Array.from({ length: 5000 }, (_, at) => `line ${at}`).join("\n");
    const h = open([[{ call: "long" }], ["Done."]], { tools: [tool("long", () => said(lines))] });
    await h.turn();
    const { state } = h.calls[0] ?? assert.fail();
    assert.ok(state.status === "completed" && state.metadata.outputFile !== undefined);
    assert.ok(state.output.length < 31_000);
    assert.match(state.output, /^line 0\n.*lines, \d+ characters left out\. The full output is in .*line 4999$/s);
    assert.equal(readFileSync(state.metadata.outputFile, "utf8"), lines);
  });

  it("L11 after Stop a call keeps its output so far and says that it was stopped", async () => {
    const h = open([[{ call: "deaf" }], ["Hello."]], { tools: [stuck("deaf")] });
    const turn = h.turn();
    await until(() => h.events.some((event) => event.type === "output"));
    await h.session.stop();
    await turn;
    assert.deepEqual(h.results(), ["ERROR partial output\n\nTool execution aborted: Stopped by the user"]);
    const { state } = h.calls[0] ?? assert.fail();
    assert.equal(state.status === "error" && state.metadata?.fact, "stopped by the user");
    await h.turn("Follow up.");
    assert.equal(h.model.requests.length, 2);
  }).slow(5000);

  it("T4 a tool's progress is shown while it runs and is not recorded", async () => {
    const h = open([[bash("echo one; sleep 0.3; echo two")], ["Done."]], { mode: "bypassPermissions" });
    await h.turn();
    const live = h.events.flatMap((event) => (event.type === "output" ? [event] : []));
    assert.equal(live[0]?.text, "one");
    assert.equal(h.results()[0], "one\ntwo");
    assert.ok(!h.read(".record.jsonl").includes('"live"'));
  });

  it("D4 every call goes from pending to running to its result", async () => {
    const h = open([[bash("exit 3"), read("a.txt")], ["Done."]], {
      mode: "bypassPermissions",
      files: { "a.txt": "x" },
    });
    await h.turn();
    const states = h.events.flatMap((event) =>
      event.type === "part" && event.part.type === "tool" ? [`${event.part.tool} ${event.part.state.status}`] : [],
    );
    assert.deepEqual(
      states.filter((state, at) => state !== states[at - 1]),
      ["bash pending", "read pending", "bash running", "bash error", "read running", "read completed"],
    );
    assert.match(h.results()[0] ?? "", /Exit code 3/);
  });

  it("R2 the running state is on disk before the tool runs, and its result before the next request", async () => {
    let atRun = "";
    let atRequest = "";
    const spy = tool("spy", () => {
      atRun = h.read(".record.jsonl");
      return said("the result");
    });
    const h = open(
      (_, index) => {
        if (index === 1) atRequest = h.read(".record.jsonl");
        return index === 0 ? [{ call: "spy" }] : ["Done."];
      },
      { tools: [spy] },
    );
    await h.turn();
    assert.match(atRun, /"status":"running"/);
    assert.match(atRequest, /the result/);
  });

  it("T12 an edited file counts as read: the next edit needs no new read", async () => {
    const edit = (old_string: string, new_string: string) => ({
      call: "edit",
      input: { file_path: "a.txt", old_string, new_string },
    });
    const h = open([[edit("one", "two")], [read("a.txt")], [edit("one", "two")], [edit("two", "three")], ["Done."]], {
      files: { "a.txt": "one\n" },
      mode: "acceptEdits",
    });
    await h.turn();
    assert.equal(h.read("a.txt"), "three\n");
  });
});

describe("several calls", () => {
  const open = harnesses();

  it("T5 adjacent calls without side effects run concurrently, with results in call order", async () => {
    let running = 0;
    let most = 0;
    const slow = tool("slow", async ({ n = 0 }) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 30 - n * 2));
      running--;
      return said(`${n}`);
    });
    const calls = Array.from({ length: 10 }, (_, n) => ({ call: "slow", input: { n } }));
    const h = open([calls, ["Done."]], { tools: [slow] });
    await h.turn();
    assert.equal(most, 8);
    assert.deepEqual(
      h.results(),
      calls.map(({ input }) => `${input.n}`),
    );
    const sent = h.model.requests[1]?.entries.at(-1)?.parts.flatMap((part) => (part.type === "tool" ? [part] : []));
    assert.deepEqual(
      sent?.map(({ state }) => state.status === "completed" && state.output),
      h.results(),
    );
  });

  it("T5 calls with side effects run alone, in the order of the reply", async () => {
    const log: string[] = [];
    const note = async (name: string) => {
      log.push(`${name} starts`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.push(`${name} ends`);
      return said(name);
    };
    const h = open([[{ call: "look" }, { call: "change" }, { call: "change" }, { call: "look" }], ["Done."]], {
      tools: [tool("look", () => note("look")), tool("change", () => note("change"), { sideEffect: "mutating" })],
    });
    await h.turn();
    assert.deepEqual(
      log,
      ["look", "change", "change", "look"].flatMap((name) => [`${name} starts`, `${name} ends`]),
    );
  });

  it("T5 a command sees the result of the edit before it", async () => {
    const h = open([[{ call: "write", input: { file_path: "n.txt", content: "5" } }, bash("cat n.txt")], ["Done."]], {
      mode: "bypassPermissions",
    });
    await h.turn();
    assert.equal(h.results()[1], "5");
  });

  it("L10 when one of several calls fails, the others end before the loop continues", async () => {
    let isDone = false;
    const slow = tool("slow", async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      isDone = true;
      return said("late");
    });
    const h = open([[{ call: "slow" }, { call: "trap" }], ["Done."]], {
      tools: [
        slow,
        tool("trap", () => {
          throw new ToolError("caught");
        }),
      ],
    });
    await h.turn();
    assert.ok(isDone);
    assert.deepEqual(h.results(), ["late", "ERROR caught"]);
  });
});

describe("the offered tools", () => {
  const open = harnesses();
  const names = (h: ReturnType<typeof open>, index = 0) => h.model.requests[index]?.tools.map(({ name }) => name);

  it("T1 a tool that is denied entirely is not offered; one denied in part is", async () => {
    const deny = (permission: string, pattern: string) => ({ permission, pattern, action: "deny" }) as const;
    const h = open([["x"]], { rules: [deny("bash", "*"), deny("edit", "src/*")] });
    await h.turn();
    assert.deepEqual(names(h), ["read", "write", "edit", "glob", "grep", "task"]);
  });

  it("T1 denying `*` and allowing reads leaves the reading tools", async () => {
    const h = open([["x"]], {
      rules: [
        { permission: "*", pattern: "*", action: "deny" },
        { permission: "read", pattern: "*", action: "allow" },
      ],
    });
    await h.turn();
    assert.deepEqual(names(h), ["read", "glob", "grep"]);
  });

  it("P4 the agent plan is offered only reading tools, the mode Plan all of them", async () => {
    const planner = open([["x"]], { choices: { agent: "plan" } });
    await planner.turn();
    assert.deepEqual(names(planner), ["read", "glob", "grep", "task"]);
    const h = open([["x"]], { mode: "plan" });
    await h.turn();
    assert.equal(names(h)?.length, coreTools.length + 1);
  });

  it("C7 tools and system prompt are the same in each request, and entries are only appended", async () => {
    const h = open([[read("a.txt")], [read("a.txt")], ["Done."], ["More."]], { files: { "a.txt": "x" } });
    await h.turn();
    await h.turn();
    for (const [index, request] of h.model.requests.entries()) {
      const before = h.model.requests[index - 1];
      if (!before) continue;
      assert.deepEqual(request.tools, before.tools);
      assert.equal(request.system, before.system);
      assert.deepEqual(JSON.parse(JSON.stringify(request.entries.slice(0, before.entries.length))), before.entries);
    }
  });
});

describe("paths outside the workspace", () => {
  const open = harnesses();
  let outside: string;
  beforeEach(() => {
    outside = realpathSync(mkdtempSync(path.join(os.tmpdir(), "rondo-outside-")));
    writeFileSync(path.join(outside, "secret.txt"), "secret");
  });
  afterEach(() => rmSync(outside, { recursive: true, force: true }));

  it("T8 reading outside asks: by tool, through a link and by command", async () => {
    const calls = [read(path.join(outside, "secret.txt")), read("link/secret.txt"), bash(`cat ${outside}/secret.txt`)];
    const h = open([calls, ["Done."]], {
      attended: false,
      rules: [
        { permission: "bash", pattern: "*", action: "allow" },
        { permission: "read", pattern: "*", action: "allow" },
      ],
    });
    symlinkSync(outside, path.join(h.folder, "link"));
    await h.turn();
    for (const result of h.results()) assert.match(result, /Not allowed: It is outside the workspace/);
  });

  it("T8 the question names the folder, and its answer applies only to that folder", async () => {
    const h = open([[read(path.join(outside, "secret.txt"))], [read(path.join(outside, "secret.txt"))], ["Done."]]);
    const turn = h.turn();
    const request = await h.asked();
    assert.equal(request.permission, "external_directory");
    assert.deepEqual(request.always, [{ permission: "external_directory", pattern: `${outside}/**`, action: "allow" }]);
    h.session.answer(request.id, { kind: "permission", type: "always", rules: request.always });
    await turn;
    assert.deepEqual(h.results(), ["1\tsecret", "1\tsecret"]);
    await until(() => h.chat.requests.length === 0);
  });
});
