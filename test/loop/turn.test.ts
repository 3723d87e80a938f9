import assert from "node:assert/strict";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import { ModelError } from "../../src/loop/model.ts";
import { IntakeError } from "../../src/loop/session/intake-error.ts";
import { failure } from "../scripted-model.ts";
import { harnesses } from "./harness.ts";

const read = (file_path: string) => ({ call: "read", input: { file_path } });

describe("the end of a turn", () => {
  const open = harnesses();

  it("L9 an answer without calls ends the turn: end_turn", async () => {
    const h = open([["Hello!"]]);
    assert.deepEqual(await h.turn("Hi"), { reason: "end_turn", error: undefined });
    assert.equal(h.text(), "Hello!");
    assert.deepEqual(h.chat.ended?.reason, "end_turn");
    assert.equal(h.chat.ended?.steps, 1);
  });

  it("L4 the loop continues while there are calls", async () => {
    const h = open([["I look.", read("a.txt")], [read("a.txt")], ["Done."]], { files: { "a.txt": "one\n" } });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.equal(h.model.requests.length, 3);
    assert.equal(h.chat.ended?.steps, 3);
    assert.deepEqual(h.results(), ["1\tone", "1\tone"]);
  });

  it("L8 a round looks for its agent and its configuration once, however many calls it has", async () => {
    class Counted extends AgentCatalog {
      found = 0;
      override find(name: string) {
        this.found += 1;
        return super.find(name);
      }
    }
    const found = async (calls: number) => {
      const agents = new Counted();
      const searches = (round: number) =>
        Array.from({ length: calls }, (_, at) => ({ call: "glob", input: { pattern: `${round}-${at}*` } }));
      const h = open([searches(1), searches(2), searches(3), ["Done."]], { project: { agents } });
      assert.equal((await h.turn()).reason, "end_turn");
      assert.equal(h.calls.length, 3 * calls);
      return agents.found;
    };
    assert.equal(await found(6), await found(1));
    assert.ok((await found(1)) <= 2 * 4 + 4, "twice in each of four rounds, and at the start and the end of the turn");
  });

  it("L4 a reply with the reason tool-calls but without calls ends the turn", async () => {
    const h = open([{ say: ["That is all."], finish: "tool-calls" }]);
    assert.equal((await h.turn()).reason, "end_turn");
    assert.equal(h.model.requests.length, 1);
  });

  it("L8 calls run even when the reason is stop", async () => {
    const h = open([{ say: [read("a.txt")], finish: "stop" }, ["Done."]], { files: { "a.txt": "x" } });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.deepEqual(h.results(), ["1\tx"]);
  });

  for (const [name, say] of [
    ["nothing", []],
    ["blank text", [" \n"]],
    ["only thinking", [{ thinking: "Hm." }]],
  ] as const) {
    it(`L9 a reply of ${name} does not end the turn silently`, async () => {
      const h = open([{ say: [...say] }]);
      const { reason, error } = await h.turn();
      assert.equal(reason, "error");
      assert.match(error?.message ?? "", /without an answer/);
    });
  }

  it("L9 max_turns", async () => {
    const h = open((_, index) => [{ call: "glob", input: { pattern: `${index}*` } }], { limits: { maxTurns: 3 } });
    assert.equal((await h.turn()).reason, "max_turns");
    assert.equal(h.model.requests.length, 3);
    assert.equal(h.calls.length, 3);
  });

  it("L9 B2 error_max_budget_usd when nobody can answer, checked before tools and before the next request", async () => {
    const h = open(() => ({ say: [read("a.txt")], tokens: { output: 1e5 } }), {
      files: { "a.txt": "x" },
      limits: { maxBudgetUsd: 1.5 },
      attended: false,
    });
    assert.equal((await h.turn()).reason, "error_max_budget_usd");
    assert.equal(h.model.requests.length, 2, "a reply costs about $1");
    assert.deepEqual(h.results(), ["1\tx", "ERROR Not run: the budget is used up"]);
    assert.equal((await h.turn("More")).reason, "error_max_budget_usd");
    assert.equal(h.model.requests.length, 2);
  });

  it("L1 the limit of working time", async () => {
    const h = open(() => [{ call: "bash", input: { command: "sleep 0.05" } }], {
      mode: "bypassPermissions",
      limits: { executionTimeoutMs: 20 },
    });
    const { reason, error } = await h.turn();
    assert.equal(reason, "error");
    assert.equal(error?.code, "execution-timeout");
    assert.equal(h.model.requests.length, 1);
  });

  it("L1 waiting for the user is no working time", async () => {
    const h = open([[{ call: "bash", input: { command: "echo 1" } }], ["Done."]], {
      limits: { executionTimeoutMs: 2000 },
    });
    const turn = h.turn();
    const { id } = await h.asked();
    await new Promise((resolve) => setTimeout(resolve, 2100));
    h.session.answer(id, { kind: "permission", type: "once" });
    assert.equal((await turn).reason, "end_turn");
  });

  for (const [finish, reason, code] of [
    ["refusal", "error", "refusal"],
    ["content-filter", "error", "refusal"],
    ["context-full", "error", "context-full"],
    ["pause", "error", "paused"],
  ] as const) {
    it(`L9 a reply that ends with ${finish}: ${reason}, and its calls do not run`, async () => {
      const h = open([{ say: ["Half", { call: "write", input: { file_path: "b.txt", content: "x" } }], finish }], {
        mode: "bypassPermissions",
      });
      const end = await h.turn();
      assert.equal(end.reason, reason);
      assert.equal(end.error?.code, code);
      assert.ok(end.error?.next);
      assert.deepEqual(h.results(), ["ERROR Tool execution aborted"]);
      assert.throws(() => h.read("b.txt"));
      const info = h.chat.messages.at(-1)?.info;
      assert.equal(info?.role === "assistant" && info.error?.code, code, "still shown after a reload");
    });
  }

  it("L10 a model that throws is a bug: it is reported, and the next prompt works", async () => {
    let times = 0;
    const h = open([["Hello."]], {
      openModel: async () => {
        if (times++ === 0) throw new TypeError("oops");
        return h.model;
      },
    });
    const { reason, error } = await h.turn();
    assert.equal(reason, "error");
    assert.match(error?.message ?? "", /Unexpected error in Rondo: oops/);
    assert.equal(h.bugs.length, 1);
    assert.equal((await h.turn()).reason, "end_turn");
  });

  it("L9 no key: a message and the next step, and Try again answers the same prompt", async () => {
    let key = false;
    const h = open([["Hello."]], {
      openModel: async () => {
        if (!key) throw new ModelError("no-key", "There is no key.", "Set one.");
        return h.model;
      },
    });
    const end = await h.turn("Hi");
    assert.deepEqual(end, {
      reason: "error",
      error: { code: "no-key", message: "There is no key.", next: "Set one." },
    });
    key = true;
    await h.session.tryAgain();
    assert.equal(h.text(), "Hello.");
    assert.equal(h.chat.messages.filter(({ info }) => info.role === "user").length, 1);
  });

  it("L9 Try again answers with the model that is chosen by then", async () => {
    const model = { providerID: "openai", modelID: "gpt-5.2" };
    const h = open([{ fail: failure("unknown-model") }, ["Hello."]]);
    await h.turn("Hi");
    h.session.choose({ model });
    await h.session.tryAgain();
    assert.deepEqual(
      h.model.requests.map(({ model: asked }) => asked),
      ["claude-sonnet-5", "gpt-5.2"],
    );
    const last = h.chat.messages.at(-1)?.info;
    assert.deepEqual(last?.role === "assistant" && last.model, model);
  });

  it("L10 a listener that throws breaks nothing", async () => {
    const h = open([["Hello."]]);
    h.session.listen(() => {
      throw new Error("a panel that is gone");
    });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.ok(h.bugs.length > 0);
  });

  it("H2 a request that the server will never accept is not repeated", async () => {
    for (const kind of ["auth", "unknown-model", "invalid", "context-full", "no-key"] as const) {
      const h = open([{ fail: failure(kind) }]);
      const end = await h.turn();
      assert.equal(end.error?.code, kind);
      assert.equal(h.model.requests.length, 1);
    }
  });
});

describe("prompt validation", () => {
  const open = harnesses();
  const refused = async (promise: Promise<unknown>, code: string, status: number) => {
    const error = await promise.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof IntakeError, String(error));
    assert.equal(error.code, code);
    assert.equal(error.status, status);
    assert.ok(error.message.length > 10);
  };

  it("P2 empty, blank and too long prompts are rejected, and nothing is stored", async () => {
    const h = open([["x"]]);
    await refused(h.send(""), "prompt-invalid", 400);
    await refused(h.send(" \n\t"), "prompt-invalid", 400);
    await refused(h.send("x".repeat(2 ** 20 + 1)), "prompt-invalid", 400);
    assert.equal(h.chat.messages.length, 0);
    assert.equal(h.events.length, 0);
    assert.equal((await h.turn("x".repeat(2 ** 20))).reason, "end_turn");
  });

  it("P2 accepts a prompt that is only a file", async () => {
    const h = open([["I see."]]);
    const file = { type: "file", mime: "text/plain", filename: "a.txt", url: "file:///a.txt" } as const;
    assert.equal((await h.turn("", { parts: [file] })).reason, "end_turn");
    assert.deepEqual(
      h.chat.messages[0]?.parts.map((part) => part.type),
      ["text", "file"],
    );
  });

  it("P3 rejects an unknown agent, a duplicate message id and a closed session", async () => {
    const h = open([["x"], ["y"]]);
    await refused(open([], { choices: { agent: "nobody" } }).send("Hi"), "agent-not-found", 404);
    await h.turn("Hi", { messageID: "msg_0" });
    await refused(h.send("Hi", { messageID: "msg_0" }), "prompt-invalid", 400);
    await h.session.dispose();
    await refused(h.send("Hi"), "session-terminated", 410);
  });

  it("P1 noReply stores the message without an answer, also during a turn", async () => {
    const h = open([{ say: ["x"], before: () => h.send("During", { noReply: true }) }]);
    assert.deepEqual(await h.send("Before", { noReply: true }), { type: "stored" });
    assert.equal(h.model.requests.length, 0);
    await h.turn("Now");
    assert.equal(h.model.requests.length, 1);
    assert.equal(h.model.requests[0]?.entries.length, 2);
    assert.equal(h.chat.messages.length, 4);
  });

  it("P1 applies a message's own system text and disabled tools", async () => {
    const h = open([["x"], ["y"]]);
    await h.turn("Hi", { system: "Speak French.", tools: { bash: false } });
    await h.turn("Hi");
    const [first, second] = h.model.requests;
    assert.ok(first?.system.endsWith("Speak French."));
    assert.deepEqual(
      first?.tools.map(({ name }) => name),
      ["read", "write", "edit", "glob", "grep", "task"],
    );
    assert.equal(second?.system, first?.system, "the prefix holds");
    const told = second?.entries.at(-1)?.parts ?? [];
    assert.deepEqual(
      told.flatMap((part) => (part.type === "tools" ? part.added.map(({ name }) => name) : [])),
      ["bash"],
    );
    assert.ok(told.some((part) => part.type === "text" && part.text === "The further instructions no longer hold."));
    assert.equal(second?.toolUse, "auto");
  });

  it("R2 the user's message is on disk before the model is called", async () => {
    let onDisk = "";
    const h = open(() => {
      onDisk = h.read(".record.jsonl");
      return ["x"];
    });
    await h.turn("The very words");
    assert.ok(onDisk.includes("The very words"));
  });

  it("C7 the date and the mode are sent once, with the newest message", async () => {
    const h = open(() => ["x"]);
    const notes = () =>
      h.chat.messages.at(-2)?.parts.flatMap((part) => (part.type === "text" && part.synthetic ? [part.text] : []));
    await h.turn();
    assert.match(notes()?.[0] ?? "", /^Today is \d{4}-\d\d-\d\d\.$/);
    await h.turn();
    assert.deepEqual(notes(), []);
    h.session.setMode("plan");
    await h.turn();
    assert.match(notes()?.[0] ?? "", /The mode is Plan/);
    h.session.setMode("default");
    await h.turn();
    assert.match(notes()?.[0] ?? "", /no longer Plan/);
    const systems = new Set(h.model.requests.map(({ system }) => system));
    assert.equal(systems.size, 1, "the system prompt stays the same");
  });
});
