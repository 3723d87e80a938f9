/**
 * Evaluates `.rondoignore` files: gitignore's syntax, in a workspace folder and each folder below it. Where workspace
 * folders are nested, the files of each are read alone and the stricter ones count: an exception in the inner folder takes
 * nothing back that the outer one names.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";
import ignore, { type Ignore } from "ignore";
import { isWithin } from "../file-access/requirements.ts";
import type { FolderListing } from "../host.ts";

export const rondoIgnoreFile = ".rondoignore";
/** A file that is too large or unreadable ignores everything next to it and below. */
const limits = { bytes: 64 * 1024, lines: 500 };

/** Whether a folder itself is named, and the rules that apply in it, outermost first. */
export interface FolderRules {
  named: boolean;
  rules: readonly (readonly [folder: string, rules: Ignore])[];
}

const noRules: FolderRules = { named: false, rules: [] };

/** What the rules of a folder are made of. */
interface RuleSource {
  folder: string;
  above: FolderRules | undefined;
  own: Ignore | undefined;
}

interface KeptRules extends RuleSource {
  rules: FolderRules;
}

/** Rules of folders during one search, by workspace folder. */
export type RulesByRoot = Map<string, Map<string, FolderRules>>;

export class RondoIgnore {
  readonly #roots: readonly string[];
  readonly #read = new Map<string, { stamp: string; rules: Ignore }>();
  /** So that equal rules of a folder are one object. */
  readonly #kept = new Map<string, KeptRules>();
  readonly #holdRules = new WeakMap<FolderListing, boolean>();

  /** `roots`: the workspace folders, absolute, with links resolved. */
  constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  /** Whether `file`, which is absolute, or one of its folders is named. */
  names(file: string): boolean {
    return this.rulesIn(path.dirname(file), new Map()).some((rules) => isNamed(file, rules));
  }

  /**
   * Returns the rules of each workspace folder that contains `folder`; the same objects for the same rules. `listing`: of
   * the folder, if it is known.
   */
  rulesIn(folder: string, known: RulesByRoot, listing?: FolderListing): FolderRules[] {
    const hasNone = listing !== undefined && !this.#mayHoldRules(listing);
    const found: FolderRules[] = [];
    for (const root of this.#roots) {
      if (!isWithin(folder, root)) continue;
      const ofRoot = known.get(root) ?? new Map();
      known.set(root, ofRoot);
      found.push(this.#rulesOf(root, folder, ofRoot, hasNone));
    }
    return found;
  }

  #rulesOf(root: string, folder: string, known: Map<string, FolderRules>, hasNone = false): FolderRules {
    let found = known.get(folder);
    if (found) return found;
    const above = folder === root ? undefined : this.#rulesOf(root, path.dirname(folder), known);
    const own = hasNone || this.#isOfInner(root, folder) ? undefined : this.#rulesOfFile(folder);
    found = this.#keptRules(`${root}\0${folder}`, { folder, above, own });
    known.set(folder, found);
    return found;
  }

  /** Some file systems ignore letter case. */
  #mayHoldRules(listing: FolderListing): boolean {
    const known = this.#holdRules.get(listing);
    if (known !== undefined) return known;
    const { files, folders, links } = listing;
    const found = [...files, ...links, ...folders].some((name) => name.toLowerCase() === rondoIgnoreFile);
    this.#holdRules.set(listing, found);
    return found;
  }

  #isOfInner(root: string, folder: string): boolean {
    return this.#roots.some((inner) => inner !== root && isWithin(inner, root) && isWithin(folder, inner));
  }

  #keptRules(key: string, source: RuleSource): FolderRules {
    const { folder, above, own } = source;
    // So that a large tree without rules needs no memory.
    if (!own && (above === undefined || above === noRules)) return noRules;
    const kept = this.#kept.get(key);
    if (kept && kept.above === above && kept.own === own) return kept.rules;
    const inherited = above?.rules ?? [];
    const rules: FolderRules = {
      named: above !== undefined && isNamed(folder, above),
      // Inner rules override outer ones.
      rules: own ? [...inherited, [folder, own]] : inherited,
    };
    this.#kept.set(key, { ...source, rules });
    return rules;
  }

  #rulesOfFile(folder: string): Ignore | undefined {
    const file = path.join(folder, rondoIgnoreFile);
    const stamp = stampOf(file);
    if (stamp === undefined) return undefined;
    const known = this.#read.get(folder);
    if (known?.stamp === stamp) return known.rules;
    const rules = ignore({ ignorecase: true }).add(linesOf(file) ?? ["*"]);
    this.#read.set(folder, { stamp, rules });
    return rules;
  }
}

export function isNamed(file: string, { named: isFolderNamed, rules }: FolderRules): boolean {
  if (isFolderNamed) return true;
  let named = false;
  for (const [folder, own] of rules) {
    const name = path.relative(folder, file).replaceAll(path.sep, "/");
    // It may be a file or a folder: test both.
    const { ignored, unignored } = own.test(name);
    if (ignored || own.test(`${name}/`).ignored) named = true;
    else if (unignored) named = false;
  }
  return named;
}

function stampOf(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
  } catch {
    // Files in an inaccessible folder cannot be read either.
    return undefined;
  }
}

function linesOf(file: string): string[] | undefined {
  const text = rulesText(file);
  const lines = text?.replace(/^\ufeff/, "").split(/\r?\n/);
  if (!lines || lines.length > limits.lines) return undefined;
  return lines.map(limitWildcards);
}

/** Returns undefined for a file that is too large or cannot be read. */
export function rulesText(file: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(descriptor).isFile()) return undefined;
    const bytes = Buffer.alloc(limits.bytes + 1);
    const length = readSync(descriptor, bytes);
    return length > limits.bytes ? undefined : bytes.toString("utf8", 0, length);
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Limits wildcards, which can take forever. A longer pattern is cut, so it names more; an exception is dropped. */
function limitWildcards(line: string): string {
  const segments = line.split("/");
  const deep = segments.flatMap((segment, index) => (segment === "**" ? [index] : []));
  const cut = segments.slice(0, (deep[2] ?? segments.length) + 1).map((segment) => {
    const [first = "", second = "", third] = segment.split(/\*+/);
    return third === undefined || segment === "**" ? segment : `${first}*${second}*`;
  });
  const tamed = cut.join("/");
  return line.startsWith("!") && tamed !== line ? "" : tamed;
}
