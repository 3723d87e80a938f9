/**
 * Runs test/extension in a downloaded desktop VS Code. `VSCODE_VERSION` is a version, `stable` (the default),
 * `insiders`, or `minimum` for the oldest that package.json supports.
 */
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runTests } from "@vscode/test-electron";
import { bundleTests } from "./extension/runner/run.mjs";
import { freshFolder } from "./vscode.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const { engines } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
const wanted = process.env["VSCODE_VERSION"] ?? "stable";
const version = wanted === "minimum" ? engines.vscode.replace("^", "") : wanted;
const folder = await freshFolder("desktop", path.join(root, "sample"));
try {
  // It adds --disable-workspace-trust.
  process.exitCode = await runTests({
    version,
    // They provide a language model, tools, a debugger and a test, as other extensions do.
    extensionDevelopmentPath: [
      root,
      path.join(root, "test/extension/lm-extension"),
      path.join(root, "test/extension/workbench-extension"),
    ],
    extensionTestsPath: await bundleTests(),
    launchArgs: [folder, "--disable-extensions"],
  });
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
