/** Runs ripgrep as a child process. */

import { spawn } from "node:child_process";
import { withoutKeys } from "../../base/node/without-keys.ts";
import { msg } from "../../l10n/l10n.ts";
import type { RipgrepOptions, TextSearch } from "../host.ts";
import { ToolError } from "../tool.ts";

/** By default the npm package's ripgrep, else the one on the PATH. */
export function nodeSearch(rgPath: string | undefined): TextSearch {
  let program: Promise<string> | undefined;
  return {
    async ripgrep(args, options) {
      options.signal.throwIfAborted();
      program ??= rgPath === undefined ? fromPackage() : Promise.resolve(rgPath);
      return await run(await program, args, options);
    },
  };
}

async function fromPackage(): Promise<string> {
  try {
    const { packagedRipgrep } = await import("./packaged-ripgrep.ts");
    return await packagedRipgrep();
  } catch {
    return "rg";
  }
}

type RipgrepResult = Awaited<ReturnType<TextSearch["ripgrep"]>>;

/** Settles when the process has ended, also on abort. */
function run(
  program: string,
  args: readonly string[],
  { cwd, limit, signal, take }: RipgrepOptions,
): Promise<RipgrepResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ["--no-config", "--color=never", ...args], {
      cwd,
      env: withoutKeys(),
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    const found: RipgrepResult = { code: 0, stdout: "", stderr: "", cut: false };
    let characters = 0;
    let failure: unknown;
    const kill = () => child.kill("SIGKILL");
    const receive = (text: string) => {
      if (found.cut) return;
      characters += text.length;
      found.cut = characters > limit;
      if (take && !found.cut) take(text);
      if (!take) found.stdout += text;
      if (!found.cut) return;
      // Keep whole records only: lines, or paths that end with NUL.
      const line = found.stdout.lastIndexOf("\n", limit);
      found.stdout = found.stdout.slice(0, (line >= 0 ? line : found.stdout.lastIndexOf("\0", limit)) + 1);
      kill();
    };
    signal.addEventListener("abort", kill, { once: true });
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      try {
        receive(text);
      } catch (error) {
        failure = error;
        found.cut = true;
        kill();
      }
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      found.stderr = (found.stderr + text).slice(0, 2_000);
    });
    child.on("error", (error) => {
      signal.removeEventListener("abort", kill);
      reject(
        new ToolError(
          msg('The search program could not be started: {0}. ripgrep ("rg") must be installed.', error.message),
        ),
      );
    });
    child.on("close", (code) => {
      signal.removeEventListener("abort", kill);
      if (signal.aborted) reject(signal.reason);
      else if (failure !== undefined) reject(failure);
      else resolve({ ...found, code: found.cut ? 0 : (code ?? 2) });
    });
  });
}
