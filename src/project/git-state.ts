/** Asks git whether a folder has uncommitted changes. Nothing runs that the repository brings. */

import { findRepository } from "../base/node/repository.ts";
import { runGit } from "../base/node/run-git.ts";
import type { GitState } from "../loop/setup/project.ts";

/** The first request waits this long: git takes some ms, and more in a large repository. */
const usualTimeoutMs = 100;
/** Of the list of changes. */
const mostBytes = 1 << 20;

/** Never rejects. `unknown` where git is missing or slow, or where only filters could tell a change. */
export async function gitState(folder: string, timeoutMs = usualTimeoutMs): Promise<GitState> {
  if (findRepository(folder) === undefined) return "none";
  const list = ["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=all"] as const;
  const end = await runGit(folder, list, { timeoutMs, maxBytes: mostBytes });
  if (end.type === "killed" && end.because === "size") return "changed";
  if (end.type !== "exit" || end.code !== 0) return "unknown";
  const changes = end.stdout.toString().split("\n").filter(Boolean);
  if (changes.length === 0) return "clean";
  // A file that a filter would make what git has looks as if its text had been changed.
  return end.withoutFilters && changes.every((line) => line.startsWith(" M ")) ? "unknown" : "changed";
}
