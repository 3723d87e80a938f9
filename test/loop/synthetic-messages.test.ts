import assert from "node:assert/strict";
import type { Part } from "../../src/chat/message.ts";
import { ownWords } from "../../src/chat/words.ts";
import { survivors } from "../../src/loop/context/survivors.ts";
import { harnesses } from "./harness.ts";

describe("the user's own words", () => {
  const open = harnesses();
  const base = { id: "prt_1", sessionID: "ses_1", messageID: "msg_1", type: "text" } as const;
  const parts: Part[] = [
    { ...base, text: "Today is Sunday.", synthetic: true },
    { ...base, text: "Mend it." },
    { ...base, text: "The hook has heard you.", ignored: true },
  ];

  it("D3 exclude synthetic messages and messages of hooks", () => {
    assert.equal(ownWords(parts), "Mend it.");
  });

  it("C3 D3 K4 a hook's message for the user only is not sent to the model, even after a compaction", async () => {
    const h = open([["Done."]]);
    const hook = { type: "text", text: "The hook has heard you.", ignored: true } as const;
    await h.turn("Mend it.", { parts: [{ type: "text", text: "Mend it." }, hook] });
    const kept = survivors(h.chat, 128_000);
    assert.match(kept, /- Mend it\./);
    assert.doesNotMatch(kept, /hook/);
  });
});

describe("Rondo's own messages to the model", () => {
  const open = harnesses();

  it("P1 M2 keep what the prompt has set: its instructions, its thinking level and its tools", async () => {
    const h = open([{ say: ["One"], finish: "length" }, ["two."]]);
    const set = { system: "Speak French.", variant: "high", tools: { bash: false } };
    await h.turn("Go.", set);
    const own = h.chat.messages.findLast(({ info }) => info.role === "user") ?? assert.fail();
    assert.ok(
      own.parts.every((part) => part.type === "text" && part.synthetic),
      "the request to go on after the cut",
    );
    assert.partialDeepStrictEqual(own.info, set);
    const [first, second] = h.model.requests;
    assert.deepEqual([second?.system, second?.thinking], [first?.system, first?.thinking]);
    const told = h.chat.messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tools"));
    assert.deepEqual(told, [], "no tool has come or gone");
  });

  it("P1 set nothing where the prompt has set nothing", async () => {
    const h = open([{ say: ["One"], finish: "length" }, ["two."]]);
    await h.turn("Go.");
    const own = h.chat.messages.findLast(({ info }) => info.role === "user")?.info ?? assert.fail();
    for (const name of ["system", "variant", "tools", "silent"]) assert.ok(!(name in own), name);
  });
});
