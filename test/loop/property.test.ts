/** Random scripts of replies, failures, stops, denials and queued prompts keep the invariants (spec I). */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Finish } from "../../src/chat/message.ts";
import type { ModelErrorKind } from "../../src/loop/model.ts";
import { randomly } from "../random.ts";
import { failure, type Reply, type Said } from "../scripted-model.ts";
import { answersTo } from "./answers.ts";
import { Harness } from "./harness.ts";
import { randomTools } from "./random-tools.ts";

const finishes: Finish[] = ["stop", "tool-calls", "length", "refusal", "context-full", "pause", "unknown"];
const kinds: ModelErrorKind[] = ["network", "rate-limit", "overloaded", "server", "auth", "invalid", "aborted"];

const said: fc.Arbitrary<Said> = fc.oneof(
  fc.string({ maxLength: 12, unit: "grapheme" }),
  fc.record({ thinking: fc.string({ maxLength: 8 }) }),
  fc.record({ call: fc.constantFrom("look", "change", "fail", "bug", "Look", "nowhere"), input: fc.constant({}) }),
  fc.record({ call: fc.constant("change"), raw: fc.constantFrom("", "{", "[]", '{"n": "x"}', '{"n": 1}') }),
);

/** Other events while the model answers. */
type Meanwhile = "stop" | "prompt" | "nothing";
interface Step {
  reply: Reply;
  meanwhile: Meanwhile;
}

const step: fc.Arbitrary<Step> = fc.record({
  reply: fc.record(
    {
      say: fc.array(said, { maxLength: 4 }),
      finish: fc.constantFrom(...finishes),
      fail: fc.constantFrom(...kinds).map((kind) => failure(kind, { retryAfterMs: 0 })),
      noEnd: fc.constant(true),
    },
    { requiredKeys: ["say"] },
  ),
  meanwhile: fc.constantFrom<Meanwhile>("nothing", "nothing", "nothing", "stop", "prompt"),
});

async function play(steps: readonly Step[], answers: readonly number[], turns: number): Promise<void> {
  let prompts = 0;
  const h: Harness = new Harness(
    (_, index) => {
      const { reply, meanwhile } = steps[index % steps.length] ?? assert.fail();
      const before = () => {
        if (meanwhile === "stop") void h.session.stop();
        if (meanwhile === "prompt" && prompts++ < 3) void h.send("And this.").catch(() => {});
      };
      return { ...reply, before };
    },
    { tools: randomTools, limits: { maxTurns: 4, maxRetries: 1, maxQueueDepth: 2 } },
  );
  let asked = 0;
  h.session.listen((event) => {
    if (event.type !== "asked") return;
    const all = answersTo(event.request);
    const next = all[(answers[asked++ % answers.length] ?? 0) % all.length] ?? assert.fail();
    // Answers later, like a user, perhaps after the question has closed.
    setImmediate(() => h.session.answer(event.request.id, next));
  });
  for (let turn = 0; turn < turns; turn++) {
    const { reason, error } = await h.turn(`Turn ${turn}`);
    // A `blocked` turn has an error when a hook or repeated denials ended it, and none when the user did.
    if (reason !== "blocked") assert.equal(error !== undefined, reason === "error" || reason === "max_tokens");
    h.checkRecord();
  }
  // Each sent request is valid: every call in it has one result.
  for (const { entries } of h.model.requests) {
    for (const part of entries.flatMap(({ parts }) => parts)) {
      if (part.type === "tool") assert.ok(part.state.status === "completed" || part.state.status === "error");
    }
  }
  await h.close();
}

describe("properties", () => {
  randomly(
    "I2 I3 I5 I8 I9 I10 replay always equals the live chat, each call has one result, and events are legal",
    async () => {
      const property = fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 3 }),
        play,
      );
      await fc.assert(property, { numRuns: 150 });
    },
  );
});
