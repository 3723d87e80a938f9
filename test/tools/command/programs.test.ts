import assert from "node:assert/strict";
import { effectOf, programs, reachOf } from "../../../src/tools/command/programs/table.ts";
import { TestWorkspace } from "../workspace.ts";
import { allowing, decisionOf, reading } from "./judged.ts";

describe("T8 the program table", () => {
  let workspace: TestWorkspace;
  before(() => {
    workspace = new TestWorkspace();
    for (const name of ["a.ts", "src/b.ts", "package.json", ".env", "data/.env", "a.tgz"]) workspace.put(name, "x");
  });
  after(() => workspace.dispose());

  for (const [names, { allowed = [], asks = [] }] of programs) {
    const all = names.split(/[\s|]+/);
    const rules = [...reading, ...allowing(...all.map((name) => `${name} *`), "python3 *", "python3.12 *")];
    for (const command of allowed) {
      it(`${all[0]}: a rule allows ${command}`, async () => {
        assert.equal(await decisionOf(command, workspace, rules), "allow");
      });
    }
    for (const command of asks) {
      it(`${all[0]}: asks despite a rule for ${command}`, async () => {
        assert.equal(await decisionOf(command, workspace, rules), "ask");
      });
    }
  }

  it("has one entry for each name", () => {
    const names = programs.flatMap(([each]) => each.split(/[\s|]+/));
    assert.deepEqual([...new Set(names)], names);
    for (const [, { subcommands = {} }] of programs) {
      const own = Object.keys(subcommands).flatMap((each) => each.split(/[\s|]+/));
      assert.deepEqual([...new Set(own)], own);
    }
  });

  it("finds a sub-command after options, and by its aliases and abbreviations", () => {
    for (const command of ["git push", "git -C . push", "git -c a.b=c push", "git --git-dir x -P push"]) {
      assert.equal(effectOf("git", command.split(" ").slice(1)), "sends data to the network", command);
    }
    const others = [
      "npm -y exec x",
      "npm x y",
      "npm exe y",
      "gh -R a/b api x",
      "go -C x generate",
      "systemctl --user edit x",
    ];
    for (const command of [...others, "docker compose -f x exec a", "cargo --config a=b test", "kubectl -n x exec p"]) {
      const [program = "", ...words] = command.split(" ");
      assert.notEqual(reachOf(program, words), "named", command);
    }
  });
});
