import assert from "node:assert/strict";
import type { HookInput, PermissionResult } from "../../src/query/query-types.ts";
import { all, calls, kindOf, ofType, resultOf, says, worlds } from "./world.ts";

describe("query(): canUseTool and hooks", () => {
  const open = worlds();
  const touch = calls(["bash", { command: "touch made" }]);

  it("K2 canUseTool is called when the rules do not decide, with their suggestions", async () => {
    const world = await open([calls(["read", { file_path: "a" }]), touch, says("Done.")]);
    world.write("a", "x");
    const asked: unknown[] = [];
    const messages = await world.run("Go", {
      canUseTool: async (tool, input, { suggestions, toolUseID, decisionReason, signal }) => {
        asked.push({ tool, input, suggestions, toolUseID });
        assert.ok(decisionReason.length > 5 && !signal.aborted);
        return { behavior: "allow" };
      },
    });
    assert.equal(resultOf(messages).subtype, "success");
    const toolUseID = ofType(messages, "tool_progress").find(({ tool_name }) => tool_name === "bash")?.tool_use_id;
    assert.partialDeepStrictEqual(asked, [
      {
        tool: "bash",
        input: { command: "touch made" },
        suggestions: [{ type: "addRules", behavior: "allow", rules: [{ toolName: "bash", ruleContent: "touch *" }] }],
        toolUseID,
      },
    ]);
    assert.ok(world.has("made"));
  });

  it("K2 canUseTool: other input, a denial with a reason, a denial that interrupts, a failure", async () => {
    const outcome = async (result: () => Promise<PermissionResult>) => {
      const world = await open([touch, says("Done.")]);
      const messages = await world.run("Go", { canUseTool: result });
      return { world, result: resultOf(messages), told: JSON.stringify(ofType(messages, "user")) };
    };
    const other = await outcome(async () => ({ behavior: "allow", updatedInput: { command: "touch other" } }));
    assert.deepEqual([other.world.has("made"), other.world.has("other")], [false, true]);
    const words = await outcome(async () => ({ behavior: "deny", message: "Use a file tool." }));
    assert.equal(words.world.has("made"), false);
    assert.ok(words.told.includes("Use a file tool."));
    assert.equal(words.result.subtype, "success");
    assert.partialDeepStrictEqual(words.result.permission_denials, [{ tool_name: "bash" }]);
    const stop = await outcome(async () => ({ behavior: "deny", message: "Stop.", interrupt: true }));
    assert.equal(stop.result.subtype, "error_during_execution");
    assert.equal(stop.world.server.requests.length, 1);
    const broken = await outcome(async () => {
      throw new Error("no answer today");
    });
    assert.equal(broken.world.has("made"), false);
    assert.ok(broken.told.includes("no answer today"));
  });

  it("K2 canUseTool: what it allows for the session is not asked again", async () => {
    const world = await open([touch, calls(["bash", { command: "touch more" }]), says("Done.")]);
    let asked = 0;
    await world.run("Go", {
      canUseTool: async (_, __, { suggestions }) => {
        asked++;
        return { behavior: "allow", updatedPermissions: suggestions };
      },
    });
    assert.equal(asked, 1);
    assert.ok(world.has("made") && world.has("more"));
  });

  it("S1 B2 a subagent's question names its session; its replies name their call and count", async () => {
    const task = { subagent_type: "general", description: "Make it", prompt: "Make the file." };
    const world = await open([calls(["task", task]), touch, says("Made."), says("Done.")]);
    const agents: (string | undefined)[] = [];
    const running = world.query("Go", {
      canUseTool: async (tool, input, { agentID }) => {
        assert.deepEqual([tool, input], ["bash", { command: "touch made" }]);
        agents.push(agentID);
        return { behavior: "allow" };
      },
    });
    const messages = await all(running);
    assert.ok(world.has("made"));
    assert.equal(agents.length, 1);
    assert.notEqual(agents[0] ?? running.sessionId, running.sessionId);
    const [first, second] = ofType(messages, "assistant");
    const [call] = first?.message.content ?? [];
    assert.equal(second?.parent_tool_use_id, call?.type === "tool_use" ? call.id : "");
    assert.partialDeepStrictEqual(resultOf(messages), { num_turns: 2, result: "Done.", usage: { input_tokens: 400 } });
    assert.equal(running.turnCount, 2);
    assert.deepEqual(world.kept(".lock"), []);
  });

  it("K2 L11 canUseTool's signal is aborted when the run ends", async () => {
    const world = await open([touch]);
    const aborted = Promise.withResolvers<void>();
    const running = world.query("Go", {
      canUseTool: (_, __, { signal }) => {
        signal.addEventListener("abort", () => aborted.resolve());
        setTimeout(() => void running.interrupt(), 10);
        return new Promise(() => {});
      },
    });
    const messages = [];
    for await (const message of running) messages.push(message);
    await aborted.promise;
    assert.equal(resultOf(messages).exit_reason, "interrupted");
  });

  it("B2 canUseTool is not called for the budget", async () => {
    const world = await open(() => calls(["read", { file_path: "." }]));
    let asked = 0;
    const messages = await world.run("Go", {
      maxBudgetUsd: 0.0003,
      canUseTool: async () => {
        asked++;
        return { behavior: "allow" };
      },
    });
    assert.equal(resultOf(messages).subtype, "error_max_budget_usd");
    assert.equal(asked, 0);
  });

  it("K4 function hooks get the same input as command hooks, in the same order", async () => {
    const world = await open([touch, calls(["read", { file_path: "gone" }]), says("Done.")]);
    const seen: string[] = [];
    const inputs: HookInput[] = [];
    const watch = async (input: HookInput, toolUseID: string | undefined) => {
      seen.push(`${input.hook_event_name} ${input["tool_name"] ?? ""}`.trim());
      if (input["tool_name"] !== undefined) assert.equal(input["tool_use_id"], toolUseID);
      inputs.push(input);
    };
    const matchers = [{ hooks: [watch] }];
    const running = world.query("Go", {
      permissionMode: "bypassPermissions",
      hooks: {
        SessionStart: matchers,
        UserPromptSubmit: matchers,
        PreToolUse: matchers,
        PostToolUse: matchers,
        PostToolUseFailure: matchers,
        Stop: matchers,
        SessionEnd: matchers,
      },
    });
    for await (const _ of running);
    assert.deepEqual(seen, [
      ...["SessionStart", "UserPromptSubmit", "PreToolUse bash", "PostToolUse bash"],
      ...["PreToolUse read", "PostToolUseFailure read", "Stop", "SessionEnd"],
    ]);
    for (const input of inputs) {
      assert.partialDeepStrictEqual(input, {
        session_id: running.sessionId,
        cwd: world.folder,
        permission_mode: "bypassPermissions",
      });
      assert.ok(input.transcript_path.endsWith(`${running.sessionId}.jsonl`));
    }
  });

  it("K4 functions deny, change the input, add context and show messages; matchers accept Claude Code's names", async () => {
    const world = await open([touch, calls(["bash", { command: "touch second" }]), says("Done.")]);
    const seen: unknown[] = [];
    const messages = await world.run("Go", {
      permissionMode: "bypassPermissions",
      hooks: {
        UserPromptSubmit: [
          {
            hooks: [
              async () => ({
                systemMessage: "A word for you.",
                hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "It is raining." },
              }),
            ],
          },
        ],
        PreToolUse: [
          { matcher: "Write|Edit", hooks: [async () => assert.fail("not for this tool")] },
          {
            matcher: "Bash",
            hooks: [
              async (input) => {
                seen.push(input["tool_name"]);
                if (JSON.stringify(input["tool_input"]).includes("second"))
                  return { decision: "block", reason: "No more." };
                const updatedInput = { command: "touch other" };
                return {
                  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput },
                };
              },
            ],
          },
        ],
      },
    });
    assert.deepEqual(seen, ["Bash", "Bash"]);
    assert.deepEqual([world.has("made"), world.has("other"), world.has("second")], [false, true, false]);
    assert.ok(world.raws[0]?.includes("It is raining."));
    assert.ok(!world.raws[0]?.includes("A word for you."));
    assert.ok(world.raws[2]?.includes("No more."));
    const told = messages.filter((message) => kindOf(message) === "informational");
    assert.partialDeepStrictEqual(told, [{ content: "A word for you." }]);
    assert.partialDeepStrictEqual(resultOf(messages).permission_denials, [{ tool_name: "bash" }]);
  });

  it("K4 functions and commands run concurrently; the strictest decision wins", async () => {
    const world = await open([touch, says("Done.")]);
    const seen: string[] = [];
    await world.run("Go", {
      permissionMode: "bypassPermissions",
      hooks: { PreToolUse: [{ hooks: [async () => void seen.push("function")] }] },
      settings: {
        hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "touch command; echo no >&2; exit 2" }] }] },
      },
    });
    assert.deepEqual(seen, ["function"]);
    assert.ok(world.has("command") && !world.has("made"));
  });

  it("K4 a function that fails, hangs or returns nonsense stops nothing; one that blocks a prompt ends it", async () => {
    const world = await open(() => says("Done."));
    const messages = await world.run("Go", {
      hooks: {
        UserPromptSubmit: [
          {
            timeout: 0.05,
            hooks: [
              () => new Promise<undefined>(() => {}),
              async () => {
                throw new Error("broken");
              },
              // @ts-expect-error nonsense
              async () => ({ decision: 7 }),
            ],
          },
        ],
      },
    });
    assert.equal(resultOf(messages).subtype, "success");
    assert.equal(messages.filter((message) => kindOf(message) === "informational").length, 3);
    const blocked = await world.run("Go", {
      hooks: { UserPromptSubmit: [{ hooks: [async () => ({ decision: "block", reason: "Not today." })] }] },
    });
    assert.partialDeepStrictEqual(resultOf(blocked), { subtype: "error_during_execution", exit_reason: "blocked" });
    assert.ok(resultOf(blocked).errors?.[0]?.includes("Not today."));
    assert.equal(world.server.requests.length, 1);
    await assert.rejects(world.run("Go", { hooks: { PreToolUse: [{ matcher: "(", hooks: [] }] } }), {
      code: "invalid-option",
    });
  });

  it("K4 hooks of the folder run only when the caller allows them and it is trusted", async () => {
    const world = await open(() => says("Done."));
    const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command: "touch ran" }] }] };
    world.write(".claude/settings.json", JSON.stringify({ hooks }));
    const allowProjectHooks = true;
    for (const options of [{}, { trusted: false, allowProjectHooks }, { settingSources: [], allowProjectHooks }]) {
      await world.run("Go", options);
      assert.equal(world.has("ran"), false);
    }
    assert.deepEqual(
      world.notes.filter((note) => note.includes("The hooks")),
      ["The hooks of .claude/settings.json are not run: allowProjectHooks (--project-hooks) allows them.\n"],
    );
    await world.run("Go", { allowProjectHooks });
    assert.equal(world.has("ran"), true);
  });
});
