/** The limit of working time ends what runs, in the way of Stop and with a reason of its own (spec L1). */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { type HookEvent, noHooks, noOutcome } from "../../src/loop/hooks.ts";
import { workingClock } from "../../src/loop/session/clock.ts";
import { failure, type Script } from "../scripted-model.ts";
import { full, isSummary, small } from "./compacting.ts";
import { harnesses, until } from "./harness.ts";

/** Its file appears with its whole content, however late the limit stops it. */
const sleep = { call: "bash", input: { command: "echo $$ > begun; mv begun pid; sleep 60" } };
const task = { call: "task", input: { description: "d", prompt: "p", subagent_type: "general" } };

describe("L1 the time limit of a turn", () => {
  const open = harnesses();
  const options = { mode: "bypassPermissions", limits: { executionTimeoutMs: 400, retryBackoffMs: 60_000 } } as const;

  const running: Record<string, Script> = {
    "a request": [{ say: ["Half"], hang: true }],
    "a command": [[sleep], ["Never."]],
    "calls side by side, and those after them": [[{ ...sleep }, { call: "glob", input: { pattern: "*" } }], ["Never."]],
    "a subagent's request": [[task], { say: ["Half"], hang: true }],
    "a subagent's command": [[task], [sleep], ["Never."]],
    "the delay before a retry": [{ fail: failure("overloaded") }, ["Never."]],
  };
  for (const [what, script] of Object.entries(running)) {
    it(`L1 ends ${what}, and the next prompt is answered`, async () => {
      const { h, limits } = await interrupted(what, script);
      assert.equal(h.chat.status.type, "idle");
      for (const { state } of h.calls) assert.equal(state.status, "error");
      if (what.includes("command")) {
        const pid = Number(h.read("pid"));
        assert.throws(() => process.kill(pid, 0), "its processes are gone");
      }
      limits.executionTimeoutMs = 600_000;
      assert.equal((await h.turn("Again.")).reason, "end_turn");
    });
  }

  /** Ends a turn by its limit; with a longer one if a busy machine had not begun the command before. */
  async function interrupted(what: string, script: Script) {
    for (const executionTimeoutMs of [400, 3000, 15_000, 40_000]) {
      const limits = { ...options.limits, executionTimeoutMs };
      const h = open(
        (request, index) => {
          const said = request.entries.some(({ parts }) =>
            parts.some((part) => "text" in part && part.text === "Again."),
          );
          if (said) return ["Here."];
          return (Array.isArray(script) ? script[index] : script(request, index)) ?? ["Never."];
        },
        { ...options, limits },
      );
      const started = Date.now();
      const { reason, error } = await h.turn();
      assert.deepEqual([reason, error?.code], ["error", "execution-timeout"]);
      assert.ok(Date.now() - started < 50_000, "before the work would have ended");
      if (!what.includes("command") || existsSync(path.join(h.folder, "pid"))) return { h, limits };
    }
    return assert.fail("The command never began.");
  }

  it("L1 ends a compaction, and the history stays", async () => {
    const h = open(
      (request) => (isSummary(request) ? { say: ["Half"], hang: true } : { say: ["Hello."], tokens: full }),
      { ...small, limits: { ...small.limits, executionTimeoutMs: 400 } },
    );
    await h.turn("Hi.");
    assert.equal((await h.turn("More.")).error?.code, "execution-timeout");
  });

  it("L1 ends a hook", async () => {
    const hooks = {
      ...noHooks,
      has: (event: HookEvent) => event === "Stop",
      fire: async (event: HookEvent, __: unknown, ___: unknown, signal: AbortSignal) => {
        if (event !== "Stop") return noOutcome;
        await until(() => signal.aborted);
        signal.throwIfAborted();
        return noOutcome;
      },
    };
    const h = open([["Done."]], { ...options, hooks });
    assert.equal((await h.turn()).error?.code, "execution-timeout");
  });

  it("L1 O a question does not count, and what follows its answer does", async () => {
    const limits = { executionTimeoutMs: 1500 };
    const h = open([[sleep], ["Never."]], { limits });
    const turn = h.turn();
    const request = await h.asked();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    assert.equal(h.open("permission")[0]?.id, request.id);
    h.session.answer(request.id, { kind: "permission", type: "once" });
    assert.equal((await turn).error?.code, "execution-timeout");
  });

  it("L1 Stop before it is Stop, and a turn that ended leaves no timer", async () => {
    const h = open([{ say: ["Half"], hang: true }, ["Done."]], { limits: { executionTimeoutMs: 60_000 } });
    const turn = h.turn();
    await until(() => h.text() === "Half");
    await h.session.stop();
    assert.equal((await turn).reason, "interrupted");
    assert.equal((await h.turn()).reason, "end_turn");
    const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const clock = workingClock(60_000, () => {});
    assert.equal(process.getActiveResourcesInfo().filter((name) => name === "Timeout").length, timers + 1);
    clock.stop();
    assert.equal(process.getActiveResourcesInfo().filter((name) => name === "Timeout").length, timers);
  });
});
