import assert from "node:assert/strict";
import { type HookEvent, type HookOutcome, type Hooks, noOutcome } from "../../src/loop/hooks.ts";
import { modelCall } from "../../src/providers/shared/entry-content.ts";
import { type Harness, harnesses, until } from "./harness.ts";

const bash = (command: string) => ({ call: "bash", input: { command } });
const read = (file_path: string) => ({ call: "read", input: { file_path } });
const files = { "a.txt": "x" };

type Heard = { event: HookEvent; subject: string | undefined; input: Record<string, unknown> };

/** Hooks within the process: records their input, and returns the given output. */
function hear(
  answers: Partial<Record<HookEvent, Partial<HookOutcome>>>,
): Hooks & { heard: Heard[]; of(event: HookEvent): Heard[] } {
  const heard: Heard[] = [];
  return {
    heard,
    of: (event) => heard.filter((one) => one.event === event),
    has: (event) => answers[event] !== undefined,
    async fire(event, subject, input) {
      heard.push({ event, subject, input: structuredClone(input) });
      return { ...noOutcome, ...answers[event] };
    },
  };
}

const shown = (h: Harness) =>
  h.chat.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" && part.ignored ? [part.text] : [])),
  );

describe("hooks around a call", () => {
  const open = harnesses();

  it("K4 PreToolUse, then the tool, then PostToolUse or PostToolUseFailure", async () => {
    const hooks = hear({ PreToolUse: {}, PostToolUse: {}, PostToolUseFailure: {} });
    const h = open([[read("a.txt"), bash("exit 3"), read("gone.txt")], ["Done."]], {
      hooks,
      files,
      mode: "bypassPermissions",
    });
    await h.turn();
    assert.deepEqual(
      hooks.heard.map(({ event, subject }) => `${event} ${subject}`),
      [
        "PreToolUse read",
        "PostToolUse read",
        "PreToolUse bash",
        "PostToolUseFailure bash",
        "PreToolUse read",
        "PostToolUseFailure read",
      ],
    );
    const [pre, post] = hooks.heard;
    const about = { tool_name: "read", tool_input: { file_path: "a.txt" }, tool_use_id: h.calls[0]?.callID };
    assert.deepEqual(pre?.input, about);
    assert.deepEqual(post?.input, { ...about, tool_response: { output: "     1\tx" } });
    assert.match(String(hooks.of("PostToolUseFailure")[0]?.input["error"]), /Exit code 3/);
  });

  it("K4 hooks do not run for calls that no tool accepts", async () => {
    const hooks = hear({ PreToolUse: {}, PostToolUse: {}, PostToolUseFailure: {} });
    const h = open([[{ call: "Foo" }, { call: "read", input: {} }, { call: "read", raw: "{" }], ["Done."]], { hooks });
    await h.turn();
    assert.deepEqual(hooks.heard, []);
  });

  it("K4 input is not prepared for events without hooks", async () => {
    const hooks = hear({});
    const h = open([[read("a.txt")], ["Done."]], { hooks, files });
    await h.turn();
    assert.deepEqual(hooks.heard, []);
  });

  it("T7 PreToolUse denies: its reason is the result, the tool does not run, and the loop continues", async () => {
    const hooks = hear({
      PreToolUse: { decision: "deny", reason: "Not on a Sunday" },
      PostToolUse: {},
      PostToolUseFailure: {},
    });
    const h = open([[bash("touch made.txt")], ["I see."]], { hooks, mode: "bypassPermissions" });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.match(h.results()[0] ?? "", /^ERROR Not allowed: A hook of the user says: "Not on a Sunday"\./);
    const { state } = h.calls[0] ?? assert.fail();
    assert.equal(state.status === "error" && state.metadata?.denied, true);
    assert.throws(() => h.read("made.txt"));
    assert.deepEqual(
      hooks.heard.map(({ event }) => event),
      ["PreToolUse"],
    );
  });

  it("K4 PreToolUse changes the input, which is then parsed, asked about, run and recorded", async () => {
    const hooks = hear({ PreToolUse: { updatedInput: { command: "echo changed" } }, PostToolUse: {} });
    const h = open([[bash("echo sent")], ["Done."]], { hooks });
    const turn = h.turn();
    const request = await h.answerNext({ kind: "permission", type: "once" });
    assert.deepEqual(request.patterns, ["echo changed"]);
    await turn;
    assert.deepEqual(h.results(), ["changed\n\nThe call was changed before it was allowed. It ran as: echo changed"]);
    assert.deepEqual(h.calls[0]?.state.input, { command: "echo changed" });
    const sent = modelCall(h.calls[0] ?? assert.fail());
    assert.deepEqual(sent, { tool: "bash", input: { command: "echo sent" } }, "the model is sent what it said");
    assert.deepEqual(hooks.of("PostToolUse")[0]?.input["tool_input"], { command: "echo changed" });
    const wrong = open([[bash("echo sent")], ["Done."]], {
      hooks: hear({ PreToolUse: { updatedInput: { command: 7 } } }),
    });
    await wrong.turn();
    assert.match(wrong.results()[0] ?? "", /^ERROR The arguments of bash do not fit:\n- command: .*; came: 7/);
  });

  it("K4 PreToolUse asks although a rule allows the call", async () => {
    const hooks = hear({ PreToolUse: { decision: "ask", reason: "Look at this one." } });
    const rules = [{ permission: "bash", pattern: "*", action: "allow" } as const];
    const h = open([[bash("echo 1")], ["Done."]], { hooks, rules });
    const turn = h.turn();
    const request = await h.asked();
    assert.equal(request.reason, "Look at this one.");
    assert.deepEqual(request.always, []);
    h.session.setMode("bypassPermissions");
    assert.equal(h.chat.requests.length, 1, "no mode answers for the user");
    h.session.answer(request.id, { kind: "permission", type: "once" });
    await turn;
    assert.deepEqual(h.results(), ["1"]);
  });

  it("K4 PreToolUse allows without a question, except for protected files and what rules deny", async () => {
    const hooks = hear({ PreToolUse: { decision: "allow" } });
    const write = { call: "write", input: { file_path: ".claude/settings.json", content: "{}" } };
    const rules = [{ permission: "bash", pattern: "git push *", action: "deny" } as const];
    const h = open([[bash("echo 1"), bash("git push"), write], ["Done."]], { hooks, rules, attended: false });
    await h.turn();
    const [echo, push = "", settings = ""] = h.results();
    assert.equal(echo, "1");
    assert.match(push, /^ERROR Not allowed: Your rule `git push \*` denies it/);
    assert.match(settings, /so Rondo asks each time, in every mode.* Nobody can answer/);
  });

  it("K4 PermissionRequest answers before the user is asked, also when nobody can answer", async () => {
    const yes = open([[bash("echo 1")], ["Done."]], {
      hooks: hear({ PermissionRequest: { decision: "allow" } }),
      attended: false,
    });
    await yes.turn();
    assert.deepEqual(yes.results(), ["1"]);
    const hooks = hear({ PermissionRequest: { decision: "deny", reason: "No echoes" } });
    const no = open([[bash("echo 1")], ["Done."]], { hooks });
    assert.equal((await no.turn()).reason, "end_turn");
    assert.match(no.results()[0] ?? "", /A hook of the user says: "No echoes"/);
    assert.equal(no.events.filter((event) => event.type === "asked").length, 0);
    assert.deepEqual(hooks.heard[0]?.input["permission_suggestions"], [
      { permission: "bash", pattern: "echo *", action: "allow" },
    ]);
    const settings = { call: "write", input: { file_path: ".claude/settings.json", content: "{}" } };
    const asking = open([[settings], ["Done."]], {
      hooks: hear({ PermissionRequest: { decision: "allow" } }),
      attended: false,
    });
    await asking.turn();
    assert.match(asking.results()[0] ?? "", /so Rondo asks each time, in every mode.* Nobody can answer/);
    const other = { decision: "allow", updatedInput: { command: "echo 2" } } as const;
    const changed = open([[bash("echo 1")], ["Done."]], { hooks: hear({ PermissionRequest: other }) });
    await changed.turn();
    assert.deepEqual(changed.results(), ["2\n\nThe call was changed before it was allowed. It ran as: echo 2"]);
    const led = { decision: "allow", updatedInput: settings.input } as const;
    const write = { call: "write", input: { file_path: "a.md", content: "" } };
    const astray = open([[write], ["Done."]], { hooks: hear({ PermissionRequest: led }), attended: false });
    await astray.turn();
    assert.match(astray.results()[0] ?? "", /so Rondo asks each time, in every mode.* Nobody can answer/);
  });

  it("K4 PermissionRequest and Notification do not run when nothing asks", async () => {
    const hooks = hear({ PermissionRequest: {}, Notification: {} });
    const h = open([[read("a.txt")], ["Done."]], { hooks, files });
    await h.turn();
    assert.deepEqual(hooks.heard, []);
  });

  it("K4 Notification runs when a question is open", async () => {
    const hooks = hear({ Notification: {} });
    const h = open([[bash("echo 1")], ["Done."]], { hooks });
    const turn = h.turn();
    await h.answerNext({ kind: "permission", type: "once" });
    await turn;
    assert.deepEqual(hooks.heard, [
      {
        event: "Notification",
        subject: "permission_prompt",
        input: { message: "Rondo asks: Run this command?", title: "Rondo", notification_type: "permission_prompt" },
      },
    ]);
  });

  it("K4 context from hooks is sent with the result; messages for the user are shown and not sent", async () => {
    const hooks = hear({
      PreToolUse: { additionalContext: ["It is old."], messages: ["A look is taken."] },
      PostToolUse: { decision: "deny", reason: "Format it", messages: ["Seen."] },
    });
    const h = open([[read("a.txt")], ["Done."]], { hooks, files });
    await h.turn();
    assert.equal(h.results()[0], '1\tx\n\nFrom a PreToolUse hook: It is old.\n\nA hook of the user says: "Format it".');
    assert.deepEqual(shown(h), ["A look is taken.", "Seen."]);
  });

  it("K4 continue: false ends the turn before or after the tool", async () => {
    const before = open([[bash("touch made.txt"), read("a.txt")], ["Never."]], {
      hooks: hear({ PreToolUse: { stop: "Enough" } }),
      mode: "bypassPermissions",
    });
    const end = await before.turn();
    assert.equal(end.reason, "blocked");
    assert.equal(end.error?.message, "A hook has ended the turn: Enough");
    assert.throws(() => before.read("made.txt"));
    assert.deepEqual(before.results(), ["ERROR A hook has ended the turn: Enough", "ERROR Tool execution aborted"]);
    const after = open([[read("a.txt")], ["Never."]], { hooks: hear({ PostToolUse: { stop: "" } }), files });
    assert.equal((await after.turn()).error?.message, "A hook has ended the turn.");
    assert.deepEqual(after.results(), ["1\tx"]);
    assert.equal(after.model.requests.length, 1);
  });

  it("L11 Stop during a hook: the tool does not run", async () => {
    let begun = false;
    const hooks: Hooks = {
      has: (event) => event === "PreToolUse",
      fire: async (event, _, __, signal) => {
        if (event !== "PreToolUse") return noOutcome;
        begun = true;
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve(noOutcome), { once: true }));
      },
    };
    const h = open([[bash("touch made.txt")], ["Never."]], { hooks, mode: "bypassPermissions" });
    const turn = h.turn();
    await until(() => begun);
    await h.session.stop();
    assert.equal((await turn).reason, "interrupted");
    assert.deepEqual(h.results(), ["ERROR Tool execution aborted"]);
    assert.throws(() => h.read("made.txt"));
  });
});
