/**
 * Runs `npm ci` when what is installed is not what package-lock.json asks for, and is done at once otherwise. Runs
 * before every script, with whatever Node the machine has (20 or newer), so it uses nothing that would need installing.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** @typedef {{version?: string, optional?: boolean, devOptional?: boolean}} Locked */

/** @returns {Record<string, Locked> | undefined} what a lock file lists, by folder */
function packages(/** @type {string} */ file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), "utf8")).packages;
  } catch {
    return undefined;
  }
}

function upToDate() {
  const wanted = packages("package-lock.json") ?? {};
  // npm's own list of what it has installed, written when it was all there.
  const installed = packages("node_modules/.package-lock.json");
  if (!installed) return false;
  return Object.entries(wanted).every(([folder, { version, optional }]) => {
    const there = installed[folder];
    // Optional packages are those of other platforms.
    return folder === "" || (there ? there.version === version : optional);
  });
}

if (!upToDate()) {
  console.log("Installing what Rondo is built and tested with (npm ci) …");
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: "inherit",
    // npm is a script on Windows, which only a shell starts.
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error("npm ci failed. Is the network there, and is Node 20 or newer?");
    process.exit(1);
  }
}
