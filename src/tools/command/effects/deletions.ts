/** What a command deletes or discards, in words. */

import { lstatSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { repositoryAbove } from "../../../base/node/repository.ts";
import { msg } from "../../../l10n/l10n.ts";
import type { Workspace } from "../../host.ts";
import { hasChanged, readGitIndex } from "../../node-host/git-index.ts";
import { hasArgument, plainWords } from "../programs/arguments.ts";
import { operandsOf } from "../programs/changes.ts";
import { absolutePath, countDeleted, type DeletedFiles, type DeletionFilter } from "./deleted-files.ts";

/** A part of a command that deletes. */
export type Deletion =
  /** `deep`: also folders with what is in them. `isPartial`: some paths are known only when it runs. */
  | { type: "files"; paths: string[]; deep: boolean; isPartial: boolean }
  | { type: "untracked"; paths: string[]; deep: boolean; ignored: "kept" | "also" | "only" }
  /** `paths`: what is reset, as it is written; undefined for everything, or for what cannot be counted. */
  | { type: "discards"; what: string; paths: string[] | "everything" | undefined }
  | { type: "other"; sentence: string; detail: string };

/** Words of an action; undefined for what is known only when it runs. Paths are as they are written. */
export function deletionOf(words: readonly (string | undefined)[]): Deletion | undefined {
  const [program = "", ...given] = words;
  const known = given.filter((word) => word !== undefined);
  const isPartial = known.length < given.length;
  switch (program) {
    case "rm":
    case "unlink":
    case "shred":
    case "trash":
    case "trash-put": {
      const deep = program.startsWith("trash") || hasArgument("-r -R --recursive", known);
      const paths = operandsOf(known, "-n= --iterations= -s= --size= --random-source=");
      return { type: "files", paths, deep, isPartial };
    }
    case "rmdir":
      return { type: "other", sentence: msg("It deletes empty folders."), detail: "" };
    case "find":
    case "fd":
      if (!known.includes("-delete")) return undefined;
      return { type: "files", paths: [], deep: false, isPartial: true };
    case "git":
      return deletedByGit(known, isPartial);
    case "rsync":
      if (!known.some((word) => /^--delete/.test(word)) || hasArgument("-n --dry-run", known)) return undefined;
      return {
        type: "other",
        sentence: msg("It deletes files in its target."),
        detail: msg("Those that its source does not have."),
      };
    case "docker":
    case "podman":
      return deletedByDocker(known);
    case "dropdb":
      return { type: "other", sentence: msg("It deletes a database."), detail: "" };
    case "mkfs":
    case "wipefs":
      return { type: "other", sentence: msg("It deletes everything on a disk."), detail: "" };
    default:
      return undefined;
  }
}

function deletedByGit([verb = "", ...words]: readonly string[], isPartial: boolean): Deletion | undefined {
  const plain = plainWords(words);
  switch (verb) {
    case "rm":
      if (hasArgument("--cached -n --dry-run", words)) return undefined;
      return { type: "files", paths: operandsOf(words), deep: hasArgument("-r", words), isPartial };
    case "clean": {
      if (hasArgument("-n --dry-run", words)) return undefined;
      const ignored = hasArgument("-X", words) ? "only" : hasArgument("-x", words) ? "also" : "kept";
      const paths = operandsOf(words, "-e= --exclude=");
      return { type: "untracked", paths: paths.length > 0 ? paths : ["."], deep: hasArgument("-d", words), ignored };
    }
    case "reset":
      return hasArgument("--hard", words) ? allChanges : undefined;
    case "checkout": {
      const at = words.indexOf("--");
      const named = at >= 0 ? words.slice(at + 1) : plain.filter((word) => word === "." || word === ":/");
      if (named.length > 0) return changesIn(named, isPartial);
      return hasArgument("-f --force", words) ? allChanges : undefined;
    }
    case "restore":
      if (hasArgument("-S --staged", words) && !hasArgument("-W --worktree", words)) return undefined;
      return changesIn(operandsOf(words, "-s= --source="), isPartial);
    case "stash":
      return /^(drop|clear)$/.test(plain[0] ?? "")
        ? { type: "discards", what: msg("stashed changes"), paths: undefined }
        : undefined;
    case "branch":
      if (!hasArgument("-D -d --delete", words)) return undefined;
      return other(
        plain.length === 1
          ? msg("It deletes the branch {0}.", listed(plain))
          : msg("It deletes the branches {0}.", listed(plain)),
      );
    case "tag":
      return hasArgument("-d --delete", words) ? other(msg("It deletes {0}.", listed(plain))) : undefined;
    case "worktree":
      if (plain[0] !== "remove") return undefined;
      return { type: "files", paths: plain.slice(1), deep: true, isPartial };
    default:
      return undefined;
  }
}

const allChanges: Deletion = { type: "discards", what: msg("all changes"), paths: "everything" };

function changesIn(named: string[], isPartial: boolean): Deletion {
  // A pathspec with signs is no path.
  const isPlain = !isPartial && named.length > 0 && named.every((one) => !/^:|[*?[\\]/.test(one));
  const paths = named.join() === ":/" ? "everything" : isPlain ? named : undefined;
  return { type: "discards", what: msg("the changes in {0}", listed(named)), paths };
}

/** What is lost with the changes of a working tree. `folder`: absolute; undefined if it is not known. */
export async function describeDiscarded(
  { what, paths }: Extract<Deletion, { type: "discards" }>,
  folder: string | undefined,
  signal: AbortSignal,
): Promise<{ sentence: string; detail: string }> {
  const plain = { sentence: msg("It discards {0}.", what), detail: msg("Git does not have what was not committed.") };
  if (folder === undefined || paths === undefined) return plain;
  const absolute = paths === "everything" ? undefined : paths.map((one) => absolutePath(one, folder, folder));
  const found = await changedFiles(folder, absolute, signal);
  if (!found) return plain;
  const { files, only, isCut } = found;
  if (files === 0)
    return isCut
      ? plain
      : {
          ...plain,
          detail: absolute
            ? msg("No file there has changed since it was last staged.")
            : msg("No file has changed since it was last staged."),
        };
  const counting = only !== undefined && !isCut ? only : filesInWords(files);
  return { ...plain, sentence: discarded(counting, isCut, paths === "everything") };
}

function discarded(what: string, isCut: boolean, withStaged: boolean): string {
  if (!withStaged) {
    return isCut
      ? msg("It discards the changes in more than {0}.", what)
      : msg("It discards the changes in {0}.", what);
  }
  return isCut
    ? msg("It discards the changes in more than {0}, and what is staged.", what)
    : msg("It discards the changes in {0}, and what is staged.", what);
}

const other = (sentence: string): Deletion => ({ type: "other", sentence, detail: "" });

function deletedByDocker(words: readonly string[]): Deletion | undefined {
  const [first = "", second = ""] = plainWords(words);
  if (first === "rmi" || (first === "image" && /^(rm|prune)$/.test(second))) return other(msg("It deletes images."));
  if (first === "volume" && /^(rm|remove|prune)$/.test(second))
    return other(msg("It deletes volumes with their data."));
  if (first === "system" && second === "prune") return other(msg("It deletes containers, networks and images."));
  if (first === "compose" && second === "down" && hasArgument("-v --volumes", words))
    return other(msg("It deletes volumes with their data."));
  const isContainer = first === "rm" || (first === "container" && /^(rm|prune)$/.test(second));
  return isContainer ? other(msg("It deletes containers.")) : undefined;
}

const listed = (names: readonly string[]) =>
  names.length > 3 ? msg("{0} and {1} more", names.slice(0, 2).join(", "), names.length - 2) : names.join(", ");

/** Files to count, and how. */
export interface Target {
  deletion: Extract<Deletion, { type: "files" | "untracked" }>;
  /** Absolute. */
  paths: readonly string[];
}

/** Returns a sentence about all of them, and what git has. */
export async function describeDeleted(
  targets: readonly Target[],
  workspace: Pick<Workspace, "isGitIgnored">,
  cwd: string,
  signal: AbortSignal,
): Promise<{ sentence: string; detail: string }> {
  const isPartial = targets.some(({ deletion }) => deletion.type === "files" && deletion.isPartial);
  let sum: DeletedFiles | undefined;
  for (const { deletion, paths } of targets) {
    const count = await countDeleted(paths, signal, { filter: filterFor(deletion, workspace), limitMs: timeLeft(sum) });
    sum = sum ? added(sum, count) : count;
  }
  if (!sum || sum.files === 0) return noFiles(sum, isPartial);
  return { sentence: sentenceOf(sum, isPartial, cwd), detail: detailOf(sum, isPartial) };
}

/** All counts of one command together take at most twice the time of one. */
const timeLeft = (sum: DeletedFiles | undefined): number => (!sum ? 120 : sum.isCut ? 0 : 30);

function filterFor(deletion: Target["deletion"], workspace: Pick<Workspace, "isGitIgnored">): DeletionFilter {
  if (deletion.type === "files") return { enters: () => deletion.deep, counts: () => true };
  const { deep, ignored } = deletion;
  const isWanted = (path: string) => {
    if (ignored === "also") return true;
    return workspace.isGitIgnored(path) === (ignored === "only");
  };
  return {
    enters: (folder, tracked) => !folder.endsWith(".git") && (deep || tracked()),
    counts: (file, tracked) => !tracked && !/[/\\]\.git([/\\]|$)/.test(file) && isWanted(file),
  };
}

function added(one: DeletedFiles, other: DeletedFiles): DeletedFiles {
  return {
    files: one.files + other.files,
    folders: one.folders + other.folders,
    only: undefined,
    inGit: one.inGit === undefined || other.inGit === undefined ? undefined : one.inGit + other.inGit,
    changed: one.changed + other.changed,
    isRepository: one.isRepository || other.isRepository,
    isCut: one.isCut || other.isCut,
  };
}

function noFiles(sum: DeletedFiles | undefined, isPartial: boolean) {
  const sentence = msg("It deletes files.");
  if (isPartial) return { sentence, detail: msg("Which ones is known only when it runs.") };
  if (sum?.isCut) return { sentence, detail: msg("Rondo could not count them in time.") };
  return sum && sum.folders > 0
    ? { sentence: msg("It deletes empty folders."), detail: "" }
    : { sentence, detail: msg("None of them exists now.") };
}

function sentenceOf({ files, only, isCut }: DeletedFiles, isPartial: boolean, cwd: string): string {
  if (isCut) return msg("It deletes more than {0}.", filesInWords(files));
  if (isPartial) return msg("It deletes at least {0}.", filesInWords(files));
  return only === undefined
    ? msg("It deletes {0}.", filesInWords(files))
    : msg("It deletes {0}.", shownPath(only, cwd));
}

const filesInWords = (files: number) => (files === 1 ? msg("1 file") : msg("{0} files", files.toLocaleString("en")));

function shownPath(path: string, cwd: string): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

/** Says which of the deleted files git has. */
export const deletedInGit = (deleted: DeletedFiles): string => detailOf(deleted, false);

function detailOf({ files, inGit, changed, isRepository, isCut }: DeletedFiles, isPartial: boolean): string {
  const more = isPartial ? ` ${msg("The others are known only when it runs.")}` : "";
  if (inGit === undefined) return `${msg("Rondo cannot tell which of them git has.")}${more}`;
  if (!isRepository || (inGit === 0 && !isCut)) {
    return `${files === 1 ? msg("It is not in git.") : msg("None of them is in git.")}${more}`;
  }
  const others = files - inGit;
  const newest =
    changed === 0
      ? ""
      : ` ${changed === files ? msg("Perhaps not the newest text.") : msg("For {0}, perhaps not the newest text.", changed)}`;
  if (others === 0) return `${files === 1 ? msg("Git has it.") : msg("Git has all of them.")}${newest}${more}`;
  const rest =
    others === 1
      ? msg("The other one is not in git.")
      : msg("The other {0} are not in git.", others.toLocaleString("en"));
  return `${msg("Git has {0} of them.", inGit.toLocaleString("en"))} ${rest}${newest}${more}`;
}

// Counts the files whose changes git would discard, within a short time and without starting git.

/** The user waits for the card meanwhile. */
const maxCountMs = 120;
const filesPerTurn = 500;

interface DiscardedChanges {
  /** Files with other text than git has staged. */
  files: number;
  /** The path of the one file relative to `folder`, if one is all. */
  only: string | undefined;
  /** Whether there may be more than could be counted. */
  isCut: boolean;
}

/**
 * Returns which of the tracked files have changed: those at or below `paths`, absolute, or all of the repository of
 * `folder`. Undefined outside of a repository, or where its index cannot be read. @throws the signal's reason on abort
 */
async function changedFiles(
  folder: string,
  paths: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<DiscardedChanges | undefined> {
  const repository = repositoryAbove(folder);
  const index = repository && readGitIndex(repository.gitDir);
  if (!repository || !index) return undefined;
  const found: DiscardedChanges = { files: 0, only: undefined, isCut: false };
  const end = performance.now() + maxCountMs;
  let looked = 0;
  for (const [name, tracked] of index) {
    const file = path.join(repository.root, name);
    if (paths && !paths.some((one) => isAtOrBelow(file, one))) continue;
    if (++looked % filesPerTurn === 0) {
      await nextTurn();
      signal.throwIfAborted();
      if (performance.now() > end) return { ...found, isCut: true };
    }
    const stats = lstatSync(file, { throwIfNoEntry: false });
    // Nothing is lost of a file that is gone, and a folder is a repository of its own.
    if (!stats || stats.isDirectory() || !hasChanged(tracked, stats)) continue;
    found.files += 1;
    found.only = found.files === 1 ? path.relative(folder, file) : undefined;
  }
  return found;
}

const isAtOrBelow = (file: string, one: string) =>
  file === one || file.startsWith(one.endsWith(path.sep) ? one : one + path.sep);
