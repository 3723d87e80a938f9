import assert from "node:assert/strict";
import { judge, strictest } from "../../../src/loop/permissions/rules.ts";
import { commandRequirements } from "../../../src/tools/command/command-requirements.ts";
import type { Host } from "../../../src/tools/host.ts";
import { TestWorkspace } from "../workspace.ts";
import { reading } from "./judged.ts";

const many = (count: number, part: (index: number) => string, between = " ") =>
  Array.from({ length: count }, (_, index) => part(index)).join(between);

/** With twice the size, judging takes about twice the work. */
const growing: Readonly<Record<string, (size: number) => string>> = {
  "a long word": (size) => `cat ${"a".repeat(size * 20)}`,
  words: (size) => `cat ${many(size, (at) => `f${at}`)}`,
  quotes: (size) => `cat ${"'a'\"b\"".repeat(size)}`,
  "nested subshells": (size) => `${"(".repeat(size)}ls${")".repeat(size)}`,
  "nested substitutions": (size) => `echo ${"$(echo ".repeat(size)}x${")".repeat(size)}`,
  "nested braces": (size) => `cat ${"{a,".repeat(size)}b${"}".repeat(size)}`,
  wildcards: (size) => `cat ${many(size, (at) => `src/m${at}/*.ts`)}`,
  "wildcards that match anywhere": (size) => `cat ${many(size, (at) => `*${at}*`)}`,
  "a wildcard of many folders": (size) => `cat ${"*/".repeat(size)}x`,
  "a wildcard of many folders at any depth": (size) => `cat ${"**/".repeat(size)}x`,
  "a wildcard of many stars": (size) => `cat ${"*a".repeat(size)}`,
  "unclosed groups": (size) => `cat '${"@(a".repeat(50)} ${"x".repeat(size)}`,
  "unclosed groups of find": (size) => `find . -name '*${"@(a".repeat(50)}${"x".repeat(size)}' | xargs cat`,
  "commands one after the other": (size) => many(size, (at) => `ls d${at}`, "; "),
  "commands with wildcards": (size) => many(size, (at) => `cat *d${at}`, "; "),
  pipes: (size) => many(size, () => "cat", "|"),
  "unknown words": (size) => `cat ${many(size, (at) => `"$x${at}"`)}`,
  assignments: (size) => `${many(size, (at) => `x${at}=a`, "; ")}; cat $x1`,
  "a here-document": (size) => `cat <<EOF\n${"x $y\n".repeat(size)}EOF`,
  "unclosed quotes": (size) => `cat ${"`".repeat(size + 1)} /etc/${"x/".repeat(size)}'`,
};

/** Commands that are not understood with certainty because of their size. */
const tooLarge: Readonly<Record<string, string>> = {
  "100,000 characters": `cat ${"a".repeat(100_000)}`,
  "100,000 characters of words": `cat ${many(20_000, () => "abcd")}`,
  "2,000 nested subshells": `${"(".repeat(2000)}ls${")".repeat(2000)}`,
  "2,000 nested substitutions": `cat ${"$(cat ".repeat(2000)}a${")".repeat(2000)}`,
  "nested shells": `${many(10, () => "bash -c")} ls`,
  "5,000 commands": many(5000, () => "ls", "; "),
  "300 files outside of the workspace": `cat ${many(300, (at) => `/srv/f${at}`)}`,
};

const size = 4000;
/** For a command of `size` parts. Work that grows with the square takes far more. */
const most = { looks: 4 * size, cpuMs: 6000 };

describe("T8 judging a command", () => {
  let workspace: TestWorkspace;
  before(() => {
    workspace = new TestWorkspace();
    for (let folder = 0; folder < 30; folder++)
      for (let file = 0; file < 20; file++) workspace.put(`src/m${folder}/f${file}.ts`, "x");
  });
  after(() => workspace.dispose());

  const judged = async (command: string) => {
    let looks = 0;
    const { workspace: real } = workspace.host;
    const counted = <Result>(look: (path: string) => Result) => {
      return (path: string) => {
        looks++;
        return look(path);
      };
    };
    const counting = { ...real, locate: counted(real.locate), list: counted(real.list) };
    const host: Host = { ...workspace.host, workspace: counting };
    const used = process.cpuUsage();
    const needs = await commandRequirements(command, { host, signal: new AbortController().signal });
    const { user } = process.cpuUsage(used);
    const book = { mode: "default", user: reading, workspace: [] } as const;
    return { looks, cpuMs: user / 1000, decision: strictest(needs.map((need) => judge(need, "bash", book))) };
  };

  for (const [name, command] of Object.entries(growing)) {
    it(`takes work that grows no faster than the command: ${name}`, async () => {
      const { looks, cpuMs } = await judged(command(size));
      assert.ok(looks <= most.looks, `${looks} looks at the disk`);
      assert.ok(cpuMs <= most.cpuMs, `${cpuMs} ms`);
    });
  }

  for (const [name, command] of Object.entries(tooLarge)) {
    it(`ends with a question where a limit is reached: ${name}`, async () => {
      const { decision, looks } = await judged(command);
      assert.equal(decision, "ask");
      assert.ok(looks <= most.looks, `${looks} looks at the disk`);
    });
  }

  it("ends with a question where a wildcard has too many stars to be compared", async () => {
    workspace.put(".env", "x");
    const book = { mode: "bypassPermissions", user: [], workspace: [] } as const;
    const stars = `cat .${"*".repeat(300)}z`;
    const { requires } = await workspace.plan("bash", { command: stars }, undefined, book);
    assert.equal(strictest(requires.map((need) => judge(need, "bash", book))), "ask");
  });
});
