/** Random scripts: replies of the server, actions of the user, and answers to questions. */
import fc from "fast-check";
import type { WhenBusy } from "../../src/loop/session/session.ts";
import { anthropicEvents, openaiEvents } from "../model-server/encode.ts";
import type { Answer, Block } from "../model-server.ts";

const call = fc.oneof(
  fc.record({ name: fc.constantFrom("look", "change", "fail", "bug", "Look", "nowhere"), input: fc.constant({}) }),
  fc.record({ name: fc.constant("big"), input: fc.record({ n: fc.integer({ min: 0, max: 30_000 }) }) }),
  fc.record({ name: fc.constant("change"), raw: fc.constantFrom("", "{", "[]", '{"n": "x"}', '{"n": 1}') }),
  fc.record({
    name: fc.constant("task"),
    input: fc.record({
      description: fc.constant("Look around"),
      prompt: fc.constant("Look around."),
      subagent_type: fc.constantFrom("explore", "general", "nobody"),
    }),
  }),
);

const block: fc.Arbitrary<Block> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 40, unit: "binary" }).map((text) => ({ text, pieces: 2 })) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 8000 }).map((n) => ({ text: "word ".repeat(n / 5) })) },
  { weight: 1, arbitrary: fc.record({ thinking: fc.string({ maxLength: 20 }), signature: fc.constant("signed") }) },
  { weight: 3, arbitrary: call.map((made) => ({ call: made })) },
);

/** Failures of a reply, or none. */
type Fault =
  | { type: "none" }
  | { type: "status"; status: number }
  | { type: "cut"; at: number; how: "break" | "end" }
  | { type: "stall"; at: number }
  | { type: "overflow" }
  | { type: "stop"; stop: string };

const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Fault>({ type: "none" }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(429, 500, 503, 529, 400, 401).map((status) => ({ type: "status", status }) as const),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("cut" as const),
      at: fc.integer({ min: 0, max: 1500 }),
      how: fc.constantFrom("break" as const, "end" as const),
    }),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 600 }).map((at) => ({ type: "stall", at }) as const) },
  { weight: 1, arbitrary: fc.constant<Fault>({ type: "overflow" }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("length", "refusal", "odd").map((stop) => ({ type: "stop", stop }) as const),
  },
);

/** Action of the user after this many events since the request. */
export type Deed =
  | { type: "nothing" }
  | { type: "stop"; after: number }
  | { type: "prompt"; after: number; how: WhenBusy };

const after = fc.integer({ min: 0, max: 12 });
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Deed>({ type: "nothing" }) },
  { weight: 1, arbitrary: after.map((n) => ({ type: "stop", after: n }) as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("prompt" as const),
      after,
      how: fc.constantFrom<WhenBusy[]>("queue", "after-turn", "drop", "interrupt"),
    }),
  },
);

export interface Step {
  blocks: Block[];
  fault: Fault;
  deed: Deed;
}

const step: fc.Arbitrary<Step> = fc.record({ blocks: fc.array(block, { maxLength: 4 }), fault, deed });

/** Index of the answer to a request, most often the first, which runs the call. */
const answerAt = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat({ max: 5 }) });

export interface Script {
  api: "anthropic" | "openai";
  steps: Step[];
  /** Indexes into the list of answers to a request. */
  answers: number[];
  /** The user's prompts, in order. */
  turns: ("prompt" | "compact" | "again")[];
  /** Tokens. */
  window: number;
  /** Whether there is a memory file. */
  memory: boolean;
}

export const script: fc.Arbitrary<Script> = fc.record({
  api: fc.constantFrom("anthropic" as const, "openai" as const),
  steps: fc.array(step, { minLength: 1, maxLength: 8 }),
  answers: fc.array(answerAt, { minLength: 1, maxLength: 3 }),
  turns: fc.array(fc.constantFrom("prompt" as const, "prompt" as const, "compact" as const, "again" as const), {
    minLength: 1,
    maxLength: 4,
  }),
  window: fc.integer({ min: 8_000, max: 40_000 }),
  memory: fc.boolean(),
});

const stops: Record<string, Record<Script["api"], string>> = {
  length: { anthropic: "max_tokens", openai: "length" },
  refusal: { anthropic: "refusal", openai: "content_filter" },
  odd: { anthropic: "a_new_reason", openai: "a_new_reason" },
};

/** Answers a request of this many tokens. The server enforces its window regardless of the script. */
export function answerTo(api: Script["api"], { blocks, fault: wrong }: Step, tokens: number, window: number): Answer {
  if (tokens > window || wrong.type === "overflow") {
    const message = `prompt is too long: ${tokens} tokens > ${window} maximum`;
    return { status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } };
  }
  const encode = api === "anthropic" ? anthropicEvents : openaiEvents;
  const usage = { input: tokens, output: Math.ceil(JSON.stringify(blocks).length / 4) };
  switch (wrong.type) {
    case "status":
      return { status: wrong.status, headers: { "retry-after-ms": "0" }, body: { error: { message: "Not now." } } };
    case "cut":
      return { blocks, usage, cutAt: wrong.at, cut: wrong.how };
    case "stall":
      return { bytes: encode({ blocks, usage }).join("").slice(0, wrong.at), hang: true };
    case "stop":
      return { blocks, usage, stop: stops[wrong.stop]?.[api] ?? "stop" };
    case "none":
      return { blocks, usage };
  }
}
