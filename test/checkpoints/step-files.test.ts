/** What a step tells the review: the agent's files with their contents before and after (spec V3). */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { maxReviewedFiles } from "../../src/checkpoints/steps/step-files.ts";
import { noise, World } from "./world.ts";

describe("files of a step for the review", () => {
  const world = new World();
  afterEach(() => {
    world.clear();
    world.takeReviewed();
  });
  after(() => world.dispose());

  it("V3 hold what a command changed, created and deleted", async () => {
    world.put("a.txt", "one\n");
    world.put("b.txt", "two\n");
    await world.command("sed -i s/one/1/ a.txt; rm b.txt; echo new > c.txt");
    assert.deepEqual(world.takeReviewed(), [
      '"one\\n" > "1\\n" a.txt',
      '"two\\n" > missing b.txt',
      'missing > "new\\n" c.txt',
    ]);
  });

  it("V3 hold a moved file once, with the content at its former place", async () => {
    world.put("a.txt", "one\ntwo\nthree\n");
    world.put("old/b.txt", "b\n");
    await world.command("mv a.txt z.txt; sed -i s/two/2/ z.txt; mv old new");
    assert.deepEqual(world.takeReviewed(), [
      '"b\\n" > "b\\n" new/b.txt (old/b.txt)',
      '"one\\ntwo\\nthree\\n" > "one\\n2\\nthree\\n" z.txt (a.txt)',
    ]);
  });

  it("V3 tell what a tool wrote by name from what a command changed", async () => {
    world.put("a.txt", "one\n");
    await world.tool(["b.txt", () => world.put("b.txt", "one\n")], ["a.txt", () => rmSync(world.path("a.txt"))]);
    assert.deepEqual(world.takeReviewed(), ['tool: "one\\n" > "one\\n" b.txt (a.txt)']);
  });

  it("V3 leave out what the user changed before the command", async () => {
    world.put("a.txt", "one\n");
    world.put("b.txt", "one\n");
    await world.command("true");
    await world.command("echo two > a.txt", () => world.put("b.txt", "mine\n"));
    assert.deepEqual(world.takeReviewed(), ['"one\\n" > "two\\n" a.txt']);
  });

  it("V3 leave out ignored files, links and folders", async () => {
    world.put(".gitignore", "dist/\n");
    world.put("dist/a.js", "1\n");
    world.put("node_modules/x/i.js", "1\n");
    await world.command("echo 2 > dist/a.js; echo 2 > node_modules/x/i.js; ln -s dist link; mkdir empty; echo 1 > s");
    assert.deepEqual(world.takeReviewed(), ['missing > "1\\n" s']);
  });

  it("V3 say where a content is not known", async () => {
    world.put("large.bin", noise(3 << 20));
    await world.command("echo x >> large.bin; head -c 17000000 /dev/zero > huge.bin");
    assert.deepEqual(world.takeReviewed(), ["missing > other huge.bin", "other > other large.bin"]);
  });

  it("V3 are at most a thousand", async () => {
    const count = maxReviewedFiles + 5;
    await world.command(`for n in $(seq ${count}); do echo $n > f$n; done`);
    const [step] = world.reviewed;
    assert.deepEqual([step?.files.length, step?.left], [maxReviewedFiles, 5]);
  });

  it("V3 hold the changes of a command in the background, until it has ended", async () => {
    world.put("a.txt", "one\n");
    await world.command("true");
    await world.checkpoints.background(true);
    world.put("a.txt", "two\n");
    await world.checkpoints.background(true);
    assert.deepEqual(world.takeReviewed(), ['"one\\n" > "two\\n" a.txt']);
    world.put("a.txt", "three\n");
    await world.checkpoints.background(false);
    assert.deepEqual(world.takeReviewed(), ['"two\\n" > "three\\n" a.txt']);
    world.put("a.txt", "mine\n");
    await world.command("true");
    assert.deepEqual(world.takeReviewed(), []);
    const { files } = await world.preview((await world.command("echo 5 > a.txt")).begun);
    assert.deepEqual(
      files.map(({ edited }) => edited),
      [false],
    );
  });

  describe("in a repository", () => {
    beforeEach(async () => {
      rmSync(world.path(".git"), { recursive: true, force: true });
      world.put("a.txt", "one\n");
      world.put("crlf.txt", "one\r\n");
      world.put("gone.txt", "one\n");
      world.commit();
      world.shell("git checkout -qb other; git config core.autocrlf input");
      world.put("a.txt", "other\n");
      world.put("crlf.txt", "other\r\n");
      world.put("more.txt", "more\n");
      rmSync(world.path("gone.txt"));
      world.commit();
      world.shell("git checkout -q -; printf 'one\\r\\n' > crlf.txt");
      // The repository is new, and its place was looked for when the session began.
      await world.restart();
      await world.command("true");
      world.takeReviewed();
    });

    it("V3 leave out what a switched branch brought, and hold what the command wrote beside it", async () => {
      await world.command("git checkout -q other; echo mine > b.txt");
      assert.deepEqual(world.takeReviewed(), ['missing > "mine\\n" b.txt']);
      assert.equal(world.text("a.txt"), "other\n");
    });

    it("V3 hold what the command committed, and what it took back to the same commit", async () => {
      await world.command("echo 2 > a.txt; git commit -qam two");
      assert.deepEqual(world.takeReviewed(), ['"one\\n" > "2\\n" a.txt']);
      world.put("a.txt", "mine\n");
      await world.command("git stash -q");
      assert.deepEqual(world.takeReviewed(), ['"mine\\n" > "2\\n" a.txt']);
    });

    it("V3 hold a file whose uncommitted content a switch has destroyed", async () => {
      world.put("a.txt", "mine\n");
      await world.command("git checkout -qf other");
      assert.deepEqual(world.takeReviewed(), ['"mine\\n" > "other\\n" a.txt']);
    });

    it("V3 do the same in a worktree beside it, and in a folder of a repository", async () => {
      const inner = new World({ folders: ["repository/sub", "tree"] });
      try {
        inner.put("../a.txt", "one\n");
        inner.put("b.txt", "one\n");
        inner.shell("cd ..; git init -q; git config user.email a@b.c; git config user.name n; git add -A");
        inner.shell("git commit -qm one; git branch other; echo two > b.txt; git commit -qam two");
        inner.shell("git worktree add -q ../../tree other");
        await inner.command("true");
        await inner.command(
          "git checkout -q other~0; echo 1 > c.txt; cd ../../tree; git checkout -q --detach HEAD; echo 2 > d",
        );
        assert.deepEqual(inner.takeReviewed(), ['missing > "1\\n" c.txt', 'missing > "2\\n" ../../tree/d']);
        await inner.command("cd ../../tree; git checkout -q master || git checkout -q main; echo 3 > d");
        assert.deepEqual(inner.takeReviewed(), ['"2\\n" > "3\\n" ../../tree/d']);
        assert.equal(inner.text("../../tree/sub/b.txt"), "two\n");
      } finally {
        await inner.dispose();
      }
    });
  });
});
