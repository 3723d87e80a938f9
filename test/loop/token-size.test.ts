/** How many tokens texts are taken to have, and what reports of servers change (spec C2). */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Entry } from "../../src/chat/apply.ts";
import { noTokens } from "../../src/chat/token-counts.ts";
import { estimateContext, sizeOfEntry, sum } from "../../src/loop/context/context.ts";
import { judgeReported } from "../../src/loop/context/reported-size.ts";
import { sizeOfText } from "../../src/loop/context/token-size.ts";
import { randomly } from "../random.ts";
import { bareConfig } from "./bare.ts";
import { harnesses } from "./harness.ts";
import { chinese, code, countedTexts, prose, russian } from "./token-counts.ts";

describe("C2 the tokens of a text", () => {
  it("by kind: near what tokenizers count in prose, code and data, and between them in other scripts", () => {
    for (const { kind, text, counts } of countedTexts) {
      const size = sizeOfText(text);
      const told = `${kind}: ${size}, not ${counts}`;
      assert.ok(size >= 0.83 * Math.min(...counts) && size <= 1.18 * Math.max(...counts), told);
      const isAscii = /^[\x20-\x7e\n]*$/.test(text);
      if (isAscii && kind !== "names") for (const count of counts) assert.ok(Math.abs(size / count - 1) <= 0.18, told);
      // Prose that fits must not be refused.
      if (kind === "prose") assert.ok(size <= 1.1 * Math.min(...counts), told);
    }
  });

  randomly("whatever the text: no less for more of it, no more than its parts, and within a token a unit", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.lorem(),
      fc.constantFrom(prose, code, chinese, russian, ""),
    );
    fc.assert(
      fc.property(text, text, (one, two) => {
        const [a, b, both] = [one, two, one + two].map(sizeOfText) as [number, number, number];
        assert.ok(both >= Math.max(a, b) * 0.6 && both >= 0);
        assert.ok(both <= a + b + 12, `${both} > ${a} + ${b}`);
        assert.ok(both <= (one + two).length + 1);
        assert.equal(both === 0, (one + two).length === 0);
      }),
    );
  });
});

let count = 0;
const base = () => ({ id: `m${count++}`, sessionID: "s", createdAt: 0 });

function said(role: "user" | "assistant", text: string, input = 0): Entry {
  const { id, ...rest } = base();
  const model = { providerID: "test", modelID: "test-model" };
  const parts: Entry["parts"] = [{ type: "text", id: `${id}-1`, sessionID: "s", messageID: id, text }];
  if (role === "user") return { info: { id, ...rest, role, agent: "build", model }, parts };
  const path = { cwd: "", root: "" };
  const info = { id, ...rest, role, parentID: "", agent: "build", model, path, finish: "stop" } as const;
  return { info: { ...info, tokens: { ...noTokens, input, output: input && 10 } }, parts };
}

describe("C2 what a server reports of a request", () => {
  const config = bareConfig(128_000);
  const tokens = (input: number) => ({ ...noTokens, input });
  const long = [said("user", prose.repeat(200))];
  const size = sum(long, sizeOfEntry);

  randomly("corrects later estimates, whatever the tokenizer: of prose, code and other scripts", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(prose, code, chinese, russian),
        fc.double({ min: 0.55, max: 2.9, noNaN: true }),
        (text, real) => {
          const entries = [said("user", text.repeat(40))];
          const took = Math.round(real * sum(entries, sizeOfEntry));
          // The size of a window may be one.
          fc.pre(took % 1024 !== 0);
          const judged = judgeReported(entries, config, tokens(took));
          assert.ok(judged.type === "scale");
          const next = [...entries, said("assistant", "Yes.", took), said("user", text.repeat(10))];
          const estimate = estimateContext(next, { ...config, tokenScale: () => judged.scale });
          const truth = took + 10 + real * sum(next.slice(2), sizeOfEntry);
          assert.ok(Math.abs(estimate - truth) <= 0.02 * truth + 10, `${estimate}, not ${truth}`);
        },
      ),
    );
  });

  it("far fewer tokens than were sent, or the same number twice: the server has cut the request", () => {
    assert.deepEqual(judgeReported(long, config, tokens(4096)), { type: "cut", window: 4096 });
    assert.deepEqual(judgeReported(long, config, tokens(4001)), { type: "cut", window: 4096 });
    assert.equal(judgeReported(long, config, tokens(Math.round(size * 0.7))).type, "scale");
    const short = [said("user", prose.repeat(80)), said("assistant", "Yes.", 4096), said("user", prose.repeat(4))];
    assert.deepEqual(judgeReported(short, config, tokens(4096)), { type: "cut", window: 4096 });
    assert.equal(judgeReported(short, config, tokens(4300)).type, "scale");
    const again = [said("user", prose.repeat(80)), said("assistant", "Yes.", 4096)];
    assert.equal(judgeReported(again, config, tokens(4096)).type, "implausible", "nothing has come since");
    const grown = [said("user", prose.repeat(80)), said("assistant", "Yes.", 4000), said("user", prose.repeat(20))];
    assert.equal(judgeReported(grown, config, tokens(4090)).type, "implausible", "perhaps it has begun to cut");
    assert.equal(judgeReported(grown, config, tokens(4900)).type, "scale");
  });

  it("numbers that cannot be, and models whose window is certain, are no sign of it", () => {
    assert.equal(judgeReported(long, config, tokens(10)).type, "implausible");
    assert.equal(judgeReported(long, config, tokens(size * 9)).type, "implausible");
    const known = { ...config, facts: { ...config.facts, unknown: [] } };
    assert.equal(judgeReported(long, known, tokens(4096)).type, "implausible");
  });

  const open = harnesses();
  const local = { model: { providerID: "ollama", modelID: "qwen3" } };

  it("the user is told once, with the remedy; the window is remembered, and the conversation compacted by it", async () => {
    const h = open(
      [
        { say: ["One."], tokens: { input: 4096 } },
        { say: ["Goal: bridges. Done: nothing yet."], tokens: { input: 3000 } },
        { say: ["Two."], tokens: { input: 4096 } },
      ],
      { choices: local },
    );
    await h.turn(prose.repeat(100));
    const [first] = h.chat.messages.filter(({ info }) => info.role === "assistant");
    assert.ok(first?.info.role === "assistant" && first.info.cut);
    const told = h.told();
    assert.equal(told.length, 1);
    assert.match(told[0] ?? "", /left out part of the conversation.*4,096 tokens.*OLLAMA_CONTEXT_LENGTH/);
    await h.turn("Go on");
    assert.ok(h.chat.messages.some(({ parts }) => parts[0]?.type === "compaction"));
    assert.equal(h.told().length, 1, "once");
  });

  it("automatic compaction can be switched off: what does not fit ends the turn with the reason", async () => {
    const full = { say: ["One."], tokens: { input: 120_000 } };
    const h = open([full, { say: ["Two."], finish: "context-full" }], {
      limits: { autoCompact: false },
      choices: local,
    });
    await h.turn("Hi");
    const { reason, error } = await h.turn("again");
    assert.deepEqual([reason, error?.code], ["error", "compaction-off"]);
    assert.match(error?.message ?? "", /automatic compaction is off/);
    assert.ok(!h.chat.messages.some(({ parts }) => parts[0]?.type === "compaction"));
    assert.equal(h.model.requests.length, 2);
  });
});
