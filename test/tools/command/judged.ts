import type { Rule } from "../../../src/chat/requests.ts";
import { judge, type RuleBook, strictest } from "../../../src/loop/permissions/rules.ts";
import type { TestWorkspace } from "../workspace.ts";

export const allowing = (...patterns: string[]): Rule[] =>
  patterns.map((pattern) => ({ permission: "bash", pattern, action: "allow" }));

/** Rules that allow only reading. */
export const reading = allowing(
  ...[
    "ls *",
    "cat *",
    "grep *",
    "rg *",
    "find *",
    "head *",
    "tail *",
    "wc *",
    "echo *",
    "printf *",
    "sort *",
    "uniq *",
  ],
  ...[
    "git status *",
    "git diff *",
    "git log *",
    "git show *",
    "git grep *",
    "git branch *",
    "git rev-parse *",
    "git ls-files *",
  ],
  ...[
    "sed *",
    "awk *",
    "cut *",
    "tr *",
    "tree *",
    "file *",
    "stat *",
    "du *",
    "diff *",
    "jq *",
    "pwd *",
    "which *",
    "date *",
  ],
  ...[
    "fd *",
    "ag *",
    "man *",
    "less *",
    "tar *",
    "env *",
    "xxd *",
    "node --version",
    "python3 --version",
    ..."ps yq bat tar unzip zip 7z ar cpio rsync gzip gunzip xz shuf iconv".split(" ").map((name) => `${name} *`),
    "basename *",
    "dirname *",
  ],
);

export async function decisionOf(
  command: string,
  workspace: TestWorkspace,
  user: readonly Rule[],
  mode: RuleBook["mode"] = "default",
): Promise<Rule["action"]> {
  const book = { mode, user, workspace: [] };
  const { requires } = await workspace.plan("bash", { command }, undefined, book);
  return strictest(requires.map((need) => judge(need, "bash", book)));
}
