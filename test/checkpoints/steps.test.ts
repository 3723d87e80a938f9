/** What a step changed, by whatever means, and the way back (spec E1, D3). */
import assert from "node:assert/strict";
import { World } from "./world.ts";

describe("checkpoints of steps", () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.dispose());

  it("E1 names the files that a tool wrote, and brings them back", async () => {
    world.put("a.txt", "one\n");
    const before = world.tree();
    const { begun, change } = await world.write("a.txt", "two\n");
    assert.deepEqual(change?.files, ["a.txt"]);
    assert.deepEqual(await world.planned(begun), ["change a.txt"]);
    assert.deepEqual((await world.restore(begun)).restored, ["a.txt"]);
    assert.deepEqual(world.tree(), before);
  });

  it("E1 finds what a command changed, created and deleted", async () => {
    world.put("a.txt", "one\n");
    world.put("gone/b.txt", "two\n");
    const before = world.tree();
    const { begun, change } = await world.command("echo three > a.txt; rm -r gone; mkdir -p new/deep; echo x > new/deep/c.txt");
    assert.deepEqual(change?.files, ["a.txt", "gone/b.txt", "new/deep/c.txt"]);
    assert.deepEqual(await world.planned(begun), ["change a.txt", "create gone/b.txt", "delete new/deep/c.txt"]);
    const after = world.tree();
    await world.restore(begun);
    assert.deepEqual(world.tree(), before);
    await world.checkpoints.undo(new AbortController().signal);
    assert.deepEqual(world.tree(), after);
  });

  it("tells of nothing where a step changed nothing", async () => {
    world.put("a.txt", "one\n");
    assert.equal((await world.command("cat a.txt; touch a.txt")).change, undefined);
    assert.equal((await world.write("a.txt", "one\n")).change, undefined);
    const begun = world.checkpoints.begin();
    assert.equal(await world.checkpoints.end(), undefined);
    assert.deepEqual(await world.planned(begun), []);
  });
});
