/** Cases of the file tools in neutral form: a folder, an input and the expected outcome. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { judge, strictest } from "../../src/loop/permissions/rules.ts";
import { stopwatch } from "../timing.ts";
import { TestWorkspace } from "../tools/workspace.ts";

export interface ToolCase {
  title: string;
  tool: string;
  setup?: Setup;
  input: Record<string, unknown>;
  expect: Expectation;
}

interface Setup {
  files?: Record<string, string>;
  files_b64?: Record<string, string>;
  /** Files whose names are not UTF-8, in base64. */
  files_b64_name?: Record<string, string>;
  /** Texts with the number of times that each is repeated. */
  files_repeat?: Record<string, [string, number][]>;
  /** Files outside the workspace. */
  outside?: Record<string, string>;
  symlinks?: Record<string, string>;
  modes?: Record<string, string>;
  git?: boolean;
  generate?: { kind: string; count: number; name: string; text: string };
}

interface Expectation {
  /** Matches of grep: path and line. */
  matches?: [string, number][];
  paths_set?: string[];
  paths_include?: string[];
  count?: number;
  error?: string;
  is_error?: boolean;
  asks?: boolean;
  truncated?: boolean;
  total_lines?: number;
  max_output_chars?: number;
  max_ms?: number;
  output_not_contains?: string[];
  after?: Record<string, string>;
  mode?: Record<string, string>;
  asks_or_refuses?: boolean;
  asks_or_refuses_or_empty?: boolean;
  error_or_refuses?: boolean;
  found_or_clear_error?: boolean;
  matches_or_clear_error?: boolean;
}

/** Maximum number of generated files: more would take longer and show nothing else. */
const mostFiles = 1_500;

const errors: Record<string, RegExp> = {
  aborted: /abort/i,
  invalid_regex: /ripgrep could not search/,
  invalid_params: /expected|too small|invalid/i,
  is_directory: /is a folder/,
};

type Outcome = { output: string; fact: string; truncated: boolean } | { error: string };

export async function checkCase({ tool, setup = {}, input, expect }: ToolCase): Promise<void> {
  const work = new TestWorkspace();
  try {
    fill(work, setup);
    // The cases are of agents that have read what they replace (T12).
    if (tool === "write") await work.run("read", { file_path: String(input["path"]) }).catch(() => {});
    const elapsed = stopwatch();
    const asks = await asksFor(work, tool, input);
    const outcome = await outcomeOf(work, tool, input);
    if (expect.max_ms !== undefined) assert.ok(elapsed() < expect.max_ms, "too slow");
    check(expect, outcome, asks);
    checkFiles(work, expect);
  } finally {
    if (setup.modes) for (const name of Object.keys(setup.modes)) chmodSync(work.path(name), 0o755);
    work.dispose();
  }
}

function fill(work: TestWorkspace, setup: Setup): void {
  const outside = path.join(work.root, "outside");
  mkdirSync(outside);
  for (const [name, text] of Object.entries(setup.files ?? {})) work.put(name, text);
  for (const [name, bytes] of Object.entries(setup.files_b64 ?? {})) work.put(name, Buffer.from(bytes, "base64"));
  for (const [name, text] of Object.entries(setup.files_b64_name ?? {})) {
    writeFileSync(Buffer.concat([Buffer.from(`${work.folder}/`), Buffer.from(name, "base64")]), text);
  }
  for (const [name, parts] of Object.entries(setup.files_repeat ?? {})) {
    work.put(name, parts.map(([text, count]) => text.repeat(count)).join(""));
  }
  for (const [name, text] of Object.entries(setup.outside ?? {})) writeFileSync(path.join(outside, name), text);
  for (const [name, target] of Object.entries(setup.symlinks ?? {})) {
    symlinkSync(target.replace("<outside>", outside), work.path(name));
  }
  if (setup.generate) {
    const { count, name, text } = setup.generate;
    for (let index = 0; index < Math.min(count, mostFiles); index++) {
      writeFileSync(work.path(name.replace("%d", String(index))), text.replace("%d", String(index)));
    }
  }
  for (const [name, mode] of Object.entries(setup.modes ?? {})) chmodSync(work.path(name), Number.parseInt(mode, 8));
  if (setup.git) execFileSync("git", ["init", "-q"], { cwd: work.folder });
}

/** Translates the input to the parameters of our tools. */
function inputFor(work: TestWorkspace, tool: string, input: Record<string, unknown>): Record<string, unknown> {
  const { path: where, include, abort_before: _, abort_after_ms: __, ...rest } = input;
  const place = typeof where === "string" ? where.replace("<outside>", path.join(work.root, "outside")) : undefined;
  if (tool === "grep") return { ...rest, output_mode: "content", path: place, glob: include };
  if (tool === "glob") return { ...rest, path: place };
  return { ...rest, file_path: place };
}

async function asksFor(work: TestWorkspace, tool: string, input: Record<string, unknown>): Promise<boolean> {
  const book = { mode: "default", user: [], workspace: [] } as const;
  const needs = await work.needs(tool, inputFor(work, tool, input)).catch(() => []);
  return strictest(needs.map((need) => judge(need, tool, book))) === "ask";
}

async function outcomeOf(work: TestWorkspace, tool: string, input: Record<string, unknown>): Promise<Outcome> {
  const controller = new AbortController();
  if (input["abort_before"] === true) controller.abort();
  const after = input["abort_after_ms"];
  if (typeof after === "number") setTimeout(() => controller.abort(), after);
  try {
    const { output, metadata } = await work.run(tool, inputFor(work, tool, input), controller.signal);
    const truncated = metadata.outputFile !== undefined || /go on with offset|search was stopped/.test(output);
    return { output, fact: metadata.fact ?? "", truncated };
  } catch (error) {
    assert.ok(error instanceof Error);
    // Anything else is a bug.
    assert.match(error.name, /^(ToolError|AbortError|\$ZodError)$/, error.stack);
    return { error: `${error.name}: ${error.message}` };
  }
}

function check(expect: Expectation, outcome: Outcome, asks: boolean): void {
  const isError = "error" in outcome;
  if (expect.asks !== undefined) assert.equal(asks, expect.asks);
  if (expect.error !== undefined) {
    assert.ok(isError, "no error");
    assert.match(outcome.error, errors[expect.error] ?? /never/);
  }
  if (expect.is_error !== undefined) assert.equal(isError, expect.is_error);
  if (expect.error_or_refuses) assert.ok(isError || asks);
  if (expect.asks_or_refuses) assert.ok(isError || asks);
  if (expect.asks_or_refuses_or_empty) assert.ok(isError || asks || pathsOf(outcome).length === 0);
  if (isError) {
    const mayFail = [
      expect.found_or_clear_error,
      expect.matches_or_clear_error,
      expect.error_or_refuses,
      expect.asks_or_refuses,
    ];
    assert.ok(expect.error !== undefined || mayFail.includes(true) || expect.asks_or_refuses_or_empty, outcome.error);
    return;
  }
  checkOutput(expect, outcome);
}

function checkOutput(expect: Expectation, outcome: Exclude<Outcome, { error: string }>): void {
  const { output, fact, truncated } = outcome;
  if (expect.matches) assert.deepEqual(matchesOf(output), expect.matches);
  if (expect.paths_set) assert.deepEqual(pathsOf(outcome).sort(), [...expect.paths_set].sort());
  for (const one of expect.paths_include ?? []) assert.ok(pathsOf(outcome).includes(one), output);
  if (expect.count !== undefined) assert.equal(pathsOf(outcome).length, expect.count);
  if (expect.truncated !== undefined) assert.equal(truncated, expect.truncated);
  if (expect.max_output_chars !== undefined) assert.ok(output.length <= expect.max_output_chars);
  if (expect.total_lines !== undefined) assert.match(fact, new RegExp(`\\b${expect.total_lines}( lines?)?$`));
  for (const one of expect.output_not_contains ?? []) assert.ok(!output.includes(one), output);
}

/** Returns the paths in the rows of grep, `path:line:text`, and of glob. Rows in brackets are notes. */
function pathsOf(outcome: Outcome): string[] {
  if ("error" in outcome || /^No (matches|files match)/.test(outcome.output)) return [];
  const rows = outcome.output
    .replaceAll(/^\(.*\)$/gm, "")
    .trim()
    .split(/(?<=:\d+:[^\n]*)\n/);
  const names = rows.flatMap((row) => (/:\d+:/.test(row) ? [row.replace(/:\d+:.*$/, "")] : row.split("\n")));
  return [...new Set(names.filter((name) => name !== ""))];
}

function matchesOf(output: string): [string, number][] {
  return [...output.matchAll(/^(.*?):(\d+):/gm)].map(([, name = "", line]) => [name, Number(line)]);
}

function checkFiles(work: TestWorkspace, { after, mode }: Expectation): void {
  for (const [name, text] of Object.entries(after ?? {})) assert.equal(work.text(name), text);
  for (const [name, bits] of Object.entries(mode ?? {})) {
    assert.equal(statSync(work.path(name)).mode & 0o777, Number.parseInt(bits, 8));
  }
}
