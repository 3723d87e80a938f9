import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import type { Rule } from "../../../src/chat/requests.ts";
import { commandRequirements } from "../../../src/tools/command/command-requirements.ts";
import { loadGrammar } from "../../../src/tools/command/shell/grammar.ts";
import type { PermissionRequirement } from "../../../src/tools/tool.ts";
import { stopwatch } from "../../timing.ts";
import { TestWorkspace } from "../workspace.ts";
import { allowing, decisionOf, reading } from "./judged.ts";

const signal = new AbortController().signal;

describe("T8 which permissions a command requires", () => {
  let workspace: TestWorkspace;
  before(() => {
    workspace = new TestWorkspace();
    for (const name of ["a.ts", "b.ts", "src/c.ts", ".env", ".git/config"]) workspace.put(name, "x");
  });
  after(() => workspace.dispose());

  const needsOf = (command: string) => commandRequirements(command, { host: workspace.host, signal });
  const brief = ({ permission, pattern }: PermissionRequirement) => `${permission}: ${pattern}`;

  const asked: [command: string, ...needs: string[]][] = [
    ["echo foo && echo bar", "bash: echo foo", "bash: echo bar"],
    ["npm test 2>&1 | tail -5", "bash: npm test", "bash: tail -5"],
    ["timeout 5 npm test", "bash: npm test"],
    ["NODE_ENV=test nice -n 5 npm test", "bash: npm test"],
    ["cd src && make", "bash: make"],
    ["bash -c 'rm a.ts; ls'", "bash: rm a.ts", "bash: ls"],
    ["eval 'rm a.ts'", "bash: rm a.ts"],
    ["ls | xargs -n 1 rm -f", "bash: ls", "bash: rm -f …"],
    ["find . -name x -exec rm {} +", "bash: rm {}", "bash: find . -name x"],
    ["echo $(rm a.ts)", "bash: rm a.ts", "bash: echo $(rm a.ts)"],
    ["f() { rm $1; }; f x", "bash: rm $1"],
    ["for f in a b; do rm $f; done", "bash: rm a", "bash: rm b"],
    ["rm 'a b'", "bash: rm 'a b'"],
    ["rm a b", "bash: rm a b"],
    ['git  commit -m "it\'s done"', "bash: git commit -m 'it'\\''s done'"],
    ["git --no-pager log", "bash: git log"],
    ["ls *.ts", "bash: ls *.ts"],
    ["make > out.txt 2>&1", "bash: make", "edit: out.txt"],
    ["cd src && make > out.txt", "bash: make", "edit: src/out.txt"],
    ["sort -o b.ts a.ts", "bash: sort -o b.ts a.ts", "edit: b.ts"],
    ["curl -so x https://a.example", "bash: curl -so x https://a.example", "edit: x"],
    ["dd if=a.ts of=b.ts", "bash: dd if=a.ts of=b.ts", "edit: b.ts"],
    ["tar czf out.tgz src", "bash: tar czf out.tgz src", "edit: out.tgz"],
    ["zip -r out src", "bash: zip -r out src", "edit: out.zip"],
    ["ar rcs out.a a.ts", "bash: ar rcs out.a a.ts", "edit: out.a"],
    ["gunzip AGENT.md.gz", "bash: gunzip AGENT.md.gz", "edit: AGENT.md.gz", "edit: AGENT.md"],
    ["git grep KEY", "bash: git grep KEY", "read: .env"],
    ["git grep KEY -- src", "bash: git grep KEY -- src"],
    ["touch made.txt", "bash: touch made.txt"],
    ["touch .git/hooks/x", "bash: touch .git/hooks/x", "edit: .git/hooks/x"],
    ["cat .git/config", "bash: cat .git/config"],
    ["cat .env", "bash: cat .env", "read: .env"],
    ["cat /etc/hostname", "bash: cat /etc/hostname", "external_directory: /etc/hostname"],
    ["python3 fix.py --file=/etc/x", "bash: python3 fix.py --file=/etc/x", "external_directory: /etc/x"],
    ["sudo rm x", "bash: sudo rm x"],
    ["cd src", "bash: cd src"],
    ["echo /etc/hostname", "bash: echo /etc/hostname"],
  ];
  for (const [command, ...needs] of asked) {
    it(command, async () => assert.deepEqual((await needsOf(command)).map(brief), needs));
  }

  it("describes what a command does when its text does not", async () => {
    const effects: [command: string, effect: string][] = [
      ["rm x", "deletes files"],
      ["npm test", "runs scripts of the project"],
      ["curl https://a.example", "uses the network"],
      ["node -e x", "runs other code"],
      ["git push", "sends data to the network"],
      ["ls", ""],
    ];
    for (const [command, effect] of effects) assert.equal((await needsOf(command))[0]?.effect, effect, command);
    assert.equal((await needsOf("ls > out.txt"))[1]?.effect, "writes out.txt");
  });

  it("suggests the pattern of Always allow, and none for a command that is not understood", async () => {
    const patterns: [command: string, pattern: string | undefined][] = [
      ["ls -la", "ls *"],
      ["npm test", "npm test *"],
      ["npm run build", "npm run build *"],
      ["npm run", "npm run"],
      ["git status --short", "git status *"],
      ["docker compose up -d", "docker compose up *"],
      ["python -m pytest -x", "python -m pytest *"],
      ["node build.js", "node build.js *"],
      ["make", "make"],
      ["cargo test", "cargo test *"],
      ["sudo ls", undefined],
      ["node -e x", undefined],
      ["cat .env", "cat *"],
    ];
    for (const [command, always] of patterns) assert.equal((await needsOf(command))[0]?.suggestedRule, always, command);
  });

  it("deny rules apply wherever the command occurs", async () => {
    const rules: Rule[] = [
      { permission: "bash", pattern: "*", action: "allow" },
      { permission: "bash", pattern: "rm *", action: "deny" },
    ];
    const commands = [
      "rm x",
      "ls; rm x",
      "echo $(rm x)",
      "sudo rm x",
      "bash -c 'rm x'",
      "ls | xargs rm",
      "rm $x",
      "f() { rm x; }; f",
    ];
    for (const command of commands) assert.equal(await decisionOf(command, workspace, rules), "deny", command);
    assert.equal(await decisionOf("ls", workspace, rules), "allow");
  });

  it("allow rules apply to nothing beyond their text", async () => {
    const rules = allowing("npm test *", "touch *", "tee *", "make", "npm run build *");
    for (const command of ["npm test", "npm test -- -g x", "CI=1 npm test", "touch a.ts", "make && npm run build"]) {
      assert.equal(await decisionOf(command, workspace, rules), "allow", command);
    }
    const others = [
      "npm testx",
      "npm run other",
      "make SHELL=x",
      "make x",
      "npm --prefix=x test",
      "touch .git/hooks/x",
      "npm test > x",
    ];
    const more = ["ls | tee .vscode/settings.json", "npm test; ls", "npm test `ls`", "touch ../x", "touch .env"];
    for (const command of [...others, ...more])
      assert.equal(await decisionOf(command, workspace, rules), "ask", command);
  });

  it("an exact question is not answered by a pattern with the same text", async () => {
    assert.equal(await decisionOf("sudo *", workspace, allowing("sudo *")), "ask");
    assert.equal(await decisionOf("sudo ls", workspace, allowing("sudo *")), "ask");
    assert.equal(await decisionOf("sudo ls", workspace, allowing("sudo ls")), "allow");
  });

  it("Accept edits allows redirections into the workspace, Bypass everything except protected files", async () => {
    assert.equal(await decisionOf("ls > out.txt", workspace, reading, "acceptEdits"), "allow");
    for (const command of ["ls > .git/hooks/x", "ls > $x", "ls > ../x", "touch x"]) {
      assert.equal(await decisionOf(command, workspace, reading, "acceptEdits"), "ask", command);
    }
    assert.equal(await decisionOf("rm -rf src && sudo x > y", workspace, [], "bypassPermissions"), "allow");
    assert.equal(await decisionOf("tar xf a.tgz && unzip a.zip", workspace, [], "bypassPermissions"), "allow");
    for (const command of ["tar c .", "cat .env", "x > .git/hooks/y", 'eval "cat .env $x"', "cat .e*", "grep -r x ."]) {
      assert.equal(await decisionOf(command, workspace, [], "bypassPermissions"), "ask", command);
    }
  });

  it("asks at once for a whole command that is too long, too deep or too slow to check", async () => {
    const commands = [
      `echo ${"a".repeat(60_000)}`,
      `${"(".repeat(3000)}ls${")".repeat(3000)}`,
      `${"$(".repeat(500)}ls${")".repeat(500)}`,
      "ls; ".repeat(9000),
      `rm ${"{a,".repeat(2000)}x${"}".repeat(2000)}`,
      `${"if ls; then ".repeat(300)}`,
      `${Array.from({ length: 40 }, (_, at) => `for i in 1; do x${at}=$((x${at}+1)); a${at}=b; `).join("")} rm $a1${"; done".repeat(40)}`,
      `${Array.from({ length: 40 }, (_, at) => `f${at}() { ${`f${at + 1}; `.repeat(20)} }; `).join("")} f0`,
      `${Array.from({ length: 300 }, (_, at) => `touch ${at}`).join("; ")}`,
      `ls ${"*a".repeat(50)}b; rm $x`,
      `echo ${'"$('.repeat(400)}`,
    ];
    for (const command of commands) {
      const elapsed = stopwatch();
      const needs = await needsOf(command);
      assert.ok(elapsed() < 2000);
      assert.ok(
        needs.some(({ match }) => match === "exact"),
        command.slice(0, 20),
      );
    }
  });

  it("finds the protected file that a command reads among many that it does not read", async () => {
    for (let at = 0; at < 40; at++) workspace.put(`many/.env.${at}`, "x");
    workspace.put("many/a/b/c/z.pem", "x");
    assert.deepEqual((await needsOf("rg KEY many")).map(brief), ["bash: rg KEY many", "read: many/a/b/c/z.pem"]);
  });

  it("parses a long command on a busy machine, too", async () => {
    const { parse } = await loadGrammar();
    const spinners = Array.from({ length: 4 * availableParallelism() }, () =>
      spawn(process.execPath, ["-e", "console.log(); for (;;);"]),
    );
    try {
      await Promise.all(spinners.map(({ stdout }) => once(stdout, "data")));
      assert.ok(parse("((a)); ".repeat(7000)));
    } finally {
      for (const spinner of spinners) spinner.kill("SIGKILL");
    }
  });

  it("gives up parsing after two seconds, and parses the next command", async () => {
    const command = `echo ${"(a)".repeat(16_000)}`;
    const elapsed = stopwatch();
    assert.deepEqual(
      (await needsOf(command)).map(({ match }) => match),
      ["exact"],
    );
    assert.ok(elapsed() < 4000);
    assert.deepEqual((await needsOf("ls a.ts")).map(brief), ["bash: ls a.ts"]);
  });

  it("zsh evaluates arithmetic wherever it expects a number, and runs commands in an index", async () => {
    const host = { ...workspace.host, terminal: { ...workspace.host.terminal, shell: "zsh" } };
    const isClear = async (command: string) =>
      (await commandRequirements(`${command}; ls`, { host, signal })).every(({ match }) => match === "pattern");
    const clear = ["[ 1 -eq 2 ]", "i=0; [ $i -lt 3 ]", "[ $# -gt 0 ]", "test 1 -lt 2", "exit 1", "return $?", "shift"];
    const others = ["[ -f a.ts ]", "[ -t 1 ]", "printf '%s\\n' \"$x\"", "printf %d 12", "printf '100%%'"];
    for (const command of [...clear, ...others]) assert.ok(await isClear(command), command);
    const unclear = ["[ 'a[$(rm x)]' -eq 1 ]", "x='a[$(rm x)]'; [ $x -eq 1 ]", '[ "$(cat a.ts)" -eq 1 ]'];
    const tests = ["test 'a[$(rm x)]' -eq 1", 'test 1 -lt "$(cat a.ts)"', "test -t 'a[`rm x`]'", "[ -t 'a[$(rm x)]' ]"];
    const counts = ["exit", "return", "shift", "break", "continue"].map((name) => `${name} 'a[$(rm x)]'`);
    const prints = ["printf %d 'a[$(rm x)]'", "printf '%s%*d' a 'a[`rm x`]' 1", 'printf "$x" y', "print -P '$(rm x)'"];
    const reads = ["read -t 'a[$(rm x)]' y", "integer 'x=a[$(rm x)]'", "zsh -c ls", "let 'a[$(rm x)]'"];
    for (const command of [...unclear, ...tests, ...counts, ...prints, ...reads, "[[ 'a[$(rm x)]' -eq 1 ]]"])
      assert.ok(!(await isClear(command)), command);
  });

  it("for shells without a grammar only plain words are understood", async () => {
    const host = { ...workspace.host, terminal: { ...workspace.host.terminal, shell: "pwsh" } };
    const match = async (command: string) =>
      (await commandRequirements(command, { host, signal })).map((need) => `${need.match} ${brief(need)}`);
    assert.deepEqual(await match("git status --short"), ["pattern bash: git status --short"]);
    assert.deepEqual(await match("cat .env"), ["pattern bash: cat .env", "pattern read: .env"]);
    for (const command of [
      "ls; rm x",
      "ls | iex",
      "& ls",
      ". ./x",
      "$x",
      "ls `\nrm",
      "(ls)",
      "ls 'a b'",
      "cmd /c del x",
    ]) {
      assert.equal((await match(command))[0]?.split(" ")[0], "exact", command);
    }
  });
});
