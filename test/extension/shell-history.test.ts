/** Commands in the user's own shell leave no line in its history. */
import assert from "node:assert/strict";
import { until } from "../timing.ts";
import { exited, findProgram, OwnShell } from "./own-shell.ts";

const secret = "hunter2";
/** What the typed line holds besides the command. */
const ours = /hunter2|rondo-|RONDO/;

describe("the history of the user's own shell", () => {
  let shell: OwnShell | undefined;
  afterEach(async () => {
    await shell?.dispose();
    shell = undefined;
  });

  async function runAll(one: OwnShell): Promise<void> {
    assert.deepEqual(await one.run(`WORD=${secret}; echo \${#WORD}`), exited(0, "7\n"));
    assert.deepEqual(await one.run("cat <<'END'\na $b\n  c\nEND\nexit 3"), exited(3, "a $b\n  c\n"));
    assert.deepEqual(await one.run("for i in 1 2; do\n  echo $i\ndone"), exited(0, "1\n2\n"));
    assert.deepEqual(await one.run("printf 'no end of line'; exit 4"), exited(4, "no end of line"));
  }

  for (const [what, rc] of [
    ["without files of the user", ""],
    ["with HISTCONTROL=ignoreboth", "HISTCONTROL=ignoreboth\nHISTSIZE=1000\n"],
    ["with HISTCONTROL=erasedups, histappend and history -a", bashrc("HISTCONTROL=erasedups", "history -a")],
    ["with a HISTCONTROL that each prompt sets anew", bashrc("", "HISTCONTROL=ignoredups; history -a")],
    ["with a trap, times and no HISTCONTROL", "HISTTIMEFORMAT='%F %T '\ntrap 'LAST=$BASH_COMMAND' DEBUG\n"],
  ] as const) {
    it(`T13 bash ${what} has no line of the agent in it`, async () => {
      shell = new OwnShell("/bin/bash", { ".bashrc": rc });
      await runAll(shell);
      await shell.type(": mine; history > ~/memory");
      assert.match(shell.read("memory"), /: mine/);
      assert.doesNotMatch(shell.read("memory"), ours);
      await runAll(shell);
      await shell.close();
      await until(() => /: mine/.test(shell?.read(".bash_history") ?? ""));
      assert.doesNotMatch(shell.read(".bash_history"), ours);
      assert.equal(shell.separateRuns, 0);
    });
  }

  for (const [what, rc] of [
    ["as it is", "HISTFILE=~/.zsh_history HISTSIZE=1000 SAVEHIST=1000\n"],
    [
      "that shares its history at once",
      "HISTFILE=~/.zsh_history HISTSIZE=1000 SAVEHIST=1000\nsetopt SHARE_HISTORY EXTENDED_HISTORY\nunsetopt HIST_IGNORE_SPACE\n",
    ],
  ] as const) {
    it(`T13 zsh ${what} has no line of the agent in it (needs zsh)`, async function () {
      const program = findProgram("zsh");
      if (program === undefined) this.skip();
      shell = new OwnShell(program, { ".zshrc": rc });
      await runAll(shell);
      await shell.type(": mine; fc -l 1 > ~/memory");
      assert.match(shell.read("memory"), /: mine/);
      assert.doesNotMatch(shell.read("memory"), ours);
      await runAll(shell);
      await shell.close();
      await until(() => /: mine/.test(shell?.read(".zsh_history") ?? ""));
      assert.doesNotMatch(shell.read(".zsh_history"), ours);
      assert.equal(shell.separateRuns, 0);
    });
  }

  it("T13 fish runs the agent's commands in a process of their own (needs fish)", async function () {
    const program = findProgram("fish");
    if (program === undefined) this.skip();
    shell = new OwnShell(program);
    assert.match((await shell.run(`set word ${secret}; echo $FISH_VERSION; tty; true`)).output, /^\d.*\nnot a tty\n$/);
    await shell.close();
    assert.doesNotMatch(shell.read("fish/fish_history"), ours);
  });
});

function bashrc(control: string, prompt: string): string {
  return `${control}\nHISTSIZE=1000\nshopt -s histappend\nPROMPT_COMMAND='${prompt}'\n`;
}
