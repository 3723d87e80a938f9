/** Reads the current branch from git's files, because starting git would take much longer. */

import { findRepository, gitFileLine } from "../base/node/repository.ts";
import { msg } from "../l10n/l10n.ts";

/** Returns the branch's name, "detached at 1a2b3c4", or undefined outside git. Also searches the parent folders. */
export function branchOf(folder: string): string | undefined {
  const repository = findRepository(folder);
  const head = repository && gitFileLine(repository.gitDir, "HEAD");
  if (head === undefined) return undefined;
  if (/^[0-9a-f]{40,64}$/.test(head)) return msg("detached at {0}", head.slice(0, 7));
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  // It goes into the prompt, so it must be a name that git allows. `.invalid` stands for other formats.
  return branch !== undefined && /^[^\s\p{C}~^:?*[\\]{1,200}$/u.test(branch) && branch !== ".invalid"
    ? branch
    : undefined;
}
