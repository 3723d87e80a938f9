/** Checks staged files with Biome and, concurrently, the types of the project, incrementally. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { root } from "./version.mjs";

const biome = ["@biomejs/biome/bin/biome", "check", "--staged", "--error-on-warnings", "--no-errors-on-unmatched"];
const tsc = ["typescript/bin/tsc", "-p", ".", "--incremental", "--tsBuildInfoFile", "node_modules/.cache/tsc.json"];

const codes = await Promise.all([biome, tsc].map(run));
if (codes.some((code) => code !== 0)) {
  console.error("\n`npm run format` fixes format and much of the lint; `git commit --no-verify` skips these checks.");
  process.exitCode = 1;
}

/** Returns the exit code of a program in node_modules. @param {string[]} command */
async function run([file, ...args]) {
  const [code] = await once(
    spawn(process.execPath, [`node_modules/${file}`, ...args], { cwd: root, stdio: "inherit" }),
    "exit",
  );
  return code;
}
