/**
 * Evaluates `.rondoignore` files: gitignore's syntax, in a workspace folder and each folder below it. Where workspace
 * folders are nested, the files of each are read alone and the stricter ones count: an exception in the inner folder takes
 * nothing back that the outer one names.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";
import ignore, { type Ignore } from "ignore";
import { isWithin } from "../file-access/requirements.ts";

export const rondoIgnoreFile = ".rondoignore";
/** A file that is too large or unreadable ignores everything next to it and below. */
const limits = { bytes: 64 * 1024, lines: 500 };

/** Whether a folder itself is named, and the rules that apply in it, outermost first. */
export interface FolderRules {
  named: boolean;
  rules: readonly (readonly [folder: string, rules: Ignore])[];
}

/** Rules of folders during one search, by workspace folder. */
export type RulesByRoot = Map<string, Map<string, FolderRules>>;

export class RondoIgnore {
  readonly #roots: readonly string[];
  readonly #read = new Map<string, { stamp: string; rules: Ignore }>();

  /** `roots`: the workspace folders, absolute, with links resolved. */
  constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  /** Whether `file`, which is absolute, or one of its folders is named. */
  names(file: string): boolean {
    return this.rulesIn(path.dirname(file), new Map()).some((rules) => isNamed(file, rules));
  }

  /** Returns the rules of each workspace folder that contains `folder`. */
  rulesIn(folder: string, known: RulesByRoot): FolderRules[] {
    return this.#roots
      .filter((root) => isWithin(folder, root))
      .map((root) => {
        const ofRoot = known.get(root) ?? new Map();
        known.set(root, ofRoot);
        return this.#rulesOf(root, folder, ofRoot);
      });
  }

  #rulesOf(root: string, folder: string, known: Map<string, FolderRules>): FolderRules {
    let found = known.get(folder);
    if (found) return found;
    const above = folder === root ? undefined : this.#rulesOf(root, path.dirname(folder), known);
    const isOfInner = this.#roots.some((inner) => inner !== root && isWithin(inner, root) && isWithin(folder, inner));
    const own = isOfInner ? undefined : this.#rulesOfFile(folder);
    const inherited = above?.rules ?? [];
    found = {
      named: above !== undefined && isNamed(folder, above),
      // Inner rules override outer ones.
      rules: own ? [...inherited, [folder, own]] : inherited,
    };
    known.set(folder, found);
    return found;
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
  const text = readText(file);
  const lines = text?.replace(/^\ufeff/, "").split(/\r?\n/);
  if (!lines || lines.length > limits.lines) return undefined;
  return lines.map(limitWildcards);
}

function readText(file: string): string | undefined {
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
