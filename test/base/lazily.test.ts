/** Values that are made at their first use. */
import assert from "node:assert/strict";
import { lazily } from "../../src/base/lazily.ts";

describe("what is made lazily", () => {
  it("is made with the first call, once, whatever it is", () => {
    for (const value of [["a"], "", undefined]) {
      let made = 0;
      const get = lazily(() => {
        made++;
        return value;
      });
      assert.equal(made, 0);
      assert.equal(get(), value);
      assert.equal(get(), value);
      assert.equal(made, 1);
    }
  });

  it("is made again if it failed", () => {
    let tries = 0;
    const get = lazily(() => {
      if (tries++ === 0) throw new Error("not yet");
      return tries;
    });
    assert.throws(get, /not yet/);
    assert.equal(get(), 2);
    assert.equal(get(), 2);
  });
});
