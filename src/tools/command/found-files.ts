/** The files that `find`, `rg --files` and the like find below a folder, for commands that read each of them (T8). */
import type { Location, Workspace } from "../host.ts";
import type { CommandFiles } from "./command-files.ts";
import { isWild, marks, patternMatcher, unescaped } from "./shell/pattern.ts";
import type { ShellWord } from "./shell/word.ts";

/** Beyond these numbers the user is asked instead. */
const maxFolders = 2000;
const maxFiles = 2000;

interface Search {
  /** Where it begins; empty for the current folder. */
  start: string;
  isMatch(name: string): boolean;
}

/**
 * Whether a word that is not known can only name files of the workspace, one at a time: no link leads elsewhere, and no
 * name would be read as an option or as several words. Protected files are looked for elsewhere (partly-known.ts).
 */
export async function namesFoundFiles(
  { shapes }: ShellWord,
  folders: readonly string[],
  files: CommandFiles,
  workspace: Workspace,
): Promise<boolean> {
  for (const shape of shapes) {
    const search = searchOf(shape);
    if (!search) return false;
    for (const folder of folders) {
      const start = await files.locate(search.start === "" ? "." : search.start, folder);
      const walk = new FolderWalk(search, files, workspace);
      if (!start || !(await walk.isWithin(start, search.start))) return false;
    }
  }
  return shapes.length > 0;
}

/** Returns the search that a pattern such as `./src/…*.ts` stands for. */
function searchOf(shape: string): Search | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the marks
  const [, before = "", end] = /^([^\0-\u0004]*)[\u0001\u0002]([^\0-\u0004/]*)$/.exec(shape) ?? [];
  const start = unescaped(before).replace(/\/$/, "");
  if (end === undefined || isWild(before) || !/(^|\/)$/.test(before) || start.startsWith("-")) return undefined;
  return { start, isMatch: patternMatcher(`${marks.below}${end}`) };
}

class FolderWalk {
  #folders = 0;
  #files = 0;
  readonly #search: Search;
  readonly #located: CommandFiles;
  readonly #workspace: Workspace;

  constructor(search: Search, located: CommandFiles, workspace: Workspace) {
    this.#search = search;
    this.#located = located;
    this.#workspace = workspace;
  }

  /** `path`: as the search prints it. */
  async isWithin({ path: folder, inside }: Location, path: string): Promise<boolean> {
    if (!inside || !isOneWord(path)) return false;
    const open = [{ folder, prefix: path === "" ? "" : `${path}/` }];
    for (let next = open.pop(); next; next = open.pop()) {
      const { folder, prefix } = next;
      const listing = this.#workspace.list(folder);
      if (!listing) continue;
      this.#folders += 1;
      const files = listing.files.filter((name) => this.#search.isMatch(name));
      const links = listing.links.filter((name) => this.#search.isMatch(name));
      this.#files += files.length + links.length + listing.folders.length;
      if (this.#folders > maxFolders || this.#files > maxFiles) return false;
      if (![...files, ...links, ...listing.folders].every((name) => isOneWord(prefix + name))) return false;
      if (!(await this.#leadInside(folder, links))) return false;
      for (const name of listing.folders) open.push({ folder: `${folder}/${name}`, prefix: `${prefix}${name}/` });
    }
    return true;
  }

  async #leadInside(folder: string, links: readonly string[]): Promise<boolean> {
    for (const name of links) if (!(await this.#located.locate(`${folder}/${name}`, ""))?.inside) return false;
    return true;
  }
}

/** Whether neither a shell nor xargs splits or changes the name, and no program takes it for an option. */
function isOneWord(path: string): boolean {
  return !/[\s'"\\*?[]|^-/.test(path);
}
