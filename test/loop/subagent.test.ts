import assert from "node:assert/strict";
import type { Rule } from "../../src/chat/requests.ts";
import { type Agent, AgentCatalog } from "../../src/loop/agents/agents.ts";
import { type HookEvent, type HookOutcome, type Hooks, noOutcome } from "../../src/loop/hooks.ts";
import { replay } from "../../src/record/replay.ts";
import { agent } from "../agent.ts";
import { failure, type Reply } from "../scripted-model.ts";
import { stopwatch } from "../timing.ts";
import { continueTo, finishStep } from "./answers.ts";
import { bash, cast, child, files, made, read, requestsOf, task, whoIs } from "./cast.ts";
import { harnesses, lasting, until } from "./harness.ts";
import { callsOf, checkSettled } from "./invariants.ts";

describe("subagents", () => {
  const open = harnesses();
  const start = (scripts: Parameters<typeof cast>[0], options: Parameters<typeof open>[1] = {}) =>
    open(cast(scripts), { files, project: { agents: options.project?.agents ?? made }, ...options });

  it("S1 the tool task runs a new session; its last text is the result", async () => {
    const h = start({ main: [[task("helper")], ["Done."]], helper: [[read("a.txt")], ["It says ", "x."]] });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.deepEqual(h.results(), ["It says \nx."]);
    const [call] = h.calls;
    const { id, parentID, title } = child(h).session;
    assert.deepEqual({ parentID, title }, { parentID: h.chat.session.id, title: "Find the thing" });
    assert.equal(call?.state.status === "completed" && call.state.metadata.childID, id);
    assert.equal(call?.state.status === "completed" && call.state.title, "helper: Find the thing");
    assert.ok(call?.state.status === "completed" && (call.state.metadata.childCost ?? 0) > 0);
    const sent = requestsOf(h, "helper")[0]?.entries.flatMap(({ parts }) => parts) ?? [];
    assert.deepEqual(
      sent.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : [])),
      ["Look."],
    );
    assert.equal(h.chat.messages.length, 3, "nothing of the child is in the parent's messages");
  });

  it("S1 its record is a session that can be opened, and its events reach the parent's chat live", async () => {
    const h = start({ main: [[task("helper")], ["Done."]], helper: [[read("a.txt")], ["x."]] });
    await h.turn();
    const [file = ""] = h.children;
    const { chat, broken } = replay(file);
    assert.deepEqual(broken, []);
    assert.deepEqual(lasting(chat), lasting(child(h)));
    checkSettled(child(h));
    const childID = child(h).session.id;
    const first = h.events.findIndex((event) => event.type === "child");
    const told = h.events.findIndex(
      ({ ...event }) =>
        event.type === "part" &&
        event.part.type === "tool" &&
        event.part.state.status === "running" &&
        event.part.state.metadata?.childID === childID,
    );
    assert.ok(told >= 0 && told < first, "the call says which session works for it before that begins");
    assert.ok(!h.read(".record.jsonl").includes('"child"'));
  });

  it("S1 several in one reply run concurrently, with results in call order", async () => {
    let atOnce = 0;
    let most = 0;
    const slow = (text: string): Reply => ({
      say: [text],
      before: async () => {
        most = Math.max(most, ++atOnce);
        await new Promise((resolve) => setTimeout(resolve, 20));
        atOnce--;
      },
    });
    const h = start({
      main: [[task("helper"), task("reader")], ["Done."]],
      helper: [slow("one")],
      reader: [slow("two")],
    });
    await h.turn();
    assert.equal(most, 2);
    assert.deepEqual(h.results(), ["one", "two"]);
    assert.equal(Object.keys(h.chat.children).length, 2);
  });

  it("S1 the tool's description lists the agents, and without any it is not offered", async () => {
    const h = start({ main: [["x"]] });
    await h.turn();
    const offered = h.model.requests[0]?.tools.find(({ name }) => name === "task");
    assert.match(
      offered?.description ?? "",
      /- explore: .*- general: .*- helper: Is helper\.\n- reader: Is reader\.$/s,
    );
    assert.doesNotMatch(offered?.description ?? "", /secret|build|title/);
  });

  it("S1 an unknown, hidden or missing agent: the model gets the list of agents", async () => {
    const missing = { call: "task", input: { description: "d", prompt: "p" } };
    const h = start({ main: [[task("nobody"), task("secret"), missing], ["Done."]] });
    await h.turn();
    const [nobody = "", secret = "", none = ""] = h.results();
    assert.match(nobody, /^ERROR There is no subagent named "nobody"\. There are: explore, general, helper, reader\.$/);
    assert.match(secret, /no subagent named "secret"/);
    assert.match(none, /subagent_type is missing\. There are:/);
  });

  it("S1 nest at most three levels deep", async () => {
    const h = start({
      main: [[task("helper")], ["Done."]],
      helper: [[task("helper")], [task("helper")], ["deep"], ["deep"], ["deep"]],
    });
    await h.turn();
    const depths = requestsOf(h, "helper").map(({ tools }) => tools.some(({ name }) => name === "task"));
    assert.deepEqual(depths.slice(0, 3), [true, true, false]);
    const second = Object.values(child(h).children)[0] ?? assert.fail();
    assert.equal(second.session.parentID, child(h).session.id);
    assert.equal(Object.values(second.children)[0]?.session.parentID, second.session.id);
  });

  it("S1 its questions go to the user in its name, and the parent waits", async () => {
    const h = start({ main: [[task("helper")], ["Done."]], helper: [[bash("echo hi")], ["Said."]] });
    const turn = h.turn();
    const request = await h.asked();
    assert.equal(request.sessionID, child(h).session.id);
    assert.equal(request.callID, callsOf(child(h))[0]?.callID);
    h.session.answer(request.id, { kind: "permission", type: "once" });
    await turn;
    assert.deepEqual(h.results(), ["Said."]);
  });

  it("T7 denied without a reason: it stops, and so does the parent", async () => {
    const h = start({ main: [[task("helper")], ["Never."]], helper: [[bash("echo hi")], ["Never."]] });
    const turn = h.turn();
    await h.answerNext({ kind: "permission", type: "deny", words: "" });
    assert.deepEqual(await turn, { reason: "blocked", error: undefined });
    assert.equal(h.model.requests.length, 2);
    assert.match(h.results()[0] ?? "", /^ERROR The user refused a call of the subagent/);
  });

  it("T7 denied with a reason: it continues with the reason", async () => {
    const h = start({ main: [[task("helper")], ["Done."]], helper: [[bash("echo hi")], ["As you say."]] });
    const turn = h.turn();
    await h.answerNext({ kind: "permission", type: "deny", words: "Quietly." });
    assert.equal((await turn).reason, "end_turn");
    assert.deepEqual(h.results(), ["As you say."]);
  });

  it("L11 Stop of the parent ends it and its command within a second", async () => {
    const h = start(
      { main: [[task("helper")], ["Never."]], helper: [[bash("echo begun; sleep 60")], ["Never."]] },
      { mode: "bypassPermissions" },
    );
    const turn = h.turn();
    await until(() => Object.values(h.chat.children).some((one) => callsOf(one)[0]?.state.status === "running"));
    const elapsed = stopwatch();
    await h.session.stop();
    assert.ok(elapsed() < 1000);
    assert.equal((await turn).reason, "interrupted");
    checkSettled(child(h));
    assert.equal(child(h).ended?.reason, "interrupted");
    assert.match(h.results()[0] ?? "", /^ERROR Tool execution aborted/);
  });

  it("B2 its cost counts for the session: the budget ends it and then the parent", async () => {
    const tokens = { input: 1_000_000 };
    const h = start(
      { main: [[task("helper")], ["Never."]], helper: [{ say: [read("a.txt")], tokens }, ["Never."]] },
      { limits: { maxBudgetUsd: 1 }, attended: false },
    );
    assert.equal((await h.turn()).reason, "error_max_budget_usd");
    assert.match(h.results()[0] ?? "", /^ERROR The subagent was not done when the session's budget was used up/);
    assert.equal(child(h).ended?.reason, "error_max_budget_usd");
    assert.equal(h.model.requests.length, 2);
  });

  it("B2 S1 Finish this step: a subagent sums up, none begins, and then its parent sums up", async () => {
    const tokens = { output: 100_000 };
    const write = { call: "write", input: { file_path: "b.txt", content: "x" } };
    const h = start(
      {
        main: [[task("helper"), write, task("reader")], ["It read one."]],
        helper: [{ say: [read("a.txt")], tokens }, ["I read one."]],
        reader: [["Never."]],
      },
      { limits: { maxBudgetUsd: 1 }, mode: "acceptEdits" },
    );
    const turn = h.turn();
    await h.answerNext(finishStep);
    assert.equal((await turn).reason, "error_max_budget_usd");
    const spent = "ERROR The subagent was not done when the session's budget was used up.";
    assert.equal(h.results()[0], `${spent} Its last words were:\nI read one.`);
    assert.equal(h.read("b.txt"), "x", "the calls of the step run");
    assert.equal(h.results()[2], spent);
    assert.deepEqual(
      h.model.requests.map((request) => [whoIs(request), request.toolUse]),
      [
        ["main", "auto"],
        ["helper", "auto"],
        ["helper", "none"],
        ["main", "none"],
      ],
    );
    assert.equal(h.text(), "It read one.");
  });

  it("B2 S1 subagents that reach the budget side by side ask once", async () => {
    const tokens = { output: 100_000 };
    const h = start(
      {
        main: [[task("helper"), task("reader")], ["Done."]],
        helper: [{ say: [read("a.txt")], tokens }, ["One."]],
        reader: [{ say: [read("a.txt")], tokens }, ["Two."]],
      },
      { limits: { maxBudgetUsd: 1 } },
    );
    const turn = h.turn();
    await until(() => h.open("budget").length === 2);
    await h.answerNext(continueTo("none"));
    assert.equal((await turn).reason, "end_turn");
    assert.deepEqual(h.results(), ["One.", "Two."]);
  });

  it("S1 an early end is an error with which the parent's model can continue", async () => {
    const fails = start({
      main: [[task("helper")], ["I see."]],
      helper: [{ say: ["Half."], fail: failure("invalid") }],
    });
    assert.equal((await fails.turn()).reason, "end_turn");
    assert.match(fails.results()[0] ?? "", /^ERROR The subagent failed: It failed \(invalid\)\. Do something\./);
    const empty = start({ main: [[task("helper")], ["I see."]], helper: [[]] });
    await empty.turn();
    assert.match(empty.results()[0] ?? "", /^ERROR The subagent failed: The model ended without an answer\./);
  });

  it("P4 steps: the last reply summarizes, and its text is the result", async () => {
    const agents = new AgentCatalog([agent("helper", { steps: 2 })]);
    const h = start(
      { main: [[task("helper")], ["Done."]], helper: [[read("a.txt")], ["All I have."]] },
      { project: { agents } },
    );
    await h.turn();
    assert.equal(requestsOf(h, "helper")[1]?.toolUse, "none");
    assert.deepEqual(h.results(), ["All I have."]);
  });

  it("M2 it uses the agent's own model, else its parent's", async () => {
    const agents = new AgentCatalog([agent("helper", { model: "claude-haiku-4-5" }), agent("reader", {})]);
    const scripts = { main: [[task("helper"), task("reader")], ["Done."]], helper: [["x"]], reader: [["y"]] };
    const h = start(scripts, { project: { agents } });
    await h.turn();
    assert.equal(requestsOf(h, "helper")[0]?.model, "claude-haiku-4-5");
    assert.equal(requestsOf(h, "reader")[0]?.model, requestsOf(h, "main")[0]?.model);
  });

  it("T6 loop detection stops it too, and the parent continues", async () => {
    const looks = Array.from({ length: 9 }, () => [read("a.txt")]);
    const h = start({ main: [[task("helper")], ["I see."]], helper: looks }, { attended: false });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.match(h.results()[0] ?? "", /^ERROR The subagent was stopped: The model kept calling read/);
    const some = [...looks.slice(0, 4), ["Enough."]];
    const scripts = { main: [[task("helper"), task("reader")], ["I see."]], helper: [...some], reader: [...some] };
    const twice = start(scripts, { attended: false });
    await twice.turn();
    assert.deepEqual(twice.results(), ["Enough.", "Enough."], "each is counted separately");
  });
});

describe("permissions of a subagent", () => {
  const open = harnesses();
  const rule = (permission: string, pattern: string, action: Rule["action"]) => ({ permission, pattern, action });
  const writes = { call: "write", input: { file_path: "b.txt", content: "y" } };
  const start = (agents: Agent[], scripts: Parameters<typeof cast>[0], options: Parameters<typeof open>[1] = {}) =>
    open(cast(scripts), { files, attended: false, project: { agents: new AgentCatalog(agents) }, ...options });

  it("S1 never wider than its parent's: not its tools, not in Plan mode, not by its own rules", async () => {
    const wide = agent("wide", { permission: [rule("*", "*", "allow")] });
    const scripts = { main: [[task("wide")], ["Done."]], wide: [[writes], ["Tried."]] };
    const narrow = start([wide], scripts, { choices: { agent: "plan" } });
    await narrow.turn();
    assert.deepEqual(
      requestsOf(narrow, "wide")[0]?.tools.map(({ name }) => name),
      ["read", "glob", "grep", "task"],
    );
    assert.throws(() => narrow.read("b.txt"));
    const plan = start([wide], scripts, { mode: "plan", rules: [rule("edit", "*", "allow")] });
    await plan.turn();
    assert.throws(() => plan.read("b.txt"));
    const boss = agent("boss", { mode: "primary", tools: { write: false } });
    const played = { boss: scripts.main, wide: scripts.wide };
    const off = start([wide, boss], played, { mode: "acceptEdits", choices: { agent: "boss" } });
    await off.turn();
    assert.throws(() => off.read("b.txt"));
    const rules = start([wide], scripts);
    await rules.turn();
    assert.match(callsOf(child(rules))[0]?.state.status ?? "", /error/);
    assert.throws(() => rules.read("b.txt"));
  });

  it("S1 its own rules make them stricter", async () => {
    const strict = agent("strict", { permission: [rule("edit", "*", "deny")] });
    const scripts = { main: [[task("strict"), writes], ["Done."]], strict: [[writes], ["Tried."]] };
    const h = start([strict], scripts, { mode: "acceptEdits" });
    await h.turn();
    const { state } = callsOf(child(h))[0] ?? assert.fail();
    assert.match(state.status === "error" ? state.error : "", /The rule `\*` of the agent strict denies it/);
    assert.equal(h.read("b.txt"), "y");
  });

  it("S1 a read-only agent changes nothing, no matter what calls it", async () => {
    const reader = agent("reader", { readOnly: true });
    const h = start(
      [reader],
      { main: [[task("reader")], ["Done."]], reader: [[writes], ["Tried."]] },
      { mode: "bypassPermissions" },
    );
    await h.turn();
    assert.throws(() => h.read("b.txt"));
  });

  it("S1 a rule may deny the tool, or one agent", async () => {
    const h = start(
      [agent("helper", {})],
      { main: [[task("helper"), task("explore")], ["Done."]] },
      { rules: [rule("task", "helper", "deny"), rule("task", "explore", "deny")] },
    );
    await h.turn();
    for (const result of h.results()) assert.match(result, /Your rule `\w+` denies it/);
    assert.deepEqual(h.chat.children, {});
  });
});

describe("hooks of subagents", () => {
  const open = harnesses();
  type Answer = (event: HookEvent, input: Record<string, unknown>) => Partial<HookOutcome> | undefined;
  const hooksOf = (answer: Answer): Hooks => ({
    has: () => true,
    fire: async (event, _, input) => ({ ...noOutcome, ...answer(event, input) }),
  });

  it("K4 SubagentStart adds context, SubagentStop makes it continue once, and its calls name their subagent", async () => {
    const told: string[] = [];
    const hooks = hooksOf((event, input) => {
      const who = input["agent_type"] === undefined ? "main" : input["agent_type"];
      told.push(`${event} ${who}${input["stop_hook_active"] === true ? " again" : ""}`);
      if (event === "SubagentStart") return { additionalContext: ["Mind the gap."] };
      return event === "SubagentStop" ? { decision: "deny", reason: "Check once more." } : undefined;
    });
    const h = open(
      cast({ main: [[task("helper")], ["Done."]], helper: [[read("a.txt")], ["One."], ["Two."], ["Never."]] }),
      {
        files,
        hooks,
        project: { agents: made },
      },
    );
    await h.turn();
    assert.deepEqual(h.results(), ["Two."]);
    assert.deepEqual(
      told.filter((one) => /Tool|Subagent/.test(one)),
      [
        "PreToolUse main",
        "SubagentStart helper",
        "PreToolUse helper",
        "PostToolUse helper",
        "SubagentStop helper",
        "SubagentStop helper again",
        "PostToolUse main",
      ],
    );
    assert.equal(told.filter((one) => one === "Stop main").length, 1);
    const sent = JSON.stringify(requestsOf(h, "helper")[0]?.entries);
    assert.match(sent, /Mind the gap/);
    assert.match(JSON.stringify(requestsOf(h, "helper")[2]?.entries), /Check once more/);
  });
});
