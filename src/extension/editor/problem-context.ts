/** The problems that VS Code shows, of the workspace or of one file: how many there are, and all of them in words. */

import * as vscode from "vscode";
import { counted, t } from "../../l10n/l10n.ts";
import type { Attachments } from "../attachments/attachments.ts";
import { describeProblems } from "./problem-prompt.ts";

type FileProblems = readonly [vscode.Uri, readonly vscode.Diagnostic[]];

/** A list of more files is too long to be attached. */
const maxFiles = 100;

/** Hints are not in the Problems view. */
const shownSeverities = new Map([
  [vscode.DiagnosticSeverity.Error, (count: number) => counted(count, "{0} error", "{0} errors")],
  [vscode.DiagnosticSeverity.Warning, (count: number) => counted(count, "{0} warning", "{0} warnings")],
  [vscode.DiagnosticSeverity.Information, (count: number) => counted(count, "{0} info", "{0} infos")],
]);

/** Returns the files of the workspace that have problems; those with the most errors come first. */
export function workspaceProblems(): FileProblems[] {
  const isOpenFolder = vscode.workspace.workspaceFolders !== undefined;
  const files = vscode.languages
    .getDiagnostics()
    .filter(([uri]) => !isOpenFolder || uri.scheme === "untitled" || vscode.workspace.getWorkspaceFolder(uri))
    .map(([uri, all]) => [uri, shownProblems(all)] as const)
    .filter(([, problems]) => problems.length > 0);
  const errors = (file: FileProblems) => countOf([file], vscode.DiagnosticSeverity.Error);
  return files.sort((a, b) => errors(b) - errors(a) || (a[0].path < b[0].path ? -1 : 1));
}

/** Returns the file in the active editor with its problems; undefined if there is none. */
export function openFileProblems(): FileProblems | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri && [uri, shownProblems(vscode.languages.getDiagnostics(uri))];
}

function shownProblems(problems: readonly vscode.Diagnostic[]): vscode.Diagnostic[] {
  const shown = problems.filter(({ severity }) => shownSeverities.has(severity));
  return shown.sort((a, b) => a.severity - b.severity || a.range.start.compareTo(b.range.start));
}

function countOf(files: readonly FileProblems[], severity: vscode.DiagnosticSeverity): number {
  return files.reduce((sum, [, problems]) => sum + problems.filter((one) => one.severity === severity).length, 0);
}

/** Returns "3 errors, 1 warning"; empty without problems. */
export function countedProblems(files: readonly FileProblems[]): string {
  const counts = [...shownSeverities].map(([severity, inWords]) => [countOf(files, severity), inWords] as const);
  return counts.flatMap(([count, inWords]) => (count > 0 ? [inWords(count)] : [])).join(", ");
}

/** Describes problems file by file, without those of protected files, about which `leftOut` has a sentence each. */
export async function problemsInWords(
  files: readonly FileProblems[],
  attachments: Pick<Attachments, "whyNot">,
): Promise<{ text: string; leftOut: string[] }> {
  const nearest = files.slice(0, maxFiles);
  const reasons = await Promise.all(nearest.map(([uri]) => (isOnDisk(uri) ? attachments.whyNot(uri) : undefined)));
  const allowed = nearest.filter((_, index) => reasons[index] === undefined);
  const leftOut = nearest.flatMap(([uri], index) => {
    const why = reasons[index];
    return why === undefined
      ? []
      : [t("Problems in {0} are not attached: {1}.", vscode.workspace.asRelativePath(uri), why)];
  });
  const notes = [
    leftOut.length > 0 &&
      t("Those in {0} are left out.", counted(leftOut.length, "{0} protected file", "{0} protected files")),
    files.length > maxFiles && t("Those in {0} more files are left out.", files.length - maxFiles),
  ];
  const described = allowed.map(([uri, problems]) => describeProblems(uri, problems));
  const text = [countedWithFiles(allowed), ...described, ...notes].filter(Boolean).join("\n\n");
  return { text: allowed.length > 0 ? text : "", leftOut };
}

/** Returns "3 errors in 2 files". */
export function countedWithFiles(files: readonly FileProblems[]): string {
  return t("{0} in {1}", countedProblems(files), counted(files.length, "{0} file", "{0} files"));
}

/** The path of a cell is that of its notebook. */
function isOnDisk({ scheme }: vscode.Uri): boolean {
  return scheme === "file" || scheme === "vscode-notebook-cell";
}
