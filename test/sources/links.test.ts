/** What the check of documents finds: `scripts/check-links.mjs`. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const root = path.join(import.meta.dirname, "../..");

describe("links of documents", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-links-"));
    for (const place of [".github", "docs/develop", "src"]) mkdirSync(path.join(folder, place), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (file: string, text: string) => writeFileSync(path.join(folder, file), text);
  function check(place: string) {
    const { status, stderr } = spawnSync(process.execPath, ["scripts/check-links.mjs", place], {
      cwd: root,
      encoding: "utf8",
    });
    return { status, problems: stderr.trimEnd().split("\n").sort() };
  }

  it("lead to files and headings, and paths between backticks are there", () => {
    write(
      "README.md",
      "[a](docs/a.md) [b](docs/a.md#what-it-isnt-and-is) [web](https://example.com/none.md) [here](#a-b)\n\n# A b\n",
    );
    write(
      "docs/a.md",
      "## What it *isn't*, and is\n\n[up](../README.md#a-b), `src`, `src/a.ts`, `src/{b,c}.ts`, `src/NAME.ts`\n",
    );
    write(
      "docs/develop/b.md",
      "```md\n[no](link.md) `src/none.ts`\n# Not a heading\n```\n`[no](link.md)` [folder](..) ![p](../../src/a.ts)\n",
    );
    write("CHANGELOG.md", "`src/gone.ts`");
    write("src/a.ts", "");
    assert.deepEqual(check(folder), { status: 0, problems: [""] });
  });

  it("that lead nowhere are found, in each folder", () => {
    write("README.md", "[a](none.md) [b](#none) `test/gone.ts`");
    write(".github/a.md", "[a](README.md)");
    write("docs/a.md", "[a](develop/b.md#Not-so) `src/gone/`");
    write("docs/develop/b.md", "# Not so\n\n[a](README.md)\n");
    write("CHANGELOG.md", "[a](docs/gone.md)");
    const { status, problems } = check(folder);
    assert.equal(status, 1);
    assert.deepEqual(problems, [
      ".github/a.md: README.md leads nowhere",
      "CHANGELOG.md: docs/gone.md leads nowhere",
      "README.md: #none leads nowhere",
      "README.md: none.md leads nowhere",
      "README.md: there is no test/gone.ts",
      "docs/a.md: develop/b.md#Not-so leads nowhere",
      "docs/a.md: there is no src/gone/",
      "docs/develop/b.md: README.md leads nowhere",
    ]);
  });
});
