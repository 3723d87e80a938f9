/** Questions from the model to the user, and calls that are edited before they run (spec T11, T7). */
import assert from "node:assert/strict";
import { askUser } from "../../src/tools/built-in/ask-user.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { choose, denyWith, skip } from "./answers.ts";
import { harnesses, until } from "./harness.ts";

const tools = [...coreTools, askUser];
const bash = (command: string) => ({ call: "bash", input: { command } });
const question = (text: string, ...labels: string[]) => ({
  question: text,
  header: "Which",
  options: labels.map((label) => ({ label, description: "" })),
});
const ask = (...questions: ReturnType<typeof question>[]) => ({ call: "ask_user", input: { questions } });

describe("questions from the model", () => {
  const open = harnesses();

  it("T11 ask_user: the choices are the result, and waiting is no working time", async () => {
    const h = open([[ask(question("Tabs or spaces?", "Tabs", "Spaces"))], ["Spaces it is."]], { tools });
    const turn = h.turn();
    const request = await h.answerNext(choose(["Spaces"]));
    assert.partialDeepStrictEqual(request, { tool: "ask_user", questions: [{ question: "Tabs or spaces?" }] });
    assert.equal((await turn).reason, "end_turn");
    assert.match(h.results().join(), /Tabs or spaces\?[\s\S]*Spaces/);
  });

  it("T7 a text instead of a choice is sent to the model, and the turn continues", async () => {
    const h = open([[ask(question("A or B?", "A", "B"))], ["C then."]], { tools });
    const turn = h.turn();
    await h.answerNext(skip("neither: C"));
    assert.equal((await turn).reason, "end_turn");
    assert.match(h.results().join(), /ERROR .*neither: C/);
  });

  it("T11 Let Rondo decide tells the model to decide, and the turn continues", async () => {
    const h = open([[ask(question("A or B?", "A", "B"))], ["A, as it is shorter."]], { tools });
    const turn = h.turn();
    await h.answerNext(skip());
    assert.equal((await turn).reason, "end_turn");
    assert.match(h.results().join(), /^The user lets you decide\./);
    assert.equal(h.text(), "A, as it is shorter.");
  });

  it("T7 denying another call stops the turn and withdraws a question of the model", async () => {
    const read = { call: "read", input: { file_path: "/etc/hostname" } };
    const h = open([[ask(question("A or B?", "A", "B")), read], ["Never said."]], { tools });
    const turn = h.turn();
    await until(() => h.chat.requests.length === 2);
    h.session.answer(h.open("permission")[0]?.id ?? "", denyWith(""));
    assert.equal((await turn).reason, "blocked");
    assert.deepEqual(h.results(), [
      "ERROR The user stopped the turn before answering.",
      "ERROR The user refused this call and stopped the turn.",
    ]);
    assert.equal(h.model.requests.length, 1);
  });

  it("T11 the model decides when nobody can answer", async () => {
    const h = open([[ask(question("A or B?", "A", "B"))], ["A."]], { tools, attended: false });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.match(h.results().join(), /ERROR Nobody can answer/);
  });

  it("L11 Stop withdraws a question", async () => {
    const h = open([[ask(question("A or B?", "A", "B"))]], { tools });
    const turn = h.turn();
    await h.asked("choices");
    await h.session.stop();
    assert.equal((await turn).reason, "interrupted");
    assert.deepEqual(h.chat.requests, []);
  });
});

describe("a command that the user edits before it runs", () => {
  const open = harnesses();

  it("T7 runs as edited, and the model is told", async () => {
    const h = open([[bash("echo wrong")], ["Good."]]);
    const turn = h.turn();
    await h.answerNext({ kind: "permission", type: "command", command: "echo right" });
    assert.equal((await turn).reason, "end_turn");
    assert.match(h.results().join(), /^right\b[\s\S]*It ran as: echo right/);
    assert.deepEqual(h.calls[0]?.state.input, { command: "echo right" });
  });

  it("T7 does not run when a rule denies it, no matter who wrote it", async () => {
    const rules = [{ permission: "bash", pattern: "echo never", action: "deny" } as const];
    const h = open([[bash("echo hello")], ["I see."]], { rules });
    const turn = h.turn();
    await h.answerNext({ kind: "permission", type: "command", command: "echo never" });
    assert.equal((await turn).reason, "end_turn");
    assert.match(h.results().join(), /ERROR Not allowed: Your rule `echo never` denies it/);
  });

  it("is checked as it would be for a run, and nothing runs", async () => {
    const rules = [{ permission: "bash", pattern: "echo *", action: "allow" } as const];
    const h = open([], { rules });
    const judgement = await h.session.judge("echo a && touch made");
    assert.equal(judgement.decision, "ask");
    assert.deepEqual(
      judgement.parts.filter(({ permission }) => permission === "bash").map(({ text, decision }) => [text, decision]),
      [
        ["echo a", "allow"],
        ["touch made", "ask"],
      ],
    );
    assert.throws(() => h.read("made"));
  });

  it("counts the deciding rules once per call", async () => {
    const rules = [{ permission: "bash", pattern: "echo *", action: "allow" } as const];
    const h = open([[bash("echo a")], ["Done."]], { rules });
    await h.session.judge("echo b");
    await h.turn();
    assert.deepEqual(
      h.used.map(({ pattern }) => pattern),
      ["echo *"],
    );
  });
});
