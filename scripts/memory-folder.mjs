/**
 * The folder of temporary files in memory, where the system allows it: tests make some ten thousand folders, and a disk
 * takes longer to remove them than most tests take (300 folders of ten files: 0.84 s on ext4, 0.10 s in memory).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";

/** @param {string} file @param {string[]} args */
const succeeds = (file, ...args) => spawnSync(file, args, { stdio: "ignore" }).status === 0;

/**
 * Mounts a file system in memory for this process and those that it starts, until it ends. Only root on Linux may;
 * elsewhere nothing changes.
 */
export function useMemoryFolder() {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return;
  const temporary = realpathSync(os.tmpdir());
  for (const name of readdirSync(temporary)) {
    const [, pid] = /^tests-in-memory-(\d+)-/.exec(name) ?? [];
    // Its process was killed.
    if (pid && !isRunning(Number(pid))) unmount(path.join(temporary, name));
  }
  const folder = mkdtempSync(path.join(temporary, `tests-in-memory-${process.pid}-`));
  // It takes memory only for the files that are there.
  if (!succeeds("mount", "-t", "tmpfs", "-o", "mode=1777,size=50%", "tests", folder)) {
    rmdirSync(folder);
    return;
  }
  process.env["TMPDIR"] = folder;
  process.on("exit", () => unmount(folder));
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** @param {string} folder */
function unmount(folder) {
  // A process that a failed test left may still use it.
  succeeds("umount", "--lazy", folder);
  try {
    rmdirSync(folder);
  } catch {
    // It stays where it could not be unmounted; a later run tries again.
  }
}
