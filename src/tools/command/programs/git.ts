import { msg } from "../../../l10n/l10n.ts";
import { isSecretName } from "../../file-access/protected-names.ts";
import { leadingOptions } from "../shell/leading-options.ts";
import type { LaunchedCommand } from "../shell/visitor.ts";
import { possibleValue, type ShellWord } from "../shell/word.ts";
import { hasArgument, isFlag, type ProgramArguments } from "./arguments.ts";
import { changedByGit } from "./changes.ts";
import { allFiles, type Programs } from "./program.ts";

/** git(1) 2.51: options before the sub-command. */
const globalOptions = `-C= -c= --exec-path=? --git-dir= --work-tree= --namespace= --super-prefix= --config-env= --attr-source= --list-cmds=?
      -p --paginate -P --no-pager --no-replace-objects --no-lazy-fetch --no-advice --bare --literal-pathspecs
      --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --html-path --man-path --info-path -v
      --version -h --help`;

export const gitPrograms: Programs = {
  git: {
    usesRepository: true,
    // Options before the sub-command can name a pager or an alias.
    options: globalOptions,
    harmlessOptions: "--version --help",
    wraps: unwrapGit,
    optionNames: "-f|--force -n|--no-verify -d|--delete",
    unlisted: "alias",
    runsOtherCode: `--exec --upload-pack --receive-pack --extcmd --ext-diff --textconv --output --filters --config --template
      --open-files-in-pager --run --separate-git-dir --editor ext::* fd::*`,
    readsRecursively: (words) => {
      if (hasArgument("--no-index", words)) return allFiles;
      // Tracked files are rarely ignored.
      return subcommandOf(words)[0] === "grep"
        ? { ...allFiles, ignored: hasArgument("--untracked", words) }
        : undefined;
    },
    writes: changedConfig,
    changes: (words) => changedByGit(subcommandOf(words)),
    subcommands: {
      [`add check-attr check-ignore cherry commit count-objects describe fetch for-each-ref help ls-files ls-remote
          ls-tree merge-base name-rev range-diff reflog remote rev-list rev-parse shortlog show-branch show-ref status tag
          var version`]: { files: "read" },
      "annotate blame cat-file diff diff-files diff-index diff-tree log show whatchanged": {
        files: "read",
        exceeds: canShowSecrets,
      },
      archive: { exceeds: (words) => hasArgument("-o", words) || canShowSecrets(words) },
      "format-patch stash": { exceeds: canShowSecrets },
      branch: { files: "read", exceeds: changesBranches },
      config: { exceeds: "always" },
      grep: { files: "read", runsOtherCode: "-O" },
      push: { files: "read", effect: msg("sends data to the network") },
      "clone init": { runsOtherCode: "-c -u" },
      rebase: { runsOtherCode: "-x -i --interactive" },
      submodule: { runsOtherCode: "foreach" },
      bisect: { runsOtherCode: "run" },
      [`am apply bundle checkout check-ref-format cherry-pick clean fsck gc merge mv notes prune pull repack reset
          restore revert rm sparse-checkout switch symbolic-ref update-index update-ref verify-commit verify-tag worktree
          write-tree`]: {},
    },
    allowed: ["git --version", "git -P log", "git branch --list 'v*'", "git diff -- '*.ts'", "git commit -m x"],
    asks: [
      "git -c core.pager='rm x' log",
      "git --exec-path=. log",
      "git x",
      "git branch new",
      "git diff --ext-diff",
      "git grep -O./x foo",
      "git rebase -x 'rm x' HEAD",
      "git log -p -- '*.pem'",
      "git config alias.status '!rm x'",
    ],
  },
};

/** `git -C src -P log` is `git log` in that folder. */
function unwrapGit(words: readonly ShellWord[]): LaunchedCommand[] | undefined {
  const [git, ...rest] = words;
  const folders: ShellWord[] = [];
  let at = 0;
  for (; at < rest.length; at++) {
    const word = rest[at];
    const option = word && possibleValue(word);
    const folder = rest[at + 1];
    if (option === "-C" && folder) {
      folders.push(folder);
      at++;
    } else if (option !== "-P" && option !== "--no-pager") break;
  }
  if (at === 0 || at === rest.length || !git) return undefined;
  return [{ type: "command", words: [git, ...rest.slice(at)], folders }];
}

/** Returns the words from the sub-command on. */
function subcommandOf(words: ProgramArguments): ProgramArguments {
  return words.slice(leadingOptions(words, globalOptions)?.end ?? words.findIndex((word) => !isFlag(word)));
}

/** Settings that cannot make git run a program. */
const harmlessSetting =
  /^(user\.(name|email|signingkey)|(color|advice|column)\..*|init\.defaultbranch|pull\.(rebase|ff)|push\.(default|autosetupremote)|core\.(autocrlf|eol|filemode|ignorecase|quotepath|longpaths|safecrlf)|(commit|tag)\.gpgsign|rerere\.enabled|fetch\.prune)$/i;

/** git-config(1) 2.51: with one name it shows a setting, with a value it changes it. */
function changedConfig(words: ProgramArguments): string[] {
  const [verb, ...rest] = subcommandOf(words);
  if (verb !== "config") return [];
  if (hasArgument("-l --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool", rest)) return [];
  const operands = rest.filter(
    (word, at) => !isFlag(word) && !/^(-f|--file|--type|--blob|--default)$/.test(rest[at - 1] ?? ""),
  );
  const [first = "", name = ""] = operands;
  if (
    /^(get|list)$/.test(first) ||
    (operands.length === 1 && !hasArgument("--unset --unset-all --edit -e --remove-section", rest) && first !== "edit")
  )
    return [];
  if (harmlessSetting.test(first === "set" || first === "unset" ? name : first)) return [];
  return hasArgument("--global --system", rest) ? ["~/.gitconfig"] : [".git/config"];
}

/** Git has its own wildcards, and searches the whole history for their matches. */
function canShowSecrets(words: ProgramArguments): boolean {
  return words.some((word) => {
    if (isFlag(word) || /^:([!^]|\(exclude\))/.test(word)) return false;
    if (!/[*?[\\]|^:\(.*attr/.test(word)) return false;
    const ending = /^(?:[\w./-]*\/)?(?:\*\*\/)?\*(\.\w+)$/.exec(word)?.[1];
    return ending === undefined || isSecretName(`x${ending}`);
  });
}

/** A rule for `git branch *` is meant for listing branches. */
function changesBranches(words: ProgramArguments): boolean {
  const changes = `-d -D -m -M -c -C -f -u --delete --move --copy --force --set-upstream-to --unset-upstream
    --edit-description`;
  const lists = "-l --list --contains --no-contains --merged --no-merged --points-at --sort --format";
  return hasArgument(changes, words) || (!hasArgument(lists, words) && words.some((word) => !isFlag(word)));
}
