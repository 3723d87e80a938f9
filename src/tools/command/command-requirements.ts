/**
 * Decides which permissions a command requires (T8):
 * 1. `readCommand` parses it and visits it like a shell (shell/walk.ts). The result is a list of actions: simple commands
 *    and redirections, with their known words. `timeout 5 ls`, `bash -c ls` and the like become the `ls` that they run
 *    (`wraps` in programs/). A part that is not understood with certainty is an action of its own.
 * 2. `#addCommand` requires a permission for each simple command. The program's entry in programs/ says whether these
 *    arguments run code or write. If so, only a rule with the exact text allows it, else also a pattern such as `ls *`.
 * 3. `#addFile` and `#addNamedFile` require more for written files, and for those outside the workspace or protected.
 * 4. The user's rules judge each requirement, and the strictest decision wins (loop/permissions/rules.ts).
 */
import picomatch from "picomatch";
import { protectedBelow } from "../file-access/protected-below.ts";
import { fileRequirements, namedOutside } from "../file-access/requirements.ts";
import type { Host, Location } from "../host.ts";
import { type PermissionRequirement, ToolError } from "../tool.ts";
import { expandGlob } from "./glob.ts";
import { isHarmlessDevice, likelyPaths, pathWords } from "./paths.ts";
import type { RecursiveRead } from "./programs/program.ts";
import {
  effectOf,
  globsCanBeOptions,
  isPure,
  onlyReads,
  outputFiles,
  programEntry,
  readsRecursively,
  runsOtherCode,
  suggestedPattern,
  unwrap,
} from "./programs/table.ts";
import type { Grammar } from "./shell/grammar.ts";
import { pathFrom, systemName } from "./shell/simple-command.ts";
import type { Folders } from "./shell/state.ts";
import type { ShellAction } from "./shell/visitor.ts";
import { shellActions } from "./shell/walk.ts";
import { literal, type ShellWord, written } from "./shell/word.ts";

interface CommandContext {
  host: Host;
  signal: AbortSignal;
}

/** Maximum number of variants of one simple command, by the values of its variables. */
const maxVariants = 20;
/** Beyond this number permission is asked for the command as a whole. */
const maxRequirements = 200;
/** Maximum number of protected files that are named for one folder. */
const maxExamples = 5;

/** Returns at least one requirement, in the order of the command, without duplicates. */
export async function commandRequirements(command: string, context: CommandContext): Promise<PermissionRequirement[]> {
  const actions = await readCommand(command, context.host.terminal.shell);
  const required = new CommandRequirements(context);
  for (const action of actions ?? []) if (required.all.length < maxRequirements) await required.addAction(action);
  if (!actions || required.all.length >= maxRequirements) await required.addUnsupported(command);
  // Setting variables or changing the folder within the workspace needs permission only if nothing else happens.
  return required.all.length > 0 ? required.all : [{ ...exactRequirement(command, ""), match: "pattern" }];
}

async function readCommand(command: string, shell: string): Promise<ShellAction[] | undefined> {
  if (!/^(ba|z|da|k)?sh(\.exe)?$/.test(shell)) {
    // For shells without a supported grammar, such as PowerShell, only a single command of plain words is understood.
    const text = command.trim();
    if (!/^[\w\-./:\\=+ ]+$/.test(text) || /^[.&\d-]|^\\/.test(text)) return undefined;
    return [{ type: "command", words: text.split(/ +/).map(literal), folders: [""] }];
  }
  // A separate bundle that is loaded with the first command.
  grammar ??= import("./shell/grammar.ts").then(({ loadGrammar }) => loadGrammar());
  // These shells evaluate arithmetic wherever they expect a number: `[ 'a[$(rm x)]' -eq 1 ]` runs rm.
  return shellActions(command, { grammar: await grammar, evaluatesArithmetic: /^[zk]sh/.test(shell), unwrap });
}

let grammar: Promise<Grammar> | undefined;

/** Only a rule with exactly this text allows it, not a pattern that happens to have the same text, such as `find *`. */
function exactRequirement(text: string, effect: string): PermissionRequirement {
  const pattern = /^[^*]*\*$/.test(text) ? `${text.slice(0, -1)}\\*` : text;
  return { permission: "bash", pattern, suggestedRule: undefined, match: "exact", protection: "none", effect };
}

class CommandRequirements {
  readonly #required = new Map<string, PermissionRequirement>();
  readonly #locations = new Map<string, Promise<Location | undefined>>();
  readonly #protectedFiles = new Map<string, ReturnType<typeof protectedBelow>>();
  readonly #host: Host;
  readonly #signal: AbortSignal;

  constructor({ host, signal }: CommandContext) {
    this.#host = host;
    this.#signal = signal;
  }

  get all(): PermissionRequirement[] {
    return [...this.#required.values()];
  }

  async addAction(action: ShellAction): Promise<void> {
    switch (action.type) {
      case "command":
        return await this.#addCommand(action.words, action.folders);
      case "unsupported":
        return await this.addUnsupported(action.text);
      case "redirect":
        return await this.#addRedirect(action);
      case "mention":
        for (const value of action.words.flatMap(({ values }) => values ?? []))
          await this.#addNamedPath(value, action.folders, "mention");
    }
  }

  async addUnsupported(text: string): Promise<void> {
    this.#add(exactRequirement(text, "cannot be parsed with certainty"));
    for (const path of likelyPaths(text)) await this.#addNamedPath(path, [""], "unknown");
  }

  async #addCommand(words: readonly ShellWord[], folders: Folders): Promise<void> {
    const variants = variantsOf(words);
    const text = words.map(shownText).join(" ");
    const [program = ""] = words[0]?.values ?? [];
    const name = systemName(program);
    if (!variants || (!folders && !isPure(name))) {
      const known = words.flatMap(({ values, isGlob }) => (values && !isGlob ? values : []));
      this.#add(
        exactRequirement(text, effectOf(program, known.slice(1)) || "depends on what is known only when it runs"),
      );
      for (const path of pathWords(known)) await this.#addNamedPath(path, folders ?? [""], "unknown");
      return;
    }
    // For rules, `git --no-pager log` is `git log`.
    const overlooked = programEntry(program)?.overlookedOption;
    for (const variant of variants) {
      const isCounted = ({ value }: KnownWord, index: number) => index !== 1 || value !== overlooked;
      await this.#addVariant(variant.filter(isCounted), folders ?? [""]);
    }
  }

  async #addVariant(words: readonly KnownWord[], folders: readonly string[]): Promise<void> {
    const values = words.map(({ value }) => value);
    const [program = "", ...rest] = values;
    const name = systemName(program);
    const pattern = words.map(({ shown }) => shown).join(" ");
    const effect = effectOf(program, rest);
    const globs = await this.#expandGlobs(words, folders);
    const isPlain =
      !runsOtherCode(program, rest) && !(programEntry(name)?.usesRepository && (await this.#isBare(folders)));
    // Many programs treat a file named `-delete` as an option.
    const holdsOption = (paths: readonly string[]) => globsCanBeOptions(name) && paths.some((path) => /^-/.test(path));
    if (!isPlain || globs.some(({ paths }) => !paths || holdsOption(paths))) {
      this.#add(exactRequirement(pattern, effect || "can run other code, or write, with these arguments"));
    } else {
      const suggestedRule = suggestedPattern(words.map(({ shown }) => shown));
      this.#add({ permission: "bash", pattern, suggestedRule, match: "pattern", protection: "none", effect });
    }
    // For most programs `-` is standard output.
    for (const file of outputFiles(name, rest)) if (file !== "-") await this.#addFile("edit", file, folders);
    const use = isPure(name) ? "mention" : onlyReads(name, rest) ? "read" : "unknown";
    for (const glob of globs) await this.#addGlobFiles(glob, use);
    if (use === "mention") return;
    const named = pathWords(values).filter((path) => !globs.some(({ glob }) => glob === path));
    for (const path of named) await this.#addNamedPath(path, folders, use);
    const below = readsRecursively(name, rest);
    if (below) await this.#addReadBelow([...named, ...globs.flatMap(({ paths }) => paths ?? [])], folders, below);
  }

  async #addReadBelow(named: readonly string[], folders: readonly string[], below: RecursiveRead): Promise<void> {
    for (const folder of folders) {
      const there: Location[] = [];
      for (const path of named) {
        const place = await this.#locate(path, folder);
        if (place && (await this.#host.workspace.look(place)) !== "missing") there.push(place);
      }
      const here = await this.#locate(".", folder);
      if (there.length === 0 && here) there.push(here);
      for (const place of there) if (place.inside) await this.#addProtectedBelow(place, below);
    }
  }

  async #addProtectedBelow(folder: Location, { isRead, ignored }: RecursiveRead): Promise<void> {
    if ((await this.#host.workspace.look(folder)) !== "folder") return;
    const key = `${ignored} ${folder.path}`;
    const below =
      this.#protectedFiles.get(key) ?? protectedBelow(folder, this.#host, { signal: this.#signal, ignored });
    this.#protectedFiles.set(key, below);
    const paths = await below;
    if (!paths)
      this.#add({ ...exactRequirement(`${folder.relative}/…`, ""), permission: "read", protection: "secret" });
    for (const path of paths?.filter((path) => isRead(path)).slice(0, maxExamples) ?? [])
      this.#addNamedFile(await this.#host.workspace.locate(`${folder.path}/${path}`), "read");
  }

  /** Resolves each path once. Undefined if that fails, because it is far too long or circular. */
  #locate(name: string, folder: string): Promise<Location | undefined> {
    // A home folder such as `~name` is always outside.
    const path = pathFrom(folder, /^~[^/]/.test(name) ? `/${name}` : name).replace(/(?<=.)\/+$/, "");
    const known = this.#locations.get(path) ?? this.#host.workspace.locate(path).catch(onlyToolErrors);
    this.#locations.set(path, known);
    return known;
  }

  /** Whether git may use a folder or its parent as a bare repository, whose settings can run code. */
  async #isBare(folders: readonly string[]): Promise<boolean> {
    for (const folder of folders) {
      let path = folder;
      for (let up = 0; up < 50; up++) {
        const place = await this.#locate(path === "" ? "HEAD" : `${path}/HEAD`, "");
        if (!place?.inside) break;
        if ((await this.#host.workspace.look(place)) !== "missing") return true;
        if (!place.relative.includes("/")) break;
        path = path === "" ? ".." : `${path}/..`;
      }
    }
    return false;
  }

  async #expandGlobs(words: readonly KnownWord[], folders: readonly string[]): Promise<ExpandedGlob[]> {
    const globs = words.filter(({ isGlob }) => isGlob).map(({ value }) => value);
    const expand = async (glob: string, folder: string) => {
      const locate = (path: string) => this.#locate(path, folder);
      const paths = await expandGlob(glob, locate, this.#host.workspace, this.#signal).catch(onlyToolErrors);
      // A shell does not change a wildcard that matches nothing.
      return { glob, folder, paths: paths?.length === 0 ? [glob] : paths };
    };
    return await Promise.all(folders.flatMap((folder) => globs.map((glob) => expand(glob, folder))));
  }

  async #addGlobFiles({ glob, folder, paths }: ExpandedGlob, use: FileUse): Promise<void> {
    for (const path of paths ?? []) await this.#addNamedPath(path, [folder], use);
    if (use === "mention" || !paths) return;
    // Files named in `.rondoignore` are not listed.
    const [, start = "", rest = ""] = /^((?:[^*?[/]*\/)*)(.*)$/s.exec(glob) ?? [];
    const place = await this.#locate(start === "" ? "." : start, folder);
    if (place?.inside) await this.#addProtectedBelow(place, { isRead: picomatch(rest), ignored: true });
  }

  async #addRedirect({ access, target, folders }: Extract<ShellAction, { type: "redirect" }>): Promise<void> {
    const { values, isGlob, text } = target;
    if (!values || isGlob || !folders) this.#addUnknownFile(access, text);
    else for (const value of values) await this.#addFile(access, value, folders);
  }

  async #addFile(access: "read" | "edit", name: string, folders: readonly string[]): Promise<void> {
    if (isHarmlessDevice(name)) return;
    for (const folder of folders) {
      const location = await this.#locate(name, folder);
      if (!location) this.#addUnknownFile(access, name);
      for (const each of location ? fileRequirements(access, location, this.#host) : []) {
        const isWrite = access === "edit" && each.permission === "edit";
        this.#add(isWrite ? { ...each, effect: `writes ${each.pattern}` } : each);
      }
    }
  }

  #addUnknownFile(access: "read" | "edit", name: string): void {
    this.#add(exactRequirement(`${access === "edit" ? ">" : "<"} ${name}`, "the file is known only when it runs"));
  }

  async #addNamedPath(name: string, folders: Folders, use: FileUse): Promise<void> {
    if (name === "" || isHarmlessDevice(name)) return;
    // In an unknown folder, permission is asked for the command as a whole.
    for (const folder of folders ?? (/^[/~]/.test(name) ? [""] : [])) {
      this.#addNamedFile(await this.#locate(name, folder), use);
    }
  }

  #addNamedFile(location: Location | undefined, use: FileUse): void {
    if (!location) return;
    if (!location.inside) this.#add(namedOutside(location));
    if (use === "mention" || location.protection === "none") return;
    if (use === "read" && location.protection === "settings") return;
    for (const each of fileRequirements(use === "read" ? "read" : "edit", location, this.#host)) this.#add(each);
  }

  #add(added: PermissionRequirement): void {
    const key = `${added.permission} ${added.pattern}`;
    const before = this.#required.get(key);
    const isStricter = before?.protection === "none" && added.protection !== "none";
    if (!before || isStricter || added.match === "exact") this.#required.set(key, added);
  }
}

function onlyToolErrors(error: unknown): undefined {
  if (!(error instanceof ToolError)) throw error;
}

type FileUse = "mention" | "read" | "unknown";

interface ExpandedGlob {
  glob: string;
  folder: string;
  /** Matching paths; undefined for too many. */
  paths: readonly string[] | undefined;
}

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
    const known = word.values?.map((value) => ({ value, shown: isGlob ? text : written(value), isGlob }));
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
