/** Starts git so that it writes, locks, runs and fetches nothing. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { withoutKeys } from "../../base/node/without-keys.ts";
import { english } from "../../l10n/l10n.ts";

/** Maximum time to wait for an answer of git. */
export const gitTimeoutMs = 10_000;
const maxAnswerBytes = 256 << 20;

/** Returns no bytes if git fails. @param root a folder in the repository @param input what git reads */
export function askGit(root: string, args: readonly string[], input = ""): Promise<Buffer> {
  const child = startGit(root, args);
  child.stdin.end(input);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => child.kill("SIGKILL"), gitTimeoutMs);
    child.stdout.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxAnswerBytes) child.kill("SIGKILL");
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? Buffer.concat(chunks) : Buffer.alloc(0));
    });
  });
}

export function startGit(root: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  const safe = ["-c", "core.fsmonitor=false", "-c", "protocol.allow=never", "--no-pager", "--literal-pathspecs"];
  const child = spawn("git", ["-C", root, ...safe, ...args], {
    env: { ...withoutKeys(), GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_TERMINAL_PROMPT: "0" },
    windowsHide: true,
  });
  // If git is missing or has ended, its answers are empty.
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.stderr.resume();
  return child;
}

/** Returns the id of a file's object: git hashes the kind and the size together with the content. */
export function objectID(bytes: Uint8Array, algorithm: "sha1" | "sha256"): string {
  return createHash(algorithm)
    .update(english(`blob ${bytes.length}\0`))
    .update(bytes)
    .digest("hex");
}

export const algorithmOf = (object: string): "sha1" | "sha256" => (object.length === 64 ? "sha256" : "sha1");
