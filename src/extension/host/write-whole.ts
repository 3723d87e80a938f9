/** Writes a file of the extension's own so that it is whole whenever the extension host dies. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import type * as vscode from "vscode";

/** Ends the names of files that are being written. One that is left may be incomplete. */
export const unfinishedEnding = ".new";

let writes = 0;

/** Not by VS Code's own file system: its rename deletes the file that it replaces before. */
export async function writeWhole({ fsPath: file }: vscode.Uri, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const fresh = `${file}.${process.pid}-${++writes}${unfinishedEnding}`;
  await writeFile(fresh, text);
  await rename(fresh, file);
}

/** As `writeWhole`, at once: for files that are written under a lock. */
export function writeWholeNow(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const fresh = `${file}.${process.pid}-${++writes}${unfinishedEnding}`;
  try {
    writeFileSync(fresh, text);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
