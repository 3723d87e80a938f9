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
  signal: AbortSignal,
): Promise<boolean> {
  for (const shape of shapes) {
    const search = searchOf(shape);
    if (!search) return false;
    for (const folder of folders) {
      const start = await files.locate(search.start === "" ? "." : search.start, folder);
      const walk = new FolderWalk(search, files, workspace, signal);
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
  readonly #signal: AbortSignal;

  constructor(search: Search, located: CommandFiles, workspace: Workspace, signal: AbortSignal) {
    this.#search = search;
    this.#located = located;
    this.#workspace = workspace;
    this.#signal = signal;
  }

  async isWithin(place: Location, path: string): Promise<boolean> {
    if (!place.inside || !isOneWord(path)) return false;
    if ((await this.#workspace.look(place)) !== "folder") return true;
    if (++this.#folders > maxFolders) return false;
    const found = await this.#workspace.open(place, this.#signal);
    for (const entry of found.type === "folder" ? found.entries : []) {
      const name = entry.replace(/\/$/, "");
      const isFolder = entry !== name;
      if (!isFolder && !this.#search.isMatch(name)) continue;
      if (++this.#files > maxFiles) return false;
      const next = `${path === "" ? "" : `${path}/`}${name}`;
      const location = await this.#located.locate(`${place.path}/${name}`, "");
      if (!location?.inside || !isOneWord(next) || (isFolder && !(await this.isWithin(location, next)))) return false;
    }
    return true;
  }
}

/** Whether neither a shell nor xargs splits or changes the name, and no program takes it for an option. */
function isOneWord(path: string): boolean {
  return !/[\s'"\\*?[]|^-/.test(path);
}
