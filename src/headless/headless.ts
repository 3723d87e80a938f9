/** One prompt on one folder, in plain Node: for scripts, tests and benchmarks. */
import module from "node:module";
import { stateFolder } from "../query/state-folder.ts";

// Before anything large is loaded, where Node can (from 22 on): a second run starts from the compiled code of the first.
if (!process.argv.includes("--no-persist")) module.enableCompileCache?.(`${stateFolder()}/compile-cache`);
const { main } = await import("./command-line.ts");
process.exitCode = await main(process.argv.slice(2));
