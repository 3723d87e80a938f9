/** Each kind of request to the user with each of its answers, and answers of another kind (spec T6, T7, T11, B2). */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { type Answer, Answer as AnswerSchema, type UserRequest } from "../../src/chat/requests.ts";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import { AnswerError } from "../../src/loop/permissions/open-requests.ts";
import { buildPrompt } from "../../src/loop/session/plan-offer.ts";
import { askUser } from "../../src/tools/built-in/ask-user.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { agent } from "../agent.ts";
import type { Script } from "../scripted-model.ts";
import { answersTo } from "./answers.ts";
import { Harness, harnesses } from "./harness.ts";

const kinds = ["permission", "choices", "plan", "budget", "loop"] as const;
type Kind = (typeof kinds)[number];

/** Makes a session ask this kind of question, and returns the turn. */
function ask(open: ReturnType<typeof harnesses>, kind: Kind): { h: Harness; turn: Promise<{ reason: string }> } {
  const bash = { call: "bash", input: { command: "echo asked" } };
  const look = { call: "read", input: { file_path: "a.txt" } };
  const options = [{ label: "A" }, { label: "B" }];
  const question = { call: "ask_user", input: { questions: [{ question: "A or B?", header: "", options }] } };
  const files = { "a.txt": "x" };
  const tools = [...coreTools, askUser];
  const make = {
    permission: () => open([[bash], ["Done."]]),
    choices: () => open([[question], ["Done."]], { tools }),
    plan: () => open([["1. Do it."], ["Done."]], { mode: "plan" }),
    budget: () => open([{ say: [look], tokens: { output: 1e5 } }, ["Done."]], { files, limits: { maxBudgetUsd: 1 } }),
    loop: () => open([[look], [look], [look], ["Done."]], { files }),
  };
  const h = make[kind]();
  return { h, turn: h.turn() };
}

const expected: Record<string, string> = {
  "permission once": "end_turn",
  "permission input": "end_turn",
  "permission command": "end_turn",
  "permission always": "end_turn",
  "permission deny Not so.": "end_turn",
  "permission deny": "blocked",
  "choices chosen": "end_turn",
  "choices skip": "end_turn",
  "plan build": "end_turn",
  "plan keep": "end_turn",
  "budget continue": "end_turn",
  "budget finish": "error_max_budget_usd",
  "budget stop": "error_max_budget_usd",
  "loop continue": "end_turn",
  "loop always": "end_turn",
  "loop hint Look elsewhere.": "end_turn",
  "loop stop": "blocked",
};

const nameOf = (answer: Answer) => `${answer.kind} ${answer.type} ${"words" in answer ? answer.words : ""}`.trim();

/** A request of each kind, used only for its answers. */
async function answersOf(open: ReturnType<typeof harnesses>, kind: Kind): Promise<Answer[]> {
  const { h, turn } = ask(open, kind);
  const request: UserRequest = await h.asked(kind);
  await h.session.stop();
  await turn;
  return answersTo(request);
}

describe("each kind of request", () => {
  const open = harnesses();

  for (const kind of kinds) {
    it(`T7 ${kind}: every answer settles it, and the turn ends accordingly`, async () => {
      const answers = await answersOf(open, kind);
      for (const answer of answers) {
        assert.deepEqual(AnswerSchema.parse(answer), answer);
        const { h, turn } = ask(open, kind);
        const request = await h.asked(kind);
        assert.ok(h.session.answer(request.id, answer));
        assert.equal((await turn).reason, expected[nameOf(answer)], nameOf(answer));
        assert.deepEqual(h.chat.requests, []);
      }
    });

    it(`T7 ${kind}: an answer of another kind is rejected with a message, and the request stays open`, async () => {
      const { h, turn } = ask(open, kind);
      const request = await h.asked(kind);
      for (const other of kinds.filter((one) => one !== kind)) {
        for (const answer of await answersOf(open, other)) {
          assert.throws(() => h.session.answer(request.id, answer), AnswerError);
          assert.deepEqual(h.open(kind), [request]);
        }
      }
      assert.deepEqual(h.kept, []);
      const [right] = answersTo(request);
      assert.ok(right && h.session.answer(request.id, right));
      await turn;
    });
  }
});

describe("a plan", () => {
  const open = harnesses();
  const write = { call: "write", input: { file_path: "b.txt", content: "built" } };

  it("is offered after a turn in Plan mode, and built in the user's earlier mode", async () => {
    const h = open([["1. Write b.txt."], [write], ["Built."]], { mode: "acceptEdits" });
    h.session.setMode("plan");
    await h.turn();
    assert.equal(h.chat.status.type, "idle");
    const request = await h.asked("plan");
    assert.equal(request.buildMode, "acceptEdits");
    assert.equal(request.messageID, h.chat.messages.at(-1)?.info.id);
    h.session.answer(request.id, { kind: "plan", type: "build", mode: request.buildMode });
    h.session.startBuilding(request.buildMode);
    await h.turn(buildPrompt);
    assert.equal(h.session.choices.mode, "acceptEdits");
    assert.equal(h.read("b.txt"), "built");
    assert.deepEqual(h.chat.requests, []);
  });

  it("is offered after a turn of an agent that only reads, and built by the user's earlier agent, else by build", async () => {
    const readers = [agent("thinker", { mode: "primary", readOnly: true }), agent("smith", { mode: "primary" })];
    const options = { mode: "acceptEdits", project: { agents: new AgentCatalog(readers) } } as const;
    for (const [planner, before, builder] of [
      ["plan", undefined, "build"],
      ["thinker", undefined, "build"],
      ["plan", "smith", "smith"],
    ] as const) {
      const said: Script = before ? [["Yes."]] : [];
      const h = open([...said, ["1. Write b.txt."], [write], ["Built."]], options);
      if (before) h.session.choices.agent = before;
      if (before) await h.turn();
      assert.deepEqual(h.chat.requests, []);
      h.session.choices.agent = planner;
      await h.turn();
      const request = await h.asked("plan");
      assert.equal(request.buildMode, "acceptEdits");
      h.session.setMode("default");
      assert.equal(h.chat.requests.length, 1, "the agent plans in each mode");
      h.session.answer(request.id, { kind: "plan", type: "build", mode: request.buildMode });
      h.session.startBuilding(request.buildMode);
      await h.turn(buildPrompt);
      assert.equal(h.session.choices.agent, builder);
      assert.equal(h.read("b.txt"), "built");
      assert.deepEqual(h.chat.requests, []);
    }
  });

  it("is withdrawn by the next prompt, another mode and Stop; never offered in other modes", async () => {
    const h = open([["One."], ["Two."], ["Three."]], { mode: "plan" });
    await h.turn();
    const first = await h.asked("plan");
    await h.turn("And half up.");
    const second = await h.asked("plan");
    assert.notEqual(second.id, first.id);
    h.session.setMode("default");
    assert.deepEqual(h.chat.requests, []);
    await h.turn();
    assert.deepEqual(h.chat.requests, []);
  });

  it("is not offered when nobody can answer, or after a failed turn", async () => {
    const h = open([["One."]], { mode: "plan", attended: false });
    await h.turn();
    assert.deepEqual(h.chat.requests, []);
    const cut = open(() => ({ say: ["Half"], finish: "length" }), { mode: "plan" });
    await cut.turn();
    assert.deepEqual(cut.chat.requests, []);
  });

  it("is offered again when the session is opened from its record, if the last prompt was sent in Plan mode or to an agent that only reads", async () => {
    for (const [mode, name, now] of [
      ["plan", "build", "plan"],
      ["default", "plan", "default"],
      ["default", "build", "plan"],
    ] as const) {
      const h = open([["One."]], { mode, choices: { agent: name } });
      await h.turn();
      const again = new Harness([], { mode: now, chat: { ...structuredClone(h.chat), requests: [] } });
      assert.ok(await again.session.recover());
      assert.equal(again.chat.requests.length, mode === "plan" || name === "plan" ? 1 : 0);
      // It shares the record of `h`.
      await again.session.dispose();
      rmSync(again.folder, { recursive: true });
    }
  });
});
