/**
 * Decides which permissions a command requires (T8):
 * 1. `readCommand` parses it and visits it like a shell (shell/walk.ts). The result is a list of actions: simple commands
 *    and redirections, with their known words. `timeout 5 ls`, `bash -c ls` and the like become the `ls` that they run
 *    (`wraps` in programs/). A part that is not understood with certainty is an action of its own.
 * 2. `#addCommand` requires a permission for each simple command. The program's entry in programs/ says whether these
 *    arguments run code or write. If so, only a rule with the text of the whole command allows it, else also `ls *`.
 * 3. `CommandFiles` (command-files.ts) requires more for written files, and for those outside the workspace or protected.
 * 4. The user's rules judge each requirement, and the strictest decision wins (loop/permissions/rules.ts).
 */
import { msg } from "../../l10n/l10n.ts";
import type { FolderListing, Location, Workspace } from "../host.ts";
import type { PermissionRequirement } from "../tool.ts";
import { ChangedFiles } from "./changed-files.ts";
import { type CommandContext, CommandFiles, type ExpandedGlob } from "./command-files.ts";
import { PartlyKnownFiles } from "./partly-known.ts";
import { likelyPaths, pathWords } from "./paths.ts";
import {
  effectOf,
  globsCanBeOptions,
  isPure,
  onlyReads,
  outputFiles,
  programEntry,
  reachOf,
  readsNamedFiles,
  readsRecursively,
  runsOnlyItself,
  suggestedPattern,
  unwrap,
} from "./programs/table.ts";
import { exactRequirement, RequiredPermissions } from "./required.ts";
import type { Grammar } from "./shell/grammar.ts";
import { holdsMark, isWild, marks, patternMatcher, unescaped } from "./shell/pattern.ts";
import { systemName } from "./shell/simple-command.ts";
import type { Folders } from "./shell/state.ts";
import type { PlacedAction, ShellAction } from "./shell/visitor.ts";
import { readShell, type ShellReading } from "./shell/walk.ts";
import { literal, possibleValue, type ShellWord, written } from "./shell/word.ts";
import { namesForRules, windowsUse } from "./windows/programs.ts";
import { addWindowsFiles } from "./windows/windows-files.ts";
import { type WindowsShell, windowsShellOf, windowsWords } from "./windows/windows-words.ts";

/** Maximum number of variants of one simple command, by the values of its variables. */
const maxVariants = 20;
/** Beyond this number permission is asked for the command as a whole. */
const maxRequirements = 200;

/** Returns at least one requirement, in the order of the command, without duplicates. */
export async function commandRequirements(command: string, given: CommandContext): Promise<PermissionRequirement[]> {
  return (await analyseCommand(command, given)).requires;
}

/** Returns what `commandRequirements` does, and how the command was read. */
export async function analyseCommand(
  command: string,
  given: CommandContext,
): Promise<{ requires: PermissionRequirement[]; reading: ShellReading }> {
  const context = { ...given, host: { ...given.host, workspace: listingOnce(given.host.workspace) } };
  const { shell } = context.host.terminal;
  const required = new CommandRequirements(command, context);
  const windowsShell = windowsShellOf(shell);
  if (windowsShell) {
    await required.addWindowsCommand(command, windowsShell);
    return { requires: required.all, reading: unread };
  }
  const reading = await readCommand(command, shell);
  const { actions } = reading;
  for (const action of actions ?? []) if (required.all.length < maxRequirements) await required.addAction(action);
  await required.finish();
  if (!actions || required.all.length >= maxRequirements) await required.addUnsupported(command);
  // Setting variables or changing the folder within the workspace needs permission only if nothing else happens.
  if (required.all.length === 0) required.addNothing(command);
  return { requires: required.all, reading };
}

const unread: ShellReading = { actions: undefined, root: undefined };

/** One command is judged by one state of each folder, so none is looked at twice. */
function listingOnce(workspace: Workspace): Workspace {
  const listings = new Map<string, FolderListing | undefined>();
  const list = (path: string) => {
    if (!listings.has(path)) listings.set(path, workspace.list(path));
    return listings.get(path);
  };
  return { ...workspace, list };
}

async function readCommand(command: string, shell: string): Promise<ShellReading> {
  if (!/^(ba|z|da|k)?sh(\.exe)?$/.test(shell)) return unread;
  // A separate bundle that is loaded with the first command.
  grammar ??= import("./shell/grammar.ts").then(({ loadGrammar }) => loadGrammar());
  // These shells evaluate arithmetic wherever they expect a number: `[ 'a[$(rm x)]' -eq 1 ]` runs rm.
  return readShell(command, { grammar: await grammar, evaluatesArithmetic: /^[zk]sh/.test(shell), unwrap });
}

let grammar: Promise<Grammar> | undefined;

class CommandRequirements {
  readonly #required: RequiredPermissions;
  readonly #files: CommandFiles;
  readonly #partlyKnown: PartlyKnownFiles;
  readonly #changed: ChangedFiles;
  readonly #context: CommandContext;

  constructor(command: string, context: CommandContext) {
    this.#context = context;
    this.#required = new RequiredPermissions(command);
    this.#files = new CommandFiles(this.#required, context);
    this.#partlyKnown = new PartlyKnownFiles(this.#files, this.#required, context);
    this.#changed = new ChangedFiles(this.#files, this.#required, context);
  }

  get all(): PermissionRequirement[] {
    return this.#required.all;
  }

  async addAction(action: PlacedAction): Promise<void> {
    this.#required.at = action.range;
    await this.#addAction(action);
    this.#required.at = undefined;
  }

  async #addAction(action: ShellAction): Promise<void> {
    switch (action.type) {
      case "command":
        await this.#addCommand(action);
        await this.#partlyKnown.addCommand(action);
        return await this.#changed.addCommand(action);
      case "unsupported":
        return await this.addUnsupported(action.text);
      case "redirect":
        await this.#files.addRedirect(action);
        await this.#partlyKnown.addRedirect(action);
        return await this.#changed.addRedirect(action);
      case "data":
        this.#partlyKnown.addData(action.text);
        return;
      case "mention":
        for (const value of action.words.flatMap(({ values }) => values ?? []))
          await this.#files.addNamedPath(value, action.folders, "mention");
    }
  }

  /** For shells without a supported grammar: only a single command of plain words is understood. */
  async addWindowsCommand(command: string, shell: WindowsShell): Promise<void> {
    const text = command.trim();
    const isPlain = /^[\w\-./:\\=+ ]+$/.test(text) && !/^[.&\d-]|^\\/.test(text);
    const plain = isPlain ? text.split(/ +/) : [];
    if (isPlain) {
      const words = plain.map((value) => ({ value, shown: value, isGlob: false }));
      await this.#addProgram(words, [""], [], namesForRules(plain));
    } else {
      const effect = msg("cannot be parsed with certainty");
      this.#required.add(exactRequirement(command, effect), { words: [], runsAnything: true });
    }
    const parts = { files: this.#files, changed: this.#changed, required: this.#required };
    const words = windowsWords(command, shell);
    await addWindowsFiles(words, windowsUse(command, plain, words), parts);
  }

  addNothing(command: string): void {
    this.#required.add({ ...exactRequirement(command, ""), match: "pattern" });
  }

  async addUnsupported(text: string): Promise<void> {
    this.#required.add(exactRequirement(text, msg("cannot be parsed with certainty")), {
      words: [],
      runsAnything: true,
    });
    for (const path of likelyPaths(text)) await this.#files.addNamedPath(path, [""], "unknown");
    await this.#partlyKnown.addText(text);
    await this.#changed.addText(text);
  }

  /** To be called after the last action. */
  async finish(): Promise<void> {
    await this.#partlyKnown.finish();
  }

  async #addCommand({ words, folders, data }: Extract<ShellAction, { type: "command" }>): Promise<void> {
    const variants = variantsOf(words) ?? (await this.#readingFound(words, folders));
    const text = words.map(shownText).join(" ");
    const [program = ""] = words[0]?.values ?? [];
    const name = systemName(program);
    if (variants && (folders || isPure(name))) {
      for (const variant of variants) await this.#addVariant(variant, folders ?? [""], data);
      return;
    }
    const known = words.flatMap(({ values, isGlob }) => (values && !isGlob ? values : []));
    const effect = effectOf(program, known.slice(1)) || msg("depends on what is known only when it runs");
    // An unknown word may be an option that runs code.
    const runsAnything = reachOf(program, known.slice(1)) === "anything" || (!variants && !runsOnlyItself(program));
    this.#required.add(exactRequirement(text, effect), { words: words.map(possibleValue), runsAnything, input: data });
    // Unknown words keep their places, as the first one may be a pattern to search for.
    const all = words.flatMap(({ values, isGlob }) => (values && !isGlob ? values : [marks.any]));
    const named = pathWords(all).filter((path) => !holdsMark(path));
    for (const path of named) await this.#files.addNamedPath(path, folders ?? [""], "unknown");
    const written = outputFiles(name, all.slice(1)).filter((file) => file !== "-" && !holdsMark(file));
    for (const file of written) await this.#files.addFile("edit", file, folders ?? [""]);
    const below = readsRecursively(name, known.slice(1));
    if (below) await this.#files.addReadBelow(named, folders ?? [""], below);
  }

  /** Returns the command as one that reads single files, if its unknown words can only be such files of the workspace. */
  async #readingFound(words: readonly ShellWord[], folders: Folders): Promise<KnownWord[][] | undefined> {
    const [program = ""] = words[0]?.values ?? [];
    const name = systemName(program);
    const variants = variantsOf(words.flatMap((word) => (word.values ? [word] : [foundFile, foundFile])));
    const { host } = this.#context;
    if (!variants || !folders || globsCanBeOptions(name)) return undefined;
    for (const [, ...rest] of variants) {
      const values = rest.map(({ value }) => value);
      if (!readsNamedFiles(name, values) || outputFiles(name, values).length > 0) return undefined;
    }
    for (const word of words) {
      if (!word.values && !(await namesFoundFiles(word, folders, this.#files, host.workspace))) return undefined;
    }
    return variantsOf(words.map((word) => (word.values ? word : { ...foundFile, text: word.text })));
  }

  async #addVariant(words: readonly KnownWord[], folders: readonly string[], input?: string): Promise<void> {
    const values = words.map(({ value }) => value);
    const [program = "", ...rest] = values;
    const name = systemName(program);
    const wildcards = words.filter(({ isGlob }) => isGlob).map(({ value }) => value);
    const globs = await this.#files.expandGlobs(wildcards, folders);
    const forRules = words.map(({ value, isGlob }) => (isGlob || value === foundName ? undefined : value));
    await this.#addProgram(words, folders, globs, forRules, input);
    const use = isPure(name) ? "mention" : onlyReads(name, rest) ? "read" : "unknown";
    for (const glob of globs) await this.#files.addGlobFiles(glob, use);
    if (use === "mention") return;
    const named = pathWords(values).filter((path) => !globs.some(({ glob }) => glob === path));
    for (const path of named) await this.#files.addNamedPath(path, folders, use);
    const below = readsRecursively(name, rest);
    if (below) await this.#files.addReadBelow([...named, ...globs.flatMap(({ paths }) => paths ?? [])], folders, below);
  }

  /** Requires permission for the program and for the files that it is told to write. */
  async #addProgram(
    words: readonly KnownWord[],
    folders: readonly string[],
    globs: readonly ExpandedGlob[],
    forRules: readonly (string | undefined)[],
    input?: string,
  ): Promise<void> {
    const [program = "", ...rest] = words.map(({ value }) => value);
    const name = systemName(program);
    const pattern = words.map(({ shown }) => shown).join(" ");
    const effect = effectOf(program, rest);
    // Many programs treat a file named `-delete` as an option.
    const holdsOption = (paths: readonly string[]) => globsCanBeOptions(name) && paths.some((path) => /^-/.test(path));
    const givesOption = globs.some(({ paths }) => paths && holdsOption(paths));
    const reach = reachOf(program, rest);
    const isElsewhere = await this.#usesOtherFolder(name, rest, folders);
    const runsAnything = reach === "anything" || givesOption || isElsewhere === "repository";
    const runs = { words: forRules, runsAnything, input };
    if (runsAnything || reach === "more" || isElsewhere || globs.some(({ paths }) => !paths)) {
      this.#required.add(
        exactRequirement(pattern, effect || msg("can run other code, or write, with these arguments")),
        runs,
      );
    } else {
      const suggestedRule = suggestedPattern(words.map(({ shown }) => shown));
      this.#required.add(
        { permission: "bash", pattern, suggestedRule, match: "pattern", protection: "none", effect },
        runs,
      );
    }
    for (const folder of folders) {
      const paths = (glob: string) => globs.find((one) => one.glob === glob && one.folder === folder)?.paths;
      const given = words.slice(1).flatMap(({ value, isGlob }) => (isGlob ? (paths(value) ?? [value]) : [value]));
      // For most programs `-` is standard output.
      for (const file of outputFiles(name, given)) if (file !== "-") await this.#files.addFile("edit", file, [folder]);
    }
  }

  /** Whether the folder decides what the program runs, although a rule for it is meant for the workspace's own code. */
  async #usesOtherFolder(name: string, rest: readonly string[], folders: readonly string[]) {
    if (programEntry(name)?.usesRepository && (await this.#files.isBare(folders))) return "repository";
    if (runsOnlyItself(name) || (onlyReads(name, rest) && !programEntry(name)?.usesRepository)) return undefined;
    return (await this.#files.areInside(folders)) ? undefined : "outside";
  }
}

/** Stands for a file of the workspace whose name is not known. */
const foundFile: ShellWord = literal("./…");
const [foundName] = foundFile.values ?? [];

interface KnownWord {
  value: string;
  shown: string;
  isGlob: boolean;
}

/** Returns the command with each combination of its words' values; undefined for unknown values. */
function variantsOf(words: readonly ShellWord[]): KnownWord[][] | undefined {
  const [program = ""] = words[0]?.values ?? [];
  const isAny = isPure(systemName(program));
  let variants: KnownWord[][] = [[]];
  for (const word of words) {
    const { isGlob, text } = word;
    const known = word.values?.map((value) => ({
      value,
      shown: isGlob || value === foundName ? text : written(value),
      isGlob,
    }));
    const values = known ?? (isAny ? [{ value: "", shown: text, isGlob: false }] : undefined);
    if (!values || variants.length * values.length > maxVariants) return undefined;
    variants = variants.flatMap((variant) => values.map((value) => [...variant, value]));
  }
  return variants;
}

function shownText({ values, text, isGlob }: ShellWord): string {
  const [value, ...others] = values ?? [];
  return value === undefined || others.length > 0 || isGlob ? text : written(value);
}

// The files that `find`, `rg --files` and the like find below a folder, for commands that read each of them (T8).

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
async function namesFoundFiles(
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
