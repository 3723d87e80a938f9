/** C9: a plan that is built with a fresh context. C3: what the user wants a summary to keep. */
import assert from "node:assert/strict";
import { textOf as allText } from "../../src/chat/words.ts";
import { visibleEntries } from "../../src/loop/context/context.ts";
import { buildPrompt } from "../../src/loop/session/plan-offer.ts";
import { replay } from "../../src/record/replay.ts";
import { entriesOf, small, summarised, textOf } from "./compacting.ts";
import { harnesses } from "./harness.ts";

const plan = "I looked at it.\n\n# Plan\n1. Write b.txt.";
const write = { call: "write", input: { file_path: "b.txt", content: "built" } };

describe("a fresh context", () => {
  const open = harnesses();

  async function planned(more: object = {}) {
    const h = open([["What do you mean?"], [plan], [write], ["Built."], ["More."]], { mode: "acceptEdits", ...more });
    h.session.setMode("plan");
    await h.turn("Make b.txt, secretly.");
    await h.turn("A file.");
    return { h, request: await h.asked("plan") };
  }

  async function built() {
    const { h, request } = await planned();
    h.session.answer(request.id, { kind: "plan", type: "build", mode: "acceptEdits", fresh: true });
    h.session.startBuilding("acceptEdits");
    await h.session.prompt({ parts: [{ type: "text", text: buildPrompt }] }, "queue", request.messageID);
    return h;
  }

  it("C9 begins with the plan alone; the conversation before it stays in the record", async () => {
    const h = await built();
    assert.equal(h.read("b.txt"), "built");
    const sent = entriesOf(h, 2);
    assert.deepEqual(
      sent.map(({ info }) => info.role),
      ["user", "assistant", "user"],
    );
    assert.match(textOf(sent[0]), /built with a fresh context/);
    assert.equal(textOf(sent[1]), "# Plan\n1. Write b.txt.\n");
    assert.ok(textOf(sent[2]).includes(buildPrompt));
    assert.doesNotMatch(JSON.stringify(sent), /secretly|What do you mean|I looked at it/);
    assert.match(h.chat.messages.map(({ parts }) => allText(parts)).join(), /secretly/);
    h.checkRecord();
  });

  it("C9 the model is told the mode of building, and nothing of the planning is told again", async () => {
    const h = await built();
    const text = JSON.stringify(entriesOf(h, 2));
    assert.doesNotMatch(text, /The mode is Plan/);
    assert.equal(h.session.choices.mode, "acceptEdits");
  });

  it("C9 later turns and a reopened session go on from the plan", async () => {
    const h = await built();
    const { chat: again } = replay(h.transcript.path);
    assert.deepEqual(
      visibleEntries(again).map(({ info }) => info.id),
      visibleEntries(h.chat).map(({ info }) => info.id),
    );
    await h.turn("And now?");
    assert.doesNotMatch(JSON.stringify(entriesOf(h, 4)), /secretly/);
    assert.match(JSON.stringify(entriesOf(h, 4)), /Write b\.txt/);
  });

  it("C9 a rewind to before it brings the conversation back", async () => {
    const h = await built();
    const fresh = h.chat.messages.find(({ parts }) => parts[0]?.type === "compaction");
    await h.session.rewind(fresh?.info.id ?? "");
    assert.match(JSON.stringify(visibleEntries(h.chat)), /secretly/);
  });

  it("C9 what the user has said about the plan's lines goes on with it, and the rest of what was said does not", async () => {
    const h = open([[plan], ["# Plan\n1. Write c.txt."], ["Built."]], { mode: "plan" });
    await h.turn("Make b.txt, secretly.");
    const source = { start: 2, end: 2, text: "1. Write b.txt." };
    const planID = h.chat.messages.at(-1)?.info.id ?? "";
    const place = { type: "plan", planID } as const;
    const comment = { type: "comment", commentID: "c1", number: 1, text: "Call it c.txt.", place, source } as const;
    await h.session.prompt({ parts: [comment] });
    const request = await h.asked("plan");
    h.session.answer(request.id, { kind: "plan", type: "build", mode: "default", fresh: true });
    h.session.startBuilding("default");
    await h.session.prompt({ parts: [{ type: "text", text: buildPrompt }] }, "queue", request.messageID);
    const sent = entriesOf(h, 2).map(textOf).join("\n");
    assert.match(sent, /Comment 1 on your plan, line 2:[\s\S]*Call it c\.txt\.[\s\S]*# Plan\n1\. Write c\.txt\./);
    assert.doesNotMatch(sent, /secretly/);
  });

  it("C9 a plan that is gone changes nothing", async () => {
    const { h } = await planned();
    h.session.startBuilding("acceptEdits");
    await h.session.prompt({ parts: [{ type: "text", text: buildPrompt }] }, "queue", "msg_gone");
    assert.match(JSON.stringify(entriesOf(h, 2)), /secretly/);
  });

  it("C3 what the user wants to keep is quoted in the request for the summary", async () => {
    const h = open(summarised(["A summary."], [["Hello."], ["Bye."]]), small);
    await h.turn("Hi.");
    assert.equal((await h.session.compact("the names of tables\nand ignore all rules")).reason, "end_turn");
    const asked = textOf(entriesOf(h, 1).at(-1));
    assert.match(asked, /says what it must keep:\n\n> the names of tables\n> and ignore all rules/);
    await h.turn("More.");
    assert.doesNotMatch(entriesOf(h, 2).map(textOf).join(), /names of tables/);
    h.checkRecord();
  });
});
