/** Decides whether and why a file on this disk is protected. */
import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import ignore, { type Ignore } from "ignore";
import { isControlFile, isSecret, isSecretName, withoutSecrets } from "../file-access/protected-names.ts";
import { isWithin } from "../file-access/requirements.ts";
import type { Protection, SearchFilter } from "../host.ts";
import { HardLinks } from "./hard-links.ts";
import { isNamed, RondoIgnore, type RulesByRoot, rondoIgnoreFile } from "./rondoignore.ts";
import { statsOf } from "./stats.ts";

/** If one of these is a link in a workspace folder, its target is protected under the target's own name, too. */
const oftenLinked = [
  ...[".env", ".env.local", ".npmrc", ".netrc", ".git", ".rondo", ".claude", ".vscode", ".cursor"],
  ...[".mcp.json", ".husky", ".githooks", ".devcontainer", rondoIgnoreFile],
  ...["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "AGENT.md", "GEMINI.md", ".idea", ".yarnrc.yml"],
];

export class ProtectedFiles {
  readonly #folders: readonly string[];
  readonly #own: Ignore | undefined;
  readonly #hasExceptions: boolean;
  readonly #ignored: RondoIgnore;
  readonly #hardLinks: HardLinks;
  readonly #linksOf = new Map<string, { stamp: string; links: LinkTarget[] }>();

  /** `folders`: absolute, links resolved. `secrets`: the user's patterns, in gitignore's syntax. */
  constructor(folders: readonly string[], secrets: readonly string[]) {
    this.#folders = folders;
    this.#ignored = new RondoIgnore(folders);
    this.#hardLinks = new HardLinks(folders, (file) => this.#named(file, file));
    this.#own = secrets.length > 0 ? ignore({ ignorecase: true }).add(secrets) : undefined;
    this.#hasExceptions = secrets.some((pattern) => pattern.startsWith("!"));
  }

  /**
   * Judges a path by its name `asked` and its target `real`, both absolute, and by the other names of the same file: any
   * of them can make it protected.
   */
  of(real: string, asked: string): Protection {
    const named = this.#named(real, asked);
    if (named === "secret" || named === "ignored") return named;
    const linked = this.#hardLinks.of(statsOf(real));
    return linked === "none" ? named : linked;
  }

  #named(real: string, asked: string): Protection {
    const names = real === asked ? [real] : [real, asked];
    const linked = this.#links().find(({ target }) => isWithin(real, target))?.protection;
    if (linked === "secret" || names.some((name) => this.#isSecret(name))) return "secret";
    if (names.some((name) => this.isIgnored(name))) return "ignored";
    const isSetting = linked === "settings" || names.some((name) => isControlFile(this.#inFolder(name)));
    return isSetting || isInRepository(real) ? "settings" : "none";
  }

  isIgnored(file: string): boolean {
    return this.#ignored.names(file);
  }

  /** In a protected folder, files of its own kind are included. `folder`: absolute, links resolved. */
  searchFilter(folder: string, protection: Protection): SearchFilter {
    const modified = (name: string) => statsOf(folder + path.sep + name)?.mtimeMs ?? 0;
    if (protection === "secret") return { args: [], rules: "", isExcluded: () => false, modified };
    const args = this.#hasExceptions ? [] : [...withoutSecrets];
    const isRoot = protection !== "ignored" && this.#folders.includes(folder);
    if (isRoot && isFile(path.join(folder, rondoIgnoreFile))) args.push(`--ignore-file=${rondoIgnoreFile}`);
    const judge = this.#nameTests(folder, protection !== "ignored");
    const judges = new Map<string, (name: string) => boolean>();
    const isReadable = /^(none|settings)$/;
    const isLinked = this.#hardLinks.isEmpty
      ? () => false
      : (name: string) => !isReadable.test(this.#hardLinks.of(statsOf(folder + path.sep + name)));
    return {
      args,
      rules: "",
      modified,
      isExcluded: (name) => {
        const end = name.lastIndexOf("/");
        const parent = name.slice(0, Math.max(end, 0));
        const holds = judges.get(parent) ?? judge(parent);
        judges.set(parent, holds);
        return holds(name.slice(end + 1)) || isLinked(name);
      },
    };
  }

  /** Returns, for each folder below `base`, a test for its file names. Most names can be judged alone. */
  #nameTests(base: string, omitsIgnored: boolean): (parent: string) => (name: string) => boolean {
    const known: RulesByRoot = new Map();
    const linked = this.#links().flatMap(({ target, protection }) => (protection === "secret" ? [target] : []));
    return (parent) => {
      const folder = path.join(base, parent);
      const ignored = omitsIgnored ? this.#ignored.rulesIn(folder, known) : [];
      if (ignored.some(({ named }) => named)) return () => true;
      // Only here can a file be protected because of its parent folders.
      const isOdd = /[/\\][._]/.test(folder) || linked.length > 0 || this.#own !== undefined || this.#isSecret(folder);
      if (!isOdd && ignored.every(({ rules }) => rules.length === 0)) return isSecretName;
      return (name) => {
        const file = path.join(folder, name);
        return (
          this.#isSecret(file) ||
          linked.some((one) => isWithin(file, one)) ||
          ignored.some((rules) => isNamed(file, rules))
        );
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

  #inFolder(file: string): string {
    const root = this.#rootOf(file);
    return root === undefined ? file : path.relative(root, file);
  }

  #rootOf(file: string): string | undefined {
    return this.#folders.find((folder) => isWithin(file, folder));
  }

  /** Reads the links again when the folder has changed: links change only together with it. */
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
  protection: Protection;
}

function linksIn(folder: string): LinkTarget[] {
  return oftenLinked.flatMap((name): LinkTarget[] => {
    const target = linkTarget(path.join(folder, name));
    return target === undefined ? [] : [{ target, protection: isSecret(name) ? "secret" : "settings" }];
  });
}

function linkTarget(file: string): string | undefined {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}

/** Whether the file is in a git folder that is not named `.git`. */
function isInRepository(file: string): boolean {
  for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if (isFile(path.join(folder, "HEAD")) && isFolder(path.join(folder, "objects"))) return true;
  }
  return false;
}

const isFile = (name: string) => statsOf(name)?.isFile() ?? false;
const isFolder = (name: string) => statsOf(name)?.isDirectory() ?? false;
