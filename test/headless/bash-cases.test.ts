/** Cases of `bash`: a table of our own, then those collected from other agents. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import type { ToolResult } from "../../src/tools/tool.ts";
import { collectedCases } from "../cases/collected.ts";
import { stopwatch } from "../timing.ts";
import { living } from "../tools/run-command/living.ts";
import { TestWorkspace } from "../tools/workspace.ts";

interface Input {
  command?: string;
  /** Commands run one after the other. */
  commands?: string[];
  /** Commands run concurrently. */
  parallel?: { command: string; env?: unknown }[];
  timeout_ms?: number;
  abort_after_ms?: number;
  workdir?: unknown;
}

interface Expected {
  stdout?: string;
  stdouts?: string[];
  stdout_realpath?: string;
  output_contains?: string[];
  output_starts_with?: string;
  exit_code_any?: (number | null)[];
  exit_code_not?: number;
  error?: string;
  truncated?: boolean;
  max_output_chars?: number;
  /** Command lines of processes that must be gone. */
  processes_gone?: string[];
  no_file_created?: string;
  max_ms?: number;
  returns_within_ms?: number;
}

interface Case {
  id: string;
  title: string;
  group: string;
  setup: { git?: boolean; files?: Record<string, string>; workspace_name?: string };
  input: Input;
  expect: Expected;
}

const table: [title: string, input: Input, expect: Expected, setup?: Case["setup"]][] = [
  ["ended by a signal", { command: "kill -TERM $$" }, { exit_code_any: [143, null], output_contains: ["SIGTERM"] }],
  ["a backslash at the end", { command: "echo yes\\" }, { output_contains: ["yes"] }],
  ["several lines", { command: "if true; then\n  echo one\nfi\necho two" }, { stdout: "one\ntwo\n" }],
  ["quotes of all kinds", { command: `echo "a'b" 'c"d' \\$x` }, { stdout: "a'b c\"d $x\n" }],
  ["a here-document", { command: "cat <<'EOF'\n$HOME `x`\nEOF" }, { stdout: "$HOME `x`\n" }],
  ["exec", { command: "exec printf done" }, { stdout: "done\n" }],
  [
    "a time limit, and the whole tree",
    { command: "sh -c 'sleep 5161 & sleep 5162; wait'", timeout_ms: 200 },
    { error: "timeout", processes_gone: ["sleep 5161", "sleep 5162"] },
  ],
  [
    "a child that keeps the output open",
    { command: "sleep 5163 & echo begun" },
    { output_contains: ["begun"], returns_within_ms: 3000, processes_gone: ["sleep 5163"] },
  ],
  ["a timeout of 0 means the default", { command: "sleep 0.1; echo ok", timeout_ms: 0 }, { stdout: "ok\n" }],
  ["a negative timeout means the default", { command: "sleep 0.1; echo ok", timeout_ms: -5 }, { stdout: "ok\n" }],
  ["a prompt for input", { command: "read -p 'Sure? ' x || echo none" }, { output_contains: ["none"] }],
  ["a program that reads standard input", { command: "cat; node" }, { returns_within_ms: 5000 }],
  ["an interactive shell", { command: "bash -i -c 'echo ok'" }, { output_contains: ["ok"] }],
  ["an editor", { command: "git commit --allow-empty" }, { exit_code_not: 0 }, { git: true }],
  [
    "one line of 2 MB",
    { command: "head -c 2000000 /dev/zero | tr '\\0' b" },
    { truncated: true, max_output_chars: 31_000 },
  ],
  [
    "head and tail",
    { command: "echo FIRST; yes | head -n 9000; echo LAST" },
    { truncated: true, output_starts_with: "FIRST", output_contains: ["LAST"] },
  ],
  ["a split character", { command: "printf '\\xc3'; sleep 0.05; printf '\\xa9\\n'" }, { stdout: "é\n" }],
  ["invalid UTF-8", { command: "printf 'na\\357ve\\n'" }, { output_starts_with: "na" }],
  [
    "a new shell each time",
    { commands: ["cd sub", "pwd"] },
    { stdout_realpath: "<workspace>" },
    { files: { "sub/x": "" } },
  ],
  [
    "a folder with special characters",
    { command: "pwd" },
    { stdout_realpath: "<workspace>" },
    { workspace_name: `a $b "c" 'd' é` },
  ],
  [
    "concurrently",
    { parallel: [{ command: "sleep 0.1; echo 1" }, { command: "echo 2" }] },
    { stdouts: ["1\n", "2\n"] },
  ],
  [
    "Stop",
    { command: "(sleep 0.4; touch late) & sleep 5164", abort_after_ms: 100 },
    { error: "aborted", no_file_created: "late", processes_gone: ["sleep 5164"] },
  ],
];

/** Returns the collected cases for options that `bash` has. Permissions have their own tests. */
function bashCases(): Case[] {
  const all = collectedCases<Case & { tool: string }>("tool");
  const cases = all.filter(({ tool, group }) => tool === "bash" && group !== "permission");
  return cases.filter(
    ({ input }) => input.workdir === undefined && !input.parallel?.some(({ env }) => env !== undefined),
  );
}

describe("T10 commands", () => {
  before(function () {
    if (process.platform === "win32") this.skip();
  });

  for (const [title, input, expect, setup = {}] of table) {
    it(title, async () => await check({ id: "", title, group: "", setup, input, expect }));
  }

  describe("collected cases", () => {
    for (const one of bashCases()) {
      it(`${one.id} ${one.title}`, async () => await check(one));
    }
  });
});

async function check({ setup, input, expect }: Case): Promise<void> {
  const { git, files = {}, workspace_name: name } = setup;
  const work = new TestWorkspace(name === undefined ? {} : { name });
  try {
    if (git) execFileSync("git", ["init", "-q"], { cwd: work.folder });
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(work.path(file)), { recursive: true });
      work.put(file, text);
    }
    const elapsed = stopwatch();
    const results = await runAll(work, input);
    const took = elapsed();
    assertAs(expect, results, work);
    assert.ok(took < Math.min(expect.max_ms ?? 10_000, expect.returns_within_ms ?? 10_000), `${took} ms`);
  } finally {
    work.dispose();
  }
}

async function runAll(work: TestWorkspace, input: Input): Promise<ToolResult[]> {
  const stop = new AbortController();
  // A tenth of the time is enough.
  const run = async (command: string) => {
    const timeout =
      input.timeout_ms === undefined ? {} : { timeout: input.timeout_ms / (input.timeout_ms > 500 ? 4 : 1) };
    return await work.run("bash", { command: command.replace(/\bsleep 1;/, "sleep 0.1;"), ...timeout }, stop.signal);
  };
  if (input.abort_after_ms !== undefined) setTimeout(() => stop.abort(), input.abort_after_ms / 4);
  if (input.parallel) return await Promise.all(input.parallel.map(({ command }) => run(command)));
  const results: ToolResult[] = [];
  for (const command of input.commands ?? [input.command ?? ""]) results.push(await run(command));
  return results;
}

function assertAs(expect: Expected, results: readonly ToolResult[], work: TestWorkspace): void {
  const result = results.at(-1);
  assert.ok(result);
  const { output, metadata } = result;
  const outputs = results.map((one) => `${one.output}\n`);
  if (expect.stdout !== undefined) assert.equal(outputs.at(-1), expect.stdout);
  if (expect.stdouts) assert.deepEqual(outputs, expect.stdouts);
  if (expect.stdout_realpath) assert.equal(output, expect.stdout_realpath.replace("<workspace>", work.folder));
  for (const text of expect.output_contains ?? []) assert.ok(output.includes(text), output);
  if (expect.output_starts_with) assert.ok(output.startsWith(expect.output_starts_with));
  if (expect.exit_code_any) assert.ok(expect.exit_code_any.includes(metadata.exitCode ?? null));
  if (expect.exit_code_not !== undefined) assert.notEqual(metadata.exitCode, expect.exit_code_not);
  if (expect.error === "timeout") assert.match(output, /stopped after .* its time limit/);
  if (expect.error === "aborted") assert.match(output, /stopped by the user/);
  if (expect.truncated) assert.ok(metadata.outputFile !== undefined && existsSync(metadata.outputFile));
  assert.ok(output.length <= (expect.max_output_chars ?? 31_000) && output.isWellFormed());
  for (const line of expect.processes_gone ?? []) assert.deepEqual(living(line), []);
  if (expect.no_file_created === undefined) return;
  // A process that could write later has ended by now.
  assert.deepEqual(living(`touch ${expect.no_file_created}`), []);
  assert.equal(existsSync(work.path(expect.no_file_created)), false);
}
