import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Options } from "../../src/query/query-types.ts";
import { calls, resultOf, results, says, worlds } from "./world.ts";

describe("query(): options", () => {
  const open = worlds();

  const refused: Options[] = [
    { plugins: [{ type: "local", path: "." }] },
    { outputFormat: { type: "json_schema", schema: {} } },
    { permissionPromptToolName: "mcp__x__ask" },
  ];
  for (const options of refused) {
    it(`K2 ${Object.keys(options)[0]} is not supported: an error before anything runs`, async () => {
      const world = await open([]);
      assert.throws(() => world.query("Go", options), { name: "QueryError", code: "unsupported-option" });
      assert.deepEqual(world.kept(""), []);
    });
  }

  it("K2 unsupported options with empty values are no error; ignored options are noted", async () => {
    const world = await open([says("Hi.")]);
    const foreign = { betas: ["context-1m-2025-08-07"], pathToClaudeCodeExecutable: "/bin/claude" };
    const env = { ...process.env, OPENAI_API_KEY: "x", FOR_COMMANDS: "x" };
    await world.run("Go", { mcpServers: {}, plugins: [], sandbox: { enabled: false }, env, ...foreign });
    assert.deepEqual(
      world.notes.map((note) => /option (\w+)/.exec(note)?.[1]),
      ["betas", "pathToClaudeCodeExecutable", "env"],
    );
  });

  const invalid: Options[] = [
    { cwd: "/nowhere/at/all" },
    { additionalDirectories: ["gone"] },
    { maxTurns: -1 },
    { maxTurns: Number.NaN },
    { maxTurns: Number.POSITIVE_INFINITY },
    { maxBudgetTokens: -1 },
    { maxBudgetUsd: -0.01 },
    { maxDailyBudgetUsd: Number.POSITIVE_INFINITY },
    { contextWindow: 0 },
    { maxTurns: 1.5 },
    { contextWindow: -1 },
    { maxBudgetUsd: Number.NaN },
    { sessionId: "../x" },
    { resume: "a", continue: true },
    { forkSession: true },
    { baseUrl: "localhost:1" },
    { limits: { maxPromptBytes: -1 } },
    // @ts-expect-error not a mode
    { sandbox: "on" },
    // @ts-expect-error not a mode
    { permissionMode: "yolo" },
    { provider: "openai", model: undefined, baseUrl: "http://127.0.0.1:9/v1" },
  ];
  for (const options of invalid) {
    it(`K2 ${JSON.stringify(options)} is an error`, async () => {
      const world = await open([]);
      assert.throws(() => world.query("Go", options), { name: "QueryError", code: "invalid-option" });
    });
  }

  for (const [sandbox, mode] of [
    ["workspace", "workspace"],
    ["workspace-network", "workspace-network"],
    [{ enabled: true }, "workspace"],
    ["off", ""],
    [{ enabled: false }, ""],
  ] as const) {
    it(`K2 sandbox ${JSON.stringify(sandbox)}: commands run in it, or not at all`, async () => {
      const world = await open([calls(["bash", { command: "echo [$RONDO_SANDBOX]" }]), says("Done.")]);
      const [result] = results(await world.run("Go", { sandbox, allowedTools: ["bash"] }));
      const output = JSON.stringify(result?.content);
      assert.ok(output.includes(`[${mode}]`) || (mode !== "" && output.includes(`in a sandbox (${mode})`)), output);
    });
  }

  it("K2 fields of the option sandbox that are not supported are noted", async () => {
    const world = await open([says("Hi.")]);
    const sandbox = { enabled: true, network: { allowLocalBinding: true } };
    await world.run("Go", { sandbox });
    assert.deepEqual(world.notes, ["Of the option sandbox only enabled is used, not network.\n"]);
  });

  it("K2 allowedTools and disallowedTools, also with Claude Code's names", async () => {
    const script = () =>
      [calls(["bash", { command: "touch one" }], ["bash", { command: "rm one" }]), says("Done.")] as const;
    const run = async (options: Options) => {
      const world = await open([...script()]);
      await world.run("Go", options);
      const tools: string[] = JSON.parse(world.raws[0] ?? "").tools.map(({ name }: { name: string }) => name);
      return { made: world.has("one"), offered: tools.includes("bash"), denied: world.raws[1]?.includes("denies") };
    };
    assert.deepEqual(await run({}), { made: false, offered: true, denied: false });
    assert.deepEqual(await run({ allowedTools: ["Bash(touch:*)"] }), { made: true, offered: true, denied: false });
    assert.deepEqual(await run({ permissionMode: "bypassPermissions", disallowedTools: ["Bash(rm *)"] }), {
      made: true,
      offered: true,
      denied: true,
    });
    assert.equal((await run({ permissionMode: "bypassPermissions", disallowedTools: ["Bash"] })).offered, false);
  });

  it("T8 additionalDirectories are inside the workspace", async () => {
    const world = await open([calls(["read", { file_path: "../other/a.txt" }]), says("Done.")]);
    world.write("../other/a.txt", "over there");
    await world.run("Go", { additionalDirectories: ["../other"] });
    assert.ok(world.raws[1]?.includes("over there"));
  });

  it("K2 env contains the keys; the key goes only into the request", async () => {
    const world = await open([calls(["bash", { command: "env" }]), says("Done.")]);
    const debugFile = path.join(world.home, "debug.log");
    const messages = await world.run("Go", {
      apiKey: undefined,
      env: { ANTHROPIC_API_KEY: "key-of-env" },
      permissionMode: "bypassPermissions",
      debugFile,
    });
    assert.equal(resultOf(messages).subtype, "success");
    assert.equal(world.server.requests[0]?.headers["x-api-key"], "key-of-env");
    const log = readFileSync(debugFile, "utf8");
    assert.match(log, /loop:start/);
    const record = readFileSync(path.join(world.sessions, `${messages[0]?.session_id}.jsonl`), "utf8");
    for (const text of [log, record, ...world.raws, JSON.stringify(messages)]) assert.ok(!text.includes("key-of-env"));
  });

  it("K2 passEnvironment lets commands have the named variables of env alone", async () => {
    const world = await open([calls(["bash", { command: "env" }]), says("Done.")]);
    const env = { OPENAI_API_KEY: "key-of-openai", GROQ_API_KEY: "key-of-groq" };
    await world.run("Go", { env, passEnvironment: ["OPENAI_API_KEY"], permissionMode: "bypassPermissions" });
    assert.ok(world.raws[1]?.includes("OPENAI_API_KEY=key-of-openai") && !world.raws[1].includes("key-of-groq"));
    assert.throws(() => world.query("Go", { passEnvironment: ["A=B"] }), { code: "invalid-option" });
  });

  it("K2 without the option, the model is the one that env names for the provider", async () => {
    const world = await open(() => says("Hi."));
    const env = { ANTHROPIC_MODEL: "claude-haiku-4-5", OPENAI_MODEL: "gpt-5.5" };
    const model = async (options: Options) => {
      await world.run("Go", { model: undefined, ...options });
      return world.server.requests.at(-1)?.body["model"];
    };
    assert.equal(await model({ env }), "claude-haiku-4-5");
    assert.equal(await model({ env, model: "claude-sonnet-5" }), "claude-sonnet-5");
    assert.equal(
      await model({ env: { ...env, ANTHROPIC_API_KEY: "key-of-env" }, apiKey: undefined }),
      "claude-haiku-4-5",
    );
    await assert.rejects(model({ env: { ANTHROPIC_MODEL: "" }, provider: "openai", api: "chat" }), {
      message: "A custom server needs a model name (model, --model).",
    });
  });

  it("K2 no key: the result contains a message", async () => {
    const world = await open([]);
    const messages = await world.run("Go", { apiKey: undefined, baseUrl: "https://example.invalid", env: {} });
    assert.match(resultOf(messages).errors?.[0] ?? "", /no key/i);
  });

  it("K2 thinking, effort and maxThinkingTokens reach the request", async () => {
    const world = await open(() => says("Hi."));
    const model = "claude-sonnet-4-5";
    await world.run("Go", { model, maxThinkingTokens: 4096 });
    await world.run("Go", { model, thinking: { type: "enabled", budgetTokens: 2048 } });
    await world.run("Go", { model, thinking: { type: "disabled" }, maxThinkingTokens: 4096 });
    const budgets = world.server.requests.map(({ body }) => JSON.stringify(body["thinking"] ?? {}));
    assert.ok(budgets[0]?.includes("4096"));
    assert.ok(budgets[1]?.includes("2048"));
    assert.ok(!budgets[2]?.includes("4096"));
  });
});
