/** Collects what will be committed. Protected files are named and not shown. Its texts are for the model. */
import type { Attachments } from "../../attachments/attachments.ts";
import type { CommitContents, CommittedFile } from "./commit-prompt.ts";
import { currentOf, diffOf, namesOf, whyNotShown } from "./git-changes.ts";
import { type GitChange, type GitRepository, letterOf } from "./git-extension.ts";

/** Git is asked for the diffs of so many files; the others are named. */
const maxDiffs = 100;
/** Processes of git at the same time. */
const atOnce = 4;
const maxSubjects = 10;

/** What is staged, or all changes if nothing is. @throws the signal's reason */
export async function collectChanges(
  repository: GitRepository,
  files: Pick<Attachments, "whyNot" | "fromFile">,
  signal: AbortSignal,
): Promise<CommitContents> {
  const { indexChanges, workingTreeChanges, untrackedChanges = [] } = repository.state;
  const isStaged = indexChanges.length > 0;
  const changes = isStaged ? indexChanges : [...workingTreeChanges, ...untrackedChanges];
  const found: CommittedFile[] = [];
  for (let at = 0; at < changes.length; at += atOnce) {
    signal.throwIfAborted();
    const some = changes.slice(at, at + atOnce);
    found.push(...(await Promise.all(some.map((change, by) => changedFile(change, at + by >= maxDiffs)))));
  }
  signal.throwIfAborted();
  // Fails in a repository without commits.
  const log = await repository.log({ maxEntries: maxSubjects }).catch(() => []);
  return { files: found, subjects: log.map(({ message }) => message), begun: repository.inputBox.value };

  async function changedFile(change: GitChange, isNamedOnly: boolean): Promise<CommittedFile> {
    const title = `${letterOf(change)} ${namesOf(repository, change).join(" → ")}`;
    if (isNamedOnly) return { title, diff: { leftOut: "there are too many files" } };
    const leftOut = await whyNotShown(change, files);
    if (leftOut !== undefined) return { title, diff: { leftOut } };
    return { title, diff: { text: await textOf(change) } };
  }

  async function textOf(change: GitChange): Promise<string> {
    return isStaged
      ? await repository.diffIndexWithHEAD(currentOf(change).fsPath)
      : await diffOf(repository, change, files);
  }
}
