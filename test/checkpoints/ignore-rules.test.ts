/** Which files are not scanned: those that git ignores, also in a worktree. Git itself says what is right. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { IgnoreRules } from "../../src/checkpoints/scan/file-tree.ts";
import { World } from "./world.ts";

describe("rules for files that are not scanned", () => {
  const world = new World();
  after(() => world.dispose());

  it("E1 are those of the repository above, with the list that all its worktrees share", () => {
    world.put("a", "one\n");
    world.put(".gitignore", "*.log\n");
    world.commit();
    world.shell("echo excluded >> .git/info/exclude; git worktree add -q ../tree; mkdir -p sub ../tree/sub");
    for (const folder of [world.folder, path.join(world.folder, "../tree")]) {
      for (const below of [folder, path.join(folder, "sub")]) {
        const rules = IgnoreRules.above(below);
        for (const name of ["excluded", "a.log", "plain"]) {
          const { status } = spawnSync("git", ["-C", below, "check-ignore", "--quiet", name]);
          assert.equal(rules.below(below).ignores(below, name, false), status === 0, path.join(below, name));
        }
      }
    }
  });
});
