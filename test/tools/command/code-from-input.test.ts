import assert from "node:assert/strict";
import type { Rule } from "../../../src/chat/requests.ts";
import { TestWorkspace } from "../workspace.ts";
import { allowing, decisionOf } from "./judged.ts";

/** Commands that run code from their standard input, where `IN` stands for it. */
const readers = [
  ...["make -f -", "make --file=-", "make --makefile /dev/stdin", "make -sf-", "make -f/dev/fd/0", "gmake -f -"],
  ...[
    "make -f //dev/stdin",
    "make -f /dev/./stdin",
    "make -f /proc/self/fd/0",
    "just -f -",
    "just --justfile /dev/stdin",
  ],
  ...["rake -f /dev/stdin", "ninja -f /dev/stdin", "scons -f -", "cmake -P /dev/stdin", "gradle -b /dev/stdin"],
  ...["mvn -f /dev/stdin", "tox -c /dev/stdin", "go run /dev/stdin", "awk -f -", "awk -f /dev/stdin", "sed -f - a.ts"],
  ...["docker build -", "docker build -f - .", "docker compose -f - up", "docker-compose -f - up", "at now", "batch"],
  ...[
    "crontab -",
    "crontab /dev/stdin",
    "gdb -x /dev/stdin",
    "bc",
    "psql -f -",
    "sqlite3 -init /dev/stdin",
    "vim -s -",
  ],
  ...[
    "ssh host sh",
    "ssh host",
    "parallel",
    "sftp -b - host",
    "ftp",
    "gnuplot",
    "tmux source-file -",
    "python3",
    "node -",
  ],
  ...["perl /dev/stdin", "timeout 5 make -f -", "env make -f -", "ansible-playbook /dev/stdin"],
];

const denying = (pattern: string): Rule => ({ permission: "bash", pattern, action: "deny" });

describe("T8 rules that deny: code on standard input", () => {
  let workspace: TestWorkspace;
  before(() => {
    workspace = new TestWorkspace();
    workspace.put("a.ts", "x");
  });
  after(() => workspace.dispose());

  const inBothModes = async (command: string, rule: string) => [
    await decisionOf(command, workspace, [...allowing("*"), denying(rule)]),
    await decisionOf(command, workspace, [denying(rule)], "bypassPermissions"),
  ];

  it("code that is written in the command is searched for what the rule denies", async () => {
    for (const reader of readers) {
      for (const command of [`${reader} <<< 'x: ; rm b'`, `${reader} <<'E'\nx: ; rm b\nE`])
        assert.deepEqual(await inBothModes(command, "rm *"), ["deny", "deny"], command);
    }
  });

  it("code that is not known asks", async () => {
    for (const reader of readers) {
      for (const command of [`${reader} < a.ts`, `cat a.ts | ${reader}`])
        assert.deepEqual(await inBothModes(command, "rm *"), ["ask", "ask"], command);
    }
    assert.deepEqual(await inBothModes("make -f <(cat a.ts)", "rm *"), ["ask", "ask"]);
  });

  it("input that is not code asks nothing", async () => {
    const data = [
      "git apply -",
      "kubectl apply -f -",
      "cat -",
      "sort /dev/stdin",
      "grep -f - a.ts",
      "tar xf -",
      "wc -l",
    ];
    for (const reader of [...data, "make -j4 test", "docker ps"])
      assert.deepEqual(await inBothModes(`${reader} <<< 'rm b'`, "rm *"), ["allow", "allow"], reader);
  });

  it("words that are certain are judged as they are", async () => {
    const rows: [rule: string, ...commands: string[]][] = [
      [
        "rm *",
        ...['x="rm b"; $x', 'x="rm b"; eval $x', `x='rm  b'; \${x}`, 'x=rm; y="$x b"; $y', 'x="-p rm b"; command $x'],
        ...[`x=; r\${x}m b`, "x=; $x rm b", `unset x; r\${x}m b`, "x='rm b'; env $x", "x='rm b'; y=$x; eval \"$x\""],
        // Without such a variable, `unset` removes the function.
        ...["rm() { ls; }; unset rm; rm b", "rm() { ls; }; rm b; unset rm; rm b"],
      ],
    ];
    for (const [rule, ...commands] of rows) {
      for (const command of commands) assert.deepEqual(await inBothModes(command, rule), ["deny", "deny"], command);
    }
  });

  it("words that may be others ask", async () => {
    const uncertain = [
      `r\${x}m b`,
      'if ls; then x="rm b"; else x=ls; fi; $x',
      "x='r*'; $x b",
      "find . | xargs -I{} {} b",
    ];
    for (const command of uncertain) assert.deepEqual(await inBothModes(command, "rm *"), ["ask", "ask"], command);
  });

  it("words of a variable are those of a command that a rule allows", async () => {
    assert.equal(await decisionOf('x="-l src"; ls $x', workspace, allowing("ls *")), "allow");
    assert.equal(await decisionOf('x="-l src"; ls $x; x="rm b"; $x', workspace, allowing("ls *")), "ask");
  });
});
