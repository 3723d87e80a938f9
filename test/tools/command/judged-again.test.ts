// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language of the shell
import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { TestWorkspace } from "../workspace.ts";
import { decisionOf, reading } from "./judged.ts";

/** Each reads `deep/in/…` if that is there. */
const readers = [
  ...["rg KEY", "rg KEY deep", "grep -r KEY .", "cat deep/*/*", "cat deep/in/k*", "cat **/k*", "cat deep/?n/*"],
  ...['cat "$x"', 'cat "deep/$x"', 'head "./deep/$x"', "find . -type f | xargs cat", "find deep -exec cat {} +"],
  ...['for f in deep/*/*; do cat "$f"; done', "rg --files deep | xargs cat", "cat $(ls -d deep/in/*)"],
];

describe("T8 a command that is judged again", () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
    for (const name of ["a.ts", "deep/in/a.ts", "deep/b.ts"]) workspace.put(name, "x");
  });
  afterEach(() => workspace.dispose());

  const decision = async (command: string) => await decisionOf(command, workspace, reading, "bypassPermissions");
  /** Long enough for listings to be kept. */
  const settled = async () => {
    for (const command of readers) assert.equal(await decision(command), "allow", command);
    await delay(150);
    for (const command of readers) assert.equal(await decision(command), "allow", command);
  };
  const assertAll = async (expected: string) => {
    for (const command of readers) assert.equal(await decision(command), expected, command);
  };

  it("asks for a protected file that has appeared, and no more when it has gone", async () => {
    await settled();
    for (let round = 0; round < 3; round++) {
      workspace.put("deep/in/key.pem", "x");
      await assertAll("ask");
      rmSync(workspace.path("deep/in/key.pem"));
      await assertAll("allow");
    }
  });

  it("asks for a file that was renamed to a protected name", async () => {
    await settled();
    renameSync(workspace.path("deep/in/a.ts"), workspace.path("deep/in/key.pem"));
    await assertAll("ask");
  });

  it("asks for a protected file in a folder that was moved here", async () => {
    mkdirSync(workspace.path("../elsewhere"));
    workspace.put("../elsewhere/key.pem", "x");
    await settled();
    rmSync(workspace.path("deep/in"), { recursive: true });
    renameSync(workspace.path("../elsewhere"), workspace.path("deep/in"));
    await assertAll("ask");
  });

  it("follows a .rondoignore file that comes, changes and goes", async () => {
    workspace.put("deep/in/key", "x");
    await settled();
    workspace.put(".rondoignore", "other\n");
    await assertAll("allow");
    workspace.put(".rondoignore", "key*\n");
    await assertAll("ask");
    workspace.put("deep/in/.rondoignore", "!key\n");
    await assertAll("allow");
    rmSync(workspace.path("deep/in/.rondoignore"));
    await assertAll("ask");
    workspace.put(".rondoignore", "");
    await assertAll("allow");
  });
});
