/** Runs one prompt on one folder in plain Node: for scripts, tests and benchmarks. */
import module from "node:module";
import { localized } from "../l10n/l10n.ts";
import { stateFolder } from "../runtime/state-folder.ts";
import { useEnvironmentLanguage } from "./language.ts";
import { takeKeys } from "./take-keys.ts";

// First, as nothing has been started yet that could read them.
const { env, problem } = takeKeys();

// Enabled before anything large is loaded (Node 22 or newer): a second run reuses the compiled code of the first.
if (!process.argv.includes("--no-persist")) module.enableCompileCache?.(`${stateFolder()}/compile-cache`);
useEnvironmentLanguage(env);
if (problem !== undefined) process.stderr.write(`rondo: ${localized(problem)}\n`);
const { main } = await import("./command-line.ts");
process.exitCode = await main(process.argv.slice(2), env);
