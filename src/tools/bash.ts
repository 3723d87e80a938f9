import { stripVTControlCharacters } from "node:util";
import * as z from "zod/mini";
import type { CallMetadata } from "../loop/message.ts";
import { never } from "../loop/never.ts";
import { requireTrust } from "./files.ts";
import type { CommandEnd, Host, OverflowFile } from "./host.ts";
import { namedOutside } from "./scope.ts";
import { alwaysPattern, isHarmlessDevice, pathWords, type Taken, takeApart } from "./shell.ts";
import { testSummary } from "./test-summary.ts";
import { defineTool, type Need, type Progress, type ToolContext, ToolError, type ToolResult } from "./tool.ts";
import { Shortener, wholeIn } from "./truncate.ts";

/** ms */
const defaultTimeout = 120_000;
const longestTimeout = 600_000;
const progressInterval = 100;
const progressLines = 20;
/** Characters of a line without an end that are held back before they are passed on. */
const longestHeld = 10_000;

export const bash = defineTool({
  name: "bash",
  sideEffect: "mutating",
  timeout: "own",
  description: `Runs a shell command in the workspace folder, each time in a new shell: cd and variables do not last. Answers with its output (stdout and stderr) and exit code. Standard input is empty. What it leaves running is ended. To read, search or change files use the other tools.`,
  input: z.object({
    command: z.string().check(z.trim(), z.minLength(1)),
    timeout: z.optional(z.number()).check(z.describe(`ms, default ${defaultTimeout}, at most ${longestTimeout}`)),
    description: z.optional(z.string()).check(z.describe("What it does, in a few words")),
  }),
  async prepare({ command, timeout = 0 }, { host, callID, signal }) {
    signal.throwIfAborted();
    requireTrust(host.workspace);
    const cwd = host.workspace.folders[0];
    if (cwd === undefined) throw new ToolError("No folder is open, so there is nowhere to run a command.");
    const taken = takeApart(command);
    const limit = timeout > 0 ? Math.min(timeout, longestTimeout) : defaultTimeout;
    return {
      title: `Run ${firstLine(command)}`,
      preview: { type: "command", command, cwd, parts: partsOf(command, taken) },
      needs: [...commandNeeds(command, taken), ...(await outsideNeeds(command, taken, host))],
      run: (progress) => run(command, cwd, limit, progress, { host, callID, signal }),
    };
  },
});

function firstLine(command: string): string {
  const [line = ""] = command.split("\n", 1);
  return line.length < command.length || line.length > 80 ? `${line.slice(0, 80)}…` : line;
}

function partsOf(command: string, taken: Taken) {
  const parts =
    taken.type === "simple" ? taken.parts.map(({ text }) => ({ text, why: "" })) : [{ text: command, why: taken.why }];
  // What is decided for each is filled in by the one who asks.
  return parts.map((part) => ({ ...part, decision: "ask" as const }));
}

function commandNeeds(command: string, taken: Taken): Need[] {
  if (taken.type === "opaque") return [{ permission: "bash", pattern: command, match: "exact" }];
  const needs = new Map<string, Need>();
  for (const { words } of taken.parts) {
    const pattern = words.join(" ");
    needs.set(pattern, { permission: "bash", pattern, always: alwaysPattern(words), match: "pattern" });
  }
  return [...needs.values()];
}

async function outsideNeeds(command: string, taken: Taken, { workspace }: Host): Promise<Need[]> {
  const needs = new Map<string, Need>();
  for (const word of new Set(pathWords(command, taken))) {
    if (isHarmlessDevice(word)) continue;
    const location = await workspace.locate(word);
    if (!location.inside) needs.set(location.path, namedOutside(location));
  }
  return [...needs.values()];
}

type Run = Pick<ToolContext, "host" | "callID" | "signal">;

async function run(command: string, cwd: string, timeout: number, progress: Progress, { host, callID, signal }: Run) {
  let file: OverflowFile | undefined;
  const shortener = new Shortener((text) => {
    file ??= host.overflow.open(callID);
    file.append(text);
  });
  const feed = new OutputFeed(shortener, progress);
  const onOutput = (text: string) => feed.push(text);
  let end: CommandEnd;
  let isKept = false;
  try {
    end = await host.terminal.run({ command, cwd, timeout, signal, onOutput });
  } finally {
    feed.end();
    isKept = file?.close() ?? false;
  }
  const where = file && isKept ? wholeIn(file.path) : "The whole could not be kept";
  return resultOf(end, shortener.shown(where).trimEnd(), timeout, file && isKept ? file.path : undefined);
}

/** Passes output on by lines, without ANSI sequences, and reports it a few times a second. */
class OutputFeed {
  #held = "";
  #timer: NodeJS.Timeout | undefined;
  #reportedAt = 0;
  readonly #shortener: Shortener;
  readonly #progress: Progress;

  constructor(shortener: Shortener, progress: Progress) {
    this.#shortener = shortener;
    this.#progress = progress;
  }

  push(text: string): void {
    this.#held += text;
    const end = this.#held.length > longestHeld ? this.#held.length : this.#held.lastIndexOf("\n") + 1;
    this.#pass(end);
    if (this.#timer) return;
    const wait = Math.max(0, this.#reportedAt + progressInterval - Date.now());
    this.#timer = setTimeout(() => this.#report(), wait);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#pass(this.#held.length);
  }

  #pass(end: number): void {
    this.#shortener.push(clean(this.#held.slice(0, end)));
    this.#held = this.#held.slice(end);
  }

  #report(): void {
    this.#timer = undefined;
    this.#reportedAt = Date.now();
    const open = clean(this.#held);
    const text = this.#shortener.last(progressLines) + open;
    this.#progress(text.trimEnd(), this.#shortener.lines + (open === "" ? 0 : 1));
  }
}

function clean(text: string): string {
  return stripVTControlCharacters(text).replaceAll("\r\n", "\n");
}

function resultOf(end: CommandEnd, output: string, timeout: number, outputFile: string | undefined): ToolResult {
  const fail = (sentence: string, metadata: CallMetadata): ToolResult => ({
    output: output === "" ? sentence : `${output}\n\n${sentence}`,
    metadata: { tone: "bad", outputFile, ...metadata },
    failed: true,
  });
  switch (end.type) {
    case "exit": {
      const summary = testSummary(output);
      if (end.code !== 0) {
        return fail(`Exit code ${end.code}`, {
          fact: summary?.tone === "bad" ? summary.fact : `exit code ${end.code}`,
          exitCode: end.code,
        });
      }
      return { output: output === "" ? "(no output)" : output, metadata: { ...summary, outputFile, exitCode: 0 } };
    }
    case "signal":
      return fail(`The command was ended by ${end.signal}.`, { fact: end.signal, exitCode: null });
    case "timeout": {
      const seconds = `${timeout / 1000} s`;
      return fail(
        `The command was stopped after ${seconds}, its time limit, with all it had started. Above is its output until then. Give a longer timeout (at most ${longestTimeout} ms) if it needs one.`,
        { fact: `stopped after ${seconds}`, exitCode: null },
      );
    }
    case "aborted":
      return fail("The command was stopped by the user.", { fact: "stopped", exitCode: null });
    case "failed":
      return fail(`The command could not be started: ${end.message}`, { fact: "not started", exitCode: null });
    default:
      return never(end);
  }
}
