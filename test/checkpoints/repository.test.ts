/** Contents from the user's git repository: only if every byte is certain, and without changing the repository. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { type FileStamp, lstat, toStamp } from "../../src/checkpoints/files/file-state.ts";
import { GitObjects } from "../../src/checkpoints/steps/git-objects.ts";
import { World } from "./world.ts";

describe("contents from the git repository", () => {
  const world = new World();
  after(() => world.dispose());

  const stamps = (names: readonly string[]): Map<string, FileStamp> =>
    new Map(
      names.flatMap((name) => {
        const stats = lstat(world.path(name));
        return stats ? [[world.path(name), toStamp(stats)] as const] : [];
      }),
    );

  it("are found for clean files, never for filtered, converted, racy, dirty or new ones", async () => {
    const texts = {
      "plain.txt": "one\n",
      "sub/ü b.txt": "two\n",
      empty: "",
      bytes: "\0\r\n\u00ff",
      "crlf.txt": "a\r\nb\r\n",
      filtered: "swap\n",
      ident: "$Id$ x\n",
      dirty: "one\n",
      racy: "one\n",
    };
    const mark = world.path("../filter-ran");
    writeFileSync(world.path("../swap.sh"), `#!/bin/sh\ntouch '${mark}'\ntr a-z n-za-m\n`, { mode: 0o755 });
    for (const [name, text] of Object.entries(texts)) world.put(name, text);
    world.put(".gitattributes", "filtered filter=swap\nident ident\ncrlf.txt text eol=crlf\n");
    world.shell(`git init -q; git config filter.swap.clean ../swap.sh; git config filter.swap.smudge ../swap.sh`);
    const old = new Date(Date.now() - 1e6);
    for (const name of Object.keys(texts)) if (name !== "racy") utimesSync(world.path(name), old, old);
    world.commit();
    utimesSync(world.path("racy"), new Date(Date.now() + 1e6), new Date(Date.now() + 1e6));
    world.shell("git update-index --refresh; git config core.fsmonitor 'touch ../filter-ran; false'");
    world.put("dirty", "two\n");
    world.put("new", "one\n");
    execFileSync("rm", [mark]);
    const list = () =>
      execFileSync("find", [".git", "-printf", "%p %s %T@ %C@ %m\n"], { cwd: world.folder }).toString();
    const before = list();

    const known = stamps([...Object.keys(texts), "new"]);
    const repository = new GitObjects(world.folder);
    await repository.readIndex(known);
    const found: string[] = [];
    for (const [file, stamp] of known) {
      const bytes = await repository.content(file, stamp);
      if (!bytes) continue;
      assert.deepEqual(bytes, readFileSync(file));
      found.push(file.slice(world.folder.length + 1));
    }
    repository.close();
    assert.deepEqual(found.sort(), ["bytes", "empty", "plain.txt", "sub/ü b.txt"]);
    assert.equal(list(), before);
    assert.ok(!existsSync(mark), "something of the repository ran");
  });

  it("are not found without a repository", async () => {
    const other = new World();
    other.put("a", "one\n");
    const repository = new GitObjects(other.folder);
    const stamp = toStamp(lstat(other.path("a")) ?? assert.fail());
    await repository.readIndex(new Map([[other.path("a"), stamp]]));
    assert.equal(await repository.content(other.path("a"), stamp), undefined);
    repository.close();
    await other.dispose();
  });
});
