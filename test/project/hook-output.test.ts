import assert from "node:assert/strict";
import { type HookEvent, type HookOutcome, mergeOutcomes, noOutcome } from "../../src/loop/hooks.ts";
import { outcomeOf } from "../../src/project/hook-output.ts";

describe("the output of a hook", () => {
  const read = (event: HookEvent, output: unknown) =>
    outcomeOf(event, "`guard`", { code: 0, stdout: JSON.stringify(output), stderr: "" });

  const cases: [title: string, event: HookEvent, output: unknown, outcome: Partial<HookOutcome>][] = [
    ["is empty", "PreToolUse", {}, {}],
    ["continue: true changes nothing", "Stop", { continue: true }, {}],
    ["ends the turn with its reason", "PreToolUse", { continue: false, stopReason: "Enough." }, { stop: "Enough." }],
    ["ends the turn without a reason", "Stop", { continue: false }, { stop: "The hook `guard` ended the turn." }],
    ["has a message for the user", "Stop", { systemMessage: "Hi", suppressOutput: true }, { messages: ["Hi"] }],
    ["blocks", "UserPromptSubmit", { decision: "block", reason: "no" }, { decision: "deny", reason: "no" }],
    [
      "blocks without a reason",
      "Stop",
      { decision: "block" },
      { decision: "deny", reason: "The hook `guard` denied it without a reason." },
    ],
    ["approves", "PreToolUse", { decision: "approve", reason: "ok" }, { decision: "allow", reason: "ok" }],
    [
      "allows",
      "PreToolUse",
      { hookSpecificOutput: { permissionDecision: "allow", permissionDecisionReason: "ok" } },
      { decision: "allow", reason: "ok" },
    ],
    ["asks", "PreToolUse", { hookSpecificOutput: { permissionDecision: "ask" } }, { decision: "ask" }],
    [
      "denies, which counts before the older field",
      "PreToolUse",
      { decision: "approve", hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "no" } },
      { decision: "deny", reason: "no" },
    ],
    ["leaves the decision to others", "PreToolUse", { hookSpecificOutput: { permissionDecision: "defer" } }, {}],
    [
      "changes the input",
      "PreToolUse",
      { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "ls -a" } } },
      { updatedInput: { command: "ls -a" } },
    ],
    [
      "adds context",
      "PostToolUse",
      { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "Run the tests." } },
      { additionalContext: ["Run the tests."] },
    ],
    ["adds only white space", "PostToolUse", { hookSpecificOutput: { additionalContext: "  " } }, {}],
    [
      "allows a request with other input",
      "PermissionRequest",
      { hookSpecificOutput: { decision: { behavior: "allow", updatedInput: { command: "ls" } } } },
      { decision: "allow", updatedInput: { command: "ls" } },
    ],
    [
      "denies a request",
      "PermissionRequest",
      { hookSpecificOutput: { decision: { behavior: "deny", message: "not today" } } },
      { decision: "deny", reason: "not today" },
    ],
    [
      "denies a request and ends the turn",
      "PermissionRequest",
      { hookSpecificOutput: { decision: { behavior: "deny", message: "stop it", interrupt: true } } },
      { decision: "deny", reason: "stop it", stop: "stop it" },
    ],
    ["decides nothing at an event without decisions", "SessionEnd", { decision: "block", reason: "no" }, {}],
    ["may contain unknown fields", "Stop", { later: [1], hookSpecificOutput: { more: true } }, {}],
  ];
  for (const [title, event, output, outcome] of cases) {
    it(`K4 ${title}`, () => {
      assert.deepEqual(read(event, output), { ...noOutcome, ...outcome });
    });
  }

  it("K4 JSON from a hook whose text becomes context is parsed as JSON", () => {
    const output = { hookSpecificOutput: { additionalContext: "from JSON" } };
    assert.deepEqual(read("SessionStart", output).additionalContext, ["from JSON"]);
  });

  it("K4 results are merged: the strictest decision, each reason once, the first input and stop", () => {
    const merged = mergeOutcomes([
      { ...noOutcome, decision: "allow", reason: "fine", updatedInput: { a: 1 }, messages: ["1"] },
      { ...noOutcome, decision: "ask", reason: "sure?", stop: "first", additionalContext: ["2"] },
      { ...noOutcome, decision: "ask", reason: "sure?", updatedInput: { b: 1 }, stop: "second", messages: ["3"] },
    ]);
    assert.deepEqual(merged, {
      decision: "ask",
      reason: "sure?",
      updatedInput: { a: 1 },
      additionalContext: ["2"],
      messages: ["1", "3"],
      stop: "first",
    });
    assert.deepEqual(mergeOutcomes([]), noOutcome);
  });
});
