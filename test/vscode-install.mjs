/** Downloads VS Code: the server inside the npm package `code-server`, used without code-server. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";

const run = promisify(execFile);

const VERSION = "4.139.1";
/** Increased with each change to the installation below, so that older caches are not used. */
const RECIPE = 3;

/** Packages of VS Code features that Rondo does not use: 300 MB. */
const UNUSED_PACKAGES = ["@github/copilot-sdk", "@microsoft/mxc-sdk", "@devcontainers/cli"];
/** Extensions that Rondo does not use; TypeScript's shows errors in every JavaScript file without a further 50 MB. */
const UNUSED_EXTENSIONS = [
  "copilot",
  "mermaid-markdown-features",
  "microsoft-authentication",
  "typescript-language-features",
];

/**
 * Replacements in plain JavaScript for native modules that would have to be compiled. Without a logger VS Code keeps no
 * log files and fills the console with one error.
 */
const STAND_INS = {
  "@vscode/spdlog": `
const fs = require("node:fs"), path = require("node:path");
const names = ["trace", "debug", "info", "warning", "error", "critical"];
class Logger {
  constructor(file) { this.file = file; this.level = 2; this.plain = false; }
  write(level, text) {
    if (level < this.level) return;
    const head = this.plain ? "" : new Date().toISOString().replace("T", " ").replace("Z", "") + " [" + names[level] + "] ";
    try { fs.appendFileSync(this.file, head + text + (this.plain ? "" : "\\n")); } catch {}
  }
  trace(text) { this.write(0, text); }
  debug(text) { this.write(1, text); }
  info(text) { this.write(2, text); }
  warn(text) { this.write(3, text); }
  error(text) { this.write(4, text); }
  critical(text) { this.write(5, text); }
  getLevel() { return this.level; }
  setLevel(level) { this.level = level; }
  clearFormatters() { this.plain = true; }
  setPattern() {}
  flush() {}
  drop() {}
}
const create = async (name, file) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return new Logger(file);
};
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = create;
exports.createAsyncRotatingLogger = create;
`,
  "@vscode/native-watchdog": "exports.start = () => {};\nexports.exit = (code) => process.exit(code);\n",
};

const cacheFolder = () =>
  process.env["RONDO_CACHE"] || path.join(process.env["XDG_CACHE_HOME"] || path.join(os.homedir(), ".cache"), "rondo");

/** npm is a script on Windows, which only a shell starts; no argument here holds a character that a shell knows. */
const npm = (/** @type {string[]} */ args, /** @type {string} */ cwd) =>
  run("npm", [...args, "--silent", "--no-audit", "--no-fund"], {
    cwd,
    shell: process.platform === "win32",
    maxBuffer: 64 << 20,
  });

/**
 * Returns the folder of VS Code's server, which is downloaded on the first call (about 50 MB, half a minute) and kept
 * in `$RONDO_CACHE`, else `$XDG_CACHE_HOME/rondo`, else `~/.cache/rondo`.
 * @param {(line: string) => void} [tell] called before a download
 */
export async function bringVSCode(tell = () => {}) {
  const folder = path.join(cacheFolder(), `vscode-${VERSION}-${RECIPE}`);
  if (existsSync(folder)) return folder;
  await mkdir(cacheFolder(), { recursive: true });
  await sweep();
  tell(`Downloading VS Code (code-server ${VERSION} from npm) into ${folder} …`);
  // Built in a temporary folder and moved at the end: an interrupted download leaves nothing, and the first wins.
  const aside = await mkdtemp(path.join(cacheFolder(), "fetching-"));
  try {
    await npm(["pack", `code-server@${VERSION}`], aside);
    await run("tar", ["-xzf", `code-server-${VERSION}.tgz`, "package/lib/vscode"], { cwd: aside });
    const server = path.join(aside, "package", "lib", "vscode");
    await prune(server);
    await npm(["install", "--omit=dev", "--ignore-scripts"], server);
    for (const [name, code] of Object.entries(STAND_INS)) {
      await writeFile(path.join(server, "node_modules", name, "index.js"), code);
    }
    await refuseProposedAPI(server);
    await rename(server, folder).catch((error) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  return folder;
}

/** Removes the remains of downloads that were interrupted more than an hour ago. */
async function sweep() {
  for (const name of await readdir(cacheFolder())) {
    const left = path.join(cacheFolder(), name);
    if (!name.startsWith("fetching-") || Date.now() - (await stat(left)).mtimeMs < 3_600_000) continue;
    await rm(left, { recursive: true, force: true });
  }
}

/**
 * Lets an extension use only the proposed API that its manifest asks for, as VS Code does: code-server grants all of it
 * to everybody (its patch `proposed-api.diff`), so tests would pass with what the Marketplace refuses.
 */
async function refuseProposedAPI(/** @type {string} */ server) {
  for (const file of ["workbench/api/node/extensionHostProcess.js", "code/browser/workbench/workbench.js"]) {
    const bundle = path.join(server, "out", "vs", file);
    const code = await readFile(bundle, "utf8");
    // The one function of two parameters that always agrees and is asked about a proposal.
    const granting = [...code.matchAll(/function ([\w$]+)\(([\w$]+),([\w$]+)\)\{return!0\}/g)].filter(([, name = ""]) =>
      new RegExp(`(?<![\\w$.])${name.replaceAll("$", "\\$")}\\([\\w$.]+,"chatParticipantPrivate"\\)`).test(code),
    );
    const [[text, name, extension, proposal] = []] = granting;
    if (text === undefined || granting.length > 1) throw new Error(`${file}: which function grants proposed API?`);
    const strict = `function ${name}(${extension},${proposal}){return!!${extension}.enabledApiProposals?.includes(${proposal})}`;
    await writeFile(
      bundle,
      code.replace(text, () => strict),
    );
  }
}

async function prune(/** @type {string} */ server) {
  const manifest = path.join(server, "package.json");
  const json = JSON.parse(await readFile(manifest, "utf8"));
  for (const name of UNUSED_PACKAGES) delete json.dependencies[name];
  await writeFile(manifest, JSON.stringify(json, null, 2));
  for (const name of UNUSED_EXTENSIONS) {
    await rm(path.join(server, "extensions", name), { recursive: true, force: true });
  }
}
