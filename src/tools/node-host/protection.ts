/** Which guard a path of this disk stands under. */
import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import ignore, { type Ignore } from "ignore";
import { isControlFile, isSecret, isSecretName, withoutSecrets } from "../file-access/protected-names.ts";
import { isWithin } from "../file-access/requirements.ts";
import type { Protection, SearchFilter } from "../host.ts";
import { type FolderRules, isNamed, noRules, RondoIgnore, rondoIgnoreFile } from "./rondoignore.ts";
import { statsOf } from "./stats.ts";

/** Where these are links in a workspace's folder, what they lead to is guarded under its own name, too. */
const oftenLinked = [
  ...[".env", ".env.local", ".npmrc", ".netrc", ".git", ".rondo", ".claude", ".vscode", ".cursor"],
  ...[".mcp.json", ".husky", ".githooks", ".devcontainer", rondoIgnoreFile],
];

export class ProtectedFiles {
  readonly #folders: readonly string[];
  /** The user's own list. */
  readonly #own: Ignore | undefined;
  readonly #takesAway: boolean;
  readonly #ignored = new RondoIgnore();
  /** By folder. */
  readonly #linksOf = new Map<string, { stamp: string; links: LinkTarget[] }>();

  /** `folders`: the workspace's, absolute, links resolved. `secrets`: patterns of the user's settings, in gitignore's syntax. */
  constructor(folders: readonly string[], secrets: readonly string[]) {
    this.#folders = folders;
    this.#own = secrets.length > 0 ? ignore({ ignorecase: true }).add(secrets) : undefined;
    this.#takesAway = secrets.some((pattern) => pattern.startsWith("!"));
  }

  /** `real`: where `asked` leads. Both absolute: a guarded name guards whatever it leads to, and the other way round. */
  of(real: string, asked: string): Protection {
    const names = real === asked ? [real] : [real, asked];
    const linked = this.#linked(real);
    if (linked === "secret" || names.some((name) => this.#isSecret(name))) return "secret";
    if (names.some((name) => this.isIgnored(name))) return "ignored";
    const isSetting = linked === "settings" || names.some((name) => isControlFile(this.#inFolder(name)));
    return isSetting || isInRepository(real) ? "settings" : "none";
  }

  isIgnored(file: string): boolean {
    const root = this.#rootOf(file);
    return root !== undefined && this.#ignored.names(root, file);
  }

  /** For a search in a folder, absolute with links resolved, whose own guard is given: what it holds was asked for then. */
  sieve(folder: string, guard: Protection): SearchFilter {
    const modified = (name: string) => statsOf(folder + path.sep + name)?.mtimeMs ?? 0;
    if (guard === "secret") return { args: [], isExcluded: () => false, modified };
    const root = guard === "ignored" ? undefined : this.#rootOf(folder);
    const args = this.#takesAway ? [] : [...withoutSecrets];
    if (root === folder && isFile(path.join(root, rondoIgnoreFile))) args.push(`--ignore-file=${rondoIgnoreFile}`);
    const judge = this.#judge(folder, root);
    const judges = new Map<string, (name: string) => boolean>();
    return {
      args,
      modified,
      isExcluded: (name) => {
        const end = name.lastIndexOf("/");
        const parent = name.slice(0, Math.max(end, 0));
        const holds = judges.get(parent) ?? judge(parent);
        judges.set(parent, holds);
        return holds(name.slice(end + 1));
      },
    };
  }

  /** For each folder below `base`, how the names of its files are judged: most by themselves alone. */
  #judge(base: string, root: string | undefined): (parent: string) => (name: string) => boolean {
    const known = new Map<string, FolderRules>();
    const linked = this.#links().map(({ target }) => target);
    return (parent) => {
      const folder = path.join(base, parent);
      const rules = root === undefined ? noRules : this.#ignored.rulesOf(root, folder, known);
      if (rules.named) return () => true;
      // Only there can a name be guarded because of the folders that it is in.
      const isOdd = /[/\\][._]/.test(folder) || linked.length > 0 || this.#own !== undefined || this.#isSecret(folder);
      if (!isOdd && rules.rules.length === 0) return isSecretName;
      return (name) => {
        const file = path.join(folder, name);
        return this.#isSecret(file) || linked.some((one) => isWithin(file, one)) || isNamed(file, rules);
      };
    };
  }

  #isSecret(file: string): boolean {
    if (this.#own) {
      const name = this.#inFolder(file)
        .replaceAll("\\", "/")
        .replace(/^([a-z]:)?\/+/i, "");
      const { ignored, unignored } = name === "" ? { ignored: false, unignored: false } : this.#own.test(name);
      if (ignored || (name !== "" && this.#own.test(`${name}/`).ignored)) return true;
      if (unignored) return false;
    }
    return isSecret(file);
  }

  /** Relative to the workspace's folder that it lies in, else as it is. */
  #inFolder(file: string): string {
    const root = this.#rootOf(file);
    return root === undefined ? file : path.relative(root, file);
  }

  #rootOf(file: string): string | undefined {
    return this.#folders.find((folder) => isWithin(file, folder));
  }

  #linked(file: string): Protection {
    return this.#links().find(({ target }) => isWithin(file, target))?.guard ?? "none";
  }

  /** Looked for anew when a name was added to the folder or taken away: a link is never changed otherwise. */
  #links(): LinkTarget[] {
    return this.#folders.flatMap((folder) => {
      const stats = statsOf(folder);
      const stamp = `${stats?.mtimeMs} ${stats?.ctimeMs}`;
      const known = this.#linksOf.get(folder);
      if (known?.stamp === stamp) return known.links;
      const links = linksIn(folder);
      this.#linksOf.set(folder, { stamp, links });
      return links;
    });
  }
}

interface LinkTarget {
  target: string;
  guard: Protection;
}

function linksIn(folder: string): LinkTarget[] {
  return oftenLinked.flatMap((name): LinkTarget[] => {
    const target = linkTarget(path.join(folder, name));
    return target === undefined ? [] : [{ target, guard: isSecret(name) ? "secret" : "settings" }];
  });
}

function linkTarget(file: string): string | undefined {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
    return realpathSync.native(file);
  } catch {
    // It leads nowhere.
    return undefined;
  }
}

/** Whether it is a part of a repository without `.git` in its name. */
function isInRepository(file: string): boolean {
  for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if (isFile(path.join(folder, "HEAD")) && isFolder(path.join(folder, "objects"))) return true;
  }
  return false;
}

const isFile = (name: string) => statsOf(name)?.isFile() ?? false;
const isFolder = (name: string) => statsOf(name)?.isDirectory() ?? false;
