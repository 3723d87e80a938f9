/** Finds VS Code's own copy of ripgrep, whose path differs between versions and builds. */
import { access, constants } from "node:fs/promises";
import path from "node:path";
import process from "node:process";

export async function editorRipgrep(appRoot: string): Promise<string | undefined> {
  const program = process.platform === "win32" ? "rg.exe" : "rg";
  const own = path.join("bin", `${process.platform}-${process.arch}`, program);
  for (const modules of ["node_modules", "node_modules.asar.unpacked"]) {
    for (const inPackage of [path.join("ripgrep-universal", own), path.join("ripgrep", "bin", program)]) {
      const file = path.join(appRoot, modules, "@vscode", inPackage);
      if (await runs(file)) return file;
    }
  }
  return undefined;
}

const runs = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
