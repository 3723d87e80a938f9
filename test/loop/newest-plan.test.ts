/** V2: the plan that is opened without saying which. */
import assert from "node:assert/strict";
import { textOf } from "../../src/chat/words.ts";
import { newestPlan } from "../../src/extension/comments/newest-plan.ts";
import { buildPrompt } from "../../src/loop/session/plan-offer.ts";
import { type Harness, harnesses } from "./harness.ts";

const plan = "# Plan\n1. Write b.txt.";

describe("the newest plan", () => {
  const open = harnesses();

  function words({ chat }: Harness): string | undefined {
    const id = newestPlan(chat.messages);
    const entry = chat.messages.find(({ info }) => info.id === id);
    return entry && textOf(entry.parts);
  }

  it("V2 stays that of Plan mode while it is built, and after", async () => {
    const answers = [["Hello."], [plan], ["Built."], ["An answer."], ["# Plan\n1. Another."]];
    const h = open(answers, { mode: "acceptEdits" });
    assert.equal(words(h), undefined);
    await h.turn("Hello?");
    assert.equal(words(h), "Hello.");
    h.session.setMode("plan");
    await h.turn("Make b.txt.");
    assert.equal(words(h), plan);
    const request = await h.asked("plan");
    h.session.answer(request.id, { kind: "plan", type: "build", mode: "acceptEdits" });
    h.session.startBuilding("acceptEdits");
    await h.turn(buildPrompt);
    await h.turn("And now?");
    assert.equal(words(h), plan);
    h.session.setMode("plan");
    await h.turn("Plan more.");
    assert.equal(words(h), "# Plan\n1. Another.");
  });
});
