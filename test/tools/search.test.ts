import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlinkSync, utimesSync } from "node:fs";
import { nodeSearch } from "../../src/tools/node-host/ripgrep.ts";
import { TestWorkspace } from "./workspace.ts";

describe("search", () => {
  let work: TestWorkspace;
  beforeEach(() => {
    work = new TestWorkspace();
  });
  afterEach(() => work.dispose());

  const put = (names: string[], text = "hit\n") => {
    for (const name of names) work.put(name, text);
  };
  const glob = async (pattern: string, more = {}) =>
    (await work.run("glob", { pattern, ...more })).output.split("\n").sort();
  const grep = async (pattern: string, more = {}) =>
    (await work.run("grep", { pattern, output_mode: "content", ...more })).output.split("\n");

  describe("glob", () => {
    it("T10 matches in the root, deep, in a folder, and with braces", async () => {
      put(["a.ts", "b.txt", "x/c.ts", "x/y/d.tsx"]);
      assert.deepEqual(await glob("*.ts"), ["a.ts"]);
      assert.deepEqual(await glob("**/*.ts"), ["a.ts", "x/c.ts"]);
      assert.deepEqual(await glob("x/**/*.{ts,tsx}"), ["x/c.ts", "x/y/d.tsx"]);
      assert.deepEqual(await glob("**/*.ts", { path: "x" }), ["x/c.ts"]);
      assert.deepEqual(await glob("./x/*"), ["x/c.ts"]);
      assert.deepEqual(await glob(`${work.folder}/x/*.ts`), ["x/c.ts"]);
    });

    it("T10 lists the newest first", async () => {
      put(["old.ts", "new.ts", "middle.ts"]);
      for (const [name, time] of [
        ["old.ts", 1000],
        ["middle.ts", 2000],
        ["new.ts", 3000],
      ] as const) {
        utimesSync(work.path(name), time, time);
      }
      const { output, metadata } = await work.run("glob", { pattern: "*.ts" });
      assert.equal(output, "new.ts\nmiddle.ts\nold.ts");
      for (const pattern of ["**", "**/*", "**/**"]) assert.equal((await work.run("glob", { pattern })).output, output);
      assert.equal(metadata.fact, "3 files");
    });

    it("T10 omits ignored files, with and without git", async () => {
      put(["ignored.txt", "kept.txt", "node_modules/x/index.txt"]);
      work.put(".gitignore", "ignored.txt\nnode_modules\n");
      assert.deepEqual(await glob("**/*.txt"), ["kept.txt"]);
      execFileSync("git", ["init", "-q"], { cwd: work.folder });
      assert.deepEqual(await glob("**/*.txt"), ["kept.txt"]);
      assert.deepEqual(await glob("**/HEAD"), ["No files match **/HEAD."]);
    });

    it("finds hidden files, and treats brackets literally", async () => {
      put([".github/ci.yml", "app/[id]/(shop)/page.tsx"]);
      assert.deepEqual(await glob("**/*.yml"), [".github/ci.yml"]);
      assert.deepEqual(await glob("app/[id]/(shop)/*.tsx"), ["app/[id]/(shop)/page.tsx"]);
    });

    it("shows at most 500", async () => {
      put(
        Array.from({ length: 501 }, (_, index) => `f${index}.txt`),
        "",
      );
      const { output, metadata } = await work.run("glob", { pattern: "*" });
      assert.match(output, /\n\(1 more are not shown\)\nNarrow the pattern, or give a path\.$/);
      assert.equal(metadata.fact, "501 files");
    });

    it("rejects a file as the folder", async () => {
      put(["a.txt"]);
      assert.equal(await work.refusal("glob", { pattern: "*", path: "a.txt" }), "a.txt is not a folder.");
    });
  });

  describe("grep", () => {
    it("T10 returns lines with their numbers, by file", async () => {
      work.put("b.txt", "x\nhit 1\n");
      work.put("a/c.txt", "hit 2\r\nhit 3\n");
      const { output, metadata } = await work.run("grep", { pattern: "hit", output_mode: "content" });
      assert.equal(output, "a/c.txt:1:hit 2\na/c.txt:2:hit 3\nb.txt:2:hit 1");
      assert.equal(metadata.fact, "3 in 2 files");
      assert.deepEqual(await grep("HIT 1", { "-i": true, "-n": false }), ["b.txt:hit 1"]);
      assert.deepEqual(await grep("hit", { path: "a/c.txt", head_limit: 1 }), ["a/c.txt:1:hit 2", "(1 more lines)"]);
    });

    it("T10 returns context lines", async () => {
      work.put("a.txt", "1\n2\n3\n4\n5\n");
      assert.deepEqual(await grep("3", { "-B": 1 }), ["a.txt-2-2", "a.txt:3:3"]);
      assert.deepEqual(await grep("3", { "-A": 1 }), ["a.txt:3:3", "a.txt-4-4"]);
      assert.deepEqual(await grep("3", { "-C": 1 }), ["a.txt-2-2", "a.txt:3:3", "a.txt-4-4"]);
    });

    it("T10 returns files, the newest first, and counts", async () => {
      work.put("a.txt", "hit hit\n");
      work.put("b.txt", "hit\n");
      utimesSync(work.path("a.txt"), 1000, 1000);
      const files = await work.run("grep", { pattern: "hit" });
      assert.equal(files.output, "b.txt\na.txt");
      assert.equal(files.metadata.fact, "2 files");
      const counts = await work.run("grep", { pattern: "hit", output_mode: "count" });
      assert.equal(counts.output, "a.txt:2\nb.txt:1");
      assert.equal(counts.metadata.fact, "3 in 2 files");
    });

    it("T10 respects a glob, a type, and the ignore files", async () => {
      put(["a.js", "b.ts", "src/c.ts", "skip.js", ".git/config.js"]);
      work.put(".gitignore", "skip.js\n");
      assert.deepEqual(await grep("hit", { glob: "*.js" }), ["a.js:1:hit"]);
      assert.deepEqual(await grep("hit", { glob: "src/**" }), ["src/c.ts:1:hit"]);
      assert.deepEqual(await grep("hit", { glob: "!*.ts" }), ["a.js:1:hit"]);
      assert.deepEqual(await grep("hit", { type: "ts" }), ["b.ts:1:hit", "src/c.ts:1:hit"]);
    });

    it("accepts a pattern that looks like a flag, spans lines, or looks ahead", async () => {
      work.put("a.txt", "see --files\none\ntwo\n");
      assert.deepEqual(await grep("--files"), ["a.txt:1:see --files"]);
      assert.deepEqual(await grep("one\\ntwo"), ["a.txt:2:one", "a.txt:3:two"]);
      assert.deepEqual(await grep("see.*two", { multiline: true }), [
        "a.txt:1:see --files",
        "a.txt:2:one",
        "a.txt:3:two",
      ]);
      assert.deepEqual(await grep("o(?=ne)"), ["a.txt:2:one"]);
    });

    it("no match is no error; an invalid pattern, type or path is", async () => {
      put(["a.txt"]);
      assert.deepEqual(await grep("nothing-like-it"), ["No matches."]);
      assert.match(await work.refusal("grep", { pattern: "[[bad" }), /ripgrep could not search: .*regex/);
      assert.match(await work.refusal("grep", { pattern: "x", type: "nope" }), /unrecognized file type: nope/);
      assert.equal(
        await work.refusal("grep", { pattern: "x", path: "no" }),
        "no does not exist; there is nothing to search.",
      );
    });

    it("handles unusual file names", async () => {
      put(["a\nb.txt", "c:1:d.txt", "-e.txt"]);
      assert.deepEqual((await work.run("grep", { pattern: "hit", output_mode: "content" })).output.split(":1:hit"), [
        "-e.txt",
        "\na\nb.txt",
        "\nc:1:d.txt",
        "",
      ]);
    });

    it("T8 does not follow links to the outside", async () => {
      put(["a.txt", "../secret/s.txt"]);
      symlinkSync(work.path("../secret"), work.path("link"));
      assert.deepEqual(await grep("hit"), ["a.txt:1:hit"]);
    });

    it("T9 truncates long lines and long results", async () => {
      work.put("min.js", `${"x".repeat(300_000)}NEEDLE${"x".repeat(300_000)}`);
      const line = await work.run("grep", { pattern: "NEEDLE", output_mode: "content" });
      assert.ok(line.output.startsWith("min.js:1:xxx") && line.output.length < 1_000);
      work.put("many.txt", "a line that matches\n".repeat(200_000));
      const { output, metadata } = await work.run("grep", { pattern: "matches", output_mode: "content" });
      assert.ok(output.length < 31_000);
      assert.match(
        output,
        /\(the search was stopped: there is too much\)\nNarrow the pattern, the path or the glob\.$/,
      );
      assert.ok(metadata.outputFile);
    });
  });

  it("ends ripgrep when aborted", async () => {
    const controller = new AbortController();
    const search = nodeSearch(undefined);
    const options = { cwd: work.folder, limit: 1e9, signal: controller.signal, take: () => controller.abort() };
    const found = search.ripgrep(["--files", "/proc", "/sys", "/usr"], options);
    await assert.rejects(found, { name: "AbortError" });
  });

  it("says when ripgrep is missing", async () => {
    const search = nodeSearch("/nowhere/rg");
    await assert.rejects(search.ripgrep([], { cwd: work.folder, limit: 10, signal: new AbortController().signal }), {
      name: "ToolError",
      message: /^The search program could not be started: .* ripgrep \("rg"\) must be installed\.$/,
    });
  });
});
