/** Runs git for worktrees. No hook, no file monitor and no pager of the repository runs, and nothing goes to a network. */

import { spawn } from "node:child_process";
import { withoutKeys } from "../base/node/without-keys.ts";
import { msg } from "../l10n/l10n.ts";

/** A sentence for people, and what to do. */
export class WorktreeError extends Error {
  override readonly name = "WorktreeError";
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

interface GitOptions {
  env?: Readonly<Record<string, string>>;
  input?: string;
  signal?: AbortSignal;
}

export interface GitResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Checking out a large repository takes minutes; git itself never asks anything here. */
const timeoutMs = 600_000;

const safe = [
  ...["core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never", "submodule.recurse=false"],
  // Signing may ask for a passphrase, and nobody could answer.
  ...[
    "commit.gpgSign=false",
    "core.quotePath=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.detachedHead=false",
  ],
].flatMap((setting) => ["-c", setting]);

/** Resolves with git's exit code and output. @throws WorktreeError if git is missing; the signal's reason on abort */
export async function tryGit(folder: string, args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
  const { env = {}, input, signal } = options;
  signal?.throwIfAborted();
  const child = spawn("git", ["-C", folder, "--no-pager", ...safe, ...args], {
    env: { ...inherited(), ...quiet, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  const stop = () => child.kill("SIGKILL");
  // Not the option of `spawn`, whose timer stays if git cannot be started.
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener("abort", stop);
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  // git may end before it has read everything.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input ?? "");
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once("error", () => reject(missing()));
      child.once("close", (exit) => resolve(exit ?? -1));
    });
    signal?.throwIfAborted();
    return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(errors).toString() };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** Returns git's output. @throws WorktreeError with git's own words when it fails */
export async function git(folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await tryGit(folder, args, options);
  if (code === 0) return stdout;
  const said = stderr.trim().split("\n").slice(-3).join(" ").slice(0, 500);
  throw new WorktreeError(
    msg("git {0} failed: {1}", args[0] ?? "", said || msg("exit code {0}", code)),
    msg("Nothing else was changed."),
  );
}

/** As `git`, without the line feed at the end. */
export async function gitLine(folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  return (await git(folder, args, options)).replace(/\r?\n$/, "");
}

/** Splits output with `-z`. */
export const fields = (text: string): string[] => text.split("\0").filter((field) => field !== "");

const quiet = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_EDITOR: "true",
  GIT_MERGE_AUTOEDIT: "no",
  // Its messages are compared nowhere, but they are shown.
  LC_ALL: "C.UTF-8",
};

/** The window may itself have been started by git, for example as its editor: those variables name another repository. */
function inherited(): NodeJS.ProcessEnv {
  const isForOther = /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|COMMON_DIR|NAMESPACE|PREFIX|CONFIG.*)$/;
  return Object.fromEntries(Object.entries(withoutKeys()).filter(([name]) => !isForOther.test(name)));
}

function missing(): WorktreeError {
  return new WorktreeError(msg("git could not be started."), msg("Install git, or add it to the PATH of VS Code."));
}
