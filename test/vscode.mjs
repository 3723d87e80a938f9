/** Starts a real VS Code and a browser that shows it. Needs npm, and Chromium or Chrome. */
import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { bringVSCode } from "./vscode-install.mjs";

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const windows = process.platform === "win32";
const linux = process.platform === "linux";

/** Environment variable of the server and its descendants, by which those that outlive it are found. */
const MARKER = "RONDO_VSCODE_ID";

/** Disables what a new window does unasked, and shows the side bar that holds Rondo. */
const USER_SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "visible",
  "chat.disableAIFeatures": true,
  "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  "git.openRepositoryInParentFolders": "never",
  // After each save it copies the file. One that a test shortens at this moment is copied for ever (`uv__fs_copyfile`,
  // libuv 1.52): the server loses a thread each time, and with the last of its four it reads and writes no more files.
  "workbench.localHistory.enabled": false,
  "security.workspace.trust.startupPrompt": "never",
  "security.workspace.trust.banner": "never",
};

/** Returns the path of the project's own Node, whichever Node runs this. */
const node = () => {
  const file = path.join(path.dirname(require.resolve("node/package.json")), "bin", windows ? "node.exe" : "node");
  return existsSync(file) ? file : process.execPath;
};

/**
 * @typedef {object} StartOptions
 * @property {string} dataDir settings, installed extensions and logs; kept for a second start
 * @property {string[]} [extensions] VSIX files, and for a fresh `dataDir` folders, of extensions to install
 * @property {number} [port] taken if it is free. Default: any
 * @property {boolean} [driver] whether a page may name an extension and tests to run (`developmentURL`)
 * @property {boolean} [trust] false: the folder is not trusted, and VS Code does not ask either. Default true
 * @property {Record<string, string | undefined>} [env] added to the environment; undefined removes a variable
 * @property {Record<string, unknown>} [userSettings] added to the user's settings
 * @property {(line: string) => void} [tell]
 *
 * @typedef {object} Server
 * @property {string} url where VS Code answers
 * @property {number} port
 * @property {() => Promise<void>} stop ends the server and its descendants. Close the browser first
 */

/**
 * Starts VS Code's server on a port of 127.0.0.1.
 * @param {StartOptions} options
 * @returns {Promise<Server>}
 */
export async function startVSCode(options) {
  const main = path.join(await bringVSCode(options.tell), "out", "server-main.js");
  await writeSettings(path.join(options.dataDir, "data"), options.userSettings);
  const env = { ...process.env, ...options.env };
  const always = ["--accept-server-license-terms", "--server-data-dir", options.dataDir, "--disable-telemetry"];
  const folders = (options.extensions ?? []).filter((file) => !file.endsWith(".vsix"));
  const files = (options.extensions ?? []).filter((file) => file.endsWith(".vsix"));
  // Folders that are there before the first start count as installed.
  for (const folder of folders) {
    await cp(folder, path.join(options.dataDir, "extensions", path.basename(folder)), { recursive: true });
  }
  for (const vsix of files) {
    await run(node(), [main, ...always, "--install-extension", vsix, "--force"], { env, maxBuffer: 64 << 20 });
  }
  const port = options.port && (await isFree(options.port)) ? options.port : 0;
  const args = [main, ...always, "--host", "127.0.0.1", "--port", String(port), "--without-connection-token"];
  if (options.driver) args.push("--enable-smoke-test-driver");
  if (options.trust !== false) args.push("--disable-workspace-trust");
  const { child, stop } = startTree(node(), args, env);
  try {
    const used = await listening(child);
    return { url: `http://127.0.0.1:${used}`, port: used, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param {number} port of 127.0.0.1 */
async function isFree(port) {
  const probe = createServer().listen(port, "127.0.0.1");
  const free = await once(probe, "listening").then(
    () => true,
    () => false,
  );
  if (free) await once(probe.close(), "close");
  return free;
}

/**
 * Starts a process whose descendants can all be ended with it. Read its output, or it blocks.
 * @param {string} file
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
export function startTree(file, args, env) {
  const id = randomUUID();
  const child = spawn(file, args, {
    // A tree inside another one carries both markers.
    env: { ...env, [MARKER]: `${env[MARKER] ?? ""} ${id}` },
    // Its own process group, which can be ended at once.
    detached: !windows,
    // Only a shell starts the `.cmd` files of npm.
    shell: windows && file.endsWith(".cmd"),
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { child, stop: async () => (child.pid === undefined ? undefined : stopAll(child.pid, id)) };
}

/**
 * Writes the user's settings into a folder of user data. Keeps earlier settings unless they are given again. Those of the
 * scope "machine" are read from `Machine` in a window whose extensions run on a server, all others from `User`.
 * @param {string} userData
 * @param {Record<string, unknown>} settings
 */
export async function writeSettings(userData, settings = {}) {
  for (const place of ["User", "Machine"]) {
    const file = path.join(userData, place, "settings.json");
    await mkdir(path.dirname(file), { recursive: true });
    const before = existsSync(file) ? JSON.parse(await readFile(file, "utf8")) : {};
    await writeFile(file, JSON.stringify({ ...before, ...USER_SETTINGS, ...settings }, null, 2));
  }
}

/**
 * @param {import("node:child_process").ChildProcessByStdio<null, import("node:stream").Readable, import("node:stream").Readable>} child
 * @returns {Promise<number>} its port
 */
function listening(child) {
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (/** @type {string} */ why) => reject(new Error(`VS Code's server ${why}\n${output.slice(-2000)}`));
    const timer = setTimeout(() => fail("did not start within 3 minutes"), 180_000);
    const take = (/** @type {Buffer} */ bytes) => {
      output = (output + bytes).slice(-20_000);
      const port = /agent listening on (\d+)/.exec(output)?.[1];
      if (!port) return;
      clearTimeout(timer);
      resolve(Number(port));
    };
    // Read until the server ends: a full pipe would block it.
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", reject);
    child.on("exit", (code) => {
      clearTimeout(timer);
      fail(`ended with exit code ${code}`);
    });
  });
}

/** Ends the server's group, and marked processes that outlive it: extension hosts and processes of extensions. */
async function stopAll(/** @type {number} */ pid, /** @type {string} */ id) {
  if (windows) {
    await run("taskkill", ["/pid", String(pid), "/T", "/F"]).catch(() => {});
    return;
  }
  // SIGTERM first, so that terminals and extensions can clean up.
  send(-pid, "SIGTERM");
  for (let turn = 0; turn < 40 && (await living(pid, id)); turn++) await wait(25);
  for (let turn = 0; turn < 40 && (await living(pid, id)); turn++) {
    send(-pid, "SIGKILL");
    for (const each of await marked(id)) send(each, "SIGKILL");
    await wait(25);
  }
}

async function living(/** @type {number} */ pid, /** @type {string} */ id) {
  // A group of zombies still takes signals, but zombies have no marker.
  return linux ? (await marked(id)).length > 0 : send(-pid, 0);
}

/** Sends a signal. Returns whether the process or group exists. */
function send(/** @type {number} */ pid, /** @type {NodeJS.Signals | 0} */ signal) {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Returns the ids of processes that carry the marker; only Linux shows the environment of other processes. */
async function marked(/** @type {string} */ id) {
  if (!linux) return [];
  const mine = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const environment = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
    if (environment.includes(id)) mine.push(Number(name));
  }
  return mine;
}

/**
 * Returns the address that opens a folder. With `development` it also runs an extension from its folder, and tests in
 * its host, which needs a server started with `driver`.
 * @param {Server} server
 * @param {string} folder absolute
 * @param {{extension: string, tests?: string}} [development] absolute paths: the extension's folder, the tests' module
 */
export function workbenchURL(server, folder, development) {
  const url = new URL(server.url);
  url.searchParams.set("folder", posix(folder));
  if (!development) return url.href;
  const remote = (/** @type {string} */ file) => `vscode-remote://${url.host}${posix(file)}`;
  const payload = [["extensionDevelopmentPath", remote(development.extension)]];
  if (development.tests) payload.push(["extensionTestsPath", remote(development.tests)]);
  url.searchParams.set("payload", JSON.stringify([...payload, ["skipWelcome", "true"]]));
  return url.href;
}

/** Converts `C:\a` to `/C:/a`, as in VS Code's addresses. */
const posix = (/** @type {string} */ file) => {
  const slashed = file.replaceAll("\\", "/");
  return slashed.startsWith("/") ? slashed : `/${slashed}`;
};

/** Returns the path of Chromium or Chrome. */
function findBrowser() {
  const given = process.env["CHROME_PATH"];
  if (given) return given;
  const names = ["chromium", "google-chrome", "google-chrome-stable", "chromium-browser", "chrome.exe"];
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  const usual = [
    "/usr/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  ];
  const all = [...names.flatMap((name) => folders.map((folder) => path.join(folder, name))), ...usual];
  const found = all.find((file) => existsSync(file));
  if (found) return found;
  throw new Error(
    "These tests need Chromium or Chrome. On Debian and Ubuntu: apt-get install chromium. Elsewhere, name one in CHROME_PATH.",
  );
}

/**
 * Opens an address in a headless browser with a profile of its own on disk: only there does a browser keep the compiled
 * scripts of a page for its next load, and VS Code has 18 MB of them. `theme` is the color scheme that the page sees of
 * the system; VS Code's own theme is the setting `workbench.colorTheme`. `close` ends the browser. A blank page stays
 * beside the opened one, so that the browser outlives it.
 * @param {{url: string, theme?: "light" | "dark", width?: number, height?: number,
 *   prepare?: (page: import("playwright-core").Page) => Promise<void>}} options `prepare` runs before the page loads
 */
export async function openBrowser({ url, theme = "dark", width = 1280, height = 800, prepare }) {
  const profile = await freshFolder("browser");
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findBrowser(),
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
    viewport: { width, height },
    colorScheme: theme,
    // What moves is drawn sixty times a second, without a graphics card.
    reducedMotion: "reduce",
  });
  const close = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    // Only a limit for what never comes: a busy machine takes its time.
    context.setDefaultTimeout(90_000);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await context.newPage();
    await prepare?.(page);
    await page.goto(url);
    return { page, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Returns the frame of a webview that shows an element. A webview is a frame in a frame of the workbench's page. Each
 * reload makes new frames: call it again after a reload.
 * @param {import("playwright-core").Page} page
 * @param {string} selector matches only in the wanted webview, for example `[aria-label="Rondo"]`
 * @param {number} [timeout] ms
 */
export async function webviewFrame(page, selector, timeout = 90_000) {
  for (const end = Date.now() + timeout; Date.now() < end; await wait(50)) {
    for (const frame of page.frames()) {
      // A frame may be removed meanwhile.
      const found = await frame
        .locator(selector)
        .count()
        .catch(() => 0);
      if (found > 0 && frame !== page.mainFrame()) return frame;
    }
  }
  throw new Error(
    `No webview showed ${selector} within ${timeout} ms. Frames: ${page.frames().map((frame) => frame.url())}`,
  );
}

/** Makes a temporary folder for a test, with a copy of the files in `from` if given. */
export async function freshFolder(/** @type {string} */ name, /** @type {string | undefined} */ from = undefined) {
  const folder = await mkdtemp(path.join(os.tmpdir(), `rondo-${name}-`));
  if (from) await cp(from, folder, { recursive: true });
  return folder;
}
