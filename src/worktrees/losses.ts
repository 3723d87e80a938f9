/**
 * What the removal of a worktree would delete for good: what git does not hold. Copies that Rondo has made do not count
 * while they have the same content.
 */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import type { GitArguments } from "../base/node/run-git.ts";
import { fields, git, gitLine, repositoriesInIndex, tryGit } from "./git.ts";
import type { Worktree } from "./worktree-store.ts";

/**
 * `uncommitted`: work that no commit has. `ignored`: files that git ignores, and copies that have changed. `repository`: a
 * submodule, or another repository inside, with commits of its own. `unknown`: git cannot tell what is in the folder.
 */
interface LostFiles {
  type: "uncommitted" | "ignored" | "repository" | "unknown";
  /** Relative to the worktree, with `/`, which also ends the name of a folder. */
  path: string;
  files: number;
  bytes: number;
}

/** Commits that only the worktree's own history has. */
interface LostCommits {
  type: "commits";
  count: number;
}

export type Loss = LostFiles | LostCommits;

interface LossOptions {
  /** Where the worktree is at the moment. */
  at: string;
  /** Whether its branch goes, too, so that its commits must be on another one. */
  branchGoes: boolean;
  /** Whether the work is committed before, by which the branch comes to the commit that is checked out (`commitWork`). */
  isCommitted?: boolean;
}

const status = ["--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all"];
const listChanges: GitArguments = ["status", ...status];

/** Returns what would be lost. Nothing is run that a file of the worktree names, and nothing is changed. */
export async function lossesOf(worktree: Worktree, options: LossOptions): Promise<Loss[]> {
  const { at, isCommitted = false } = options;
  try {
    const copies = await copiesIn(worktree, at);
    const repositories = await repositoriesIn(at, worktree);
    const ignored = [...(await ignoredIn(at)), ...(await unwatchedIn(at))];
    const changed = isCommitted ? [] : fields(await git(at, listChanges)).map((entry) => entry.slice(3));
    // A copy that git does not ignore is never committed either.
    const uncommitted = new Set([...changed, ...copies.names]);
    const isIn = new Set([...ignored, ...repositories]);
    const found: Loss[] = [];
    for (const name of repositories) found.push({ type: "repository", path: name, ...(await sizeOf(at, name)) });
    const others = [
      ...ignored.map((name) => ({ type: "ignored" as const, name })),
      ...[...uncommitted].map((name) => ({ type: "uncommitted" as const, name })),
    ];
    for (const { type, name } of others) {
      if (type === "uncommitted" && (isIn.has(name) || isBelow(ignored, name))) continue;
      const { files, bytes } = await sizeOf(at, name, copies);
      if (files > 0) found.push({ type: copies.has(name) ? "ignored" : type, path: name, files, bytes });
    }
    const count = await commitsOnlyIn(worktree, options);
    return count > 0 ? [...found, { type: "commits", count }] : found;
  } catch {
    // The repository is gone or broken, for example.
    const { files, bytes } = await sizeOf(at, "");
    return files > 0 ? [{ type: "unknown", path: "", files, bytes }] : [];
  }
}

const isBelow = (folders: readonly string[], name: string): boolean =>
  folders.some((folder) => folder.endsWith("/") && name.startsWith(folder));

/** Returns those of `now` that are not in `known`, or have more files there. */
export function newLosses(now: readonly Loss[], known: readonly Loss[]): Loss[] {
  const holds = (one: Loss, loss: Loss): boolean => {
    if (one.type === "commits" || loss.type === "commits") {
      return one.type === "commits" && loss.type === "commits" && one.count >= loss.count;
    }
    return one.type === loss.type && one.path === loss.path && one.files >= loss.files;
  };
  return now.filter((loss) => !known.some((one) => holds(one, loss)));
}

/** Identifies the content of a file, or where a link leads. */
export async function fingerprint(file: string): Promise<string> {
  const hash = createHash("sha256");
  if ((await lstat(file)).isSymbolicLink()) hash.update(`link ${await readlink(file)}`);
  else {
    hash.update("file ");
    for await (const chunk of createReadStream(file)) hash.update(chunk);
  }
  return hash.digest("base64");
}

/** The copies in a worktree, and whether one is what Rondo has copied. */
interface Copies {
  names: Iterable<string>;
  has(file: string): boolean;
  isSame(file: string): Promise<boolean>;
}

async function copiesIn({ copied, hashes, root, base, state }: Worktree, at: string): Promise<Copies> {
  const known = new Map(copied.map((file, index) => [file, hashes[index] ?? ""]));
  // No session has begun in it. What was copied or checked out until the crash was noted nowhere, and may be incomplete.
  const isMaking = state === "making";
  const inBase = new Set(
    isMaking ? fields(await git(root, ["ls-tree", "-r", "--name-only", "--full-tree", "-z", base])) : [],
  );
  return {
    names: known.keys(),
    has: (file) => known.has(file),
    async isSame(file) {
      if (isMaking) return inBase.has(file) || (await isHeadOf(path.join(at, file), path.join(root, file)));
      const hash = known.get(file);
      if (hash === undefined) return false;
      const now = await fingerprint(path.join(at, file));
      // Versions up to 0.4 noted no content.
      return now === (hash || (await fingerprint(path.join(root, file)).catch(() => "")));
    },
  };
}

/** Whether a file is the other one, as far as it goes. */
async function isHeadOf(file: string, whole: string): Promise<boolean> {
  const isLink = async (one: string) => (await lstat(one)).isSymbolicLink();
  try {
    if ((await isLink(file)) || (await isLink(whole))) return (await readlink(file)) === (await readlink(whole));
    const [part, all] = await Promise.all([readFile(file), readFile(whole)]);
    return part.equals(all.subarray(0, part.length));
  } catch {
    return false;
  }
}

/** Returns what git ignores: files, and folders of which git ignores everything. */
async function ignoredIn(at: string): Promise<string[]> {
  const ignored = ["--others", "--ignored", "--exclude-standard", "--directory", "--no-empty-directory"];
  return fields(await git(at, ["ls-files", ...ignored, "-z"]));
}

/** Returns changed files at which git does not look, because it was told so (`git update-index --skip-worktree`). */
async function unwatchedIn(at: string): Promise<string[]> {
  const tagged = fields(await git(at, ["ls-files", "-v", "-z"])).filter((entry) => /^[a-zS] /.test(entry));
  const found: string[] = [];
  for (const name of tagged.map((entry) => entry.slice(2))) {
    const now = await tryGit(at, ["hash-object", "--", name]);
    const listed = await gitLine(at, ["ls-files", "--stage", "--", name], { env: { GIT_LITERAL_PATHSPECS: "1" } });
    const [, staged] = listed.split(" ");
    if (now.code === 0 && now.stdout.trim() !== staged) found.push(name);
  }
  return found;
}

/** Returns the folders of submodules and other repositories, with `/`, and submodules of which only the history is left. */
async function repositoriesIn(at: string, { path: top }: Worktree): Promise<string[]> {
  const modules = await repositoriesInIndex(at);
  const filled = await Promise.all(
    modules.map(async (name) => ((await entriesOf(path.join(at, name))).length > 0 ? [`${name}/`] : [])),
  );
  // Git lists a repository that is no submodule as a folder, without what is in it.
  const others = fields(await git(at, ["ls-files", "--others", "--exclude-standard", "-z"]));
  const found = [...filled.flat(), ...others.filter((name) => name.endsWith("/"))];
  const own = path.resolve(top, await gitLine(at, ["rev-parse", "--git-dir"]));
  const histories = await historiesIn(path.join(own, "modules"), "");
  return [...new Set([...found, ...histories.filter((name) => !found.includes(`${name}/`))])];
}

/** Returns the names of the submodules whose own repositories are in the folder. */
async function historiesIn(folder: string, name: string): Promise<string[]> {
  const entries = await entriesOf(path.join(folder, name));
  if (entries.some((entry) => entry.name === "HEAD")) return [name];
  const below = entries.filter((entry) => entry.isDirectory());
  return (await Promise.all(below.map((entry) => historiesIn(folder, path.posix.join(name, entry.name))))).flat();
}

const entriesOf = (folder: string) => readdir(folder, { withFileTypes: true }).catch(() => []);

/** Counts what is in a file or folder, without unchanged copies. No link is followed. */
async function sizeOf(at: string, name: string, copies?: Copies): Promise<{ files: number; bytes: number }> {
  const file = path.join(at, name);
  const stats = await lstat(file).catch(() => undefined);
  if (!stats) return { files: 0, bytes: 0 };
  if (!stats.isDirectory()) {
    const isSame = (await copies?.isSame(name).catch(() => false)) ?? false;
    return isSame ? { files: 0, bytes: 0 } : { files: 1, bytes: stats.size };
  }
  const sum = { files: 0, bytes: 0 };
  for (const entry of await readdir(file)) {
    const { files, bytes } = await sizeOf(at, path.posix.join(name, entry), copies);
    sum.files += files;
    sum.bytes += bytes;
  }
  return sum;
}

/** Maximum number of the newest entries of the worktree's own history that are looked at. */
const maxEntries = 1000;

/** Counts commits that were checked out or made in the worktree, and that nothing else in the repository holds. */
async function commitsOnlyIn(worktree: Worktree, { at, branchGoes, isCommitted = false }: LossOptions) {
  const { root, base, branch } = worktree;
  const log = await tryGit(at, ["rev-list", "--walk-reflogs", `--max-count=${maxEntries}`, "HEAD"]);
  const visited = [...new Set(log.stdout.split("\n").filter(Boolean))];
  const head = await gitLine(at, ["rev-parse", "HEAD"]);
  const isAncestor = async () => (await tryGit(root, ["merge-base", "--is-ancestor", branch, head])).code === 0;
  const follows = isCommitted && (await isAncestor()) ? [head] : [];
  const own = [head, ...(branchGoes ? [`refs/heads/${branch}`] : []), ...visited];
  // A pattern for `--branches` begins after `refs/heads/` (git rev-list, `--exclude`).
  const without = branchGoes ? [`--exclude=${branch}`] : [];
  const held = [
    "--not",
    base,
    "HEAD",
    ...follows,
    ...without,
    "--branches",
    "--tags",
    "--remotes",
    "--glob=refs/stash",
  ];
  return Number(await gitLine(root, ["rev-list", "--count", "--ignore-missing", ...own, ...held]));
}

/** Returns where a worktree is put before it is deleted, so that nothing which comes later is deleted with it. */
export function removedFolder({ path: top }: Pick<Worktree, "path">): string {
  return path.join(path.dirname(top), `.${path.basename(top)}.removed`);
}
