/** The start of the command line: what must come before everything else is loaded, or needs nothing else. */

import path from "node:path";
import { localized } from "../l10n/l10n.ts";
import { nativeApis } from "../providers/native-apis.ts";
import { stateFolder } from "../runtime/state-folder.ts";
import { flagsOf, usage } from "./flags.ts";
import { useEnvironmentLanguage } from "./language.ts";
import { takeKeys } from "./take-keys.ts";

/** Bundles that a run needs, or may need, before its first request. */
const large = ["headless-main", "anthropic", "openai", ...nativeApis, "yaml"].map((name) => `${name}.cjs`);

/** @returns the exit code */
export async function start(argv: readonly string[]): Promise<number> {
  // First, as nothing has been started yet that could read them.
  const { env, problem } = await takeKeys();
  useEnvironmentLanguage(env);
  if (problem !== undefined) process.stderr.write(`rondo: ${localized(problem)}\n`);
  const asked = wanted(argv);
  if (asked.help) {
    process.stdout.write(usage());
    return 0;
  }
  // From source there is no bundle.
  if (asked["no-persist"] || import.meta.filename.endsWith(".ts")) {
    const { main } = await import("./command-line.ts");
    return await main(argv, env, () => {});
  }
  const { CompiledBundles } = await import("./compiled.ts");
  const bundles = new CompiledBundles(import.meta.dirname, path.join(stateFolder(), "compiled"), large);
  // The bundle of that file.
  const { main } = bundles.load("headless-main.cjs") as typeof import("./command-line.ts");
  // Not at the end: until then, V8 throws away what ran only once.
  return await main(argv, env, () => bundles.save());
}

/** Invalid flags are reported by what reads the values, too. */
function wanted(argv: readonly string[]): Partial<ReturnType<typeof flagsOf>["values"]> {
  try {
    return flagsOf(argv).values;
  } catch {
    return {};
  }
}
