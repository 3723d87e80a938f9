/**
 * The one place that starts git. It answers of the repository of the folder, whatever stands in the environment, and runs
 * nothing that a repository brings: no hook, file monitor, pager, editor, signing or comparing program, no transport and
 * nothing in a submodule, if `add` is told to leave those out that are there. Filters run only where files are checked
 * out or added, since the files would be wrong without.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { withoutKeys } from "./without-keys.ts";

/**
 * What a command does. `asks`: reads git's own files, or adds objects to them. `compares`: may also read files of the
 * working tree, which git would put through filters. `changes`: the index, references or files, for the user.
 */
const commands = {
  ...{ "cat-file": "asks", "check-attr": "asks", "check-ignore": "asks", "commit-tree": "asks" },
  ...{
    "ls-tree": "asks",
    "merge-base": "asks",
    "rev-list": "asks",
    "rev-parse": "asks",
    "show-ref": "asks",
    "symbolic-ref": "asks",
  },
  ...{ var: "asks", version: "asks", "write-tree": "asks" },
  ...{
    diff: "compares",
    "hash-object": "compares",
    "ls-files": "compares",
    "merge-tree": "compares",
    status: "compares",
  },
  ...{ add: "changes", branch: "changes", commit: "changes", merge: "changes", rm: "changes" },
  ...{ "update-index": "changes", "update-ref": "changes", worktree: "changes" },
} as const;

type GitCommand = keyof typeof commands;
export type GitArguments = readonly [GitCommand, ...string[]];

export interface GitOptions {
  env?: Readonly<Record<string, string>>;
  input?: string;
  signal?: AbortSignal;
  timeoutMs?: number;
  maxBytes?: number;
}

export type GitEnd =
  /** `withoutFilters`: there are filters, and git compared the files as they are. */
  | { type: "exit"; code: number; stdout: Buffer; stderr: string; withoutFilters: boolean }
  /** Git could not be started. */
  | { type: "missing" }
  | { type: "killed"; because: "time" | "size" }
  /** The configuration names a program in a way that nothing on a command line can take back. */
  | { type: "unsafe" };

/** Checking out a large repository takes minutes; git itself never asks anything here. */
const longestMs = 600_000;
const mostBytes = 256 << 20;

const settings = [
  // git-config(1): each of these runs a program, or asks somebody. `post-checkout` and the like are looked for below
  // the path.
  ...["core.fsmonitor=false", "core.hooksPath=/dev/null", "gc.auto=0", "maintenance.auto=false"],
  ...["commit.gpgSign=false", "gpg.program=", "gpg.openpgp.program=", "gpg.x509.program=", "gpg.ssh.program="],
  ...["submodule.recurse=false", "core.quotePath=false", "advice.detachedHead=false"],
  // What was compared without filters must not be noted in the index as unchanged.
  "diff.autoRefreshIndex=false",
].flatMap((setting) => ["-c", setting]);

/** What git would do besides, given after the command. */
const additions: Partial<Record<GitCommand, readonly string[]>> = {
  // For the files of a submodule, git would start itself there, with that one's filters.
  diff: ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"],
  status: ["--ignore-submodules=dirty"],
};

const environment = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  GIT_MERGE_AUTOEDIT: "no",
  // Fetching what is missing would run the program that the address of a remote names. Git before 2.44 does not know
  // the first; the second names no protocol, and outdoes those that the repository allows (`protocol.ext.allow`).
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: ":",
  // Its messages are compared nowhere, but they are shown.
  LC_ALL: "C.UTF-8",
};

/**
 * Variables of git that say who the user is, where the user's own settings stand, how far to look for a repository, and
 * whether git-lfs loads files. All others lead git elsewhere, or run or write something (git(1), "Environment
 * Variables"): the window may itself have been started by git, for example as its editor.
 */
const ofUser =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|LFS_SKIP_SMUDGE)$/i;

/** Resolves when git has ended. @throws the signal's reason on abort */
export async function runGit(folder: string, args: GitArguments, options: GitOptions = {}): Promise<GitEnd> {
  const { timeoutMs = longestMs } = options;
  const end = performance.now() + timeoutMs;
  const kind = commands[args[0]];
  if (kind === "asks") return await finished(folder, [], args, options);
  const found = await configuredPrograms(folder, { ...options, timeoutMs });
  if (found.type !== "programs") return found;
  const isFiltered = kind === "compares" && found.filters.length > 0;
  const off = [
    ...found.hooks.map((name) => `hook.${name}.enabled=false`),
    ...(isFiltered ? found.filters.flatMap(filterOff) : []),
  ];
  // `-c` takes what follows the first "=" for the value.
  if (off.some((setting) => setting.split("=").length !== 2)) return { type: "unsafe" };
  const before = off.flatMap((setting) => ["-c", setting]);
  const result = await finished(folder, before, args, { ...options, timeoutMs: end - performance.now() });
  return result.type === "exit" ? { ...result, withoutFilters: isFiltered } : result;
}

/** Git that answers one question after another. */
export type GitChild = ChildProcessWithoutNullStreams;

/** Starts git to ask it several things. If it is missing or has ended, its answers are empty. */
export function startGit(folder: string, args: readonly ["cat-file", ...string[]]): GitChild {
  const child = start(folder, [], args);
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.stderr.resume();
  return child;
}

type ConfiguredPrograms = { type: "programs"; filters: string[]; hooks: string[] };

/**
 * Finds the names of filters and of hooks (since git 2.54, git-hook(1)) that any configuration defines for the
 * repository. Git says it, since only git knows which files it reads: the system's, the user's, includes, conditions.
 */
async function configuredPrograms(
  folder: string,
  { signal, timeoutMs }: GitOptions,
): Promise<ConfiguredPrograms | GitEnd> {
  const ask = ["config", "-z", "--name-only", "--get-regexp", "^(filter|hook)[.]"] as const;
  const limits = { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
  const found = await finished(folder, [], ask, limits);
  // 1: there are none.
  if (found.type !== "exit" || found.code > 1) return found;
  const keys = found.stdout.toString().split("\0");
  const named = (section: string) => {
    const key = new RegExp(`^${section}[.](.*)[.][^.]+$`, "s");
    return [...new Set(keys.flatMap((one) => key.exec(one)?.[1] ?? []))];
  };
  return { type: "programs", filters: named("filter"), hooks: named("hook") };
}

/** A filter without a program lets files pass as they are, unless it is required (gitattributes(5)). */
const filterOff = (name: string) =>
  ["clean=", "smudge=", "process=", "required=false"].map((setting) => `filter.${name}.${setting}`);

async function finished(
  folder: string,
  before: readonly string[],
  args: readonly [GitCommand | "config", ...string[]],
  { env, input = "", signal, timeoutMs = longestMs, maxBytes = mostBytes }: GitOptions,
): Promise<GitEnd> {
  signal?.throwIfAborted();
  if (timeoutMs <= 0) return { type: "killed", because: "time" };
  const child = start(folder, before, args, env);
  let because: "time" | "size" | undefined;
  const stop = () => child.kill("SIGKILL");
  // Not the option of `spawn`, whose timer stays if git cannot be started.
  const timer = setTimeout(() => {
    because = "time";
    stop();
  }, timeoutMs);
  signal?.addEventListener("abort", stop);
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  let size = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBytes) out.push(chunk);
    else if (because === undefined) {
      because = "size";
      stop();
    }
  });
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  // Git may end before it has read everything.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  try {
    const code = await new Promise<number | undefined>((resolve) => {
      child.once("error", () => resolve(undefined));
      child.once("close", (exit) => resolve(exit ?? -1));
    });
    signal?.throwIfAborted();
    if (because) return { type: "killed", because };
    if (code === undefined) return { type: "missing" };
    const stderr = Buffer.concat(errors).toString();
    return { type: "exit", code, stdout: Buffer.concat(out), stderr, withoutFilters: false };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

function start(
  folder: string,
  before: readonly string[],
  [command, ...rest]: readonly [GitCommand | "config", ...string[]],
  env: Readonly<Record<string, string>> = {},
): GitChild {
  const more = command === "config" ? [] : (additions[command] ?? []);
  const isChange = command !== "config" && commands[command] === "changes";
  const inherited = Object.entries(withoutKeys()).filter(([name]) => !/^GIT_/i.test(name) || ofUser.test(name));
  const locks = isChange ? {} : { GIT_OPTIONAL_LOCKS: "0" };
  return spawn("git", ["-C", folder, "--no-pager", ...settings, ...before, command, ...more, ...rest], {
    env: { ...Object.fromEntries(inherited), ...environment, ...locks, ...env },
    windowsHide: true,
  });
}
