/** Searches the names of a workspace's files and folders. Pure: 50,000 files take milliseconds. */
import { fitOf, fitting } from "./fuzzy.ts";

export interface NamedFolder {
  /** With "/" at its end. */
  path: string;
  /** Files below it, at any depth. */
  files: number;
}

/** All files and folders, and what the search needs of their names. */
export class FileNames {
  /** With "/", without one at the beginning, in order. */
  readonly paths: string[];
  /** As they are typed: macOS may keep an umlaut as two characters. */
  readonly #searched: string[];
  readonly folders: readonly NamedFolder[];
  readonly #names: string[];
  readonly #folderPaths: string[];
  readonly #folderNames: string[];

  constructor(paths: readonly string[]) {
    this.paths = paths.toSorted((a, b) => (a < b ? -1 : 1));
    this.#searched = this.paths.map((path) => path.normalize());
    this.#names = this.#searched.map(nameOf);
    this.folders = foldersOf(this.paths);
    this.#folderPaths = this.folders.map(({ path }) => path.normalize());
    this.#folderNames = this.#folderPaths.map(nameOf);
  }

  /** Returns the paths of at most `most` files that the words fit, best first. `isPreferred`: first among equals. */
  files(words: string, most: number, isPreferred: (path: string) => boolean): string[] {
    const { paths } = this;
    return best(words, { paths, searched: this.#searched, names: this.#names, most, isPreferred });
  }

  foldersFor(words: string, most: number): NamedFolder[] {
    const [paths, searched] = [this.folders.map(({ path }) => path), this.#folderPaths];
    const found = best(words, { paths, searched, names: this.#folderNames, most, isPreferred: () => false });
    const byPath = new Map(this.folders.map((one) => [one.path, one]));
    return found.flatMap((path) => byPath.get(path) ?? []);
  }

  /** Returns the one file whose path ends with these folders and this name; undefined if there are none or several. */
  onlyWithEnd(end: string): string | undefined {
    const found = this.paths.filter((path) => path.endsWith(`/${end}`));
    return found.length === 1 ? found[0] : undefined;
  }

  /** Returns what is in a folder, itself not included: folders with "/" at their end first. `folder`: "src/", or "". */
  inside(folder: string): string[] {
    const below = this.paths.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length));
    const names = new Set(below.map((path) => (path.includes("/") ? path.slice(0, path.indexOf("/") + 1) : path)));
    const isFolder = (name: string) => Number(name.endsWith("/"));
    return [...names].sort((a, b) => isFolder(b) - isFolder(a) || (a < b ? -1 : 1)).map((name) => folder + name);
  }
}

/** The last part of a path: "cart.ts", "src" of "a/src/". */
export function nameOf(path: string): string {
  const whole = path.endsWith("/") ? path.slice(0, -1) : path;
  return whole.slice(whole.lastIndexOf("/") + 1);
}

interface Searched {
  paths: string[];
  /** Paths and their names as they are searched, in the same order. */
  searched: string[];
  names: string[];
  most: number;
  isPreferred(path: string): boolean;
}

/** Names count before paths; then the fit, what is preferred, and the shorter path. */
function best(words: string, { paths, searched, names, most, isPreferred }: Searched): string[] {
  const letters = words.normalize().toLowerCase();
  if (letters === "") return paths.filter(isPreferred).slice(0, most);
  const isPath = letters.includes("/");
  const inNames = isPath ? [] : fitting(names, letters);
  const found = ranked(inNames, (at) => fitOf(names[at] ?? "", letters), { paths, most, isPreferred });
  if (found.length >= most) return found;
  // The library drops signs: it would find "carts/t" in "cart.test.ts".
  const inPaths = fitting(searched, letters).filter((at) => !isPath || hasLetters(searched[at] ?? "", letters));
  const others = ranked(inPaths, (at) => pathFit(searched[at] ?? "", letters), { paths, most: most * 2, isPreferred });
  return [...new Set([...found, ...others])].slice(0, most);
}

/** Whether all letters and signs of the words are in the path, in this order. */
function hasLetters(path: string, words: string): boolean {
  const text = path.toLowerCase();
  let at = 0;
  for (const letter of words) {
    const found = text.indexOf(letter, at);
    if (found < 0) return false;
    at = found + letter.length;
  }
  return true;
}

/** How well a path fits words with "/": they are its end, a folder's beginning, in it, or only their letters. */
function pathFit(path: string, words: string): number {
  const text = path.toLowerCase();
  const at = text.lastIndexOf(words);
  if (at < 0) return 4;
  const isBegin = at === 0 || text[at - 1] === "/";
  if (at + words.length === text.length) return isBegin ? 0 : 1;
  return isBegin ? 2 : 3;
}

function ranked(
  found: readonly number[],
  fit: (at: number) => number,
  { paths, most, isPreferred }: Omit<Searched, "searched" | "names">,
): string[] {
  // Letters that fit everything are common, so only the best are sorted: those of the first fits that suffice.
  const byFit = Map.groupBy(found, fit);
  const taken: string[] = [];
  for (const one of [...byFit.keys()].sort((a, b) => a - b)) {
    const some = (byFit.get(one) ?? []).map((at) => paths[at] ?? "");
    const preferred = new Set(some.filter(isPreferred));
    const rank = (path: string) => (preferred.has(path) ? 0 : 1);
    // Paths are in order already, and sorting is stable.
    some.sort((a, b) => rank(a) - rank(b) || a.length - b.length);
    taken.push(...some.slice(0, most - taken.length));
    if (taken.length >= most) break;
  }
  return taken;
}

function foldersOf(paths: readonly string[]): NamedFolder[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      const folder = path.slice(0, at + 1);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  return [...counts].map(([path, files]) => ({ path, files })).sort((a, b) => (a.path < b.path ? -1 : 1));
}
