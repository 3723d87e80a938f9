import assert from "node:assert/strict";
import { Owned } from "../../src/base/owned.ts";
import { StartOnce } from "../../src/base/start-once.ts";

describe("a start at the first use", () => {
  it("is shared by all uses, at the same time and later", async () => {
    let starts = 0;
    const once = new StartOnce(async () => ++starts);
    assert.equal(await once.current(), undefined);
    assert.deepEqual(await Promise.all([once.use(), once.use(), once.current()]), [1, 1, 1]);
    assert.equal(await once.use(), 1);
  });

  it("that fails is told to all that wait for it, and made again by the next use", async () => {
    let starts = 0;
    const once = new StartOnce(async () => {
      if (++starts < 3) throw new Error(`failure ${starts}`);
      return starts;
    });
    const settled = await Promise.allSettled([once.use(), once.use(), once.current()]);
    assert.deepEqual(
      settled.map((one) => (one.status === "rejected" ? String(one.reason) : one.value)),
      ["Error: failure 1", "Error: failure 1", undefined],
    );
    await assert.rejects(once.use(), /failure 2/);
    assert.equal(await once.current(), undefined);
    assert.equal(await once.use(), 3);
    assert.equal(await once.current(), 3);
  });
});

describe("parts that are owned together", () => {
  it("end the newest first, also if one of them fails, and at once if they come later", () => {
    const ended: string[] = [];
    const failed: unknown[] = [];
    const owned = new Owned((error) => failed.push(error));
    const part = (name: string) => ({ dispose: () => ended.push(name) });
    const broken = new Error("it does not end");
    owned.add(part("first"));
    owned.add({
      dispose() {
        throw broken;
      },
    });
    owned.add(part("last"));
    owned.dispose();
    assert.deepEqual(ended, ["last", "first"]);
    assert.deepEqual(failed, [broken]);
    owned.add(part("late"));
    owned.dispose();
    assert.deepEqual(ended, ["last", "first", "late"]);
  });
});
