// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language of the shell
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { Rule } from "../../../src/chat/requests.ts";
import { TestWorkspace } from "../workspace.ts";
import { allowing, decisionOf } from "./judged.ts";

describe("T8 rules with the exact text of a command", () => {
  let workspace: TestWorkspace;
  let outside: string;
  let mark: string;

  before(() => {
    workspace = new TestWorkspace();
    workspace.put("package.json", '{"scripts":{"test":"true"}}');
    workspace.put("inside/a.ts", "x");
    mark = path.join(workspace.root, "ran");
    // A bare repository can be a part of another one, and git finds it where no `.git` is nearer.
    execFileSync("git", ["init", "--bare", "-q", workspace.path("evil")]);
    const set = (...words: string[]) => execFileSync("git", ["--git-dir", workspace.path("evil"), "config", ...words]);
    set("core.bare", "false");
    set("core.worktree", ".");
    set("core.fsmonitor", `: > '${mark}'; false`);
    outside = path.join(workspace.root, "outside");
    mkdirSync(outside);
  });
  after(() => workspace.dispose());

  /** Ways to run `C` in the folder `D`, or with other variables, functions or programs. */
  const ways = [
    ...[
      "cd D && C",
      "cd D; C",
      "(cd D; C)",
      "{ cd D; C; }",
      "cd D || true; C",
      "pushd D; C",
      "pushd D > /dev/null && C",
    ],
    ...[
      "command cd D && C",
      "builtin cd D; C",
      "eval 'cd D'; C",
      "cd D & wait; cd D; C",
      "cd . && cd D && C",
      "cd D/. && C",
    ],
    ...[
      "f() { cd D; }; f; C",
      "for d in D; do cd $d; C; done",
      "d=D; cd $d; C",
      'cd "$(echo D)" && C',
      "cd $x && C",
      "cd D*; C",
    ],
    ...["while cd D; do C; break; done", "if cd D; then C; fi", "case x in x) cd D; C;; esac", "bash -c 'cd D && C'"],
    ...[
      "env -C D C",
      "env --chdir=D C",
      "find D -maxdepth 0 -execdir C \\;",
      "cd inside && cd ../D && C",
      "! cd /x; cd D; C",
    ],
    ...["popd; C", "cd - && C", "CDPATH=. cd D && C", "set -- D; cd $1; C", "read d <<< D; cd $d; C", "cd D\nC"],
  ];
  const changed = [
    ...["P() { evil; }; C", "function P { evil; }; C", "alias P=evil; C", "hash -p ./evil P; C", "export PATH=.; C"],
    ...[
      "PATH=.:$PATH; C",
      "PATH=. C",
      "NODE_OPTIONS='--require ./x' C",
      "NODE_OPTIONS=x; C",
      "export NODE_OPTIONS=x; C",
    ],
    ...[
      "declare -x GIT_DIR=evil; C",
      "GIT_DIR=evil C",
      "export GIT_DIR=evil; C",
      "((PATH=1)); C",
      "echo $((PATH=1)); C",
    ],
    ...[". ./a.sh; C", "enable -f ./x.so P; C", "env GIT_DIR=evil C", "env -i PATH=. C", "for PATH in .; do C; done"],
    ...[
      "read PATH < a; C",
      "printf -v PATH .; C",
      ": $\u007BPATH:=.}; C",
      "let PATH=1; C",
      "unset PATH; C",
      "trap C EXIT; cd evil",
    ],
    ...["shopt -s autocd; evil; C", "set -a; A=b; C", "exec < a; P() { evil; }; C", "IFS=x; C", "HOME=evil; cd; C"],
  ];
  const rules: Rule[] = [...allowing("git status", "npm test", "true *", "echo *", "find *", "cd *")];
  const filled = (template: string, command: string, folder: string) => {
    const values = new Map([
      ["C", command],
      ["D", folder],
      ["P", command.split(" ")[0]],
    ]);
    return template.replace(/\b[CDP]\b/g, (hole) => values.get(hole) ?? hole);
  };

  for (const [command, folder] of [
    ["git status", "evil"],
    ["npm test", "/outside"],
    ["npm test", "../outside"],
    ["git status", "../outside"],
  ] as const) {
    it(`${command} in ${folder} asks although its text is allowed`, async () => {
      const others: string[] = [];
      // A rule for the folder allows to read there, not to run its scripts.
      const all: Rule[] = [...rules, { permission: "external_directory", pattern: "*", action: "allow" }];
      for (const way of ways) {
        const text = filled(way, command, folder);
        if ((await decisionOf(text, workspace, all)) !== "ask") others.push(text);
      }
      assert.deepEqual(others, []);
    });
  }

  it("asks after changes of programs, functions and variables", async () => {
    const others: string[] = [];
    for (const command of ["git status", "npm test"]) {
      for (const way of changed) {
        const text = filled(way, command, "evil");
        if ((await decisionOf(text, workspace, rules)) !== "ask") others.push(text);
      }
    }
    assert.deepEqual(others, []);
  });

  it("git in other repositories asks", async () => {
    const ways = [
      "git -C evil status",
      "git -C inside/../evil status",
      "git -C . -C evil status",
      "git -P -C evil status",
    ];
    const more = [
      "git --git-dir=evil status",
      "git --git-dir evil status",
      "git --work-tree=evil status",
      "git -C $x status",
    ];
    const others: string[] = [];
    for (const text of [...ways, ...more, "git -C ../outside status", "git -C 'e'vil status", "(git -C evil status)"]) {
      if ((await decisionOf(text, workspace, [...rules, ...allowing("git *")])) !== "ask") others.push(text);
    }
    assert.deepEqual(others, []);
  });

  it("what asks is what a real git would run, and what is allowed runs nothing", async () => {
    const monitored = (command: string) => {
      rmSync(mark, { force: true });
      spawnSync("bash", ["-c", command], { cwd: workspace.folder, input: "" });
      return existsSync(mark);
    };
    for (const command of ["cd evil && git status", "git -C evil status", "GIT_DIR=evil git status"]) {
      assert.ok(monitored(command), command);
      assert.equal(await decisionOf(command, workspace, rules), "ask", command);
    }
    for (const command of ["git status", "cd inside && git status", "git -C inside status"]) {
      assert.equal(await decisionOf(command, workspace, rules), "allow", command);
      assert.ok(!monitored(command), command);
    }
  });

  it("the text of the whole command allows it, and nothing else", async () => {
    for (const command of ["cd evil && git status", "cd $x && npm test", "sudo ls", "node -e x", "source a.sh"]) {
      assert.equal(await decisionOf(command, workspace, allowing(command)), "allow", command);
      for (const other of [`cd inside; ${command}`, `${command}; ls`, `(${command})`, `(cd evil; ${command})`]) {
        assert.equal(await decisionOf(other, workspace, [...rules, ...allowing(command)]), "ask", other);
      }
    }
  });

  it("a pattern allows a program in each folder of the workspace, outside only one that just reads", async () => {
    const all: Rule[] = [...allowing("npm test *", "ls *", "cat *", "git log *", "mkdir *", "make *"), ...rules];
    const away: Rule = { permission: "external_directory", pattern: "*", action: "allow" };
    for (const command of [
      "cd inside && npm test",
      "(cd inside; npm test -- x)",
      "cd inside && git log && cd .. && npm test",
    ])
      assert.equal(await decisionOf(command, workspace, all), "allow", command);
    for (const command of ["cd ../outside && ls", "cd ../outside && cat a", "cd ../outside; mkdir x"])
      assert.equal(await decisionOf(command, workspace, [...all, away]), "allow", command);
    for (const command of [
      "cd ../outside && npm test",
      "cd ../outside && make",
      "cd ../outside && git log",
      "cd $x && make",
    ])
      assert.equal(await decisionOf(command, workspace, [...all, away]), "ask", command);
  });

  it("Always allow suggests no pattern with the wildcards of a command", async () => {
    for (const command of ["make -j4 *.o", "npm -y *", "git -c a.b=c log '*'"]) {
      const [need] = await workspace.needs("bash", { command });
      assert.equal(need?.suggestedRule, undefined, command);
    }
  });
});
