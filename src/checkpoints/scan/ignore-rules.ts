/** Rules for files that are not scanned: files that git or `.rondoignore` ignore, secrets, and installed packages. */
import { readFileSync } from "node:fs";
import path from "node:path";
import ignore, { type Ignore } from "ignore";
import { attempt } from "../../base/attempt.ts";
import { repositoryAbove } from "../../base/node/repository.ts";
import { isSecretName } from "../../tools/file-access/protected-names.ts";

/** Names of rule files in each folder, weakest first. */
export const ignoreFiles: readonly string[] = [".gitignore", ".rondoignore"];

const neverSourceFolders = new Set(["node_modules", ".hg", ".svn", ".jj"]);

/** The rules of one folder and its parents. */
export class IgnoreRules {
  readonly #folder: string;
  readonly #own: Ignore | undefined;
  readonly #above: IgnoreRules | undefined;

  private constructor(folder: string, own: Ignore | undefined, above: IgnoreRules | undefined) {
    this.#folder = folder;
    this.#own = own;
    this.#above = above;
  }

  /** Returns the rules of the repository above a workspace folder. */
  static above(root: string): IgnoreRules {
    const repository = repositoryAbove(root);
    if (!repository) return new IgnoreRules(root, undefined, undefined);
    const above: string[] = [];
    for (let at = root; at !== repository.root; at = path.dirname(at)) above.unshift(path.dirname(at));
    const exclude = readRules([path.join(repository.commonDir, "info", "exclude")]);
    const base = new IgnoreRules(repository.root, exclude, undefined);
    return above.reduce((rules: IgnoreRules, folder) => rules.below(folder), base);
  }

  below(folder: string): IgnoreRules {
    const own = readRules(ignoreFiles.map((name) => path.join(folder, name)));
    // Only folders with rules of their own add to the chain.
    return own ? new IgnoreRules(folder, own, this) : this;
  }

  /** Whether a file or folder is ignored whose parent folder is not. */
  ignores(folder: string, name: string, isFolder: boolean): boolean {
    if (name.toLowerCase() === ".git" || isSecretName(name) || (isFolder && neverSourceFolders.has(name))) return true;
    return this.#matches(path.join(folder, name), isFolder);
  }

  #matches(file: string, isFolder: boolean): boolean {
    if (this.#own) {
      const relative = file.slice(this.#folder.length + 1).replaceAll(path.sep, "/");
      const { ignored, unignored } = this.#own.test(isFolder ? `${relative}/` : relative);
      if (ignored) return true;
      if (unignored) return false;
    }
    return this.#above ? this.#above.#matches(file, isFolder) : false;
  }
}

/** Returns undefined if none of the files has any rules. */
function readRules(files: readonly string[]): Ignore | undefined {
  const texts = files.map((file) => attempt(() => readFileSync(file, "utf8"), ""));
  if (texts.every((text) => text.trim() === "")) return undefined;
  return texts.reduce((all, text) => all.add(text), ignore());
}
