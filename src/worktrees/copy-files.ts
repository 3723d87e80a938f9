/**
 * Copies files that git does not check out into a new worktree: settings, and ignored files that a list names. The list
 * of the repository is not trusted: secrets are copied only if the user's own list names them. No link is followed.
 */
import { constants, createReadStream, createWriteStream, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { copyFile, lstat, readlink, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import ignore from "ignore";
import { systemErrorCode } from "../base/node/system-errors.ts";
import { msg } from "../l10n/l10n.ts";
import { isSecret } from "../tools/file-access/protected-names.ts";
import { isWithin } from "../tools/file-access/requirements.ts";
import { fields, git, tryGit } from "./git.ts";
import { fingerprint } from "./losses.ts";

/** The repository's list, in the syntax of `.gitignore`. Claude Code reads a file of this name, too. */
export const listFile = ".worktreeinclude";

/** Settings that protect or guide the agent: copied wherever git does not bring them. */
const settingsNames = [
  ...[".rondo/", ".rondoignore", ".claude/", ".vscode/", ".mcp.json"],
  ...["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "AGENT.md"],
];

const maxFiles = 50_000;
const maxGigabytes = 2;
const maxBytes = maxGigabytes * 1024 ** 3;

interface CopyPlaces {
  /** The user's working tree and the new one; absolute, links resolved. */
  from: string;
  to: string;
  /** The workspace folder below them, with `/`; empty for the top folder itself. */
  below: string;
}

interface CopyLists {
  /** From the user's settings. */
  user: readonly string[];
  /** Lines of the file in the repository. */
  repository: readonly string[];
}

export interface Copied {
  /** Relative, with `/`. */
  files: string[];
  /** What identifies the content of each. */
  hashes: string[];
  /** Sentences about files that were left out. */
  left: string[];
}

/** `secrets`: further patterns of secret files, in gitignore's syntax. */
export async function copyListed(
  { from, to, below }: CopyPlaces,
  { user, repository }: CopyLists,
  secrets: readonly string[],
): Promise<Copied> {
  const byUser = ignore({ ignorecase: false }).add([...user]);
  const isOwnSecret = ignore({ ignorecase: true }).add([...secrets]);
  const left: string[] = [];
  const secret: string[] = [];
  const settings = ["", below].flatMap((folder) => settingsNames.map((name) => path.posix.join("/", folder, name)));
  const wanted = [
    ...(await untracked(from, [...settings, ".rondoignore"])),
    ...(await ignoredBy(from, [...user, ...repository])),
  ];
  const files = [...new Set(wanted)].filter((file) => {
    if (!isPlainPath(file)) return false;
    if (!(isSecret(file) || isOwnSecret.ignores(file)) || byUser.ignores(file)) return true;
    secret.push(file);
    return false;
  });
  if (secret.length > 0) {
    left.push(
      msg("{0} may hold secrets, so only your setting rondo.worktree.copy can have them copied.", listOf(secret)),
    );
  }
  const copied: string[] = [];
  const hashes: string[] = [];
  let bytes = 0;
  for (const file of files) {
    if (copied.length >= maxFiles || bytes >= maxBytes) {
      left.push(msg("The list names more than {0} files or {1} GB; the rest was not copied.", maxFiles, maxGigabytes));
      break;
    }
    const result = await copyOne({ from, to }, file);
    if (typeof result === "string") left.push(result);
    else {
      copied.push(file);
      hashes.push(await fingerprint(path.join(to, file)));
      bytes += result;
    }
  }
  return { files: copied, hashes, left };
}

/** Returns the bytes that were copied, or a sentence why nothing was. */
async function copyOne({ from, to }: Pick<CopyPlaces, "from" | "to">, file: string): Promise<number | string> {
  const source = path.join(from, file);
  const target = path.join(to, file);
  try {
    const stats = await lstat(source);
    if (realpathSync(path.dirname(source)) !== path.dirname(source))
      return msg("{0} is behind a link: not copied.", file);
    if (!prepareFolder(to, path.dirname(target))) return msg("{0} would be written through a link: not copied.", file);
    if (stats.isSymbolicLink()) return await copyLink({ from, to }, file);
    if (!stats.isFile()) return msg("{0} is no file: not copied.", file);
    // A file that git has checked out, or a link, is never replaced.
    await copyNewFile(source, target, stats.mode);
    return stats.size;
  } catch (error) {
    return msg("{0} was not copied: {1}", file, error instanceof Error ? error.message : String(error));
  }
}

/** A link is made again if it leads to a place inside the working tree by a relative path, as those of packages do. */
async function copyLink({ from, to }: Pick<CopyPlaces, "from" | "to">, file: string): Promise<number | string> {
  const target = await readlink(path.join(from, file));
  const place = path.resolve(from, path.dirname(file), target);
  if (path.isAbsolute(target) || !isWithin(place, from)) return msg("{0} is a link that leads out: not copied.", file);
  await symlink(target, path.join(to, file));
  return 0;
}

/** Creates the folder. @returns false if it is, or is behind, a link */
function prepareFolder(root: string, folder: string): boolean {
  const relative = path.relative(root, folder);
  let at = root;
  for (const name of relative === "" ? [] : relative.split(path.sep)) {
    at = path.join(at, name);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (!stats) mkdirSync(at);
    else if (!stats.isDirectory()) return false;
  }
  return true;
}

/** Returns untracked files that the patterns name, ignored by git or not. Git reads the patterns. */
async function untracked(root: string, patterns: readonly string[]): Promise<string[]> {
  const lines = patterns.filter((line) => line.trim() !== "" && !/[\0\n\r]/.test(line));
  if (lines.length === 0) return [];
  const excludes = lines.map((line) => `--exclude=${line}`);
  return fields(await git(root, ["ls-files", "--others", "--ignored", "-z", ...excludes]));
}

/** Returns the files that the patterns name and git ignores: others are work of the user, not of this session. */
async function ignoredBy(root: string, patterns: readonly string[]): Promise<string[]> {
  const named = await untracked(root, patterns);
  if (named.length === 0) return [];
  const { stdout } = await tryGit(root, ["check-ignore", "-z", "--stdin"], { input: named.join("\0") });
  return fields(stdout);
}

/** Whether the path stays below its folder, and out of git's own files, on every system. */
function isPlainPath(file: string): boolean {
  const names = file.split("/");
  return !path.isAbsolute(file) && names.every((name) => !/^(?:\.{0,2}|\.git[. ]*)$|[\\:]/i.test(name));
}

/** Returns the first names, and the number of the others. */
export function listOf(files: readonly string[]): string {
  const shown = files.slice(0, 3).join(", ");
  return files.length > 3 ? msg("{0} and {1} more files", shown, files.length - 3) : shown;
}

/**
 * Copies a file to a path where nothing is; a file system that can share the blocks of both does so.
 *
 * Not by a plain `copyFile`: one that another program shortens meanwhile is copied for ever and takes a thread of Node
 * with it, because libuv goes on until it has as many bytes as the file had at first (`uv__fs_copyfile`, libuv 1.52).
 * @param mode permissions of the copy
 * @throws Node's error, `EEXIST` if something is there. Nothing is left of a copy that failed.
 */
export async function copyNewFile(source: string, target: string, mode: number): Promise<void> {
  try {
    // Forced, it never copies bytes.
    await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") throw error;
    await copyBytes(source, target, mode);
  }
}

async function copyBytes(source: string, target: string, mode: number): Promise<void> {
  try {
    await pipeline(createReadStream(source), createWriteStream(target, { flags: "wx", mode }));
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") await rm(target, { force: true });
    throw error;
  }
}
