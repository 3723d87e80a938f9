/** Asks git whether a folder has uncommitted changes. Nothing runs that the repository brings. */
import { spawn } from "node:child_process";
import path from "node:path";
import { withoutKeys } from "../base/node/without-keys.ts";
import type { GitState } from "../loop/setup/project.ts";
import { gitRoot, readConfigFile } from "../tools/node-host/config-files.ts";
import { findGitDir } from "./git-branch.ts";

const maxConfigBytes = 64 * 1024;

/** The first request waits this long: git takes some ms, and more in a large repository. */
const usualTimeoutMs = 100;

const listChanges = ["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=all"];

/** Never rejects. `unknown` where git is missing or slow, or the repository's configuration has filters. */
export async function gitState(folder: string, timeoutMs = usualTimeoutMs): Promise<GitState> {
  const gitDir = findGitDir(path.resolve(folder));
  if (gitDir === undefined) return "none";
  return hasFilters(gitDir) ? "unknown" : await askGit(folder, timeoutMs);
}

/** Whether the repository's configuration may name programs that `git status` runs over changed files. */
function hasFilters(gitDir: string): boolean {
  const common = readConfigFile(gitRoot(gitDir), "commondir", 4096);
  const shared = common.type === "file" ? path.resolve(gitDir, common.bytes.toString().trim()) : gitDir;
  return [path.join(gitDir, "config.worktree"), path.join(shared, "config")].some((file) => {
    const found = readConfigFile(gitRoot(path.dirname(file)), path.basename(file), maxConfigBytes);
    if (found.type === "missing") return false;
    if (found.type !== "file" || found.size > maxConfigBytes) return true;
    return /\[\s*(filter|include)/i.test(found.bytes.toString("latin1"));
  });
}

function askGit(folder: string, timeoutMs: number): Promise<GitState> {
  const safe = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"];
  return new Promise((resolve) => {
    const child = spawn("git", ["-C", folder, "--no-pager", ...safe, ...listChanges], {
      env: { ...withoutKeys(), GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_TERMINAL_PROMPT: "0" },
      stdio: ["ignore", "pipe", "ignore"],
      windowsHide: true,
    });
    const end = (state: GitState) => {
      clearTimeout(timer);
      resolve(state);
      child.kill("SIGKILL");
    };
    const timer = setTimeout(end, timeoutMs, "unknown");
    child.stdout.once("data", () => end("changed"));
    child.once("error", () => end("unknown"));
    child.once("close", (code) => end(code === 0 ? "clean" : "unknown"));
  });
}
