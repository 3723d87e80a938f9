/** Decides whether and why a file on this disk is protected. */
import { lstatSync, realpathSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import ignore, { type Ignore } from "ignore";
import { statsOf } from "../../base/node/stats.ts";
import {
  isControlFile,
  isSecret,
  isSecretName,
  mayHoldSecrets,
  withoutSecrets,
} from "../file-access/protected-names.ts";
import { isWithin } from "../file-access/requirements.ts";
import { noFilter } from "../file-access/search-filter.ts";
import { isInEditorState, ownWorktreeOf, statePlaces } from "../file-access/state-places.ts";
import type { FolderListing, Protection, SearchFilter } from "../host.ts";
import { isSettled } from "./folder-listings.ts";
import { HardLinks } from "./hard-links.ts";
import { OwnSecrets } from "./own-secrets.ts";
import { type FolderRules, isNamed, RondoIgnore, type RulesByRoot, rondoIgnoreFile } from "./rondoignore.ts";

/** If one of these is a link in a workspace folder, its target is protected under the target's own name, too. */
const oftenLinked = [
  ...[".env", ".env.local", ".npmrc", ".netrc", ".git", ".rondo", ".claude", ".vscode", ".cursor"],
  ...[".mcp.json", ".husky", ".githooks", ".devcontainer", rondoIgnoreFile],
  ...["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "AGENT.md", "GEMINI.md", ".idea", ".yarnrc.yml"],
];

/** State comes and goes with editors that are installed. */
const keptMs = 60_000;

export class ProtectedFiles {
  readonly #folders: readonly string[];
  readonly #own: Ignore | undefined;
  readonly #hasExceptions: boolean;
  readonly #ignored: RondoIgnore;
  readonly #hardLinks: HardLinks;
  readonly #secrets = new OwnSecrets();
  readonly #judged = new WeakMap<FolderListing, { rules: NameRules; names: readonly string[] }>();
  #linked: readonly LinkTarget[] = [];
  readonly #state: readonly string[];
  #statePlaces: StatePlaces = { until: 0, places: [], parents: [] };
  readonly #linksOf = new Map<string, { stamp: string; links: LinkTarget[] }>();

  /**
   * `folders`: absolute, links resolved. `secrets`: the user's patterns, in gitignore's syntax. `state`: folders in which
   * Rondo keeps its own state.
   */
  constructor(folders: readonly string[], secrets: readonly string[], state: readonly string[] = []) {
    this.#folders = folders;
    this.#state = state;
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
    return isSetting || isInRepository(real) || names.some((name) => this.#isState(name)) ? "settings" : "none";
  }

  /** Whether an editor or Rondo keeps its state there, or all of it is in that folder. */
  #isState(file: string): boolean {
    if (ownWorktreeOf(file) !== undefined) return false;
    if (this.#statePlaces.until <= performance.now()) this.#statePlaces = findState(this.#state);
    const name = file.toLowerCase();
    const { places, parents } = this.#statePlaces;
    if (places.some((place) => isWithin(name, place)) || isInEditorState(file)) return true;
    return parents.includes(name) && this.#rootOf(file) === undefined;
  }

  isIgnored(file: string): boolean {
    return this.#ignored.names(file);
  }

  /** In a protected folder, files of its own kind are included. `folder`: absolute, links resolved. */
  searchFilter(folder: string, protection: Protection): SearchFilter {
    const modified = (name: string) => statsOf(folder + path.sep + name)?.mtimeMs ?? 0;
    if (protection === "secret") return { ...noFilter, modified };
    const args = this.#hasExceptions ? [] : [...withoutSecrets()];
    const isRoot = protection !== "ignored" && this.#folders.includes(folder);
    if (isRoot && isFile(path.join(folder, rondoIgnoreFile))) args.push(`--ignore-file=${rondoIgnoreFile}`);
    const known: RulesByRoot = new Map();
    const links = this.#links();
    const inside = (parent: string) => (parent === "" ? folder : path.join(folder, parent));
    const rulesFor = (parent: string, listing?: FolderListing): NameRules => ({
      ignored: protection === "ignored" ? [] : this.#ignored.rulesIn(inside(parent), known, listing),
      links,
    });
    const isReadable = /^(none|settings)$/;
    const isLinked = this.#hardLinks.isEmpty
      ? undefined
      : (name: string) => !isReadable.test(this.#hardLinks.of(statsOf(folder + path.sep + name)));
    const tests = new Map<string, (name: string) => boolean>();
    return {
      args,
      rules: "",
      modified,
      isExcluded: (name) => {
        const end = name.lastIndexOf("/");
        const parent = name.slice(0, Math.max(end, 0));
        const holds = tests.get(parent) ?? this.#nameTest(inside(parent), rulesFor(parent));
        tests.set(parent, holds);
        return holds(name.slice(end + 1)) || isLinked?.(name) === true;
      },
      excludedIn: (parent, listing) => {
        const named = this.#namedIn(inside(parent), listing, rulesFor(parent, listing));
        if (!isLinked) return named;
        const isNew = (name: string) => !named.includes(name) && isLinked(parent === "" ? name : `${parent}/${name}`);
        return [...named, ...listing.files.filter(isNew)];
      },
    };
  }

  /** Returns the protected names among files and links. */
  #namedIn(folder: string, listing: FolderListing, rules: NameRules): readonly string[] {
    const known = this.#judged.get(listing);
    if (known && isSameRules(known.rules, rules)) return known.names;
    const names = [...listing.files, ...listing.links].filter(this.#nameTest(folder, rules));
    this.#judged.set(listing, { rules, names });
    return names;
  }

  /** Returns a test for the names of files in a folder. Most names can be judged alone. */
  #nameTest(folder: string, { ignored, links }: NameRules): (name: string) => boolean {
    if (ignored.some(({ named }) => named)) return () => true;
    const linked = links.flatMap(({ target, protection }) => (protection === "secret" ? [target] : []));
    // Only here can a file be protected because of its parent folders.
    const isOdd =
      mayHoldSecrets(folder) ||
      this.#secrets.mayBeIn(folder) ||
      linked.length > 0 ||
      this.#own !== undefined ||
      this.#isSecret(folder);
    if (!isOdd && ignored.every(({ rules }) => rules.length === 0)) return isSecretName;
    return (name) => {
      const file = path.join(folder, name);
      return (
        this.#isSecret(file) ||
        linked.some((one) => isWithin(file, one)) ||
        ignored.some((rules) => isNamed(file, rules))
      );
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
    return isSecret(file) || this.#secrets.holds(file);
  }

  #inFolder(file: string): string {
    const root = this.#rootOf(file) ?? ownWorktreeOf(file);
    return root === undefined ? file : path.relative(root, file);
  }

  #rootOf(file: string): string | undefined {
    return this.#folders.find((folder) => isWithin(file, folder));
  }

  /** Reads the links again when the folder has changed: links change only together with it. */
  #links(): readonly LinkTarget[] {
    let isChanged = false;
    for (const folder of this.#folders) {
      const now = Date.now();
      const stats = statsOf(folder);
      const stamp = stats && isSettled(stats, now) ? `${stats.mtimeMs} ${stats.ctimeMs}` : "";
      if (stamp !== "" && this.#linksOf.get(folder)?.stamp === stamp) continue;
      this.#linksOf.set(folder, { stamp, links: linksIn(folder) });
      isChanged = true;
    }
    if (isChanged) this.#linked = [...this.#linksOf.values()].flatMap(({ links }) => links);
    return this.#linked;
  }
}

/** In lower case: some disks do not tell names of different case apart, and one question too many does no harm. */
interface StatePlaces {
  until: number;
  places: readonly string[];
  /** Folders below the home folder that hold such a place: who removes or fills them changes it. */
  parents: readonly string[];
}

function findState(own: readonly string[]): StatePlaces {
  const places = statePlaces(own).map((place) => place.toLowerCase());
  const home = os.homedir().toLowerCase();
  const parents = places.map((place) => path.dirname(place)).filter((one) => one !== home && isWithin(one, home));
  return { until: performance.now() + keptMs, places, parents: [...new Set(parents)] };
}

/** What a name is judged by, besides itself. */
interface NameRules {
  ignored: readonly FolderRules[];
  links: readonly LinkTarget[];
}

function isSameRules(one: NameRules, other: NameRules): boolean {
  return (
    one.links === other.links &&
    one.ignored.length === other.ignored.length &&
    one.ignored.every((rules, index) => rules === other.ignored[index])
  );
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

/** Whether the file is in a git folder that is not named `.git`. A worktree's has its objects where `commondir` says. */
function isInRepository(file: string): boolean {
  for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const hasObjects = () => isFolder(path.join(folder, "objects")) || isFile(path.join(folder, "commondir"));
    if (isFile(path.join(folder, "HEAD")) && hasObjects()) return true;
  }
  return false;
}

const isFile = (name: string) => statsOf(name)?.isFile() ?? false;
const isFolder = (name: string) => statsOf(name)?.isDirectory() ?? false;
