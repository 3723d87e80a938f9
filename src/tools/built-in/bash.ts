import * as z from "zod/mini";
import { msg } from "../../l10n/l10n.ts";
import { requireTrust } from "../file-access/file-checks.ts";
import { defaultTimeoutMs, maxTimeoutMs, runCommand, startCommand } from "../run-command/command-result.ts";
import { outsideRequirements, sandboxDescription, withoutSandbox } from "../sandbox/words.ts";
import { defineTool, type ToolContext, ToolError, type ToolPlan } from "../tool.ts";

const description = `Runs a shell command in the workspace folder, each time in a new shell: cd and variables do not last. Returns stdout, stderr and the exit code; stdin is empty. What it leaves running is terminated: start servers with run_in_background. To read, search or change files use the other tools.`;

const input = {
  command: z.string().check(z.trim(), z.minLength(1)),
  timeout: z.optional(z.number()).check(z.describe(`ms, default ${defaultTimeoutMs}, at most ${maxTimeoutMs}`)),
  description: z.optional(z.string()).check(z.describe("What it does, in 5 words")),
  run_in_background: z.optional(z.boolean()).check(z.describe("Returns at once; see bash_output")),
};

const sandboxedBash = defineTool({
  name: "bash",
  sideEffect: "mutating",
  timeoutMs: "own",
  description: `${description} ${sandboxDescription}`,
  input: z.object({
    ...input,
    outside_sandbox: z
      .optional(z.string())
      .check(z.describe("Why it must run outside of the sandbox, after it failed in it; asks the user")),
  }),
  prepare,
});

export const bash = defineTool({
  name: "bash",
  sideEffect: "mutating",
  timeoutMs: "own",
  description,
  input: z.object({ ...input, outside_sandbox: z.optional(z.string().check(z.meta({ deprecated: true }))) }),
  inSandbox: sandboxedBash,
  prepare,
});

interface BashInput {
  command: string;
  timeout?: number | undefined;
  run_in_background?: boolean | undefined;
  outside_sandbox?: string | undefined;
}

async function prepare(
  { command, timeout = 0, run_in_background: isBackground = false, outside_sandbox: reason = "" }: BashInput,
  { host, callID, signal }: ToolContext,
): Promise<ToolPlan> {
  signal.throwIfAborted();
  requireTrust(host.workspace);
  const cwd = host.workspace.folders[0];
  if (cwd === undefined) throw new ToolError(msg("No folder is open, so there is nowhere to run a command."));
  const limit = timeout > 0 ? Math.min(timeout, maxTimeoutMs) : defaultTimeoutMs;
  const { background } = host;
  const { sandbox } = host.terminal;
  const outsideSandbox = sandbox !== undefined && reason.trim() !== "";
  const inSandbox = outsideSandbox ? undefined : sandbox;
  const problem = await inSandbox?.problem();
  if (inSandbox && problem !== undefined)
    throw new ToolError(withoutSandbox(inSandbox.mode, problem), msg("The sandbox does not work here: {0}", problem));
  // What knows shells and programs is run with the first command: it takes as long as all other tools together.
  const { analyseCommand } = await import("../command/command-requirements.ts");
  const { requires, reading } = await analyseCommand(command, { host, signal });
  const toRun = { command, cwd, outsideSandbox };
  return {
    title: outsideSandbox
      ? msg("Run outside the sandbox: {0}", firstLine(command))
      : msg("Run {0}", firstLine(command)),
    preview: {
      type: "command",
      command,
      cwd,
      shell: host.terminal.shell,
      timeoutMs: isBackground ? undefined : limit,
      parts: [],
      connectors: [],
      allowed: [],
      ...(outsideSandbox && { outsideSandbox: reason }),
    },
    requires: outsideSandbox ? [...outsideRequirements(requires, command, reason), ...requires] : requires,
    writes: "unknown",
    effects: async (stopped) => {
      // Loaded with the first question.
      const { commandEffects } = await import("../command/effects/command-effects.ts");
      return await commandEffects({ command, cwd, reading }, { host, signal: stopped });
    },
    run: async (progress) =>
      isBackground
        ? startCommand(background, toRun, callID)
        : await runCommand(background, { ...toRun, timeoutMs: limit, signal, progress }, callID, inSandbox?.mode),
  };
}

function firstLine(command: string): string {
  const [line = ""] = command.split("\n", 1);
  return line.length < command.length || line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
