/** Traces of real loops: what each step and call took, and what decided about it. */
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { type CallTrace, cachedShare } from "../../src/chat/trace.ts";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import { Tracer } from "../../src/trace/tracer.ts";
import { agent } from "../agent.ts";
import { type Harness, harnesses } from "../loop/harness.ts";
import { failure, type Script } from "../scripted-model.ts";

const bash = (command: string) => ({ call: "bash", input: { command } });
const read = (file_path: string) => ({ call: "read", input: { file_path } });

describe("traces", () => {
  const open = harnesses();
  const agents = new AgentCatalog([agent("helper", { prompt: "I AM helper." })]);

  function traced(script: Script, options: Parameters<typeof open>[1] = {}) {
    const h = open(script, { files: { "a.txt": "x" }, project: { agents }, ...options });
    const delivered: string[][] = [];
    const tracer = new Tracer({
      chatOf: (id) => (id === h.chat.session.id ? h.chat : undefined),
      deliver: (turns) => delivered.push(turns.map(({ messageID }) => messageID)),
    });
    const push = h.loopEvents.push.bind(h.loopEvents);
    h.loopEvents.push = (...events) => {
      for (const event of events) tracer.take(event);
      return push(...events);
    };
    const set = h.firstBytes.set.bind(h.firstBytes);
    h.firstBytes.set = (messageID, afterMs) => {
      tracer.firstByte(messageID, afterMs);
      return set(messageID, afterMs);
    };
    return { h, tracer, delivered, turns: () => tracer.trace(h.chat).turns };
  }

  const calls = (turns: ReturnType<ReturnType<typeof traced>["turns"]>) =>
    turns.flatMap(({ steps }) => steps.flatMap((step) => step.calls));

  it("K1 a step has its time to the first byte, tokens, cache share and cost", async () => {
    const tokens = { input: 10, output: 5, cacheRead: 90 };
    const { h, turns } = traced([{ say: [read("a.txt")], tokens }, ["Done."]]);
    await h.turn();
    const [turn] = turns();
    const [first, second] = turn?.steps ?? [];
    assert.equal(turn?.steps.length, 2);
    assert.ok(first && second && first.cost !== undefined && first.cost > 0);
    assert.equal(cachedShare(first.tokens), 0.9);
    for (const step of [first, second]) {
      assert.ok(step.firstByteMs !== undefined && step.firstByteMs >= 0);
      assert.ok((step.endedAt ?? 0) >= step.startedAt);
    }
    assert.ok(turn && turn.endedAt !== undefined && turn.endedAt >= (second.endedAt ?? 0));
  });

  it("H4 K1 retries are listed, and the time to the first byte is that of the last attempt", async () => {
    const { h, turns } = traced([{ fail: failure("overloaded") }, ["Done."]]);
    await h.turn();
    const [step] = turns()[0]?.steps ?? [];
    assert.deepEqual(
      step?.retries.map(({ attempt, error }) => [attempt, error.code]),
      [[1, "overloaded"]],
    );
    assert.ok(step?.firstByteMs !== undefined);
  });

  it("K1 a call shows the rule that allowed it without a question", async () => {
    const rules = [{ permission: "bash", pattern: "echo *", action: "allow" as const }];
    const { h, turns } = traced([[bash("echo hi")], ["Done."]], { rules });
    await h.turn();
    const [call] = calls(turns());
    assert.equal(call?.decision?.outcome, "allowed");
    assert.equal(call.decision.question, undefined);
    assert.match(call.decision.why, /echo \*/);
    assert.ok((call.endedAt ?? 0) >= (call.startedAt ?? Number.NaN));
  });

  it("K1 a call that asked shows the question, the reason and the waiting time", async () => {
    const { h, turns } = traced([[bash("echo hi")], ["Done."]]);
    const done = h.turn();
    const request = await h.asked();
    await wait(30);
    h.session.answer(request.id, { kind: "permission", type: "once" });
    await done;
    const [call] = calls(turns());
    assert.equal(call?.decision?.outcome, "allowed");
    assert.equal(call.decision.question, "Run this command?");
    assert.notEqual(call.decision.why, "");
    assert.ok(call.decision.waitedMs >= 25);
  });

  it("T7 K1 a denied call shows what denied it", async () => {
    const rules = [{ permission: "bash", pattern: "echo *", action: "deny" as const }];
    const { h, turns } = traced([[bash("echo hi")], ["Done."]], { rules });
    await h.turn();
    const [call] = calls(turns());
    assert.equal(call?.status, "error");
    assert.equal(call.decision?.outcome, "denied");
    assert.notEqual(call.decision.why, "");
  });

  it("S1 K1 a call of a subagent contains the subagent's turn with the same measurements", async () => {
    const script: Script = (request) => {
      const isHelper = request.system.includes("I AM helper.");
      const answered = request.entries.some(({ parts }) => parts.some(({ type }) => type === "tool"));
      if (answered) return ["Done."];
      return isHelper
        ? [read("a.txt")]
        : [{ call: "task", input: { description: "Find it", prompt: "Look.", subagent_type: "helper" } }];
    };
    const { h, turns } = traced(script);
    await h.turn();
    const [call] = calls(turns());
    const [child] = call?.turns ?? [];
    assert.equal(child?.agent, "helper");
    assert.equal(child.steps.length, 2);
    assert.ok(child.steps.every(({ firstByteMs }) => firstByteMs !== undefined));
    const [inner]: (CallTrace | undefined)[] = child.steps.flatMap((step) => step.calls);
    assert.equal(inner?.tool, "read");
    assert.equal(inner.decision?.outcome, "allowed");
  });

  it("K1 each run is delivered once, when it has ended, with its turns", async () => {
    const { h, delivered } = traced([["One."], ["Two."]]);
    await h.turn("First.");
    await h.turn("Second.");
    const prompts = h.chat.messages.flatMap(({ info }) => (info.role === "user" ? [info.id] : []));
    assert.deepEqual(
      delivered,
      prompts.map((id) => [id]),
    );
  });

  it("a session that ran without measuring has a trace without measurements", async () => {
    const h: Harness = open([[read("a.txt")], ["Done."]], { files: { "a.txt": "x" } });
    await h.turn();
    const tracer = new Tracer({ chatOf: () => undefined, deliver() {} });
    const [step] = tracer.trace(h.chat).turns[0]?.steps ?? [];
    assert.equal(step?.firstByteMs, undefined);
    assert.equal(step?.calls[0]?.decision, undefined);
    assert.equal(step?.calls[0]?.status, "completed");
  });
});
