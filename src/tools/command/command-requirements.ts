/** Permissions that a command requires (T8): for each simple command, each written file and each protected file. */
import picomatch from "picomatch";
import { protectedBelow } from "../file-access/protected-below.ts";
import { fileRequirements, namedOutside } from "../file-access/requirements.ts";
import type { Host, Location } from "../host.ts";
import { type PermissionRequirement, ToolError } from "../tool.ts";
import { expandGlob } from "./glob.ts";
import { isHarmlessDevice, likelyPaths, pathWords } from "./paths.ts";
import type { Recursion } from "./programs/program.ts";
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
import type { Act } from "./shell/visitor.ts";
import { actsOf } from "./shell/walk.ts";
import { literal, type Word, written } from "./shell/word.ts";

interface Context {
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
export async function commandRequirements(command: string, context: Context): Promise<PermissionRequirement[]> {
  const acts = await readCommand(command, context.host.terminal.shell);
  const required = new CommandRequirements(context);
  for (const act of acts ?? []) if (required.all.length < maxRequirements) await required.act(act);
  if (!acts || required.all.length >= maxRequirements) await required.unsupported(command);
  // Setting variables or changing the folder within the workspace needs permission only if nothing else happens.
  return required.all.length > 0 ? required.all : [{ ...exactly(command, ""), match: "pattern" }];
}

async function readCommand(command: string, shell: string): Promise<Act[] | undefined> {
  if (!/^(ba|z|da|k)?sh(\.exe)?$/.test(shell)) {
    // For shells without a supported grammar, such as PowerShell, only a single command of plain words is understood.
    const text = command.trim();
    if (!/^[\w\-./:\\=+ ]+$/.test(text) || /^[.&\d-]|^\\/.test(text)) return undefined;
    return [{ type: "command", words: text.split(/ +/).map(literal), folders: [""] }];
  }
  // A separate bundle that is loaded with the first command.
  grammar ??= import("./shell/grammar.ts").then(({ loadGrammar }) => loadGrammar());
  // These shells evaluate arithmetic wherever they expect a number: `[ 'a[$(rm x)]' -eq 1 ]` runs rm.
  return actsOf(command, { grammar: await grammar, computes: /^[zk]sh/.test(shell), unwrap });
}

let grammar: Promise<Grammar> | undefined;

/** Only a rule with exactly this text allows it, not a pattern that happens to have the same text, such as `find *`. */
function exactly(text: string, effect: string): PermissionRequirement {
  const pattern = /^[^*]*\*$/.test(text) ? `${text.slice(0, -1)}\\*` : text;
  return { permission: "bash", pattern, suggestedRule: undefined, match: "exact", protection: "none", effect };
}

class CommandRequirements {
  readonly #required = new Map<string, PermissionRequirement>();
  readonly #locations = new Map<string, Promise<Location | undefined>>();
  readonly #protectedFiles = new Map<string, ReturnType<typeof protectedBelow>>();
  readonly #host: Host;
  readonly #signal: AbortSignal;

  constructor({ host, signal }: Context) {
    this.#host = host;
    this.#signal = signal;
  }

  get all(): PermissionRequirement[] {
    return [...this.#required.values()];
  }

  async act(act: Act): Promise<void> {
    switch (act.type) {
      case "command":
        return await this.#command(act.words, act.folders);
      case "unsupported":
        return await this.unsupported(act.text);
      case "redirect":
        return await this.#redirect(act);
      case "mention":
        for (const value of act.words.flatMap(({ values }) => values ?? []))
          await this.#path(value, act.folders, "mention");
    }
  }

  async unsupported(text: string): Promise<void> {
    this.#add(exactly(text, "cannot be parsed with certainty"));
    for (const path of likelyPaths(text)) await this.#path(path, [""], "unknown");
  }

  async #command(words: readonly Word[], folders: Folders): Promise<void> {
    const variants = variantsOf(words);
    const text = words.map(shown).join(" ");
    const [program = ""] = words[0]?.values ?? [];
    const name = systemName(program);
    if (!variants || (!folders && !isPure(name))) {
      const known = words.flatMap(({ values, isGlob }) => (values && !isGlob ? values : []));
      this.#add(exactly(text, effectOf(program, known.slice(1)) || "depends on what is known only when it runs"));
      for (const path of pathWords(known)) await this.#path(path, folders ?? [""], "unknown");
      return;
    }
    for (const variant of variants) await this.#variant(withoutOverlooked(variant), folders ?? [""]);
  }

  async #variant(words: readonly KnownWord[], folders: readonly string[]): Promise<void> {
    const values = words.map(({ value }) => value);
    const [program = "", ...rest] = values;
    const name = systemName(program);
    const pattern = words.map(({ shown }) => shown).join(" ");
    const effect = effectOf(program, rest);
    const globs = await this.#expand(words, folders);
    const isPlain =
      !runsOtherCode(program, rest) && !(programEntry(name)?.usesRepository && (await this.#isBare(folders)));
    // Many programs treat a file named `-delete` as an option.
    const holdsOption = (paths: readonly string[]) => globsCanBeOptions(name) && paths.some((path) => /^-/.test(path));
    if (!isPlain || globs.some(({ paths }) => !paths || holdsOption(paths))) {
      this.#add(exactly(pattern, effect || "can run other code, or write, with these arguments"));
    } else {
      const suggestedRule = suggestedPattern(words.map(({ shown }) => shown));
      this.#add({ permission: "bash", pattern, suggestedRule, match: "pattern", protection: "none", effect });
    }
    // For most programs `-` is standard output.
    for (const file of outputFiles(name, rest)) if (file !== "-") await this.#file("edit", file, folders);
    const use = isPure(name) ? "mention" : onlyReads(name, rest) ? "read" : "unknown";
    for (const glob of globs) await this.#expanded(glob, use);
    if (use === "mention") return;
    const named = pathWords(values).filter((path) => !globs.some(({ glob }) => glob === path));
    for (const path of named) await this.#path(path, folders, use);
    const below = readsRecursively(name, rest);
    if (below) await this.#below([...named, ...globs.flatMap(({ paths }) => paths ?? [])], folders, below);
  }

  async #below(named: readonly string[], folders: readonly string[], below: Recursion): Promise<void> {
    for (const folder of folders) {
      const there: Location[] = [];
      for (const path of named) {
        const place = await this.#locate(path, folder);
        if (place && (await this.#host.workspace.look(place)) !== "missing") there.push(place);
      }
      const here = await this.#locate(".", folder);
      if (there.length === 0 && here) there.push(here);
      for (const place of there) if (place.inside) await this.#protected(place, below);
    }
  }

  async #protected(folder: Location, { isRead, ignored }: Recursion): Promise<void> {
    if ((await this.#host.workspace.look(folder)) !== "folder") return;
    const key = `${ignored} ${folder.path}`;
    const below =
      this.#protectedFiles.get(key) ?? protectedBelow(folder, this.#host, { signal: this.#signal, ignored });
    this.#protectedFiles.set(key, below);
    const paths = await below;
    if (!paths) this.#add({ ...exactly(`${folder.relative}/…`, ""), permission: "read", protection: "secret" });
    for (const path of paths?.filter((path) => isRead(path)).slice(0, maxExamples) ?? [])
      this.#located(await this.#host.workspace.locate(`${folder.path}/${path}`), "read");
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

  async #expand(words: readonly KnownWord[], folders: readonly string[]): Promise<ExpandedGlob[]> {
    const globs = words.filter(({ isGlob }) => isGlob).map(({ value }) => value);
    const expand = async (glob: string, folder: string) => {
      const locate = (path: string) => this.#locate(path, folder);
      const paths = await expandGlob(glob, locate, this.#host.workspace, this.#signal).catch(onlyToolErrors);
      // A shell does not change a wildcard that matches nothing.
      return { glob, folder, paths: paths?.length === 0 ? [glob] : paths };
    };
    return await Promise.all(folders.flatMap((folder) => globs.map((glob) => expand(glob, folder))));
  }

  async #expanded({ glob, folder, paths }: ExpandedGlob, use: FileUse): Promise<void> {
    for (const path of paths ?? []) await this.#path(path, [folder], use);
    if (use === "mention" || !paths) return;
    // Files named in `.rondoignore` are not listed.
    const [, start = "", rest = ""] = /^((?:[^*?[/]*\/)*)(.*)$/s.exec(glob) ?? [];
    const place = await this.#locate(start === "" ? "." : start, folder);
    if (place?.inside) await this.#protected(place, { isRead: picomatch(rest), ignored: true });
  }

  async #redirect({ access, target, folders }: Extract<Act, { type: "redirect" }>): Promise<void> {
    const { values, isGlob, text } = target;
    if (!values || isGlob || !folders) this.#unknownFile(access, text);
    else for (const value of values) await this.#file(access, value, folders);
  }

  async #file(access: "read" | "edit", name: string, folders: readonly string[]): Promise<void> {
    if (isHarmlessDevice(name)) return;
    for (const folder of folders) {
      const location = await this.#locate(name, folder);
      if (!location) this.#unknownFile(access, name);
      for (const each of location ? fileRequirements(access, location, this.#host) : []) {
        const isWrite = access === "edit" && each.permission === "edit";
        this.#add(isWrite ? { ...each, effect: `writes ${each.pattern}` } : each);
      }
    }
  }

  #unknownFile(access: "read" | "edit", name: string): void {
    this.#add(exactly(`${access === "edit" ? ">" : "<"} ${name}`, "the file is known only when it runs"));
  }

  async #path(name: string, folders: Folders, use: FileUse): Promise<void> {
    if (name === "" || isHarmlessDevice(name)) return;
    // In an unknown folder, permission is asked for the command as a whole.
    for (const folder of folders ?? (/^[/~]/.test(name) ? [""] : [])) {
      this.#located(await this.#locate(name, folder), use);
    }
  }

  #located(location: Location | undefined, use: FileUse): void {
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
  /** Returns matching paths; undefined for too many. */
  paths: readonly string[] | undefined;
}

interface KnownWord {
  value: string;
  shown: string;
  isGlob: boolean;
}

/** Returns the command with each combination of its words' values; undefined for unknown values. */
function variantsOf(words: readonly Word[]): KnownWord[][] | undefined {
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

function shown({ values, text, isGlob }: Word): string {
  const [value, ...others] = values ?? [];
  return value === undefined || others.length > 0 || isGlob ? text : written(value);
}

/** For rules, `git --no-pager log` is `git log`. */
function withoutOverlooked(words: readonly KnownWord[]): KnownWord[] {
  const overlooked = programEntry(words[0]?.value ?? "")?.overlookedOption;
  return words.filter(({ value }, index) => index !== 1 || value !== overlooked);
}
