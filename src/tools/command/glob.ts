/** Expands words with wildcards as a shell would. */
import type { FolderListing, Location, SearchFilter, Workspace } from "../host.ts";
import { escaped, holdsMark, isWild, marks, patternMatcher, unescaped } from "./shell/pattern.ts";

const maxPaths = 500;

export interface GlobPaths {
  /** Undefined for too many. */
  paths: readonly string[] | undefined;
  /** Those among them that need no permission to be read: inside, no links, not protected. */
  free: ReadonlySet<string>;
}

/** Returns the matching paths. */
export async function expandGlob(
  glob: string,
  locate: (path: string) => Promise<Location | undefined>,
  workspace: Workspace,
): Promise<GlobPaths> {
  const expansion = new GlobExpansion(locate, workspace);
  return { paths: await expansion.paths(glob), free: expansion.free };
}

/** A folder while a wildcard is expanded. */
interface Place {
  path: string;
  /** If it is inside of the workspace: what is protected below `base`, and its path from there. */
  own: { filter: SearchFilter; below: string } | undefined;
}

/** A search for one name of a glob. */
interface NameSearch {
  /** Whether more of the glob follows, so `**` also matches the folder itself. */
  readonly goesOn: boolean;
  /** Paths so far. */
  count: number;
}

class GlobExpansion {
  readonly free = new Set<string>();
  readonly #locate: (path: string) => Promise<Location | undefined>;
  readonly #workspace: Workspace;
  /** Folders that were found in another one, so that they need not be located. */
  readonly #found = new Map<string, Place>();

  constructor(locate: (path: string) => Promise<Location | undefined>, workspace: Workspace) {
    this.#locate = locate;
    this.#workspace = workspace;
  }

  async paths(glob: string): Promise<string[] | undefined> {
    const names = glob.split("/").filter((name, index) => name !== "" || index === 0);
    let paths = [names[0] === "" ? "/" : ""];
    for (const [index, name] of names.entries()) {
      if (name === "") continue;
      const next: string[] = [];
      for (const path of paths) {
        if (!isWild(name)) next.push(this.#named(path, unescaped(name)));
        else next.push(...(await this.#matching(path, name, { goesOn: index < names.length - 1, count: 0 })));
        if (next.length > maxPaths) return undefined;
      }
      paths = next;
    }
    return paths;
  }

  #named(folder: string, name: string): string {
    const place = this.#found.get(folder);
    const listing = place && this.#workspace.list(place.path);
    if (listing) this.#note(folder, place, listing, (entry) => entry === name);
    return join(folder, name);
  }

  async #matching(folder: string, name: string, search: NameSearch): Promise<string[]> {
    const place = await this.#place(folder);
    const listing = place && this.#workspace.list(place.path);
    if (!listing) return [];
    const matchesName = patternMatcher(name);
    const isShown = showsHidden(name);
    const isMatch = (entry: string) => matchesName(entry) && (isShown || !entry.startsWith("."));
    this.#note(folder, place, listing, isMatch);
    const here = [...listing.folders, ...listing.files, ...listing.links].filter(isMatch);
    // In some shells `**` matches any number of folders.
    const paths = here.map((entry) => join(folder, entry));
    if (name !== "**") return paths;
    const deeper: string[] = [];
    search.count += paths.length + (search.goesOn ? 1 : 0);
    for (const entry of listing.folders.filter((one) => !one.startsWith("."))) {
      if (search.count > maxPaths) break;
      deeper.push(...(await this.#matching(join(folder, entry), name, search)));
    }
    return [...(search.goesOn ? [folder] : []), ...paths, ...deeper];
  }

  async #place(folder: string): Promise<Place | undefined> {
    const found = this.#found.get(folder);
    if (found) return found;
    const location = await this.#locate(folder === "" ? "." : folder);
    if (!location) return undefined;
    const { path, inside, protection } = location;
    const isOwn = inside && protection !== "secret" && protection !== "ignored";
    return { path, own: isOwn ? { filter: this.#workspace.searchFilter(location), below: "" } : undefined };
  }

  /** Notes what the entries of a folder need. */
  #note(folder: string, { path, own }: Place, listing: FolderListing, isMatch: (entry: string) => boolean): void {
    // Rules may restrict any name.
    if (own?.filter.rules !== "") return;
    const { filter, below } = own;
    const excluded = new Set(filter.excludedIn(below, listing));
    for (const file of listing.files) if (isMatch(file) && !excluded.has(file)) this.free.add(join(folder, file));
    for (const name of listing.folders) {
      const next = join(below, name);
      if (!isMatch(name) || filter.isExcluded(next)) continue;
      this.free.add(join(folder, name));
      this.#found.set(join(folder, name), { path: `${path}/${name}`, own: { filter, below: next } });
    }
  }
}

export interface GlobBelow {
  /** The folder before the first wildcard. */
  folder: string;
  /** Whether the glob reaches a path below that folder. */
  isMatch: (path: string) => boolean;
  /** Whether it can reach files in a folder there; it does so in the folder's parent. */
  enters: (folder: string) => boolean;
}

/** `hidden`: whether an option of the shell may make a wildcard match the dot of a hidden name. */
export function globBelow(glob: string, hidden = false): GlobBelow {
  const names = glob.split("/").filter((name, index) => index === 0 || !/^\.?$/.test(name));
  const first = names.findIndex((name) => isWild(name));
  const from = first < 0 ? names.length - 1 : first;
  const folder = unescaped(names.slice(0, from).join("/"));
  // In some shells `**` matches any number of folders.
  const rest = names
    .slice(from)
    .join("/")
    .replace(/\*\*\/?/g, marks.below);
  // What lies in a matching folder counts, too.
  const isMatch = patternMatcher(rest);
  const isInside = patternMatcher(`${rest}/${marks.below}`);
  const length = hidden || names.slice(from).some((name) => showsHidden(name)) ? 0 : names.length - from;
  const isHidden = (path: string) => path.split("/", length).some((name) => name.startsWith("."));
  return {
    folder: folder === "" && from > 0 ? "/" : folder,
    isMatch: (path) => (isMatch(path) || isInside(path)) && !isHidden(path),
    enters: (path) => !isHidden(path) && entersFolder(rest, path),
  };
}

/** Whether paths below a folder may match, if its parent folders match. */
function entersFolder(pattern: string, folder: string): boolean {
  // What matches `/` does not end with a name.
  if (holdsMark(pattern) || /[()]|\\\//.test(pattern)) return true;
  const depth = folder.split("/").length;
  const name = pattern.split("/")[depth - 1];
  return name === undefined || patternMatcher(name)(folder.slice(folder.lastIndexOf("/") + 1));
}

/** Returns a pattern that matches exactly this folder's paths that match `glob`. */
export function patternIn(folder: string, glob: string): string {
  return `${escaped(folder.replace(/(?<![/\\])[/\\]+$/, ""))}/${glob}`;
}

const showsHidden = (pattern: string) => /^(\.|[?*+@!]\()/.test(pattern);

function join(folder: string, name: string): string {
  return folder === "" || folder === "/" ? `${folder}${name}` : `${folder}/${name}`;
}
