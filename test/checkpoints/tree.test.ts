/** Names and stamps: what counts as changed. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { StampTable } from "../../src/checkpoints/stamps.ts";
import { Tree } from "../../src/checkpoints/tree.ts";
import { World } from "./world.ts";

describe("the tree of files", () => {
  const world = new World();
  const table = new StampTable();
  const tree = () => new Tree(world.roots, world.store, table);
  after(async () => {
    await table.close();
    await world.dispose();
  });

  it("doubts what changed a moment ago: a second change could look the same", async () => {
    world.put("a", "one\n");
    const watched = tree();
    await watched.read();
    const [first] = await watched.scan();
    assert.equal(first?.path, world.path("a"));
    await sleep(80);
    await watched.scan();
    assert.deepEqual(await watched.scan(), []);
  });
});
