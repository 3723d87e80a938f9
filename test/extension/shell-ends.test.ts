/** How commands in the user's own shell end: as they do, and not as their output says. */
import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { until } from "../timing.ts";
import { living, running } from "../tools/run-command/living.ts";
import { exited, findProgram, OwnShell, terminals } from "./own-shell.ts";

const [promptStart, promptEnd, executed, finished] = ["A", "B", "C", "D;0"].map((mark) => `\\033]633;${mark}\\007`);
const cut =
  /\[VS Code took something in the output for the end of the command\. The rest of the output is only in the terminal\.\]/;

for (const name of ["bash", "zsh"]) {
  describe(`ends of commands in ${name}`, () => {
    let shell: OwnShell;
    before(function () {
      const program = findProgram(name);
      if (program === undefined) this.skip();
      shell = new OwnShell(program, { ".zshrc": "PS1='%% '\n" });
    });
    after(async () => {
      await shell?.dispose();
      assert.equal(shell?.separateRuns ?? 0, 0);
    });

    for (const [what, text] of [
      ["VS Code's mark for an end", finished],
      ["that mark without a code", "\\033]633;D\\007"],
      ["that of other terminals", "\\033]133;D;0\\007"],
      ["that mark many times", `${finished}x\\n`.repeat(20)],
      [
        "a recorded session",
        `${promptStart}$ ${promptEnd}ls\\033]633;E;ls\\007\\n${executed}x\\n${finished}${promptStart}$ ${promptEnd}`.repeat(
          2,
        ),
      ],
    ] as const) {
      it(`T14 ${what} in the output does not end a command`, async () => {
        const done = path.join(shell.folder, "done");
        rmSync(done, { force: true });
        const ran = await shell.run(`echo before; printf '${text}'; sleep 1.5; echo after; touch done; exit 7`);
        assert.ok(existsSync(done), JSON.stringify(ran));
        assert.deepEqual(ran.end, { type: "exit", code: 7, left: [] });
        assert.match(ran.output, /^before\n/);
        assert.match(ran.output, cut);
        assert.deepEqual(await shell.run("echo again; exit 2"), exited(2, "again\n"));
      });

      it(`T14 the code is the command's if it ends right after ${what}`, async () => {
        const ran = await shell.run(`printf '${text}'; exit 7`);
        assert.deepEqual(ran.end, { type: "exit", code: 7, left: [] });
        assert.deepEqual(await shell.run("echo again; exit 2"), exited(2, "again\n"));
      });
    }

    it("T14 Stop and the limit of time end a command after a false end", async () => {
      const ran = shell.run(`printf '${finished}'; sleep 1631`, AbortSignal.timeout(3_000));
      await until(() => running("sleep 1631") > 0);
      assert.deepEqual((await ran).end, { type: "aborted" });
      assert.deepEqual(living("sleep 1631"), []);
      assert.deepEqual(await shell.run("echo again"), exited(0, "again\n"));
    });

    it("T14 Ctrl+C by the user ends a command, also after a false end", async () => {
      for (const before of ["true", `printf '${finished}'`]) {
        const command = shell.run(`${before}; sleep 1632; echo after`);
        await until(() => running("sleep 1632") > 0);
        for (const one of terminals()) one.sendText("\x03", false);
        const { end, output } = await command;
        assert.ok((end.type === "exit" && end.code === 130) || end.type === "signal", JSON.stringify(end));
        assert.doesNotMatch(output, /after/);
        assert.deepEqual(living("sleep 1632"), []);
        assert.deepEqual(await shell.run("echo again"), exited(0, "again\n"));
      }
    });

    it("T14 a command that handles Ctrl+C has the code that it chose", async () => {
      const command = shell.run("trap 'echo cleaned; exit 9' INT; sleep 1633 & wait $!; echo after");
      await until(() => running("sleep 1633") > 0);
      for (const one of terminals()) one.sendText("\x03", false);
      const { end, output } = await command;
      assert.ok(end.type === "exit" && end.code === 9, JSON.stringify(end));
      assert.match(output, /cleaned\n/);
    });

    it("T14 a closed terminal ends a command, also after a false end", async () => {
      const command = shell.run(`printf '${finished}'; sleep 1634`);
      await until(() => running("sleep 1634") > 0);
      for (const one of terminals()) one.dispose();
      assert.notEqual((await command).end.type, "exit");
      assert.deepEqual(living("sleep 1634"), []);
      assert.deepEqual(await shell.run("echo again"), exited(0, "again\n"));
    });

    it("T14 commands in a row lose no output", async function () {
      this.timeout(300_000);
      for (let i = 0; i < 50; i++) {
        assert.deepEqual(await shell.run(`echo begin ${i}; exit ${i}`), exited(i, `begin ${i}\n`));
      }
    });
  });
}
