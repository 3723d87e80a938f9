/** Which files are not looked at: those that git or `.rondoignore` ignore, secrets, and what is never a source. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import ignore, { type Ignore } from "ignore";
import { isSecretName } from "../../tools/file-access/protected-names.ts";

/** In each folder, weakest first. */
export const ignoreFiles: readonly string[] = [".gitignore", ".rondoignore"];

const neverSources = new Set(["node_modules", ".hg", ".svn", ".jj"]);

/** The rules of one folder, and of those above it. */
export class Ignores {
  readonly #folder: string;
  readonly #own: Ignore | undefined;
  readonly #above: Ignores | undefined;

  private constructor(folder: string, own: Ignore | undefined, above: Ignores | undefined) {
    this.#folder = folder;
    this.#own = own;
    this.#above = above;
  }

  /** What counts in a workspace's folder already: the rules of the repository that it is in. */
  static above(root: string): Ignores {
    const above: string[] = [];
    let repository: string | undefined;
    for (let folder = root; ; folder = path.dirname(folder)) {
      if (folder !== root) above.unshift(folder);
      if (existsSync(path.join(folder, ".git"))) {
        repository = folder;
        break;
      }
      if (folder === path.dirname(folder)) break;
    }
    if (repository === undefined) return new Ignores(root, undefined, undefined);
    const exclude = rules([path.join(repository, ".git", "info", "exclude")]);
    const base = new Ignores(repository, exclude, undefined);
    return above.reduce((rules: Ignores, folder) => rules.below(folder), base);
  }

  below(folder: string): Ignores {
    const own = rules(ignoreFiles.map((name) => path.join(folder, name)));
    // A chain as long as the folders that say something.
    return own ? new Ignores(folder, own, this) : this;
  }

  /** Of something whose folder is not ignored. */
  ignores(folder: string, name: string, isFolder: boolean): boolean {
    if (name.toLowerCase() === ".git" || isSecretName(name)) return true;
    if (isFolder && neverSources.has(name)) return true;
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

/** Undefined where none of the files says anything. */
function rules(files: readonly string[]): Ignore | undefined {
  const texts = files.map((file) => {
    try {
      return readFileSync(file, "utf8");
    } catch {
      return "";
    }
  });
  if (texts.every((text) => text.trim() === "")) return undefined;
  return texts.reduce((all, text) => all.add(text), ignore());
}
