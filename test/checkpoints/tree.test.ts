/** Changes of names and stamps. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { FileTree } from "../../src/checkpoints/scan/file-tree.ts";
import { StampTable } from "../../src/checkpoints/scan/stamp-table.ts";
import { World } from "./world.ts";

describe("the tree of files", () => {
  const world = new World();
  const table = new StampTable();
  const tree = () => new FileTree(world.roots, world.store, table);
  after(async () => {
    await table.close();
    await world.dispose();
  });

  it("counts recent changes as uncertain, because a second change could give the same stamp", async () => {
    const watched = tree();
    let doubted: string | undefined;
    // A busy machine may scan longer than a change counts as recent.
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
