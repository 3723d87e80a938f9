import assert from "node:assert/strict";
import { Mailbox } from "../../src/query/mailbox.ts";

describe("Mailbox", () => {
  it("keeps unread items in order, and ends after them", async () => {
    const box = new Mailbox<number>();
    for (let value = 0; value < 1000; value++) box.put(value);
    box.end();
    box.put(1000);
    const read: number[] = [];
    for (let next = await box.read(); !next.done; next = await box.read()) read.push(next.value);
    assert.deepEqual(
      read,
      Array.from({ length: 1000 }, (_, value) => value),
    );
    assert.deepEqual(await box.read(), { done: true, value: undefined });
  });

  it("serves waiting readers in their order", async () => {
    const box = new Mailbox<string>();
    const readers = [box.read(), box.read(), box.read()];
    box.put("a");
    box.put("b");
    box.end();
    assert.deepEqual(
      (await Promise.all(readers)).map(({ value }) => value),
      ["a", "b", undefined],
    );
  });

  it("reports an error once, after the items before it", async () => {
    for (const waits of [false, true]) {
      const box = new Mailbox<string>();
      const early = waits ? [box.read(), box.read(), box.read()] : [];
      box.put("a");
      box.fail(new Error("broken"));
      box.fail(new Error("later"));
      const [first, second, third] = waits ? early : [box.read(), box.read(), box.read()];
      assert.deepEqual(await first, { done: false, value: "a" });
      await assert.rejects(second ?? assert.fail(), { message: "broken" });
      assert.deepEqual(await third, { done: true, value: undefined });
    }
  });
});
