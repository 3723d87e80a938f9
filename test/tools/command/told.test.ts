/** What a command runs, reads, writes and names, and in which folders, as far as that is known before it runs (T8). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { knownWords, loadTold, told } from "./told.ts";
import { toldCommands } from "./told-commands.ts";
import { toldFlow } from "./told-flow.ts";
import { toldOutputs } from "./told-outputs.ts";
import { toldPrograms } from "./told-programs.ts";
import { toldInZsh, toldState } from "./told-state.ts";
import { toldWords } from "./told-words.ts";

describe("T8 what a command does", () => {
  before(loadTold);

  const tables = { ...toldWords, ...toldFlow, ...toldCommands, ...toldPrograms, ...toldOutputs, ...toldState };
  for (const [about, rows] of Object.entries(tables)) {
    describe(about, () => {
      for (const [command, ...lines] of rows) it(JSON.stringify(command), () => assert.deepEqual(told(command), lines));
    });
  }

  for (const [command, ...lines] of toldInZsh)
    it(`zsh: ${JSON.stringify(command)}`, () => assert.deepEqual(told(command, true), lines));

  it("commands of up to 3,000 steps are read, and loops with up to 16 known words", () => {
    assert.deepEqual(told("ls;".repeat(3000)), ["runs ls"]);
    assert.deepEqual(told("ls;".repeat(3001)), ["cannot be read"]);
    const loop = (count: number) => `for i in ${Array.from({ length: count }, (_, at) => at).join(" ")}; do a $i; done`;
    assert.equal(told(loop(16))[0]?.split("|").length, 16);
    assert.deepEqual(told(loop(17)), ["runs a <…>"]);
  });

  it("words without anything unknown are the ones that bash gives to the program", () => {
    // Folders are named as the user names them, and older shells do not know `\u`.
    const rows = Object.values(toldWords).flat();
    const commands = rows.map(([command]) => command).filter((command) => !/~|PWD|HOME|pwd|[<>]\(|\\u/.test(command));
    const known = new Map(commands.map((command) => [command, knownWords(command)] as const));
    const wanted = [...known].filter((row): row is [string, string[]] => row[1] !== undefined);
    const script = 'x() { printf "%s\\0" x "$@"; printf "\\1\\0"; }; for each in "$@"; do (eval "$each"); done';
    const { stdout } = spawnSync("bash", ["-c", script, "bash", ...wanted.map(([command]) => command)], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" },
    });
    const given = stdout.split("\u0001\0").slice(0, -1);
    assert.deepEqual(
      wanted.map(([command], index) => [command, given[index]?.split("\0").slice(0, -1)]),
      wanted.map(([command, words]) => [command, words]),
    );
    assert.ok(wanted.length > 60);
  });
});
