/** Names and stamps: what counts as changed. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Tree } from "../../src/checkpoints/scan/file-tree.ts";
import { StampTable } from "../../src/checkpoints/scan/stamp-table.ts";
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
    const watched = tree();
    let doubted: string | undefined;
    // A busy machine may take longer to look than the doubt lasts.
    for (let tries = 0; tries < 20 && doubted === undefined; tries++) {
      world.put("a", `${tries}\n`);
      await watched.read();
      doubted = (await watched.scan())[0]?.path;
    }
    assert.equal(doubted, world.path("a"));
    await sleep(80);
    await watched.scan();
    assert.deepEqual(await watched.scan(), []);
  });
});
