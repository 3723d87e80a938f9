/** Runs a command for the model and describes its result. */
import { never } from "../../base/never.ts";
import type { CallMetadata } from "../../chat/message.ts";
import type { StopCause } from "../../chat/stopped.ts";
import { english, msg } from "../../l10n/l10n.ts";
import type { Background, CallCommand, CommandOutcome, CommandSandbox, CommandToRun } from "../host.ts";
import { sandboxHint } from "../sandbox/words.ts";
import type { ToolResult } from "../tool.ts";

export const defaultTimeoutMs = 120_000;
export const maxTimeoutMs = 600_000;

export function startCommand(background: Background, command: CommandToRun, callID: string) {
  const { id } = background.start(command, callID);
  return {
    output: `It runs in the background as ${id}. Read its output with bash_output, end it with bash_kill; you will be told when it ends.`,
    metadata: { fact: id, words: { at: 0, text: msg("It runs in the background.") } },
  };
}

/** `sandbox`: the mode of the sandbox in which it runs. */
export async function runCommand(
  background: Background,
  command: CallCommand,
  callID: string,
  sandbox?: CommandSandbox["mode"],
): Promise<ToolResult> {
  const { end, output, outputFile } = await background.run(command, callID);
  const result = resultOf(end, output.trimEnd(), command.timeoutMs, outputFile);
  const hint = sandbox !== undefined && result.failed ? sandboxHint(sandbox, output) : undefined;
  if (hint === undefined) return result;
  const { at, text } = result.metadata.words ?? { at: result.output.length, text: "" };
  const words = { at, text: `${text}\n\nIt ran in a sandbox, which may be why it failed.` };
  return { ...result, output: `${result.output}\n\n${hint}`, metadata: { ...result.metadata, words } };
}

function resultOf(
  end: CommandOutcome["end"],
  output: string,
  timeout: number,
  outputFile: string | undefined,
): ToolResult {
  const say = (sentence: string) => [output, sentence].filter((one) => one !== "").join("\n\n");
  /** `people`: the sentence for people, where it is not the one for the model. */
  const fail = (sentence: string, metadata: CallMetadata, people = sentence): ToolResult => ({
    output: say(sentence),
    metadata: {
      tone: "bad",
      outputFile,
      ...metadata,
      ...(people !== sentence && { words: { at: say(sentence).length - sentence.length, text: people } }),
    },
    failed: true,
  });
  const failedStop = (by: StopCause) => {
    const { sentence, fact, words } = describeStop(by);
    return fail(sentence, { fact, exitCode: null }, words);
  };
  switch (end.type) {
    case "exit": {
      const summary = testSummary(output);
      const left = describeLeftovers(end.left);
      if (end.code !== 0) {
        const fact = summary?.tone === "bad" ? summary.fact : `exit code ${end.code}`;
        const more = (text: string) => `Exit code ${end.code}${text === "" ? "" : `\n${text}`}`;
        return fail(more(left), { fact, exitCode: end.code }, more(forPeople(left)));
      }
      const words = left === "" ? {} : { words: { at: say(left).length - left.length, text: forPeople(left) } };
      return { output: say(left) || "(no output)", metadata: { ...summary, outputFile, exitCode: 0, ...words } };
    }
    case "signal":
      return fail(`The command was ended by ${end.signal}.`, { fact: end.signal, exitCode: null });
    case "timeout": {
      const seconds = `${timeout / 1000} s`;
      return fail(
        `The command was stopped after ${seconds}, its time limit, with all it had started. Above is its output until then. Give a longer timeout (at most ${maxTimeoutMs} ms) if it needs one, or run_in_background.`,
        { fact: msg("stopped after {0}", seconds), exitCode: null },
        `The command was stopped after ${seconds}, its time limit, with all it had started.`,
      );
    }
    case "waiting":
      return fail(
        `The command was terminated: it waited for input${end.prompt.trim() === "" ? "" : `, after "${end.prompt.trim().slice(-200)}"`}. Nobody can type it. Run it non-interactively: with an option like --yes or -y, with CI=1, or with the answers piped in (printf 'y\\n' | …).`,
        { fact: msg("waited for input"), exitCode: null },
        "The command was ended: it waited for input that nobody can type here.",
      );
    case "detached":
      return {
        output: say(`It goes on in the background as ${end.id}; read its output with bash_output.`),
        metadata: { fact: end.id, outputFile, words: { at: output.length, text: "\n\nIt goes on in the background." } },
      };
    case "aborted":
      return failedStop(end.by);
    case "failed":
      return fail(`The command could not be started: ${end.message}`, { fact: msg("not started"), exitCode: null });
    default:
      return never(end);
  }
}

const mostNamed = 3;

function describeLeftovers(left: readonly string[]): string {
  if (left.length === 0) return "";
  const named = left.slice(0, mostNamed).map((line) => (line.length > 80 ? `${line.slice(0, 80)}…` : line));
  const more = left.length > mostNamed ? ` and ${left.length - mostNamed} more` : "";
  return `Processes that it left running were terminated: ${named.join(", ")}${more}. ${continueAdvice}`;
}

const continueAdvice = "Use run_in_background for processes that must continue.";

function forPeople(left: string): string {
  return left.replace(continueAdvice, "").trim();
}

/** Describes that a command was stopped, and by whom. */
function describeStop(by: StopCause): { sentence: string; fact: string; words: string } {
  const effects = "It may have taken effect in part; look before running it again.";
  const inPart = "It may have taken effect in part.";
  switch (by) {
    case "user":
      return {
        sentence: english("The command was stopped by the user."),
        fact: msg("stopped"),
        words: msg("You stopped the command."),
      };
    case "closed":
      return {
        sentence: english(
          `The command was ended because the window was closed or reloaded, not by the user's wish. ${effects}`,
        ),
        fact: msg("ended with the window"),
        words: msg("The command ended with its window. {0}", inPart),
      };
    case "elsewhere":
      return {
        sentence: english(
          `The command was ended because another window took the session over, not by the user's wish. ${effects}`,
        ),
        fact: msg("taken over"),
        words: msg("The command was ended because another window took the session over. {0}", inPart),
      };
    default:
      return never(by);
  }
}

// Extracts the result of a test run from its output. Pure.

interface TestCount {
  passed: number;
  failed: number;
}

const readers: ((text: string) => TestCount | undefined)[] = [
  // Jest, Vitest: "Tests: 1 failed, 13 passed, 14 total", "Tests  1 failed | 13 passed (14)"
  (text) => inLine(text, /^[ \t]*Tests:?[ \t].*\b(passed|failed)\b.*$/gm),
  // pytest: "=== 1 failed, 13 passed in 0.12s ==="
  (text) => inLine(text, /^=*[ \t]*\d+ (passed|failed)\b.* in [\d.]+s/gm),
  // cargo: "test result: FAILED. 13 passed; 1 failed; 0 ignored"
  (text) => sum(text, /^test result: .*$/gm),
  // node:test: "# pass 13" and "# fail 1", with another sign before them in a terminal
  (text) => pair(text, /^[ \t]*[#\u2139] pass (\d+)$/gm, /^[ \t]*[#\u2139] fail (\d+)$/gm),
  // mocha: "13 passing (20ms)" and "1 failing"
  (text) => pair(text, /^[ \t]*(\d+) passing\b/gm, /^[ \t]*(\d+) failing\b/gm),
  // Playwright and others: "14 passed (3.2s)", "13 passed, 1 failed"
  (text) => inLine(text, /^[ \t]*\d+ passed\b.*$/gm),
];

export function testSummary(output: string): Pick<CallMetadata, "fact" | "tone"> | undefined {
  const text = output.slice(-4_000);
  for (const read of readers) {
    const count = read(text);
    if (!count || count.passed + count.failed === 0) continue;
    if (count.failed === 0) return { fact: msg("{0} passed", count.passed), tone: "good" };
    return { fact: msg("{0} of {1} failed", count.failed, count.passed + count.failed), tone: "bad" };
  }
  return undefined;
}

function inLine(text: string, pattern: RegExp): TestCount | undefined {
  const line = text.match(pattern)?.at(-1);
  if (line === undefined) return undefined;
  return {
    passed: Number(/(?<!\d)(\d+) passed/.exec(line)?.[1] ?? 0),
    failed: Number(/(?<!\d)(\d+) failed/.exec(line)?.[1] ?? 0),
  };
}

function sum(text: string, pattern: RegExp): TestCount | undefined {
  const counts = (text.match(pattern) ?? []).map((line) => inLine(line, /.+/g));
  if (counts.length === 0) return undefined;
  return counts.reduce<TestCount>(
    (all, one) => ({ passed: all.passed + (one?.passed ?? 0), failed: all.failed + (one?.failed ?? 0) }),
    { passed: 0, failed: 0 },
  );
}

function pair(text: string, passing: RegExp, failing: RegExp): TestCount | undefined {
  const passed = [...text.matchAll(passing)].at(-1)?.[1];
  const failed = [...text.matchAll(failing)].at(-1)?.[1];
  if (passed === undefined && failed === undefined) return undefined;
  return { passed: Number(passed ?? 0), failed: Number(failed ?? 0) };
}
