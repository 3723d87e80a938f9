import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { HookEvent, HookOutcome, Hooks } from "../../src/loop/hooks.ts";
import { noOutcome } from "../../src/loop/hooks.ts";
import { commandHooks } from "../../src/project/command-hooks.ts";
import { stopwatch } from "../timing.ts";
import { TestFolders } from "./folders.ts";

interface Written {
  command: string;
  timeout?: number;
}

describe("hooks as commands", () => {
  let at: TestFolders;
  let notes: string[];
  before(function () {
    // These commands are not for cmd.exe, the shell on Windows.
    if (process.platform === "win32") this.skip();
  });
  beforeEach(() => {
    at = new TestFolders();
    notes = [];
  });
  afterEach(() => at.dispose());

  /** In the format of a user's `.claude/settings.json`. */
  function settle(hooks: Partial<Record<HookEvent, { matcher?: string; hooks: Written[] }[]>>, own?: unknown): Hooks {
    const typed = Object.entries(hooks).map(([event, groups]) => [
      event,
      groups.map((group) => ({ ...group, hooks: group.hooks.map((hook) => ({ type: "command", ...hook })) })),
    ]);
    at.put("home/.claude/settings.json", JSON.stringify({ hooks: Object.fromEntries(typed) }));
    const settings = at.hooks({ own });
    assert.deepEqual(settings.problems, []);
    return commandHooks(settings, {
      cwd: at.work,
      sessionID: "ses_1",
      transcriptPath: "/records/ses_1.jsonl",
      permissionMode: () => "acceptEdits",
      env: { ...process.env, ANTHROPIC_API_KEY: "sk-secret", OPENAI_API_KEY: "sk-secret", SEEN: "yes" },
      onNote: (note) => notes.push(note),
    });
  }

  const call = { tool_name: "bash", tool_input: { command: "ls" }, tool_use_id: "call-1" };
  const live = new AbortController().signal;

  /** Settings with one hook for all calls of one event. */
  const fire = (
    command: string,
    event: HookEvent = "PreToolUse",
    more: Partial<Written> = {},
  ): Promise<HookOutcome> => {
    const subject = event.includes("Tool") || event === "PermissionRequest" ? "bash" : undefined;
    return settle({ [event]: [{ hooks: [{ command, ...more }] }] }).fire(event, subject, call, live);
  };
  const answer = (output: unknown) => `cat <<'end'\n${JSON.stringify(output)}\nend`;
  /** Returns what hooks wrote into a file of the workspace. */
  const told = (name = "told"): Record<string, unknown> =>
    JSON.parse(readFileSync(path.join(at.work, name), "utf8")) as Record<string, unknown>;

  describe("their input and environment", () => {
    it("K4 standard input contains the shared fields and the event's own", async () => {
      assert.deepEqual(await fire("cat > told"), noOutcome);
      assert.deepEqual(told(), {
        session_id: "ses_1",
        transcript_path: "/records/ses_1.jsonl",
        cwd: at.work,
        permission_mode: "acceptEdits",
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "ls" },
        tool_use_id: "call-1",
      });
    });

    it("K4 they run in the project folder, get its path, and get no keys", async () => {
      await fire(
        'printf \'{"pwd":"%s","dir":"%s","keys":"%s%s","seen":"%s"}\' "$PWD" "$CLAUDE_PROJECT_DIR" "$ANTHROPIC_API_KEY" "$OPENAI_API_KEY" "$SEEN" > told',
      );
      assert.deepEqual(told(), { pwd: at.work, dir: at.work, keys: "", seen: "yes" });
    });

    it("K4 Claude Code hooks get its tool names and absolute paths, Rondo hooks get Rondo's", async () => {
      const own = (matcher: string, command: string) => ({ matcher, hooks: [{ type: "command", command }] });
      const hooks = settle(
        { PostToolUse: [{ matcher: "Edit|Write", hooks: [{ command: "cat > claude" }] }] },
        {
          PostToolUse: [own("edit", "cat > own"), own("MultiEdit", "cat > pasted"), own("Bash", "cat > other")],
        },
      );
      const input = { file_path: "src/a.ts" };
      await hooks.fire("PostToolUse", "edit", { tool_name: "edit", tool_input: input, tool_response: "ok" }, live);
      const { tool_name, tool_input, tool_response } = told("claude");
      assert.deepEqual(
        { tool_name, tool_input, tool_response },
        { tool_name: "Edit", tool_input: { file_path: path.join(at.work, "src/a.ts") }, tool_response: "ok" },
      );
      assert.equal(told("own")["tool_name"], "edit");
      assert.equal(told("pasted")["tool_name"], "Edit");
      assert.equal(existsSync(path.join(at.work, "other")), false);
    });
  });

  describe("exit codes", () => {
    it("K4 0 without output decides nothing; plain text is dropped", async () => {
      assert.deepEqual(await fire("true"), noOutcome);
      assert.deepEqual(await fire("echo all is well; echo noise >&2"), noOutcome);
    });

    for (const event of ["UserPromptSubmit", "SessionStart"] as const) {
      it(`K4 plain text of ${event} is sent to the model`, async () => {
        assert.deepEqual(await fire("echo the branch is red", event), {
          ...noOutcome,
          additionalContext: ["the branch is red"],
        });
      });
    }

    it("K4 answers and plain texts may hold U+2028 and U+2029", async () => {
      const text = "one\u2028two\u2029three";
      const specific = { additionalContext: text, permissionDecision: "deny", permissionDecisionReason: text };
      const said = await fire(answer({ systemMessage: text, hookSpecificOutput: specific }));
      assert.deepEqual(said.messages, [text]);
      assert.deepEqual(said.additionalContext, [text]);
      assert.deepEqual([said.decision, said.reason], ["deny", text]);
      const input = {
        hookSpecificOutput: { permissionDecision: "allow", updatedInput: { command: `echo '${text}'` } },
      };
      assert.deepEqual((await fire(answer(input))).updatedInput, { command: `echo '${text}'` });
      assert.deepEqual((await fire(`printf '%s' '${text}'`, "UserPromptSubmit")).additionalContext, [text]);
      assert.equal((await fire(`printf '%s' '${text}' >&2; exit 2`)).reason, text);
    });

    it("K4 2 blocks, with standard error as the reason", async () => {
      const outcome = await fire(`echo '{"decision":"approve"}'; echo 'no rm here' >&2; exit 2`);
      assert.deepEqual(outcome, { ...noOutcome, decision: "deny", reason: "no rm here" });
    });

    it("K4 2 without a reason also blocks", async () => {
      const outcome = await fire("exit 2");
      assert.equal(outcome.decision, "deny");
      assert.match(outcome.reason, /`exit 2` denied it/);
    });

    for (const event of ["SessionStart", "SessionEnd", "SubagentStart", "Notification"] as const) {
      it(`K4 2 blocks nothing at ${event}: it is a message`, async () => {
        assert.deepEqual(await fire("echo late >&2; exit 2", event), { ...noOutcome, messages: ["late"] });
      });
    }

    for (const event of ["UserPromptSubmit", "Stop", "SubagentStop", "PreCompact", "PostToolUse"] as const) {
      it(`K4 2 blocks at ${event}`, async () => {
        assert.deepEqual(await fire("echo wait >&2; exit 2", event), {
          ...noOutcome,
          decision: "deny",
          reason: "wait",
        });
      });
    }

    it("K4 other codes show a message to the user, and the turn continues", async () => {
      const outcome = await fire("echo broken pipe >&2; exit 1");
      assert.deepEqual(outcome, {
        ...noOutcome,
        messages: ["The hook `echo broken pipe >&2; exit 1` failed with exit code 1: broken pipe"],
      });
      assert.match((await fire("no-such-program-here")).messages[0] ?? "", /exit code 127/);
      assert.match((await fire("kill -9 $$")).messages[0] ?? "", /ended by SIGKILL/);
    });
  });

  describe("concurrent hooks", () => {
    it("K4 all matching hooks run at once, and deny wins over ask and allow", async () => {
      const decide = (permissionDecision: string, permissionDecisionReason: string) =>
        `sleep 0.3; ${answer({ hookSpecificOutput: { permissionDecision, permissionDecisionReason } })}`;
      const hooks = settle({
        PreToolUse: [
          { matcher: "Bash", hooks: [{ command: decide("allow", "fine") }, { command: decide("deny", "never") }] },
          { matcher: "*", hooks: [{ command: decide("ask", "hm") }, { command: decide("deny", "no") }] },
          { matcher: "Edit", hooks: [{ command: "touch edited" }] },
        ],
      });
      const elapsed = stopwatch();
      const outcome = await hooks.fire("PreToolUse", "bash", call, live);
      assert.ok(elapsed() < 1000, "they ran one after the other");
      assert.deepEqual(outcome, { ...noOutcome, decision: "deny", reason: "never\nno" });
      assert.equal(existsSync(path.join(at.work, "edited")), false);
    });

    it("K4 the first new input in settings order wins; messages and contexts keep that order", async () => {
      const change = (command: string, wait: number) =>
        `sleep ${wait}; ${answer({
          systemMessage: `m ${command}`,
          hookSpecificOutput: { updatedInput: { command }, additionalContext: `c ${command}` },
        })}`;
      const outcome = await settle({
        PreToolUse: [{ hooks: [{ command: change("one", 0.2) }, { command: change("two", 0) }] }],
      }).fire("PreToolUse", "bash", call, live);
      assert.deepEqual(outcome, {
        ...noOutcome,
        updatedInput: { command: "one" },
        additionalContext: ["c one", "c two"],
        messages: ["m one", "m two"],
      });
    });

    it("K4 a command listed twice runs once", async () => {
      const twice = { command: "echo x >> count" };
      await settle({ Stop: [{ hooks: [twice] }, { hooks: [twice] }] }).fire("Stop", undefined, {}, live);
      assert.equal(readFileSync(path.join(at.work, "count"), "utf8"), "x\n");
    });

    it("K4 answers quickly whether an event has hooks", async () => {
      const hooks = settle({ Stop: [{ hooks: [{ command: "true" }] }] });
      assert.equal(hooks.has("Stop"), true);
      assert.equal(hooks.has("PreToolUse"), false);
      assert.deepEqual(await hooks.fire("PreToolUse", "bash", call, live), noOutcome);
    });
  });

  describe("hostile and broken hooks", () => {
    it("K4 a hook that never reads its input does not fail, for any input size", async () => {
      const input = { ...call, tool_input: { command: "x".repeat(5_000_000) } };
      const hooks = settle({ PreToolUse: [{ hooks: [{ command: "exec 0<&-; echo no >&2; exit 2" }] }] });
      assert.equal((await hooks.fire("PreToolUse", "bash", input, live)).reason, "no");
    });

    it("K4 a hook with much output is read to its end, and 64 KiB are kept", async () => {
      const outcome = await fire("head -c 5000000 /dev/zero | tr '\\0' x", "UserPromptSubmit");
      assert.equal(outcome.additionalContext[0]?.length, 64 * 1024);
      assert.match(notes[0] ?? "", /more than 64 KiB/);
    });

    it("K4 a hook with endless output is ended at its time limit", async () => {
      const outcome = await fire("exec yes", "UserPromptSubmit", { timeout: 0.4 });
      assert.match(outcome.messages[0] ?? "", /took longer than 0.4 s and was terminated/);
      assert.equal(outcome.additionalContext.length, 0);
    });

    it("K4 a hook whose child keeps its output open is not waited for", async () => {
      const elapsed = stopwatch();
      const outcome = await fire("sleep 30 & echo $! > pid; echo kept", "UserPromptSubmit");
      assert.deepEqual(outcome.additionalContext, ["kept"]);
      assert.ok(elapsed() < 3000);
      // A process that a hook leaves in the background on purpose is not ended.
      process.kill(Number(readFileSync(path.join(at.work, "pid"), "utf8")));
    });

    it("K4 at the time limit all processes of a hook end, including those that ignore signals", async () => {
      const outcome = await fire("trap '' TERM; setsid sleep 61.7 & sleep 62.7", "PreToolUse", { timeout: 0.3 });
      assert.match(outcome.messages[0] ?? "", /took longer than 0.3 s/);
      assert.equal(outcome.decision, undefined);
      const left = execFileSync("ps", ["axo", "args"], { encoding: "utf8" });
      assert.doesNotMatch(left, /^sleep 6[12]\.7/m);
    });

    it("K4 on Stop hooks end at once and decide nothing", async () => {
      const hooks = settle({
        PreToolUse: [{ hooks: [{ command: "exit 2" }, { command: "trap '' TERM; touch on; sleep 63.7; sleep 64.7" }] }],
      });
      const stop = new AbortController();
      const outcome = hooks.fire("PreToolUse", "bash", call, stop.signal);
      while (!existsSync(path.join(at.work, "on"))) await sleep(10);
      const elapsed = stopwatch();
      stop.abort();
      assert.deepEqual(await outcome, noOutcome);
      assert.ok(elapsed() < 1500);
      assert.doesNotMatch(execFileSync("ps", ["axo", "args"], { encoding: "utf8" }), /^sleep 6[34]\.7/m);
      assert.deepEqual(await hooks.fire("PreToolUse", "bash", call, stop.signal), noOutcome);
    });

    for (const [title, command] of [
      ["bytes", "printf '\\377\\376\\000\\001\\200'"],
      ["a list", "echo '[1,2]'"],
      ["a word", "echo 'null'"],
    ] as const) {
      it(`K4 ${title} on standard output decide nothing`, async () => {
        assert.deepEqual(await fire(command), noOutcome);
      });
    }

    it("K4 incomplete JSON becomes a message, or context where text is context", async () => {
      const half = 'printf \'{"decision": "bl\'';
      assert.match((await fire(half)).messages[0] ?? "", /answered with broken JSON/);
      assert.deepEqual((await fire(half, "UserPromptSubmit")).additionalContext, ['{"decision": "bl']);
    });

    it("K4 fields of the wrong types become a message that names them", async () => {
      const outcome = await fire(answer({ decision: 7, hookSpecificOutput: { updatedInput: "x" } }));
      assert.match(outcome.messages[0] ?? "", /cannot be used: decision, hookSpecificOutput\.updatedInput\./);
      assert.equal(outcome.decision, undefined);
    });

    it("K4 a missing folder becomes a message", async () => {
      const hooks = settle({ Stop: [{ hooks: [{ command: "true" }] }] });
      at.dispose();
      assert.match((await hooks.fire("Stop", undefined, {}, live)).messages[0] ?? "", /could not be run/);
    });
  });
});
