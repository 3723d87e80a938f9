/** Runs test/extension in the desktop's VS Code, which is downloaded. `VSCODE_VERSION` picks it, `stable` otherwise. */
import { rm } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runTests } from "@vscode/test-electron";
import { bundleTests } from "./extension/runner/run.mjs";
import { freshFolder } from "./vscode.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const folder = await freshFolder("desktop", path.join(root, "sample"));
try {
  // Adds --disable-workspace-trust by itself.
  process.exitCode = await runTests({
    version: process.env["VSCODE_VERSION"] ?? "stable",
    // With the one that brings models and tools, as other extensions do.
    extensionDevelopmentPath: [root, path.join(root, "test/extension/lm-extension")],
    extensionTestsPath: await bundleTests(),
    launchArgs: [folder, "--disable-extensions"],
  });
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
