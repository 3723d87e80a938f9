/**
 * `npm start`: builds Rondo and opens a real VS Code with it, on a copy of the sample workspace. It uses the desktop's
 * `code` if installed (`npm start -- --browser` ignores it), else VS Code's server, shown in the browser. Ctrl-C ends
 * everything and removes the copy.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startTree, startVSCode, workbenchURL, writeSettings } from "../test/vscode.mjs";
import { makeVSIX } from "./vsix.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const opener = path.join(root, "scripts", "opener");
const OLLAMA = "http://127.0.0.1:11434/v1";
const windows = process.platform === "win32";

/** Follows the light or dark scheme of the system. */
const looks = { "window.autoDetectColorScheme": true };

const { values } = parseArgs({ options: { browser: { type: "boolean", default: false } } });

/** Returns the environment for VS Code, and a description of the model. */
async function findModel() {
  const keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"].filter((name) => process.env[name]);
  if (keys.length > 0) return { env: {}, words: `the provider of ${keys.join(" and ")}` };
  const model = await firstOllamaModel();
  if (model) {
    return {
      env: { OPENAI_BASE_URL: OLLAMA, OPENAI_API_KEY: "ollama", RONDO_MODEL: model },
      words: `${model}, from the server at ${OLLAMA}`,
    };
  }
  return {
    env: { RONDO_TOUR: "1" },
    words: "none: a scripted tour answers. For a real one set ANTHROPIC_API_KEY or OPENAI_API_KEY, or start Ollama",
  };
}

/** @returns {Promise<string | undefined>} undefined if no server answers there or it has no model */
async function firstOllamaModel() {
  try {
    const response = await fetch(`${OLLAMA}/models`, { signal: AbortSignal.timeout(1000) });
    const { data } = /** @type {{data?: {id: string}[]}} */ (await response.json());
    return data?.[0]?.id;
  } catch {
    return undefined;
  }
}

/** @returns {string | undefined} the path of the desktop's `code` */
function desktopCode() {
  const name = windows ? "code.cmd" : "code";
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

/** Opens the user's browser if there is one; the address has been printed anyway. */
function openInBrowser(/** @type {string} */ url) {
  const linux = process.platform === "linux";
  if (process.env["CI"] || (linux && !process.env["DISPLAY"] && !process.env["WAYLAND_DISPLAY"])) return;
  const [command, args] = linux
    ? ["xdg-open", [url]]
    : windows
      ? ["rundll32", ["url.dll,FileProtocolHandler", url]]
      : ["open", [url]];
  spawn(command, args, { detached: true, stdio: "ignore" })
    .on("error", () => {})
    .unref();
}

async function makeSample(/** @type {string} */ folder) {
  await cp(path.join(root, "sample"), folder, { recursive: true });
  const git = (/** @type {string[]} */ ...args) => spawnSync("git", args, { cwd: folder, stdio: "ignore" });
  // Without Git the sample is no repository, which works as well.
  git("-c", "init.defaultBranch=main", "init", "--quiet");
  git("add", ".");
  git("-c", "user.name=Rondo", "-c", "user.email=rondo@localhost", "commit", "--quiet", "-m", "The sample");
}

const base = await mkdtemp(path.join(os.tmpdir(), "rondo-"));
const folder = path.join(base, "corner-shop");
const dataDir = path.join(base, "vscode");
/** @type {() => Promise<void>} ends VS Code once it runs */
let stop = async () => {};
let ending = false;

async function end(/** @type {number} */ code) {
  if (ending) return;
  ending = true;
  await stop();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
}
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, () => end(0));
// A killed npm does not end its script.
const parent = process.ppid;
setInterval(() => process.ppid === parent || end(0), 1000).unref();

async function startDesktop(/** @type {string} */ code, /** @type {Record<string, string>} */ env) {
  // Its own profile: the user's stays unchanged.
  await writeSettings(dataDir, looks);
  const development = [root, opener].map((extension) => `--extensionDevelopmentPath=${extension}`);
  const args = [...development, `--user-data-dir=${dataDir}`, "--disable-workspace-trust", "--wait", folder];
  const tree = startTree(code, args, { ...process.env, ...env });
  stop = tree.stop;
  tree.child.stdout.resume();
  tree.child.stderr.resume();
  tree.child.on("exit", (status) => end(status ?? 1));
  console.log("Rondo is opening in VS Code. Close its window, or press Ctrl-C here, to end.");
}

async function startServer(/** @type {Record<string, string>} */ env) {
  const extensions = [await makeVSIX(), opener];
  const server = await startVSCode({
    dataDir,
    extensions,
    env,
    userSettings: looks,
    tell: console.log,
  });
  stop = server.stop;
  // After Ctrl-C during the start, `end` has not stopped this server.
  if (ending) return server.stop();
  const url = workbenchURL(server, folder);
  console.log(`\nRondo is open in VS Code:  ${url}\n\nPress Ctrl-C to end.`);
  openInBrowser(url);
}

try {
  console.log("Building Rondo …");
  const model = await findModel();
  await makeSample(folder);
  console.log(`The workspace: ${folder}, a copy of the sample.\nThe model: ${model.words}.`);
  const code = values.browser ? undefined : desktopCode();
  if (code) {
    const build = spawnSync(process.execPath, ["esbuild.mjs"], { cwd: root, stdio: "inherit" });
    if (build.status !== 0) throw new Error("The build failed.");
    await startDesktop(code, model.env);
  } else {
    await startServer(model.env);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await end(1);
}
