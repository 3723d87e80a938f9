/** Runs a bundled module in the extension host of a real VS Code. */
import { copyFile, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { freshFolder, openBrowser, startVSCode, workbenchURL } from "../../vscode.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/**
 * Returns the path of a bundle in out/, whose `run` the extension host calls.
 * @param {string} name
 * @param {string} entry module that exports `run`, relative to the repository
 * @param {Record<string, string>} define constants that the bundler inserts
 */
export async function bundleForHost(name, entry, define = {}) {
  await build({
    absWorkingDir: root,
    entryPoints: {
      [name]: entry,
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
      ...define,
      "import.meta.filename": "__filename",
      "import.meta.dirname": "__dirname",
      "import.meta.url": "importMetaURL",
    },
    banner: { js: 'const importMetaURL=require("node:url").pathToFileURL(__filename).href;' },
  });
  await copyFile(path.join(root, "src/providers/catalog/models.json"), path.join(root, "out/models.json"));
  return path.join(root, "out", `${name}.cjs`);
}

/**
 * Opens a window on a copy of the sample and calls the bundle's `run` in it.
 * @param {{ bundle: string, limitMs: number, extensions?: string[], print(...line: unknown[]): void }} options
 *   `print` is called with what the extension host logs
 * @returns {Promise<number>} the exit code: 0 unless `run` has thrown
 */
export async function runInHost({ bundle, limitMs, extensions = [], print }) {
  const folder = await freshFolder("host", path.join(root, "sample"));
  const dataDir = await freshFolder("host-data");
  const server = await startVSCode({ dataDir, driver: true, extensions, tell: console.log });
  try {
    return await inBrowser(workbenchURL(server, folder, { extension: root, tests: bundle }), limitMs, print);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
    await rm(dataDir, { recursive: true, force: true });
  }
}

/**
 * VS Code's automation: the page calls two functions, with log lines and with the end of the extension host.
 * @param {string} url
 * @param {number} limitMs
 * @param {(...line: unknown[]) => void} print
 */
async function inBrowser(url, limitMs, print) {
  /** @type {(code: number) => void} */
  let ended = () => {};
  /** @type {Promise<number>} */
  const end = new Promise((resolve) => {
    ended = resolve;
  });
  const { close } = await openBrowser({
    url,
    prepare: async (page) => {
      await page.exposeFunction("codeAutomationLog", (/** @type {string} */ _type, /** @type {unknown[]} */ args) =>
        print(...args),
      );
      await page.exposeFunction("codeAutomationExit", ended);
      page.on("crash", () => ended(1));
    },
  });
  const timer = setTimeout(() => {
    console.error(`The extension host did not end within ${limitMs / 60_000} minutes.`);
    ended(1);
  }, limitMs);
  const code = await end;
  clearTimeout(timer);
  await close();
  return code;
}
