/** What Rondo uses of VS Code's Git extension, whose API has the version 1 since 2019 (`extensions/git/src/api/git.d.ts`). */
import * as vscode from "vscode";

export interface GitChange {
  readonly uri: vscode.Uri;
  readonly originalUri: vscode.Uri;
  readonly renameUri: vscode.Uri | undefined;
  readonly status: number;
}

export interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  readonly state: {
    readonly indexChanges: readonly GitChange[];
    readonly workingTreeChanges: readonly GitChange[];
    readonly untrackedChanges?: readonly GitChange[];
  };
  /** Compares the index with the last commit. */
  diffIndexWithHEAD(path: string): Promise<string>;
  /** Compares the file, staged or not, with the last commit. */
  diffWithHEAD(path: string): Promise<string>;
  log(options: { maxEntries: number }): Promise<readonly { readonly message: string }[]>;
}

interface GitAPI {
  readonly repositories: readonly GitRepository[];
  getRepository(uri: vscode.Uri): GitRepository | null;
}

interface GitExports {
  readonly enabled: boolean;
  getAPI(version: 1): GitAPI;
}

/** The numbers of git.d.ts that have a letter of their own. */
const letters: Readonly<Record<number, string>> = { 1: "A", 2: "D", 3: "R", 4: "C", 6: "D", 7: "A", 9: "A" };
const untracked = 7;

/** Returns the letter that git has for such a change. */
export const letterOf = ({ status }: GitChange): string => letters[status] ?? "M";
export const isUntracked = ({ status }: GitChange): boolean => status === untracked;

/** Returns the repository that a command of the SCM view belongs to, else the one to commit to. */
export async function findRepository(sourceControl: unknown): Promise<GitRepository | undefined> {
  const extension = vscode.extensions.getExtension<GitExports>("vscode.git");
  // The manifest of the Git extension does not let it run in an untrusted workspace.
  const git = extension && (await extension.activate());
  if (!git?.enabled) return undefined;
  const api = git.getAPI(1);
  const uri = rootOf(sourceControl) ?? vscode.window.activeTextEditor?.document.uri;
  return (uri && api.getRepository(uri)) ?? api.repositories[0];
}

/** Returns the repositories that are open now; none while the Git extension has not begun. */
export function openRepositories(): readonly GitRepository[] {
  const extension = vscode.extensions.getExtension<GitExports>("vscode.git");
  return extension?.isActive && extension.exports.enabled ? extension.exports.getAPI(1).repositories : [];
}

function rootOf(sourceControl: unknown): vscode.Uri | undefined {
  if (typeof sourceControl !== "object" || sourceControl === null || !("rootUri" in sourceControl)) return undefined;
  return sourceControl.rootUri instanceof vscode.Uri ? sourceControl.rootUri : undefined;
}
