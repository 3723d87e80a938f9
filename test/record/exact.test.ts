import assert from "node:assert/strict";
import fc from "fast-check";
import * as z from "zod/mini";
import { RecordedEvent } from "../../src/chat/events.ts";
import { eventsOf } from "../../src/loop/transfer/fork.ts";
import { fastCheck } from "../../src/record/fast-check.ts";
import { randomly } from "../random.ts";
import { chats } from "./chats.ts";

const isPlain = fastCheck(RecordedEvent);

/** Yields every field in a JSON value, as its object and key. */
function placesIn(value: unknown): { holder: Record<string, unknown>; key: string }[] {
  if (typeof value !== "object" || value === null) return [];
  // Arrays have keys too.
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}

describe("the fast check of record lines", () => {
  randomly("R1 accepts every line that Rondo writes", () => {
    fc.assert(
      fc.property(chats, (chat) => {
        for (const event of eventsOf(chat))
          assert.ok(isPlain(JSON.parse(JSON.stringify(event))), JSON.stringify(event));
      }),
    );
  });

  randomly("R3 accepts nothing that the schema would reject or change", () => {
    const anything = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom("text", "assistant", "completed", [], {}, null),
    );
    let taken = 0;
    fc.assert(
      fc.property(
        chats,
        fc.nat(),
        fc.nat(),
        anything,
        fc.constantFrom("replace", "drop", "add"),
        (chat, at, where, value, how) => {
          const events = [...eventsOf(chat)];
          const event: unknown = JSON.parse(JSON.stringify(events[at % events.length]));
          const places = placesIn(event);
          const { holder, key } = places[where % places.length] ?? assert.fail();
          if (how === "drop") delete holder[key];
          else holder[how === "add" ? `${key}Too` : key] = value;
          const line: unknown = JSON.parse(JSON.stringify(event));
          if (!isPlain(line)) return;
          taken += 1;
          assert.deepEqual(RecordedEvent.parse(line), line);
        },
      ),
      { numRuns: 1000 },
    );
    assert.ok(taken > 30, `${taken}`);
  });

  it("R3 agrees with each kind of schema, so that no line is parsed twice in vain", () => {
    const pair = z.discriminatedUnion("type", [
      z.object({ type: z.literal("a"), value: z.number() }),
      z.object({ type: z.enum(["b", "c"]), value: z.optional(z.boolean()) }),
    ]);
    for (const [schema, right, wrong] of [
      [z.string(), ["", "x"], [1, null, undefined]],
      [z.number(), [0, -1.5], ["1", Number.NaN, null]],
      [z.boolean(), [true, false], ["true", 0, null]],
      [z.unknown(), [0, null, undefined, {}], []],
      [z.literal(["x", 2, null]), ["x", 2, null], ["y", 3, undefined]],
      [z.enum(["x", "y"]), ["x", "y"], ["z", 0]],
      [z.nullable(z.string()), [null, "x"], [undefined, 1]],
      [z.array(z.number()), [[], [1, 2]], [[1, "2"], {}, "1"]],
      [z.record(z.string(), z.number()), [{}, { a: 1 }], [{ a: 1, b: "2" }, [], null]],
      [z.object({ a: z.string() }), [{ a: "" }], [{}, { a: 1 }, { a: "", b: 1 }, null, "a"]],
      [z.object({ a: z.optional(z.string()) }), [{}, { a: "" }], [{ a: 1 }, { b: "" }]],
      [
        pair,
        [{ type: "a", value: 1 }, { type: "b" }, { type: "c", value: true }],
        [{ type: "a" }, { type: "d" }, {}, null],
      ],
    ] as const) {
      const check = fastCheck(schema);
      for (const value of right) assert.equal(check(value), true, JSON.stringify(value));
      for (const value of wrong) assert.equal(check(value), false, JSON.stringify(value));
    }
    for (const schema of [z.date(), z.string().check(z.minLength(1)), z.union([z.string(), z.number()])])
      assert.equal(fastCheck(schema)("2026-01-01"), false);
  });

  it("R3 rejects values that the schema would accept but change", () => {
    for (const [schema, value] of [
      [z.string().check(z.maxLength(3)), "four"],
      [z.object({ a: z.string() }), { a: "", __proto__: null, b: 1 }],
      [z.object({ a: z.string() }), JSON.parse('{"a":"","__proto__":{"b":1}}')],
      [z.record(z.string(), z.unknown()), JSON.parse('{"__proto__":{"b":1}}')],
      [z._default(z.string(), "x"), undefined],
      [z.object({ a: z._default(z.string(), "x") }), {}],
      [z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), { a: "", b: "" }],
      [z.object({ a: z.string() }), []],
      [z.number(), Number.POSITIVE_INFINITY],
    ] as const) {
      assert.equal(fastCheck(schema)(value), false, JSON.stringify(value));
    }
  });
});
