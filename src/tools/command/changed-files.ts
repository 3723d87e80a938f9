/**
 * The files that a command changes or may change, where rules deny or ask for that (T8). A program that is known to change
 * a file requires permission for it; one that may do so asks where a rule denies it. Commands of git that only name
 * commits, and programs that name no file, count as changing nothing.
 */
import { msg } from "../../l10n/l10n.ts";
import { fileRequirements } from "../file-access/requirements.ts";
import type { Host, Location } from "../host.ts";
import { filesInCode } from "./code.ts";
import type { CommandContext, CommandFiles } from "./command-files.ts";
import { guessedPaths, isHarmlessDevice, likelyPaths, pathWords } from "./paths.ts";
import type { ChangedPath } from "./programs/program.ts";
import { changesOf, isPure, launchesLocally, onlyReads, runsScript } from "./programs/table.ts";
import { exactRequirement, type RequiredPermissions } from "./required.ts";
import { escaped, holdsMark, isWholly, isWild, marks, unescaped } from "./shell/pattern.ts";
import { systemName } from "./shell/simple-command.ts";
import type { Folders } from "./shell/state.ts";
import type { ShellAction } from "./shell/visitor.ts";
import type { ShellWord } from "./shell/word.ts";

/** Each value of a loop's variable is looked at, up to this number. */
const maxVariants = 16;

export class ChangedFiles {
  readonly #files: CommandFiles;
  readonly #required: RequiredPermissions;
  readonly #host: Host;

  constructor(files: CommandFiles, required: RequiredPermissions, { host }: CommandContext) {
    this.#files = files;
    this.#required = required;
    this.#host = host;
  }

  async addCommand({ words, folders, data }: Extract<ShellAction, { type: "command" }>): Promise<void> {
    if (!this.#host.workspace.restrictsChange) return;
    const [program = ""] = words[0]?.values ?? [];
    if (isPure(systemName(program))) return;
    const found = new FoundChanges();
    for (const variant of variantsOf(words)) found.addProgram(program, variant);
    const known = words.slice(1).flatMap(({ values }) => values ?? []);
    for (const file of filesInCode(program, known, data)) found.possible.add(file);
    for (const change of found.certain) await this.addChange(change, folders);
    for (const path of found.possible) {
      // In an unknown folder, most words without a slash or a dot name something else.
      if (folders || /[./]/.test(path) || isWild(path)) await this.addPossible(path, folders);
    }
  }

  async addRedirect({ access, target, folders }: Extract<ShellAction, { type: "redirect" }>): Promise<void> {
    // A known target requires permission anyway.
    if (access === "read" || (target.values && !target.isGlob && folders)) return;
    for (const shape of target.shapes) await this.addPossible(shape, folders);
  }

  /** For a text that could not be parsed. */
  async addText(text: string): Promise<void> {
    if (!this.#host.workspace.restrictsChange) return;
    for (const path of likelyPaths(text)) await this.addPossible(escaped(path), [""]);
  }

  /** Adds what may be changed. `path`: a pattern. */
  async addPossible(path: string, folders: Folders): Promise<void> {
    if (!this.#host.workspace.restrictsChange || isHarmlessDevice(path) || /^-?$/.test(path)) return;
    for (const folder of folders ?? [undefined]) {
      if (isWholly(path) || (folder === undefined && !/^[/~]/.test(path)))
        this.#addUnknown([`…${isWholly(path) ? "" : shown(path)}`]);
      else if (isWild(path) && !holdsMark(path)) {
        for (const place of await this.#placesOf(path, folder ?? "")) this.#addNamed(place);
      } else await this.#addBelow(path, folder ?? "");
    }
  }

  /** Adds what is changed. `path`: a pattern. */
  async addChange({ path, names = [] }: ChangedPath, folders: Folders): Promise<void> {
    if (!this.#host.workspace.restrictsChange) return;
    if (holdsMark(path) || !folders) await this.addPossible(path, folders);
    for (const folder of folders ?? []) {
      for (const place of await this.#placesOf(path, folder)) {
        const isFolder = (await this.#host.workspace.look(place)) === "folder";
        if (!isFolder || names.length === 0) this.#addCertain(place);
        else await this.#addInto(place, names);
        if (isFolder && names.length === 0) await this.#addBelow(`${escaped(place.path)}/${marks.below}`, "");
      }
    }
  }

  async #addInto(folder: Location, names: readonly string[]): Promise<void> {
    for (const name of names) {
      const path = `${escaped(folder.path)}/${name}`;
      if (isWild(name)) await this.#addBelow(path, "");
      else this.#addCertain(await this.#files.locate(unescaped(path), ""));
    }
  }

  /** Returns the places that a path or its wildcards name. For unknown text: a folder that is restricted as a whole. */
  async #placesOf(path: string, folder: string): Promise<Location[]> {
    if (holdsMark(path)) {
      const known = await this.#files.locate(splitPath(path).start, folder);
      // Any text may lead to parent folders.
      return known?.changesRestricted && !path.includes(marks.any) ? [known] : [];
    }
    const globs = isWild(path) ? await this.#files.expandGlobs([path], [folder]) : [];
    const paths = isWild(path) ? globs.flatMap(({ paths: all }) => all ?? []) : [unescaped(path)];
    const places = await Promise.all(paths.map((each) => this.#files.locate(each, folder)));
    return places.filter((place) => place !== undefined);
  }

  #addCertain(location: Location | undefined): void {
    if (!location?.changesRestricted) return;
    for (const each of fileRequirements("edit", location, this.#host))
      this.#required.add({ ...each, effect: msg("changes {0}", each.pattern) });
  }

  #addNamed(location: Location | undefined): void {
    if (location?.changesRestricted) this.#addUnknown([location.relative, ...location.names]);
  }

  /** `path`: a pattern that may hold unknown text. */
  async #addBelow(path: string, folder: string): Promise<void> {
    const { start, rest } = splitPath(path);
    const place = await this.#files.locate(start, folder);
    if (!place) return;
    const under = (name: string) => (name === "." ? rest : `${name}/${rest}`);
    if (rest === "") this.#addNamed(place);
    else this.#addUnknown([place.relative, ...place.names].map(under));
  }

  #addUnknown(names: readonly string[]): void {
    const [pattern = "", ...others] = names;
    if (!this.#host.workspace.restrictsChange?.(names)) return;
    this.#required.add({
      ...exactRequirement(pattern, msg("may change it")),
      permission: "edit",
      match: "possible",
      names: others,
    });
  }
}

/** What one simple command changes. */
class FoundChanges {
  readonly certain: ChangedPath[] = [];
  /** Patterns. */
  readonly possible = new Set<string>();

  /** `words`: patterns. */
  addProgram(program: string, words: readonly string[]): void {
    const name = systemName(program);
    const changes = changesOf(program, words);
    if (changes) {
      this.certain.push(...changes);
      // An unknown word may become several.
      if (changes.length > 0) for (const word of words.filter(isWholly)) this.possible.add(word);
      return;
    }
    if (onlyReads(name, words)) return;
    if (launchesLocally(name)) {
      for (const [index, word] of words.entries())
        this.certain.push(...(changesOf(unescaped(word), words.slice(index + 1)) ?? []));
    }
    const script = runsScript(name) ? words.find((word) => !word.startsWith("-")) : undefined;
    const all = [program, ...words.filter((word) => word !== script)];
    const named = [...pathWords(all), ...guessedPaths(all)].filter(
      (path) => !/^\w+:\/\//.test(path) && !isWholly(path),
    );
    for (const path of named) this.possible.add(path);
  }
}

/** Returns the words after the program as patterns, once for each value that one of them may have. */
function variantsOf(words: readonly ShellWord[]): string[][] {
  const rest = words.slice(1);
  const count = Math.min(maxVariants, Math.max(1, ...rest.map(({ shapes }) => shapes.length)));
  return Array.from({ length: count }, (_, at) =>
    rest.map(({ shapes }) => shapes[Math.min(at, shapes.length - 1)] ?? ""),
  );
}

/** Splits a pattern at the last folder that is known. */
function splitPath(path: string): { start: string; rest: string } {
  const names = path.split("/");
  const first = names.findIndex(isWild);
  if (first < 0) return { start: unescaped(path), rest: "" };
  const start = unescaped(names.slice(0, first).join("/"));
  return { start: start === "" ? (first > 0 ? "/" : ".") : start, rest: shown(names.slice(first).join("/")) };
}

/** Returns a pattern with `…` for all that may be any text, and `‥` for any name. */
function shown(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the marks
  return path.replace(/\\(.)|[\0-\u0004*?[\]]+/gs, (unknown: string, plain: string | undefined) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the marks
    return plain ?? (/^[\u0003\u0004]+$/.test(unknown) ? "‥" : "…");
  });
}
