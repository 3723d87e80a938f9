/** Random interleavings of everyone who writes a file under review. */
import fc from "fast-check";
import { randomly } from "../random.ts";
import { Story } from "./story.ts";

const numRuns = 3000;
const small = fc.nat(4);
const place = fc.record({ at: fc.nat(30), cut: small, put: small });
const act = fc.oneof(
  fc.record({ act: fc.constant("agent" as const), places: fc.array(place, { minLength: 1, maxLength: 3 }) }),
  fc.record({
    ...{ act: fc.constant("sed" as const), first: small, every: fc.nat(3) },
    what: fc.constantFrom("replace" as const, "delete" as const, "append" as const),
  }),
  fc.record({
    ...{ act: fc.constant("user" as const), at: fc.nat(30), cut: small, put: small },
    how: fc.constantFrom("typed" as const, "whole" as const, "disk" as const),
  }),
  fc.record({ act: fc.constant("type" as const), at: fc.nat(30), isWhole: fc.boolean() }),
  fc.record({
    act: fc.constant("rewrite" as const),
    what: fc.constantFrom("ending" as const, "indent" as const, "semicolon" as const),
    author: fc.constantFrom("user" as const, "formatter" as const, "disk" as const),
  }),
  fc.record({
    act: fc.constantFrom("accept" as const, "reject" as const),
    index: fc.option(fc.nat(5), { nil: undefined }),
    mixed: fc.constantFrom("keep" as const, "drop" as const),
  }),
  fc.record({ act: fc.constantFrom("undo" as const, "redo" as const) }),
  fc.record({ act: fc.constant("undoDecision" as const) }),
  fc.record({ act: fc.constantFrom("commit" as const, "leave" as const, "comeBack" as const, "vanish" as const) }),
  fc.record({ act: fc.constant("checkout" as const), at: fc.nat(30), cut: small, put: small }),
  fc.record({ act: fc.constant("reload" as const) }),
);

describe("everyone at once", () => {
  randomly("V21 the user's lines are never lost, and a reject takes back the agent's lines only", function () {
    this.timeout(60_000 + numRuns);
    fc.assert(
      fc.property(fc.nat(12), fc.array(act, { maxLength: 18 }), (lines, acts) => {
        const story = new Story(lines);
        for (const one of acts) {
          if (one.act === "agent") story.agent(one.places);
          else if (one.act === "sed") story.sed(one.first, one.every, one.what);
          else if (one.act === "checkout") story.checkout(one.at, one.cut, one.put);
          else if (one.act === "user") story.user(one.at, one.cut, one.put, one.how);
          else if (one.act === "type") story.type(one.at, one.isWhole);
          else if (one.act === "rewrite") story.rewrite(one.what, one.author);
          else if (one.act === "accept" || one.act === "reject") story.decide(one.act, one.index, one.mixed);
          else story[one.act]();
          story.check();
        }
      }),
      { numRuns },
    );
  });
});
