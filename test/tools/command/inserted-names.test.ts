import assert from "node:assert/strict";
import { TestWorkspace } from "../workspace.ts";
import { allowing, decisionOf } from "./judged.ts";

const reachesProtected: readonly string[] = [
  "find . -exec sh -c 'cat {}' \\;",
  "find . -exec bash -c \"cat '{}'\" \\;",
  "find . -type f -exec sh -c 'cat < {}' \\;",
  "find . -type f -exec sh -c 'x={}; cat \"$x\"' \\;",
  "find . -exec bash -c 'source {}; env' \\;",
  "find . -exec env sh -c 'cat {}' \\;",
  "find . -exec sudo sh -c 'cat {}' \\;",
  "find . -exec zsh -c 'cat {}' \\;",
  "find . -exec python3 -c \"print(open('{}').read())\" \\;",
  "find . -exec ruby -e 'puts File.read(\"{}\")' \\;",
  "find . -type f | xargs -I{} sh -c 'cat {} | rev'",
  "ls -A | xargs -n1 -I% sh -c 'cat %'",
  "ls -A | xargs -I% ssh host 'cat %'",
  "fd -u -x sh -c 'cat {}'",
  "fd -u -x bash -c 'cat {//}/.env'",
  "ls -A | parallel cat",
  "ls -A | parallel 'cat {} | rev'",
  "parallel 'cat {}' ::: .e*",
  "parallel -j 2 cat :::: list",
  'ls -A | while read f; do sh -c "cat $f"; done',
  'for f in .*; do bash -c "cat $f"; done',
  'for f in .*; do . "$f"; done; env',
  'bash -c "cat $FILE"',
];

const reachesNone: readonly string[] = [
  "find . -name '*.ts' -exec sh -c 'cat {}' \\;",
  "find src -exec sh -c \"wc -l '{}' | tail -1\" \\;",
  "find . -exec sh -c 'echo {}' \\;",
  "find src -exec python3 -c \"print(open('{}').read())\" \\;",
  "find src -type f | xargs -I{} sh -c 'cat {}'",
  "find src -name '*.ts' | parallel cat",
  "ls src/*.ts | parallel -j4 gzip",
  "for i in $(seq 5); do npm test $i; done",
  "seq 5 | parallel npm test",
  "parallel echo ::: a b",
  'for f in src/*; do bash -c "cat $f"; done',
  "for f in src/*.sh; do . $f; done",
  'bash -c "npm test $ARGS"',
  'bash -c "$CMD"',
  'source "$VENV/bin/activate"',
];

describe("T8 protected files whose names are inserted into code", () => {
  let workspace: TestWorkspace;

  before(() => {
    workspace = new TestWorkspace();
    for (const name of ["a.ts", "src/b.ts", "package.json", ".env", "data/.env"]) workspace.put(name, "x");
  });

  after(() => workspace.dispose());

  for (const command of reachesProtected) {
    it(`asks in Bypass: ${command}`, async () => {
      assert.equal(await decisionOf(command, workspace, [], "bypassPermissions"), "ask");
    });

    it(`asks although every command is allowed: ${command}`, async () => {
      assert.equal(await decisionOf(command, workspace, allowing("*")), "ask");
    });
  }

  for (const command of reachesNone) {
    it(`asks nothing in Bypass: ${command}`, async () => {
      assert.equal(await decisionOf(command, workspace, [], "bypassPermissions"), "allow");
    });
  }

  it("keeps asking for code that a name is inserted into, whatever is allowed in it", async () => {
    const command = "find src -exec sh -c 'cat {}' \\;";
    assert.equal(await decisionOf(command, workspace, allowing("find *", "sh *", "cat *")), "ask");
  });
});
