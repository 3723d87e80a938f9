import * as z from "zod/mini";
import { commandRequirements } from "../command/command-requirements.ts";
import { requireTrust } from "../file-access/file-checks.ts";
import { defaultTimeoutMs, maxTimeoutMs, runCommand, startCommand } from "../run-command/command-result.ts";
import { defineTool, ToolError } from "../tool.ts";

export const bash = defineTool({
  name: "bash",
  sideEffect: "mutating",
  timeoutMs: "own",
  description: `Runs a shell command in the workspace folder, each time in a new shell: cd and variables do not last. Returns stdout, stderr and the exit code; stdin is empty. What it leaves running is terminated: start servers with run_in_background. To read, search or change files use the other tools.`,
  input: z.object({
    command: z.string().check(z.trim(), z.minLength(1)),
    timeout: z.optional(z.number()).check(z.describe(`ms, default ${defaultTimeoutMs}, at most ${maxTimeoutMs}`)),
    description: z.optional(z.string()).check(z.describe("What it does, in 5 words")),
    run_in_background: z.optional(z.boolean()).check(z.describe("Returns at once; see bash_output")),
  }),
  async prepare({ command, timeout = 0, run_in_background: isBackground = false }, { host, callID, signal }) {
    signal.throwIfAborted();
    requireTrust(host.workspace);
    const cwd = host.workspace.folders[0];
    if (cwd === undefined) throw new ToolError("No folder is open, so there is nowhere to run a command.");
    const limit = timeout > 0 ? Math.min(timeout, maxTimeoutMs) : defaultTimeoutMs;
    const { background } = host;
    return {
      title: `Run ${firstLine(command)}`,
      preview: { type: "command", command, cwd, parts: [] },
      requires: await commandRequirements(command, { host, signal }),
      writes: "unknown",
      run: async (progress) =>
        isBackground
          ? startCommand(background, { command, cwd }, callID)
          : await runCommand(background, { command, cwd, timeoutMs: limit, signal, progress }, callID),
    };
  },
});

function firstLine(command: string): string {
  const [line = ""] = command.split("\n", 1);
  return line.length < command.length || line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
