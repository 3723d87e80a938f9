/**
 * Runs `npm ci` when the installed packages are not those of package-lock.json, and otherwise returns at once. It runs
 * before every script, with whatever Node the machine has, so it uses nothing that would have to be installed.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** @typedef {{version?: string, optional?: boolean, devOptional?: boolean}} LockedPackage */

/** @returns {Record<string, LockedPackage> | undefined} the packages of a lock file, by folder */
function packages(/** @type {string} */ file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), "utf8")).packages;
  } catch {
    return undefined;
  }
}

function isUpToDate() {
  const wanted = packages("package-lock.json") ?? {};
  // npm writes this list after a complete installation.
  const installed = packages("node_modules/.package-lock.json");
  if (!installed) return false;
  return Object.entries(wanted).every(([folder, { version, optional }]) => {
    const found = installed[folder];
    // Optional packages are those of other platforms.
    return folder === "" || (found ? found.version === version : optional);
  });
}

/** Has Git run the hooks in .githooks, unless this is CI or no Git checkout, or the user has hooks of their own. */
function enableGitHooks() {
  const git = (/** @type {string[]} */ ...args) => spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (process.env["CI"] || !existsSync(path.join(root, ".git"))) return;
  if (git("config", "core.hooksPath").status !== 1) return;
  const hooks = path.resolve(root, git("rev-parse", "--git-path", "hooks").stdout.trim());
  if (existsSync(hooks) && readdirSync(hooks).some((name) => !name.endsWith(".sample"))) return;
  if (git("config", "--local", "core.hooksPath", ".githooks").status !== 0) return;
  console.log("Commits are checked by the hooks in .githooks from now on; `git commit --no-verify` skips it.");
}

if (!isUpToDate()) {
  console.log("Installing what Rondo is built and tested with (npm ci) …");
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: "inherit",
    // npm is a script on Windows, which only a shell starts.
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error("npm ci failed. Check the network, and that Node is 22 or newer.");
    process.exit(1);
  }
  enableGitHooks();
}
