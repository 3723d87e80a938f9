import { isSecretName } from "../file-access/protected-names.ts";
import { hasLong, hasShort, isFlag, isVerb, type Words } from "./options.ts";

/** Options before the sub-command can name a pager or an alias; some sub-commands run what they are given, or write files. */
export function isHiddenGit(rest: Words): boolean {
  const words = withoutPagerFlags(rest);
  const [verb = "--version", next = ""] = words;
  if (verb === "--version" || verb === "--help") return words.length > 1;
  if (isFlag(verb) || isVerb(words, runs)) return true;
  // `git x` is whatever the alias x says.
  if (!isVerb(words, verbs)) return true;
  if (words.some((word) => /^ext::|^fd::/.test(word))) return true;
  if (verb === "submodule" && next === "foreach") return true;
  if (verb === "bisect" && next === "run") return true;
  if (verb === "rebase" && (hasShort(words, "xi") || hasLong(words, "interactive"))) return true;
  if (verb === "grep" && hasShort(words, "O")) return true;
  if (isVerb(words, showing) && words.slice(1).some(mayNameSecrets)) return true;
  if (/^(clone|init)$/.test(verb) && hasShort(words, "cu")) return true;
  if (verb === "archive" && hasShort(words, "o")) return true;
  if (verb === "branch" && changesBranches(words.slice(1))) return true;
  return (
    hasLong(words, "exec", "upload-pack", "receive-pack", "extcmd", "ext-diff", "textconv", "output", "filters") ||
    hasLong(words, "open-files-in-pager", "config", "template", "run", "separate-git-dir", "editor")
  );
}

const showing =
  "annotate archive blame cat-file diff diff-files diff-index diff-tree format-patch log show stash whatchanged";

/** Git has wildcards of its own, and looks for what they stand for in all that ever was. */
function mayNameSecrets(word: string): boolean {
  if (isFlag(word) || /^:([!^]|\(exclude\))/.test(word)) return false;
  if (!/[*?[\\]|^:\(.*attr/.test(word)) return false;
  const ending = /^(?:[\w./-]*\/)?(?:\*\*\/)?\*(\.\w+)$/.exec(word)?.[1];
  return ending === undefined || isSecretName(`x${ending}`);
}

function withoutPagerFlags(rest: Words): Words {
  return rest[0] === "--no-pager" || rest[0] === "-P" ? rest.slice(1) : rest;
}

/** A rule for `git branch *` is meant for looking at them. */
function changesBranches(rest: Words): boolean {
  if (hasShort(rest, "dDmMcCfu")) return true;
  if (hasLong(rest, "delete", "move", "copy", "force", "set-upstream-to", "unset-upstream", "edit-description"))
    return true;
  const isList = hasShort(rest, "l") || hasLong(rest, "list", "contains", "no-contains", "merged", "no-merged");
  return !isList && rest.some((word) => !isFlag(word)) && !hasLong(rest, "points-at", "sort", "format");
}

const runs = "config filter-branch difftool mergetool daemon hook maintenance instaweb send-email shell gui citool";

const verbs =
  `add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-ref-format checkout
cherry cherry-pick clean clone commit count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch
fsck gc grep help init log ls-files ls-remote ls-tree merge merge-base mv name-rev notes prune pull push range-diff rebase reflog
remote repack reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stash status
submodule switch symbolic-ref tag update-index update-ref var verify-commit verify-tag version whatchanged worktree write-tree`
    .split(/\s+/)
    .join(" ");

/** Whether it changes no files of the working tree. */
export function isReadingGit(rest: Words): boolean {
  return isVerb(withoutPagerFlags(rest), reading);
}

const reading =
  "add annotate blame branch cat-file check-attr check-ignore cherry commit count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref grep help log ls-files ls-remote ls-tree merge-base name-rev push range-diff reflog remote rev-list rev-parse shortlog show show-branch show-ref status tag var version whatchanged";
