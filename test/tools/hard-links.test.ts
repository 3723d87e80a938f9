import assert from "node:assert/strict";
import { linkSync, mkdirSync } from "node:fs";
import path from "node:path";
import { allowing, decisionOf } from "./command/judged.ts";
import { TestWorkspace } from "./workspace.ts";

describe("T8 hard links", () => {
  let workspace: TestWorkspace;

  before(() => {
    workspace = new TestWorkspace();
    workspace.put(".env", "KEY=1\n");
    workspace.put("deep/in/key.pem", "KEY=2\n");
    workspace.put("held.txt", "KEY=3\n");
    workspace.put(".rondoignore", "held.txt\n");
    workspace.put(".vscode/settings.json", "{}");
    workspace.put("store/index.js", "KEY=4\n");
    const link = (from: string, to: string) => {
      mkdirSync(path.dirname(workspace.path(to)), { recursive: true });
      linkSync(workspace.path(from), workspace.path(to));
    };
    link(".env", "src/notes.txt");
    link("deep/in/key.pem", "src/other.txt");
    link("held.txt", "src/third.txt");
    link(".vscode/settings.json", "src/data.json");
    link("store/index.js", "node_modules/a/index.js");
  });

  after(() => workspace.dispose());

  it("to secrets and ignored files are protected as these are", async () => {
    const protections = ["src/notes.txt", "src/other.txt", "src/third.txt"].map(
      async (name) => (await workspace.host.workspace.locate(name)).protection,
    );
    assert.deepEqual(await Promise.all(protections), ["secret", "secret", "ignored"]);
  });

  it("to settings are protected from changes", async () => {
    assert.equal((await workspace.host.workspace.locate("src/data.json")).protection, "settings");
  });

  it("between ordinary files, as package managers make them, protect nothing", async () => {
    assert.equal((await workspace.host.workspace.locate("node_modules/a/index.js")).protection, "none");
    assert.equal(await decisionOf("cat node_modules/a/index.js", workspace, [], "bypassPermissions"), "allow");
  });

  for (const command of ["cat src/notes.txt", "grep -r KEY src", "cat src/*.txt", 'cat "$(pwd)/src/other.txt"']) {
    it(`ask in a command in every mode: ${command}`, async () => {
      assert.equal(await decisionOf(command, workspace, allowing("*")), "ask");
      assert.equal(await decisionOf(command, workspace, [], "bypassPermissions"), "ask");
    });
  }

  it("are left out of searches", async () => {
    const { output } = await workspace.run("grep", { pattern: "KEY" });
    assert.match(output, /store\/index\.js/);
    assert.doesNotMatch(output, /src\/(notes|other|third)/);
  });
});
