/** One file that two windows have: what one decides, the other knows, in whatever order texts and reviews arrive. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { FileReview } from "../../src/review/file-review.ts";
import { storedReview } from "../../src/review/stored-review.ts";
import { readShare } from "../../src/review/stored-shares.ts";
import { randomly } from "../random.ts";
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
  randomly(
    "V9 nothing is lost and nothing comes back, whoever writes, decides, reloads or is killed (property)",
    function () {
      this.timeout(180_000);
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
        { numRuns: 2000 },
      );
    },
  );

  it("V9 an accept holds in a window with unsaved changes, which stay", () => {
    const { folder, a, b } = two();
    a.agent(1, 0, 1, "told");
    a.agent(5, 0, 1, "told");
    b.arrive();
    b.user(0, 0, 1);
    const { text } = b;
    a.accept(0);
    b.take();
    assert.equal(b.text, text);
    assert.deepEqual([a.openWords(), b.openWords()], [new Set(["a7"]), new Set(["a7"])]);
    b.save();
    folder.settle();
    folder.checkSettled();
    assert.deepEqual([a.text, a.openWords()], [text, new Set(["a7"])]);
  });

  it("V9 a decision is taken back in the other window, also after a reload, and once", () => {
    for (const action of ["accept", "reject"] as const) {
      const { folder, a, b } = two();
      a.agent(2, 1, 2, "told");
      b.arrive();
      if (action === "accept") a.accept(undefined);
      else a.reject(undefined, () => undefined);
      folder.settle();
      assert.deepEqual([a.openWords().size, b.openWords().size], [0, 0]);
      b.restart("reload");
      b.undoDecision();
      a.undoDecision();
      folder.settle();
      folder.checkSettled();
      for (const window of [a, b]) assert.deepEqual([...window.openWords()], ["a6", "a7"]);
    }
  });

  it("V9 what the agent wrote before its window was killed is under review in the others and after a restart", () => {
    const { folder, a, b } = two();
    a.agent(2, 1, 1, "killed");
    folder.settle();
    folder.checkSettled();
    for (const window of [a, b]) assert.deepEqual([...window.openWords()], ["a6"]);
  });

  it("V9 a window that has not got the newest text accepts nothing of it", () => {
    const { folder, a, b } = two();
    a.agent(1, 0, 1, "told");
    b.arrive();
    a.agent(1, 0, 1, "told");
    b.accept(undefined);
    folder.settle();
    folder.checkSettled();
    assert.deepEqual(b.openWords(), new Set(["a6", "a7"]));
  });

  it("V9 what a window has rejected and not saved stays under review in the others, also when it tells again", () => {
    const { folder, a, b } = two();
    b.agent(0, 0, 1, "killed");
    b.user(0, 0, 0);
    b.reject(undefined, () => undefined);
    b.tell();
    a.arrive();
    assert.deepEqual(a.openWords(), new Set(["a6"]));
    a.agent(0, 0, 1, "told");
    folder.settle();
    folder.checkSettled();
    assert.deepEqual(b.openWords(), new Set(["a8", "a6"]));
  });

  it("V4 V9 an accept in another window holds in the texts that only this window knows", () => {
    const { folder, a, b } = two();
    b.agent(5, 0, 1, "told");
    a.agent(0, 0, 1, "told");
    b.arrive();
    b.reject(0, () => a.accept(undefined));
    folder.settle();
    folder.checkSettled();
    for (const window of [a, b]) assert.deepEqual(window.openWords(), new Set());
  });

  it("V9 what the user makes of a decided text is not under review in a window that got only the result", () => {
    const { folder, a, b } = two();
    a.agent(6, 0, 2, "told");
    b.arrive();
    a.agent(6, 1, 1, "told");
    a.accept(undefined);
    a.restart("reload");
    a.user(6, 0, 0);
    a.save();
    b.arrive();
    folder.settle();
    folder.checkSettled();
    assert.deepEqual([a.openWords(), b.openWords()], [new Set(), new Set()]);
  });

  it("V9 what the user saves in a window that only then hears of the review is under review in all", () => {
    const { folder, a, b } = two(1);
    b.agent(0, 0, 2, "told");
    b.accept(undefined);
    a.restart("reload");
    b.undoDecision();
    b.user(1, 0, 0);
    a.user(0, 0, 0);
    a.save();
    folder.settle();
    folder.checkSettled();
    for (const window of [a, b]) assert.deepEqual(window.openWords(), new Set(["a1", "a2"]));
  });

  it("V4 V9 a hunk is decided as a whole: with undecided lines in it, an accept elsewhere leaves it", () => {
    const { folder, a, b } = two();
    a.agent(2, 0, 2, "told");
    a.agent(1, 0, 1, "told");
    b.arrive();
    b.user(1, 2, 0);
    a.accept(0);
    assert.deepEqual(a.openWords(), new Set(["a6", "a7"]));
    b.save();
    folder.settle();
    folder.checkSettled();
    for (const window of [a, b]) assert.deepEqual(window.openWords(), new Set(["a8", "a6", "a7"]));
  });

  it("V9 what cannot be read is none, and what a former version has kept is taken over", () => {
    for (const bad of [undefined, {}, { version: 3, id: "1", uri: "file:///a" }, { version: 4 }]) {
      assert.equal(readShare(bad), undefined);
    }
    const file = FileReview.begin("one\n");
    file.agentWrote("two\n");
    const former = readShare(JSON.parse(JSON.stringify(storedReview("file:///a", file))));
    assert.equal(former?.uri, "file:///a");
    assert.ok(former.shared.present.type === "open");
    assert.deepEqual(former.shared.present.review.changes.text, ["two\n"]);
  });
});
