/** K4: the order of all hook events, with real hook processes, in query() and on the command line. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { hookEvents } from "../../src/loop/hooks.ts";
import { hookLog } from "../hook-log.ts";
import { all, from, user, worlds } from "../query/world.ts";
import { begins, calls, places, says } from "./headless-run.ts";

/** A turn with a call that asks, one that fails and one for a subagent; then a compaction. */
const story = [
  calls("bash", { command: "echo made > made.txt" }),
  calls("read", { file_path: "gone.txt" }),
  calls("task", { subagent_type: "explore", description: "Look", prompt: "Look." }),
  says("Found."),
  says("Done."),
  says("Summary."),
];

const withSubagent = [
  ...["PreToolUse read", "PostToolUseFailure read"],
  ...["PreToolUse task", "SubagentStart explore", "SubagentStop explore", "PostToolUse task", "Stop"],
];

describe("K4 the order of hooks: query()", () => {
  const open = worlds();

  it("K4 SessionStart before everything, SessionEnd after everything with the reason", async () => {
    const world = await open(story);
    const log = hookLog(world.home);
    await world.run(from([user("Go"), user("/compact")]), {
      settings: { hooks: log.hooks },
      canUseTool: async () => ({ behavior: "allow" }),
    });
    const lines = log.lines();
    assert.deepEqual(new Set(lines.map((line) => line.split(" ")[0])), new Set(hookEvents), "every event");
    // Nobody waits for Notification, so it may be anywhere after the question.
    const notified = lines.indexOf("Notification permission_prompt");
    assert.ok(notified > lines.indexOf("PreToolUse bash"));
    assert.deepEqual(lines.toSpliced(notified, 1), [
      ...["SessionStart startup", "UserPromptSubmit"],
      ...["PreToolUse bash", "PermissionRequest bash", "PostToolUse bash"],
      ...[...withSubagent, "PreCompact manual", "SessionEnd end_turn"],
    ]);
  });

  it("K4 SessionStart runs once, before the first prompt of a session that continues, too", async () => {
    const world = await open([says("One."), says("Two."), says("Three.")]);
    const log = hookLog(world.home);
    const options = { settings: { hooks: log.hooks }, sessionId: "mine" };
    await world.run(from([user("One"), user("Two")]), options);
    await world.run("Three", { settings: options.settings, resume: "mine" });
    assert.deepEqual(log.lines(), [
      ...["SessionStart startup", "UserPromptSubmit", "Stop", "UserPromptSubmit", "Stop", "SessionEnd end_turn"],
      ...["SessionStart resume", "UserPromptSubmit", "Stop", "SessionEnd end_turn"],
    ]);
  });

  const blocks = [{ hooks: [{ type: "command", command: "echo Not now. >&2; exit 2" }] }];
  const context = [{ hooks: [{ type: "command", command: "echo It rains." }] }];

  it("K4 SessionStart's words go to the first prompt that is stored, once", async () => {
    const world = await open([says("One."), says("Two.")]);
    let denied = 0;
    const hooks = {
      UserPromptSubmit: [{ hooks: [async () => (denied++ === 0 ? { decision: "block" as const } : undefined)] }],
    };
    const prompts = [{ ...user("Zero") }, { ...user("Half"), shouldQuery: false }, user("One"), user("Two")];
    await world.run(from(prompts), { settings: { hooks: { SessionStart: context } }, hooks });
    const [first = "", second = ""] = world.raws;
    for (const raw of [first, second]) assert.equal(raw.split("It rains.").length, 2);
    const { messages } = world.replay(world.kept(".jsonl")[0]?.replace(".jsonl", "") ?? "").chat;
    assert.match(JSON.stringify(messages[0]), /Half.*It rains\./);
  });

  const ends: Record<string, [reason: string, run: (world: Awaited<ReturnType<typeof open>>) => Promise<unknown>]> = {
    "the limit of turns": ["max_turns", (world) => world.run("Go", { ...hooked(world), maxTurns: 1 })],
    "the budget": ["error_max_budget_usd", (world) => world.run("Go", { ...hooked(world), maxBudgetUsd: 0.000001 })],
    "a prompt that a hook blocks": [
      "blocked",
      (world) => world.run("Go", { ...hooked(world, { UserPromptSubmit: blocks }) }),
    ],
    "an error of the model": ["error", (world) => world.run("Go", { ...hooked(world), model: "refused" })],
    "the caller's controller": [
      "aborted",
      (world) => {
        const abortController = new AbortController();
        const canUseTool = async () => {
          abortController.abort();
          return { behavior: "allow" as const };
        };
        return world.run("Go", { ...hooked(world), abortController, canUseTool });
      },
    ],
    "interrupt()": [
      "interrupted",
      async (world) => {
        const running = world.query("Go", {
          ...hooked(world),
          canUseTool: async () => {
            void running.interrupt();
            return { behavior: "allow" };
          },
        });
        await all(running);
      },
    ],
  };
  const hooked = (world: { home: string }, more: Record<string, unknown> = {}) => ({
    settings: { hooks: { ...hookLog(world.home).hooks, ...more } },
  });
  for (const [name, [reason, run]] of Object.entries(ends)) {
    it(`K4 SessionEnd says ${reason} after ${name}`, async () => {
      const refusal = { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: "no" } } };
      const world = await open(({ body }) =>
        body["model"] === "refused" ? refusal : calls("bash", { command: "echo made > made.txt" }),
      );
      await run(world);
      assert.equal(hookLog(world.home).lines().at(-1), `SessionEnd ${reason}`);
    });
  }

  it("K4 a matcher of SessionEnd names the reason; Claude Code's `other` means all", async () => {
    const world = await open(() => says("Hi."));
    const { hooks, lines } = hookLog(world.home);
    const end = hooks["SessionEnd"]?.[0];
    const matching = (matcher: string) => ({ settings: { hooks: { SessionEnd: [{ ...end, matcher }] } } });
    for (const matcher of ["end_turn", "other", "error|interrupted", "clear"]) await world.run("Hi", matching(matcher));
    assert.deepEqual(lines(), ["SessionEnd end_turn", "SessionEnd end_turn"]);
  });

  it("L11 K4 interrupt() ends a hook that hangs, of SessionStart and of UserPromptSubmit", async () => {
    for (const event of ["SessionStart", "UserPromptSubmit"]) {
      const world = await open([]);
      const begun = path.join(world.home, "begun");
      const command = `touch "${begun}"; sleep 60`;
      const running = world.query("Go", {
        settings: { hooks: { [event]: [{ hooks: [{ type: "command", command }] }] } },
      });
      const messages = all(running);
      while (!existsSync(begun)) await new Promise((resolve) => setTimeout(resolve, 5));
      const before = performance.now();
      await running.interrupt();
      await messages;
      assert.ok(performance.now() - before < 10_000, "did not wait for the hook");
      assert.equal(running.exitReason, "interrupted");
      assert.equal(world.raws.length, 0);
    }
  });
});

describe("K4 the order of hooks: command line", () => {
  const open = places();

  it("K4 the same order; nobody can answer, so the call that asks is denied", async () => {
    const place = await open(story);
    const log = hookLog(place.home);
    place.write(".claude/settings.json", "{}");
    const settings = place.write("../settings.json", JSON.stringify({ hooks: log.hooks }));
    const line = (content: string) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
    const args = ["--settings", settings, "--input-format", "stream-json", "--output-format", "stream-json"];
    const ended = await place.run(args, { input: line("Go") + line("/compact") });
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual(log.lines(), [
      ...["SessionStart startup", "UserPromptSubmit", "PreToolUse bash", "PermissionRequest bash"],
      ...[...withSubagent, "PreCompact manual", "SessionEnd end_turn"],
    ]);
  });

  it("K4 SIGTERM in the middle of a turn: SessionEnd says interrupted", async () => {
    const place = await open([begins("Working")]);
    const log = hookLog(place.home);
    const settings = place.write("../settings.json", JSON.stringify({ hooks: log.hooks }));
    const { child, ended } = place.start(["--settings", settings, "Go"]);
    while (place.server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill("SIGTERM");
    assert.equal((await ended).code, 130);
    assert.deepEqual(log.lines(), ["SessionStart startup", "UserPromptSubmit", "SessionEnd interrupted"]);
  });
});
