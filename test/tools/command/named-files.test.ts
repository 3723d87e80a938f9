import assert from "node:assert/strict";
import { TestWorkspace } from "../workspace.ts";
import { allowing, decisionOf, reading } from "./judged.ts";
import { reachesNone, reachesProtected } from "./named-files.ts";

describe("T8 protected files that a command names", () => {
  let workspace: TestWorkspace;

  before(() => {
    workspace = new TestWorkspace();
    const files = ["a.ts", "src/b.ts", "src/index.ts", "package.json", ".env", "key.pem", "held.txt", "data/.env"];
    for (const name of [...files, "logs/x.log", "a.tgz"]) workspace.put(name, "x");
    workspace.put(".rondoignore", "held.txt\n");
    workspace.put(".gitignore", ".env*\n*.pem\nheld.txt\n");
  });

  after(() => workspace.dispose());

  for (const command of reachesProtected) {
    it(`asks in Bypass: ${JSON.stringify(command)}`, async () => {
      assert.equal(await decisionOf(command, workspace, [], "bypassPermissions"), "ask");
    });
  }

  for (const command of reachesProtected) {
    it(`asks although every command is allowed: ${JSON.stringify(command)}`, async () => {
      assert.equal(await decisionOf(command, workspace, allowing("*")), "ask");
    });
  }

  for (const command of reachesNone) {
    it(`asks nothing in Bypass: ${JSON.stringify(command)}`, async () => {
      assert.equal(await decisionOf(command, workspace, [], "bypassPermissions"), "allow");
    });
  }

  for (const command of ["uniq src/*.ts", "xxd src/*", "for f in src/*; do uniq a.ts $f; done"]) {
    it(`asks because a wildcard names the file that is written: ${command}`, async () => {
      assert.equal(await decisionOf(command, workspace, reading), "ask");
    });
  }
});
