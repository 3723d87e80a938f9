import assert from "node:assert/strict";
import { newChat } from "../../src/chat/apply.ts";
import type { AssistantMessage, Part } from "../../src/chat/message.ts";
import { noTokens } from "../../src/chat/token-counts.ts";
import { isLoop, LoopDetection, type MadeCall, maxCallsCompared } from "../../src/loop/calls/loop-detection.ts";
import { loopCases } from "../cases/loop-cases.ts";
import { continueLoop, denyWith, stopLoop } from "./answers.ts";
import { type Harness, harnesses, until } from "./harness.ts";

const call = (tool: string, input: Record<string, unknown>, output = "the same"): MadeCall => ({ tool, input, output });
const read = (path: string, offset = 0) => call("read", { path, offset });
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

const reply: AssistantMessage = {
  id: "",
  sessionID: "ses_1",
  createdAt: 0,
  role: "assistant",
  parentID: "",
  agent: "build",
  model: { providerID: "anthropic", modelID: "x" },
  path: { cwd: "", root: "" },
  tokens: noTokens,
};

/** Fields of the collected cases of this group. */
interface CaseInput {
  calls?: CaseCall[];
  turns?: CaseCall[][];
}
interface CaseCall {
  name: string;
  arguments: Record<string, unknown>;
  result?: string;
}

/** Returns the number of the call, from 1, at which a loop is detected; undefined: never. */
function noticedAt(calls: readonly MadeCall[], threshold = 3): number | undefined {
  const at = calls.findIndex((one, index) => {
    const before = calls.slice(0, index).toReversed();
    return isLoop([{ ...one, output: undefined }, ...before].slice(0, maxCallsCompared(threshold)), threshold);
  });
  return at < 0 ? undefined : at + 1;
}

describe("loop detection", () => {
  it("T6 finds three identical calls in a row", () => {
    assert.equal(noticedAt(times(10, () => read("a"))), 3);
    assert.equal(noticedAt([read("a"), read("a")]), undefined);
  });

  it("T6 the threshold is a setting, and 0 disables it", () => {
    for (const threshold of [2, 4, 5]) {
      const calls = times(8, () => read("a"));
      assert.equal(noticedAt(calls, threshold), threshold);
    }
    assert.equal(
      noticedAt(
        times(30, () => read("a")),
        0,
      ),
      undefined,
    );
  });

  it("T6 ignores the order of keys, but not of lists", () => {
    const inputs = [
      { a: 1, b: { c: 2, d: [1, 2] } },
      { b: { d: [1, 2], c: 2 }, a: 1 },
      { b: { c: 2, d: [1, 2] }, a: 1 },
    ];
    assert.equal(noticedAt(inputs.map((input) => call("x", input))), 3);
    assert.equal(noticedAt([1, 2, 1].map((one) => call("x", { list: one === 1 ? [1, 2] : [2, 1] }))), undefined);
  });

  it("T6 ignores paging through a file, and another tool with the same arguments", () => {
    assert.equal(noticedAt(times(20, (at) => read("a", at * 200))), undefined);
    const both = times(2, () => [call("read", { path: "a" }), call("stat", { path: "a" })]).flat();
    assert.equal(noticedAt(both), undefined);
  });

  it("T6 other calls in between reset the count", () => {
    const calls = [read("a"), read("a"), read("b"), read("a"), read("a"), read("c"), read("a"), read("a")];
    assert.equal(noticedAt(calls), undefined);
  });

  for (const length of [2, 3, 4]) {
    it(`T6 finds a cycle of ${length} calls after three rounds`, () => {
      assert.equal(noticedAt(times(20, (at) => read(`file ${at % length}`))), 3 * length);
    });
  }

  it("T6 does not look for longer cycles", () => {
    assert.equal(noticedAt(times(30, (at) => read(`file ${at % 5}`))), undefined);
  });

  it("T6 edit, test, edit, test with changing edits is no loop; with two identical edits it is", () => {
    const edit = (old: number, now: number) => call("edit", { path: "a", old: `${old}`, new: `${now}` });
    const test = call("bash", { command: "npm test" });
    assert.equal(noticedAt(times(20, (at) => [edit(at, at + 1), test]).flat()), undefined);
    assert.equal(noticedAt(times(20, (at) => [edit(at % 2, 1 - (at % 2)), test]).flat()), 12);
  });

  const waiting = [
    { tool: "bash_output", input: { id: "bash_1" } },
    ...[
      "sleep 5; cat log",
      "cat log\nsleep 0.5",
      "while true; do sleep 2; tail -1 log; done",
      "make & sleep 10 && ps",
    ].map((command) => ({ tool: "bash", input: { command } })),
  ];
  for (const { tool, input } of waiting) {
    it(`T6 tolerates polling with changing output up to 12 times: ${JSON.stringify(input)}`, () => {
      const poll = (at: number) => call(tool, input, `${at} %`);
      assert.equal(noticedAt(times(11, poll)), undefined);
      assert.equal(noticedAt(times(20, poll)), 12);
      assert.equal(noticedAt(times(20, () => poll(1))), 3, "not when nothing changes");
    });
  }

  it("T6 tolerates a wait between two looks at a command, but nothing else between them", () => {
    const look = (at: number) => call("bash_output", { id: "bash_1" }, `${at}`);
    const wait = call("bash", { command: "sleep 30" });
    assert.equal(noticedAt(times(20, (at) => [wait, look(at)]).flat()), 24);
    assert.equal(noticedAt(times(20, (at) => [read("a"), look(at)]).flat()), 6);
  });

  const working = [
    { tool: "bash", input: { command: "npm test" } },
    { tool: "bash", input: { command: "cat progress" } },
    { tool: "bash", input: { command: "sleep 0; npm test" } },
    { tool: "bash", input: { command: "echo no sleep 5" } },
    { tool: "bash", input: { command: "./sleepy 5" } },
    { tool: "read", input: { file_path: "a" } },
    { tool: "mcp__jira__issues", input: {} },
  ];
  for (const { tool, input } of working) {
    it(`T6 other calls have three, whatever they print: ${tool} ${JSON.stringify(input)}`, () => {
      assert.equal(noticedAt(times(20, (at) => call(tool, input, `in ${at} s`))), 3);
    });
  }

  for (const { id, title, input, expect } of loopCases("doom-loop").filter(({ judgement }) => judgement === "strict")) {
    it(`T6 agrees with other tools' tests: ${id} ${title}`, () => {
      const { calls = [], turns = [calls] } = input as CaseInput;
      const noticed = turns.map((turn) =>
        noticedAt(turn.map(({ name, arguments: args, result }) => call(name, args, result))),
      );
      const first = noticed.find((at) => at !== undefined);
      if (expect["flagged"] !== undefined) assert.equal(first !== undefined, expect["flagged"]);
      else assert.ok(first !== undefined && first <= Number(expect["stopped_or_asked_by_call_max"]));
    });
  }

  it("T6 a repeated error message counts as identical", () => {
    assert.equal(noticedAt(times(5, () => call("edit", { path: "a" }, "old_string was not found"))), 3);
  });
});

describe("a long chat", () => {
  it("T6 compares only the newest calls", () => {
    const chat = newChat({ id: "ses_1", createdAt: 0, title: "", cwd: "" });
    let looks = 0;
    for (const at of Array(5000).keys()) {
      const messageID = `msg_${at}`;
      const state = {
        status: "completed",
        input: { at: at % 4 },
        output: `${at}`,
        title: "",
        metadata: {},
        start: 0,
        end: 0,
      } as const;
      const part: Part = {
        type: "tool",
        id: `prt_${at}`,
        sessionID: "ses_1",
        messageID,
        callID: "c",
        tool: "n",
        state,
      };
      const info = { ...reply, id: messageID };
      chat.messages.push({
        info,
        get parts() {
          looks++;
          return [part];
        },
      });
    }
    const at = { messageID: "msg_4999", partID: "prt_4999" };
    const again = (input: Record<string, unknown>) =>
      new LoopDetection().notices(chat, at, { tool: "n", input, output: undefined }, 3);
    assert.equal(again({ at: 9 }), false);
    assert.ok(looks < 10, `${looks} messages for a call like no other`);
    assert.equal(again({ at: 3 }), true);
    assert.ok(looks < 100, `${looks} messages for one that comes again`);
  });
});

describe("a model in a loop", () => {
  const open = harnesses();
  const look = { call: "read", input: { file_path: "a.txt" } };
  const files = { "a.txt": "x" };
  const loopRequest = (h: Harness) => h.open("loop")[0];

  it("T6 asks before the third identical call; after it is allowed the count starts again", async () => {
    const h = open([[look], [{ thinking: "Once more." }, look], [look], [look], [look], [look], ["Done."]], { files });
    const turn = h.turn();
    await until(() => loopRequest(h) !== undefined);
    const request = loopRequest(h) ?? assert.fail();
    assert.equal(h.model.requests.length, 3);
    assert.equal(request.tool, "read");
    assert.deepEqual(request.always, [{ permission: "doom_loop", pattern: "read", action: "allow" }]);
    assert.match(request.reason, /repeated the same call/);
    assert.equal(request.input, JSON.stringify(look.input, undefined, 2));
    h.session.answer(request.id, continueLoop);
    await until(() => (loopRequest(h)?.id ?? request.id) !== request.id);
    assert.equal(h.model.requests.length, 6);
    await h.answerNext(continueLoop);
    assert.equal((await turn).reason, "end_turn");
    assert.equal(h.results().length, 6);
    assert.ok(h.results().every((result) => result === "1\tx"));
  });

  it("T6 identical calls within one reply count", async () => {
    const h = open([[look, look, look], ["Done."]], { files, attended: false });
    await h.turn();
    assert.deepEqual(
      h.results().map((result) => result.slice(0, 5)),
      ["1\tx", "1\tx", "ERROR"],
    );
  });

  it("T6 a new prompt resets the count, also one that joins the turn", async () => {
    const h = open([[look], [look], { say: [look], before: () => void h.send("And now?") }, [look], ["Done."]], {
      files,
    });
    const turn = h.turn();
    await h.answerNext(continueLoop);
    await turn;
    await h.turn();
    const again = open([[look], { say: [look], before: () => again.send("Again.") }, [look], [look], ["Done."]], {
      files,
    });
    assert.equal((await again.turn()).reason, "end_turn");
    assert.equal(again.events.filter((event) => event.type === "asked").length, 0);
  });

  it("T6 Always allow prevents further questions", async () => {
    const h = open([[look], [look], [look], [look], [look], [look], [look], ["Done."]], { files });
    const turn = h.turn();
    const request = await h.asked("loop");
    h.session.answer(request.id, { kind: "loop", type: "always", rules: request.always });
    assert.equal((await turn).reason, "end_turn");
    assert.equal(h.events.filter((event) => event.type === "asked").length, 1);
    assert.deepEqual(h.kept, [{ permission: "doom_loop", pattern: "read", action: "allow" }]);
  });

  it("T6 a denial with a reason is the call's result; without one the turn stops", async () => {
    const h = open([[look], [look], [look], ["Done."]], { files });
    const turn = h.turn();
    await h.answerNext({ kind: "loop", type: "hint", words: "It will not change." });
    assert.equal((await turn).reason, "end_turn");
    assert.equal(h.results()[2], "ERROR The user refused this call and says: It will not change.");
    const mute = open([[look], [look], [look], ["Never."]], { files });
    const other = mute.turn();
    await mute.answerNext(stopLoop);
    assert.deepEqual(await other, { reason: "blocked", error: undefined });
  });

  it("T6 when nobody can answer, the call is denied with the reason, and the turn ends if that does not help", async () => {
    const h = open(() => [look], { files, attended: false });
    const end = await h.turn();
    assert.equal(end.reason, "blocked");
    assert.match(end.error?.message ?? "", /kept calling read/);
    assert.equal(h.calls.length, 5);
    assert.match(h.results()[2] ?? "", /^ERROR Not allowed: The model repeated the same call.* Nobody can answer/);
    const { state } = h.calls[2] ?? assert.fail();
    assert.equal(state.status === "error" && state.metadata?.denied, true);
  });

  it("T6 Bypass refuses it without a question, and a rule for doom_loop allows it there, too", async () => {
    for (const attended of [true, false]) {
      const h = open([[look], [look], [look], ["Done."]], { files, mode: "bypassPermissions", attended });
      assert.equal((await h.turn()).reason, "end_turn");
      assert.equal(h.events.filter((event) => event.type === "asked").length, 0);
      assert.match(h.results()[2] ?? "", /^ERROR Not allowed: The model repeated the same call/);
      const endless = open(() => [look], { files, mode: "bypassPermissions", attended });
      assert.equal((await endless.turn()).error?.code, "doom-loop");
      assert.equal(endless.calls.length, 5);
    }
    const rules = [{ permission: "doom_loop", pattern: "*", action: "allow" }] as const;
    const h = open([[look], [look], [look], [look], ["Done."]], {
      files,
      mode: "bypassPermissions",
      rules: [...rules],
    });
    await h.turn();
    assert.deepEqual(new Set(h.results()), new Set(["1\tx"]));
  });

  it("T6 a call that is denied repeatedly ends the turn", async () => {
    const remove = { call: "bash", input: { command: "rm -rf x" } };
    const h = open(() => [remove], { attended: false });
    assert.equal((await h.turn()).reason, "blocked");
    assert.equal(h.calls.length, 5);
    const asked = open(() => [remove]);
    const turn = asked.turn();
    let answers = 0;
    asked.session.listen((event) => {
      if (event.type !== "asked" || ++answers < 0) return;
      const no =
        event.request.kind === "loop" ? ({ kind: "loop", type: "hint", words: "No." } as const) : denyWith("No.");
      setImmediate(() => asked.session.answer(event.request.id, no));
    });
    assert.equal((await turn).reason, "blocked");
    assert.ok(answers <= 12, `${answers} questions`);
  });

  it("T6 calls that fail before they run count: unknown tool, text not found, invalid arguments", async () => {
    for (const wrong of [
      { call: "Foo", input: { a: 1 } },
      { call: "edit", input: { file_path: "a.txt", old_string: "gone", new_string: "here" } },
      { call: "read", input: { file: "a.txt" } },
    ]) {
      const h = open(() => [wrong], { files, attended: false });
      assert.equal((await h.turn()).reason, "blocked");
      assert.equal(h.calls.length, 5);
    }
  });

  it("T6 rules for everything do not apply to loop detection, rules for doom_loop do", async () => {
    const rule = (permission: string) => ({ permission, pattern: "*", action: "allow" }) as const;
    const script = [...times(6, () => [look]), ["Done."]];
    const asks = open(script, { files, attended: false, rules: [rule("*")] });
    assert.equal((await asks.turn()).reason, "blocked");
    const allows = open(script, { files, attended: false, rules: [rule("doom_loop")] });
    assert.equal((await allows.turn()).reason, "end_turn");
  });

  it("T6 doomLoopThreshold 0 never asks", async () => {
    const h = open([...times(12, () => [look]), ["Done."]], {
      files,
      attended: false,
      limits: { doomLoopThreshold: 0 },
    });
    assert.equal((await h.turn()).reason, "end_turn");
  });
});
