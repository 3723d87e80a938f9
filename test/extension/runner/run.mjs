/**
 * Bundles test/extension, or the files of it that are named, and runs it in a real VS Code. `RONDO_GREP` picks tests by
 * title, `RONDO_VERBOSE` shows the whole log.
 */
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { freshFolder, openBrowser, startVSCode, workbenchURL } from "../../vscode.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
/** Longest that the whole of the run may take, in ms. */
const LIMIT = 14 * 60_000;
const verbose = process.env["RONDO_VERBOSE"] !== undefined;

/**
 * Returns the path of the bundle, whose `run` the extension host calls.
 * @param {string[]} files names or paths of test files; empty: all
 */
export async function bundleTests(files = []) {
  const names = (files.length > 0 ? files : await readdir(path.join(root, "test/extension")))
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => path.basename(file, ".test.ts"))
    .sort();
  await build({
    absWorkingDir: root,
    entryPoints: {
      "extension-tests": "test/extension/runner/index.ts",
      // Worker threads, loaded from the bundle's folder.
      "checkpoints-worker": "src/checkpoints/thread/worker.ts",
      "stat-worker": "src/checkpoints/scan/stat-worker.ts",
      "markdown-worker": "src/tools/web/markdown-worker.ts",
    },
    outdir: "out",
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    target: "node22",
    format: "cjs",
    sourcemap: "inline",
    logLevel: "warning",
    external: ["vscode", "mocha", "@vscode/ripgrep"],
    define: {
      TEST_FILES: JSON.stringify(names),
      "import.meta.filename": "__filename",
      "import.meta.dirname": "__dirname",
      "import.meta.url": "importMetaURL",
    },
    banner: { js: 'const importMetaURL=require("node:url").pathToFileURL(__filename).href;' },
  });
  return path.join(root, "out", "extension-tests.cjs");
}

/** @returns {Promise<number>} the exit code: 0 when every test passed */
async function runInHost() {
  const tests = await bundleTests(process.argv.slice(2));
  const folder = await freshFolder("host", path.join(root, "sample"));
  const dataDir = await freshFolder("host-data");
  // Provides models and tools, as other extensions do.
  const extensions = [path.join(root, "test/extension/lm-extension")];
  const server = await startVSCode({ dataDir, driver: true, extensions, tell: console.log });
  try {
    return await inBrowser(workbenchURL(server, folder, { extension: root, tests }));
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** VS Code's automation: the page calls two functions, with log lines and with the end of the extension host. */
async function inBrowser(/** @type {string} */ url) {
  /** @type {(code: number) => void} */
  let ended = () => {};
  /** @type {Promise<number>} */
  const end = new Promise((resolve) => {
    ended = resolve;
  });
  const { browser } = await openBrowser({
    url,
    prepare: async (page) => {
      await page.exposeFunction("codeAutomationLog", (/** @type {string} */ _type, /** @type {unknown[]} */ args) => {
        const [first] = args;
        if (verbose || (typeof first === "string" && first.startsWith("│"))) console.log(...args);
      });
      await page.exposeFunction("codeAutomationExit", ended);
      page.on("crash", () => ended(1));
    },
  });
  const timer = setTimeout(() => {
    console.error(`The extension host's tests did not end within ${LIMIT / 60_000} minutes.`);
    ended(1);
  }, LIMIT);
  const code = await end;
  clearTimeout(timer);
  await browser.close();
  return code;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(path.join(root, "dist/extension.cjs"))) throw new Error("Build first: npm run build");
  process.exitCode = await runInHost();
}
