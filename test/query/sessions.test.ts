import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { all, calls, from, kindOf, ofType, resultOf, says, user, worlds } from "./world.ts";

describe("query(): sessions", () => {
  const open = worlds();

  it("K2 resume and continue continue a session; a new one has the requested id", async () => {
    const world = await open((_, index) => says(`Answer ${index}`));
    const first = world.query("Alpha", { sessionId: "mine" });
    assert.equal(first.sessionId, "mine");
    await all(first);
    await world.run("Beta");
    const resumed = world.query("Gamma", { resume: "mine" });
    await all(resumed);
    assert.equal(resumed.sessionId, "mine");
    assert.equal(resumed.totalUsage.input_tokens, 100, "what was spent before is not counted again");
    const again = world.query("Delta", { continue: true });
    await all(again);
    assert.equal(again.sessionId, "mine", "the newest");
    const said = world.raws.map((raw) =>
      ["Alpha", "Beta", "Gamma", "Delta"].filter((word) => raw.includes(word)).join(),
    );
    assert.deepEqual(said, ["Alpha", "Beta", "Alpha,Gamma", "Alpha,Gamma,Delta"]);
    assert.throws(() => world.query("Hi", { sessionId: "mine" }), { code: "session-exists" });
    assert.throws(() => world.query("Hi", { resume: "gone" }), { code: "no-session" });
    assert.throws(() => world.query("Hi", { resume: "../etc" }), { code: "invalid-option" });
  });

  it("R6 forkSession: the copy continues, the original does not change", async () => {
    const world = await open((_, index) => says(`Answer ${index}`));
    await world.run("Alpha", { sessionId: "mine" });
    const before = JSON.stringify(world.replay("mine").chat.messages);
    const fork = world.query("Beta", { resume: "mine", forkSession: true });
    await all(fork);
    assert.notEqual(fork.sessionId, "mine");
    assert.equal(JSON.stringify(world.replay("mine").chat.messages), before);
    const { chat } = world.replay(fork.sessionId);
    assert.equal(chat.messages.length, 4);
    assert.equal(chat.session.forkOf?.sessionID, "mine");
    assert.ok(world.raws[1]?.includes("Alpha") && world.raws[1].includes("Answer 0"));
  });

  it("K2 resumeSessionAt continues a copy that ends with the given message", async () => {
    const world = await open((_, index) => says(`Answer ${index}`));
    const messages = await world.run("Alpha", { sessionId: "mine" });
    const [answer] = ofType(messages, "assistant");
    await world.run("Beta", { resume: "mine" });
    const fork = world.query("Gamma", { resume: "mine", resumeSessionAt: answer?.message.id });
    await all(fork);
    assert.notEqual(fork.sessionId, "mine");
    const raw = world.raws[2] ?? "";
    assert.ok(raw.includes("Alpha") && raw.includes("Answer 0") && !raw.includes("Beta"));
    assert.throws(() => world.query("Hi", { resume: "mine", resumeSessionAt: "msg_gone" }), { code: "no-session" });
  });

  it("R7 persistSession: false writes nothing to disk", async () => {
    const world = await open([calls(["bash", { command: "seq 100000" }]), says("Done.")]);
    // Its temporary folder is where the check of `home` below sees it.
    const temporary = os.tmpdir();
    process.env["TMPDIR"] = world.home;
    const run = world.run("Count", { persistSession: false, permissionMode: "bypassPermissions" });
    const messages = await run.finally(() => {
      process.env["TMPDIR"] = temporary;
    });
    assert.equal(resultOf(messages).subtype, "success");
    assert.ok(world.raws[1]?.includes("The full output is in"), "a long output was kept meanwhile");
    assert.deepEqual(readdirSync(world.home), ["work"]);
    assert.deepEqual(readdirSync(world.folder), []);
  });

  it("Q1 a session that another run uses is locked, and free after that run", async () => {
    const command = "touch begun; while [ ! -e go ]; do sleep 0.05; done";
    const world = await open([calls(["bash", { command }]), says("One."), says("Two.")]);
    const first = world.query("Go", { sessionId: "mine", permissionMode: "bypassPermissions" });
    const done = all(first);
    while (!world.has("begun")) await new Promise((resolve) => setTimeout(resolve, 10));
    const impatient = world.query("Me too", { resume: "mine", limits: { queueTimeout: 50 } });
    await assert.rejects(all(impatient), { name: "QueryError", code: "session-locked" });
    const patient = world.run("Me too", { resume: "mine" });
    world.write("go", "");
    assert.equal(resultOf(await done).result, "One.");
    assert.equal(resultOf(await patient).result, "Two.");
    assert.ok(world.raws[2]?.includes("One."), "it sees what the other has said");
    assert.deepEqual(world.kept(".lock"), []);
  });

  it("R3 messages and open items of an earlier run are neither reported again nor counted", async () => {
    const world = await open([calls(["read", { file_path: "." }]), says("One."), says("Two.")]);
    await world.run("Alpha", { sessionId: "mine" });
    const file = path.join(world.sessions, "mine.jsonl");
    const lines = readFileSync(file, "utf8").split("\n");
    const begun = lines.findIndex((line) => line.includes('"status":"running"'));
    writeFileSync(file, `${lines.slice(0, begun + 1).join("\n")}\n`);
    const messages = await world.run("Beta", { resume: "mine", includePartialMessages: true });
    assert.deepEqual(
      messages.map(kindOf).filter((kind) => kind !== "stream_event"),
      ["init", "assistant", "result"],
    );
    assert.equal(resultOf(messages).num_turns, 1);
    assert.ok(world.raws[2]?.includes("Interrupted: Rondo was closed"));
  });

  it("B2 maxBudgetUsd covers the whole session, maxDailyBudgetUsd all sessions of the day", async () => {
    const world = await open(() => says("Hi."));
    await world.run("Alpha", { sessionId: "mine" });
    const poor = await world.run("Beta", { resume: "mine", maxBudgetUsd: 0.0004 });
    assert.equal(resultOf(poor).subtype, "error_max_budget_usd");
    assert.equal(world.server.requests.length, 1);
    const day = await world.run("Gamma", { maxDailyBudgetUsd: 0.0004 });
    assert.equal(resultOf(day).subtype, "error_max_budget_usd");
    assert.equal(resultOf(await world.run("Delta", { maxDailyBudgetUsd: 1 })).subtype, "success");
  });

  it("H5 fallbackModel answers when the model stays overloaded", async () => {
    const overloaded = { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "busy" } } };
    const world = await open(({ body }) => (body["model"] === "claude-haiku-4-5" ? says("I can.") : overloaded));
    const messages = await world.run("Go", {
      fallbackModel: "claude-haiku-4-5",
      limits: { maxRetries: 1, retryBackoff: 1 },
    });
    assert.equal(resultOf(messages).result, "I can.");
    assert.deepEqual(
      world.server.requests.map(({ body }) => body["model"]),
      ["claude-sonnet-5", "claude-sonnet-5", "claude-haiku-4-5"],
    );
  });

  it("P4 agents, a system prompt and enabled tools of the caller", async () => {
    const world = await open(() => says("Hi."));
    await world.run("Go", {
      agent: "poet",
      agents: { poet: { description: "Writes verse.", prompt: "You write verse.", tools: ["Read"] } },
    });
    await world.run("Go", { systemPrompt: "You are terse.", tools: ["Read", "Bash"] });
    await world.run("Go", { systemPrompt: { type: "preset", preset: "claude_code", append: "Speak French." } });
    const gpt = { provider: "openai", model: "gpt-5.4", baseUrl: `${world.server.url}/v1` } as const;
    await world.run("Go", { ...gpt, tools: ["Read", "Edit", "Write"] });
    await world.run("Go", { ...gpt, tools: ["Read", "Edit"] });
    const offered = world.server.requests.splice(-2).map(({ raw }) => {
      return JSON.parse(raw).tools.map(
        (tool: { name?: string; function?: { name: string } }) => tool.name ?? tool.function?.name,
      );
    });
    assert.deepEqual(offered, [
      ["read", "apply_patch"],
      ["read", "edit"],
    ]);
    const [poet, terse, french] = world.server.requests.map(({ body, raw }) => ({
      system: JSON.stringify(body["system"]),
      tools: JSON.parse(raw).tools.map(({ name }: { name: string }) => name),
    }));
    assert.ok(poet && terse);
    assert.ok(poet.system.includes("You write verse.") && !poet.system.includes("You are Rondo"));
    assert.deepEqual(poet.tools, ["read"]);
    assert.ok(terse.system.includes("You are terse.") && !terse.system.includes("You are Rondo"));
    assert.deepEqual(terse.tools.sort(), ["bash", "read"]);
    assert.ok(french?.system.includes("You are Rondo") && french.system.includes("Speak French."));
    await assert.rejects(world.run("Go", { agent: "nobody" }), { code: "agent-not-found" });
    // @ts-expect-error a description is required
    assert.throws(() => world.query("Go", { agents: { x: { prompt: "x" } } }), { code: "agent-invalid" });
  });

  for (const settingSources of [["project"], []] as const) {
    it(`D2 replies, subtasks and summaries name the repository's root (settings of: ${settingSources})`, async () => {
      const world = await open([says("Found."), says("Hi."), says("Summary.")]);
      execFileSync("git", ["init", "-q"], { cwd: world.folder });
      const cwd = path.dirname(world.write("packages/one/a.ts", ""));
      async function* prompts() {
        yield { ...user("Go"), subtasks: [{ agent: "explore", description: "Find", prompt: "Find" }] };
        yield user("/compact");
      }
      await world.run(prompts(), { cwd, sessionId: "one", settingSources: [...settingSources] });
      const children = world.kept(".jsonl").map((name) => name.slice(0, -".jsonl".length));
      assert.equal(children.length, 2);
      const replies = children.flatMap((id) => world.replay(id).chat.messages.map(({ info }) => info));
      const paths = replies.flatMap((info) => (info.role === "assistant" ? [info.path] : []));
      assert.equal(paths.length, 4, "the call of task, the subagent's reply, the reply, the summary");
      for (const one of paths) assert.deepEqual(one, { cwd, root: world.folder });
    });
  }

  it("P2 the longest text of a prompt can be set; it is counted in bytes, over all parts", async () => {
    const limits = { maxPromptBytes: 100 };
    const world = await open([says("1"), says("2")]);
    const fits = await world.run("é".repeat(50), { limits });
    assert.equal(resultOf(fits).subtype, "success");
    const tooLong = [
      user("é".repeat(51)),
      user([
        { type: "text", text: "x".repeat(60) },
        { type: "text", text: "x".repeat(60) },
      ]),
      { ...user("x"), subtasks: [{ agent: "explore", description: "x", prompt: "x".repeat(100) }] },
    ];
    for (const message of tooLong) {
      const ended = resultOf(await world.run(from([message]), { limits, persistSession: false }));
      assert.equal(ended.exit_reason, "blocked");
      assert.match(ended.errors?.join() ?? "", /the limit is 0\.1 KiB\. Put the text into a file/);
    }
    assert.equal(world.raws.length, 1, "the model was not asked");
    const usual = resultOf(await world.run(from([user("x".repeat((1 << 20) + 1))])));
    assert.match(usual.errors?.join() ?? "", /1025 KiB long; the limit is 1024 KiB/);
    assert.equal(resultOf(await world.run("x".repeat(1 << 20))).subtype, "success");
  });

  it("P2 an empty prompt is an error, and nothing is stored", async () => {
    const world = await open([]);
    await assert.rejects(world.run("  \n"), { name: "QueryError", code: "prompt-invalid" });
    assert.deepEqual(world.kept(".jsonl"), []);
    async function* blank() {
      yield user([]);
    }
    await assert.rejects(world.run(blank()), { code: "prompt-invalid" });
  });
});
