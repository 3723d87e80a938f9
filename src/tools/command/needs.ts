/** What must be allowed before a command may run (T8): each simple command in it, and each file it writes or that is guarded. */
import picomatch from "picomatch";
import { protectedBelow } from "../file-access/protected-below.ts";
import { fileRequirements, namedOutside } from "../file-access/requirements.ts";
import type { Host, Location } from "../host.ts";
import { type PermissionRequirement, ToolError } from "../tool.ts";
import { alwaysPattern } from "./always.ts";
import { expandGlob } from "./glob.ts";
import type { Grammar } from "./grammar.ts";
import { isHarmlessDevice, likelyPaths, otherHome, pathWords } from "./paths.ts";
import { takePlain } from "./plain.ts";
import {
  type Below,
  effectOf,
  heedsNames,
  hiddenWrites,
  isHidden,
  onlyReads,
  readsBelow,
  takesAnything,
} from "./programs.ts";
import { from, systemName } from "./simple.ts";
import { type Act, type Folders, takeApart } from "./walk.ts";
import { type Word, written } from "./word.ts";

interface Place {
  host: Host;
  signal: AbortSignal;
}

/** More variants of one simple command than this, because of the values of its variables, are not told apart. */
const mostVariants = 20;
/** Beyond these the rest is asked for with the command as a whole. */
const mostNeeds = 200;

/** In the order of the command, no two alike, at least one. */
export async function commandNeeds(command: string, place: Place): Promise<PermissionRequirement[]> {
  const acts = await actsOf(command, place.host.terminal.shell);
  const needs = new Needs(place);
  for (const act of acts ?? []) if (needs.all.length < mostNeeds) await needs.act(act);
  if (!acts || needs.all.length >= mostNeeds) await needs.unclear(command);
  // What only sets variables, or moves within the workspace, is harmless beside others; alone it is asked for as it is.
  return needs.all.length > 0 ? needs.all : [{ ...exactly(command, ""), match: "pattern" }];
}

async function actsOf(command: string, shell: string): Promise<Act[] | undefined> {
  if (!/^(ba|z|da|k)?sh(\.exe)?$/.test(shell)) return takePlain(command);
  // A part of its own, so that a start reads none of it.
  grammar ??= import("./grammar.ts").then(({ loadGrammar }) => loadGrammar());
  // These compute wherever a number is meant: `[ 'a[$(rm x)]' -eq 1 ]` runs rm.
  return takeApart(command, await grammar, /^[zk]sh/.test(shell));
}

let grammar: Promise<Grammar> | undefined;

/** Only a rule with this text to the letter allows it: never one that has the same text by chance, as `find *` has. */
function exactly(text: string, effect: string): PermissionRequirement {
  const pattern = /^[^*]*\*$/.test(text) ? `${text.slice(0, -1)}\\*` : text;
  return { permission: "bash", pattern, suggestedRule: undefined, match: "exact", protection: "none", effect };
}

class Needs {
  readonly #needs = new Map<string, PermissionRequirement>();
  readonly #places = new Map<string, Promise<Location | undefined>>();
  readonly #host: Host;
  readonly #signal: AbortSignal;

  constructor({ host, signal }: Place) {
    this.#host = host;
    this.#signal = signal;
  }

  get all(): PermissionRequirement[] {
    return [...this.#needs.values()];
  }

  async act(act: Act): Promise<void> {
    switch (act.type) {
      case "command":
        return await this.#command(act.words, act.folders);
      case "unclear":
        return await this.unclear(act.text);
      case "redirect":
        return await this.#redirect(act);
      case "mention":
        for (const word of act.words) {
          for (const value of word.values ?? []) await this.#path(value, act.folders, "mention");
        }
    }
  }

  async unclear(text: string): Promise<void> {
    this.#add(exactly(text, "cannot be taken apart with certainty"));
    for (const path of likelyPaths(text)) await this.#path(path, [""], "unknown");
  }

  async #command(words: readonly Word[], folders: Folders): Promise<void> {
    const variants = variantsOf(words);
    const text = words.map(shown).join(" ");
    const [program = ""] = words[0]?.values ?? [];
    const name = systemName(program);
    if (!variants || (!folders && !takesAnything(name))) {
      const known = words.flatMap(({ values, isGlob }) => (values && !isGlob ? values : []));
      this.#add(exactly(text, effectOf(program, known.slice(1)) || "depends on what is known only when it runs"));
      for (const path of pathWords(known)) await this.#path(path, folders ?? [""], "unknown");
      return;
    }
    for (const variant of variants)
      await this.#variant(program === "git" ? withoutPager(variant) : variant, folders ?? [""]);
  }

  async #variant(words: readonly Known[], folders: readonly string[]): Promise<void> {
    const values = words.map(({ value }) => value);
    const [program = "", ...rest] = values;
    const name = systemName(program);
    const pattern = words.map(({ shown }) => shown).join(" ");
    const effect = effectOf(program, rest);
    const globs = await this.#expand(words, folders);
    const isPlain = !isHidden(program, rest) && !(name === "git" && (await this.#isBare(folders)));
    if (!isPlain || globs.some(({ paths }) => !paths || (heedsNames(name) && paths.some(isOption)))) {
      this.#add(exactly(pattern, effect || "can run other code, or write, with these arguments"));
    } else {
      const suggestedRule = alwaysPattern(words.map(({ shown }) => shown));
      this.#add({ permission: "bash", pattern, suggestedRule, match: "pattern", protection: "none", effect });
    }
    // To most programs `-` is the standard output.
    for (const file of hiddenWrites(name, rest)) if (file !== "-") await this.#file("edit", file, folders);
    const use = takesAnything(name) ? "mention" : onlyReads(name, rest) ? "read" : "unknown";
    for (const glob of globs) await this.#expanded(glob, use);
    if (use === "mention") return;
    const named = pathWords(values).filter((path) => !globs.some(({ glob }) => glob === path));
    for (const path of named) await this.#path(path, folders, use);
    const below = readsBelow(name, rest);
    if (below) await this.#below([...named, ...globs.flatMap(({ paths }) => paths ?? [])], folders, below);
  }

  /** Guarded files in the folders that a command reads all of. */
  async #below(named: readonly string[], folders: readonly string[], below: Below): Promise<void> {
    for (const folder of folders) {
      const there: Location[] = [];
      for (const path of named) {
        const place = await this.#locate(path, folder);
        if (place && (await this.#host.workspace.look(place)) !== "missing") there.push(place);
      }
      const here = await this.#locate(".", folder);
      if (there.length === 0 && here) there.push(here);
      for (const place of there) if (place.inside) await this.#guarded(place, below);
    }
  }

  async #guarded(folder: Location, { isRead, ignored }: Below): Promise<void> {
    if ((await this.#host.workspace.look(folder)) !== "folder") return;
    for (const path of await protectedBelow(folder, this.#host, this.#signal, ignored)) {
      if (path === "…") this.#add({ ...exactly(`${folder.relative}/…`, ""), permission: "read", protection: "secret" });
      else if (isRead(path)) this.#located(await this.#host.workspace.locate(`${folder.path}/${path}`), "read");
    }
  }

  /** Looked up once for a command, however often it names it. Undefined: no path leads there, it is far too long or goes in circles. */
  #locate(name: string, folder: string): Promise<Location | undefined> {
    const path = from(folder, otherHome(name)).replace(/(?<=.)\/+$/, "");
    const known = this.#places.get(path) ?? this.#host.workspace.locate(path).catch(onlyToolErrors);
    this.#places.set(path, known);
    return known;
  }

  /** Whether git may take the folder, or one above, for a repository of its own, whose settings can run code. */
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

  async #expand(words: readonly Known[], folders: readonly string[]): Promise<Glob[]> {
    const globs = words.filter(({ isGlob }) => isGlob).map(({ value }) => value);
    const { workspace } = this.#host;
    const expand = async (glob: string, folder: string) => {
      const locate = (path: string) => this.#locate(path, folder);
      const paths = await expandGlob(glob, locate, workspace, this.#signal).catch(onlyToolErrors);
      // What fits nothing stays as it is.
      return { glob, folder, paths: paths?.length === 0 ? [glob] : paths };
    };
    return await Promise.all(folders.flatMap((folder) => globs.map((glob) => expand(glob, folder))));
  }

  async #expanded({ glob, folder, paths }: Glob, use: Use): Promise<void> {
    for (const path of paths ?? []) await this.#path(path, [folder], use);
    if (use === "mention" || !paths) return;
    // The files that `.rondoignore` names are not among those that are listed.
    const [, start = "", rest = ""] = /^((?:[^*?[/]*\/)*)(.*)$/s.exec(glob) ?? [];
    const place = await this.#locate(start === "" ? "." : start, folder);
    if (place?.inside) await this.#guarded(place, { isRead: picomatch(rest), ignored: true });
  }

  async #redirect({ access, target, folders }: Extract<Act, { type: "redirect" }>): Promise<void> {
    const { values, isGlob, text } = target;
    if (!values || isGlob || !folders) {
      this.#add(exactly(`${access === "edit" ? ">" : "<"} ${text}`, "nobody knows to which file"));
      return;
    }
    for (const value of values) await this.#file(access, value, folders);
  }

  /** A file that is surely read or written. */
  async #file(access: "read" | "edit", name: string, folders: readonly string[]): Promise<void> {
    if (isHarmlessDevice(name)) return;
    for (const folder of folders) {
      const location = await this.#locate(name, folder);
      if (!location) this.#add(exactly(`${access === "edit" ? ">" : "<"} ${name}`, "nobody knows to which file"));
      for (const need of location ? fileRequirements(access, location, this.#host) : []) {
        this.#add(
          access === "edit" && need.permission === "edit" ? { ...need, effect: `writes ${need.pattern}` } : need,
        );
      }
    }
  }

  async #path(name: string, folders: Folders, use: Use): Promise<void> {
    if (name === "" || isHarmlessDevice(name)) return;
    // Where relative paths begin is not known: then the command as a whole is asked for.
    for (const folder of folders ?? (/^[/~]/.test(name) ? [""] : [])) {
      this.#located(await this.#locate(name, folder), use);
    }
  }

  #located(location: Location | undefined, use: Use): void {
    if (!location) return;
    if (!location.inside) this.#add(namedOutside(location));
    if (use === "mention" || location.protection === "none") return;
    if (use === "read" && location.protection === "settings") return;
    for (const need of fileRequirements(use === "read" ? "read" : "edit", location, this.#host)) this.#add(need);
  }

  #add(need: PermissionRequirement): void {
    const key = `${need.permission} ${need.pattern}`;
    const before = this.#needs.get(key);
    // Of two for the same the stricter one counts.
    if (!before || (before.protection === "none" && need.protection !== "none") || need.match === "exact")
      this.#needs.set(key, need);
  }
}

function onlyToolErrors(error: unknown): undefined {
  if (!(error instanceof ToolError)) throw error;
}

/** What a command does with a file that it names. */
type Use = "mention" | "read" | "unknown";

interface Glob {
  glob: string;
  /** From which it is seen. */
  folder: string;
  /** What the shell puts in its place; undefined: too much to look at. */
  paths: readonly string[] | undefined;
}

interface Known {
  value: string;
  shown: string;
  isGlob: boolean;
}

/** The command with each of the values that its words may have; undefined: they may be anything. */
function variantsOf(words: readonly Word[]): Known[][] | undefined {
  const [program = ""] = words[0]?.values ?? [];
  const isAny = takesAnything(systemName(program));
  let variants: Known[][] = [[]];
  for (const word of words) {
    const values = known(word) ?? (isAny ? [{ value: "", shown: word.text, isGlob: false }] : undefined);
    if (!values || variants.length * values.length > mostVariants) return undefined;
    variants = variants.flatMap((variant) => values.map((value) => [...variant, value]));
  }
  return variants;
}

function known(word: Word): Known[] | undefined {
  const { values, isGlob } = word;
  return values?.map((value) => ({ value, shown: isGlob ? word.text : written(value), isGlob }));
}

function shown({ values, text, isGlob }: Word): string {
  const [value, ...others] = values ?? [];
  return value === undefined || others.length > 0 || isGlob ? text : written(value);
}

/** `git --no-pager log` is `git log` to the rules. */
function withoutPager(words: readonly Known[]): Known[] {
  return words.filter(({ value }, index) => index !== 1 || value !== "--no-pager");
}

/** As a file named `-delete` is to many programs. */
function isOption(path: string): boolean {
  return path.startsWith("-");
}
