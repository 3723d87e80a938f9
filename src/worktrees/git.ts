/** Runs git for worktrees; what goes wrong is a sentence for people. */

import { never } from "../base/never.ts";
import { type GitArguments, type GitOptions, runGit } from "../base/node/run-git.ts";
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

export interface GitResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Resolves with git's exit code and output. @throws WorktreeError if git cannot be used; the signal's reason on abort */
export async function tryGit(folder: string, args: GitArguments, options: GitOptions = {}): Promise<GitResult> {
  const end = await runGit(folder, args, options);
  switch (end.type) {
    case "exit":
      return { code: end.code, stdout: end.stdout.toString(), stderr: end.stderr };
    case "killed":
      return { code: -1, stdout: "", stderr: "" };
    case "missing":
      throw new WorktreeError(msg("git could not be started."), msg("Install git, or add it to the PATH of VS Code."));
    case "unsafe":
      throw new WorktreeError(
        msg(
          "The settings of git have a filter or a hook with an equals sign in its name, which Rondo cannot turn off.",
        ),
        msg("Give it another name."),
      );
    default:
      return never(end);
  }
}

/** Returns git's output. @throws WorktreeError with git's own words when it fails */
export async function git(folder: string, args: GitArguments, options: GitOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await tryGit(folder, args, options);
  if (code === 0) return stdout;
  const said = stderr.trim().split("\n").slice(-3).join(" ").slice(0, 500);
  throw new WorktreeError(
    msg("git {0} failed: {1}", args[0], said || msg("exit code {0}", code)),
    msg("Nothing else was changed."),
  );
}

/** Returns the submodules in the index, and the other repositories that were added to it, as paths from the top folder. */
export async function repositoriesInIndex(top: string, options: GitOptions = {}): Promise<string[]> {
  const staged = fields(await git(top, ["ls-files", "--stage", "-z"], options));
  return staged.flatMap((entry) => (entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : []));
}

/** As `git`, without the line feed at the end. */
export async function gitLine(folder: string, args: GitArguments, options: GitOptions = {}): Promise<string> {
  return (await git(folder, args, options)).replace(/\r?\n$/, "");
}

/** Splits output with `-z`. */
export const fields = (text: string): string[] => text.split("\0").filter((field) => field !== "");
