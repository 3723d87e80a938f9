/** The changes against the last commit, of all repositories that VS Code has opened. Its texts are for the model. */
import path from "node:path";
import type * as vscode from "vscode";
import type { Attachments } from "../../attachments/attachments.ts";
import { type GitChange, type GitRepository, isUntracked, openRepositories } from "./git-extension.ts";

export interface RepositoryChange {
  repository: GitRepository;
  change: GitChange;
}

/** Returns each changed file once, staged or not; none where git does not run. */
export function allChanges(): RepositoryChange[] {
  return openRepositories().flatMap((repository) => {
    const { indexChanges, workingTreeChanges, untrackedChanges = [] } = repository.state;
    const all = [...workingTreeChanges, ...untrackedChanges, ...indexChanges];
    const byFile = new Map(all.map((change) => [currentOf(change).toString(), change]));
    return [...byFile.values()].map((change) => ({ repository, change }));
  });
}

/** Returns the file as it is called now. */
export const currentOf = ({ renameUri, uri }: GitChange): vscode.Uri => renameUri ?? uri;

/** Returns the file's path in the repository, after its former one if it was renamed. */
export function namesOf(repository: GitRepository, change: GitChange): string[] {
  return [...new Set([change.originalUri, currentOf(change)].map(({ fsPath }) => relativeTo(repository, fsPath)))];
}

/** Returns why a change is not shown, as the end of a sentence: its file, or the one it was before, is protected. */
export async function whyNotShown(change: GitChange, files: Pick<Attachments, "whyNot">): Promise<string | undefined> {
  const reasons = await Promise.all([change.originalUri, currentOf(change)].map((uri) => files.whyNot(uri)));
  return reasons.find((reason) => reason !== undefined);
}

/** Returns the file's diff against the last commit; for one that git does not track, its text. */
export async function diffOf(
  repository: GitRepository,
  change: GitChange,
  files: Pick<Attachments, "fromFile">,
): Promise<string> {
  return isUntracked(change)
    ? await newFile(repository, change.uri, files)
    : await repository.diffWithHEAD(currentOf(change).fsPath);
}

/** Git has no diff of a file that it does not track. */
async function newFile(repository: GitRepository, uri: vscode.Uri, files: Pick<Attachments, "fromFile">) {
  const attachment = await files.fromFile(uri).catch(() => undefined);
  const lines = attachment?.source?.text.split("\n").map((line) => `+${line}`) ?? ["(not text)"];
  return [`new file ${relativeTo(repository, uri.fsPath)}`, ...lines].join("\n");
}

const relativeTo = ({ rootUri }: GitRepository, file: string): string =>
  path.relative(rootUri.fsPath, file).replaceAll("\\", "/");
