/** One file that two windows have: what one decides, the other knows, in whatever order texts and reviews arrive. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { Folder } from "./shared-windows.ts";

const small = fc.nat(3);
const index = fc.option(fc.nat(4), { nil: undefined });
const act = fc.record({
  by: fc.nat(1),
  act: fc.oneof(
    fc.record({
      type: fc.constant("agent" as const),
      ...{ at: fc.nat(20), cut: small, put: small },
      end: fc.constantFrom("told" as const, "told" as const, "killed" as const),
    }),
    fc.record({ type: fc.constant("user" as const), at: fc.nat(20), cut: small, put: small }),
    fc.record({ type: fc.constantFrom("save" as const, "arrive" as const, "take" as const, "tell" as const) }),
    fc.record({ type: fc.constant("accept" as const), index }),
    fc.record({ type: fc.constant("reject" as const), index, other: fc.option(index, { nil: "nothing" as const }) }),
    fc.record({ type: fc.constant("undoDecision" as const) }),
    fc.record({ type: fc.constantFrom("reload" as const, "kill" as const) }),
  ),
});

function two(lines = 6): { folder: Folder; a: Folder["windows"][number]; b: Folder["windows"][number] } {
  const folder = new Folder(lines, 2);
  const [a, b] = folder.windows;
  assert.ok(a && b);
  return { folder, a, b };
}

describe("the review of one file in two windows", () => {
  it("V9 nothing is lost and nothing comes back, whoever writes, decides, reloads or is killed (property)", function () {
    this.timeout(60_000);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.array(act, { maxLength: 16 }), (lines, acts) => {
        const { folder } = two(lines);
        for (const { by, act: one } of acts) {
          const [window, other] = [folder.windows[by], folder.windows[1 - by]];
          assert.ok(window && other);
          if (one.type === "agent") window.agent(one.at, one.cut, one.put, one.end);
          else if (one.type === "user") window.user(one.at, one.cut, one.put);
          else if (one.type === "accept") window.accept(one.index);
          else if (one.type === "reject") {
            const meanwhile = one.other;
            window.reject(one.index, () => meanwhile !== "nothing" && other.accept(meanwhile));
          } else if (one.type === "reload" || one.type === "kill") window.restart(one.type);
          else window[one.type]();
          folder.check();
        }
        folder.settle();
        folder.check();
        folder.checkSettled();
      }),
      { numRuns: 3000 },
    );
  });
});
