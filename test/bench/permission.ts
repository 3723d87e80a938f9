/** Time to decide on a command: parsing, resolving its paths, and the rules. */
import { judge, strictest } from "../../src/loop/permissions/rules.ts";
import { commandRequirements } from "../../src/tools/command/command-requirements.ts";
import { programs } from "../../src/tools/command/programs/table.ts";
import { allowed } from "../tools/command/allowed.ts";
import { reading } from "../tools/command/judged.ts";
import { questions } from "../tools/command/questions.ts";
import { tricks } from "../tools/command/tricks.ts";
import { TestWorkspace } from "../tools/workspace.ts";
import { median, type Report } from "./headless.ts";

const rounds = 5;

export async function benchPermission(report: Report): Promise<void> {
  const workspace = new TestWorkspace();
  try {
    for (const name of ["a.ts", "src/b.ts", "package.json", ".env"]) workspace.put(name, "x");
    const examples = programs.flatMap(([, { asks = [] }]) => asks);
    const commands = [...[allowed, questions, tricks].flatMap((table) => Object.values(table).flat()), ...examples];
    const loaded = performance.now();
    await decide("ls", workspace);
    report("permission.first", performance.now() - loaded, "ms");
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const command of commands) {
        const started = performance.now();
        await decide(command, workspace);
        // The first round warms up.
        if (round > 0) times.push(performance.now() - started);
      }
    }
    report("permission.commands", commands.length, "");
    report("permission.decision", median(times), "ms");
  } finally {
    workspace.dispose();
  }
}

async function decide(command: string, { host }: TestWorkspace): Promise<string> {
  const needs = await commandRequirements(command, { host, signal: new AbortController().signal });
  return strictest(needs.map((need) => judge(need, "bash", { mode: "default", user: reading, workspace: [] })));
}
