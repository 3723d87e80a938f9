/** The start of the command line: what must come before everything else is loaded, or needs nothing else. */

import module from "node:module";
import { localized } from "../l10n/l10n.ts";
import { stateFolder } from "../query/state-folder.ts";
import { flagsOf, usage } from "./flags.ts";
import { useEnvironmentLanguage } from "./language.ts";
import { takeKeys } from "./take-keys.ts";

/** @returns the exit code */
export async function start(argv: readonly string[]): Promise<number> {
  // First, as nothing has been started yet that could read them.
  const { env, problem } = await takeKeys();
  useEnvironmentLanguage(env);
  if (problem !== undefined) process.stderr.write(`rondo: ${localized(problem)}\n`);
  const asked = wanted(argv);
  if (asked.help) {
    process.stdout.write(localized(usage));
    return 0;
  }
  // A second run reuses the compiled code of the first.
  if (!asked["no-persist"]) module.enableCompileCache?.(`${stateFolder()}/compile-cache`);
  const { main } = await import("./command-line.ts");
  return await main(argv, env);
}

/** Invalid flags are reported by what reads the values, too. */
function wanted(argv: readonly string[]): Partial<ReturnType<typeof flagsOf>["values"]> {
  try {
    return flagsOf(argv).values;
  } catch {
    return {};
  }
}
