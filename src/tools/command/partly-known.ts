/** The protected files that the words of a command may name, although these are known only when it runs (T8). */
import os from "node:os";
import { processSecrets, usualSecrets } from "../../base/secret-places.ts";
import { msg } from "../../l10n/l10n.ts";
import { isSecret, usualHomeSettings, usualSettings } from "../file-access/protected-names.ts";
import { isWithin } from "../file-access/requirements.ts";
import type { Host, Location, Protection } from "../host.ts";
import { looseWords } from "../text/loose-words.ts";
import { filesInCode, filesListedInCode, isInterpreter, namesProcess } from "./code.ts";
import { type CommandContext, type CommandFiles, type FileUse, isOfProcesses } from "./command-files.ts";
import { globBelow, patternIn } from "./glob.ts";
import { guessedPaths, isHarmlessDevice, likelyPatterns, pathWords } from "./paths.ts";
import { isPure, onlyReads, outputFiles } from "./programs/table.ts";
import { exactRequirement, type RequiredPermissions } from "./required.ts";
import { partlyKnownCode } from "./shell/partly-known-code.ts";
import { holdsMark, isWholly, isWild, marks, patternMatcher, unescaped } from "./shell/pattern.ts";
import { systemName } from "./shell/simple-command.ts";
import type { Folders } from "./shell/state.ts";
import type { ShellAction } from "./shell/visitor.ts";
import type { ShellWord } from "./shell/word.ts";

/** Programs that only read, but do not show what is in a file, or take names of other things. */
const listing = new Set(
  `ls stat du df realpath readlink which whereis type test [ id groups printenv locale uptime free lsof pgrep lscpu lsblk tput
  getconf cal find fd fdfind tree date ps hostname git env man tr seq`.split(/\s+/),
);
/** Programs that show, copy or send files, among those that do not only read. */
const copying = /^(cp|mv|ln|scp|rsync|tar|bsdtar|gtar|zip|7z|7za|7zz|cpio|dd|install|openssl|gpg|source|\.)$/;

const anEnvironment = "/proc/1/environ";

type Access = "read" | "edit";

/**
 * Which files an unknown word is compared with: those that its known parts name, also those that exist below its known
 * folder, or any, as unknown text may lead to parent folders.
 */
type Comparison = "named" | "below" | "anywhere";

export class PartlyKnownFiles {
  readonly #files: CommandFiles;
  readonly #required: RequiredPermissions;
  readonly #host: Host;
  readonly #signal: AbortSignal;
  /** What programs print that only print their arguments, and texts that others read: it may become the name of a file. */
  readonly #printed: string[] = [];
  #readsAnything = false;

  constructor(files: CommandFiles, required: RequiredPermissions, { host, signal }: CommandContext) {
    this.#files = files;
    this.#required = required;
    this.#host = host;
    this.#signal = signal;
  }

  async addCommand({ words, folders, data }: Extract<ShellAction, { type: "command" }>): Promise<void> {
    const [program = ""] = words[0]?.values ?? [];
    const name = systemName(program);
    const values = words.map((word) => (word.isGlob ? undefined : word.values)).slice(1);
    if (isPure(name)) {
      this.#printed.push(...values.flatMap((one) => one ?? []));
      const text = printedText(
        name,
        values.map((one) => one?.[0]),
      );
      if (text !== undefined) this.#printed.push(text);
      return;
    }
    const known = values.flatMap((one) => one ?? []);
    if (data !== undefined) this.addData(data);
    if (isInterpreter(program) && !known.some((word) => !word.startsWith("-"))) this.#readsAnything = true;
    const use = onlyReads(name, known) ? "read" : "unknown";
    for (const file of filesInCode(program, known, data)) await this.#addLikely(file, folders, use);
    for (const path of filesListedInCode(program, known, data)) await this.#addListed(path, folders);
    for (const path of guessedPaths([program, ...known])) await this.#addLikely(path, folders, use);
    if (!folders && known.some((word) => /^(\.\/)?(environ|auxv|mem)$/.test(word)))
      await this.#addLikely(anEnvironment, [""], use);
    if (folders && words.every((word) => word.values)) return;
    if (isInterpreter(program)) for (const word of words.slice(1)) await this.#addInsertedIn(word, folders);
    const shows = use === "read" ? !listing.has(name) : copying.test(name);
    for (const shape of pathShapes(program, words.slice(1))) {
      if (isWholly(shape)) {
        if (shows) await this.#addAnything(shape, folders);
      } else if (holdsMark(shape)) {
        const isPath = !listing.has(name) && !/^\w+:\/\/|\s/.test(shape);
        const reach = shows ? "anywhere" : isPath ? "below" : "named";
        await this.#addShape(shape, folders, use === "read" ? "read" : "edit", reach);
      } else if (isWild(shape)) await this.#addWild(shape, folders, use);
      else await this.#files.addNamedPath(unescaped(shape), folders ?? [""], use);
    }
  }

  async addRedirect({ access, target, folders }: Extract<ShellAction, { type: "redirect" }>): Promise<void> {
    if (target.values && !target.isGlob) return;
    for (const shape of target.shapes) {
      if (isWholly(shape) && access === "read") await this.#addAnything(shape, folders);
      else if (isWholly(shape) && shape === marks.any) this.#add(access, target.text, "settings");
      else if (holdsMark(shape)) await this.#addShape(shape, folders, access, "anywhere", target.text);
      else if (isWild(shape)) await this.#addWild(shape, folders, access === "read" ? "read" : "unknown");
      else await this.#files.addProtectedPath(unescaped(shape), folders ?? [""], access);
    }
  }

  /** For a text that a part of the command reads. */
  addData(text: string): void {
    this.#printed.push(text);
  }

  /** For a text that could not be parsed. */
  async addText(text: string): Promise<void> {
    // It may be a shell that reads code.
    this.#readsAnything = true;
    if (namesProcess(text)) await this.#addLikely(anEnvironment, [""], "unknown");
    for (const pattern of likelyPatterns(text)) if (!isWholly(pattern)) await this.#addLikely(pattern, [""], "unknown");
    for (const file of settingsChangedByGit(text)) await this.#files.addProtectedPath(file, [""], "edit");
  }

  /** What is printed may be read as a name, or as code. */
  async finish(): Promise<void> {
    if (!this.#readsAnything) return;
    for (const text of this.#printed)
      for (const word of [text, ...looseWords(text, ",")]) {
        if (holdsMark(word)) await this.#addLikely(word, [""], "unknown");
        else await this.#files.addProtectedPath(word, [""], "unknown");
      }
  }

  /** Adds what code may name in which another program or the shell inserts text: `python3 -c "open('{}')"`. */
  async #addInsertedIn({ values, shapes }: ShellWord, folders: Folders): Promise<void> {
    const inserted = values ? [] : shapes.flatMap((shape) => [...partlyKnownCode(shape).variables.values()]);
    for (const shape of new Set(inserted))
      if (holdsMark(shape) && shape !== marks.any) await this.#addShape(shape, folders, "read", "below");
  }

  /** Adds what a text in code or a part of a word names, if that is protected. */
  async #addLikely(text: string, folders: Folders, use: FileUse): Promise<void> {
    // A revision of git is named like a file of it.
    if (isHarmlessDevice(text) || text === "HEAD") return;
    if (!isWild(text)) await this.#files.addProtectedPath(unescaped(text), folders ?? [""], use);
    // A wildcard without a name is more likely a regular expression.
    else if (/\w/.test(text)) {
      if (holdsMark(text)) await this.#addShape(text, folders, use === "read" ? "read" : "edit", "below");
      else await this.#addWild(text, folders, "read");
    }
  }

  async #addListed(pattern: string, folders: Folders): Promise<void> {
    if (holdsMark(pattern)) await this.#addShape(pattern, folders, "read", "below");
    else if (isWild(pattern)) await this.#addWild(pattern, folders, "read");
  }

  async #addWild(glob: string, folders: Folders, use: FileUse): Promise<void> {
    for (const folder of folders ?? [""]) {
      const { folder: start, isMatch } = globBelow(glob, folders === undefined);
      const place = await this.#files.locate(start === "" ? "." : start, folder);
      const base = place?.path.replace(/\/$/, "") ?? "";
      const isNamed = (path: string) => isWithin(path, base) && isMatch(path.slice(base.length + 1));
      const found = place && (await this.#usual(place, use === "read" ? "read" : "edit", isNamed));
      if (found) this.#add(use === "read" ? "read" : "edit", glob, found.protection, found.path);
    }
  }

  /** A program that shows files may read any of them. */
  async #addAnything(shape: string, folders: Folders): Promise<void> {
    this.#readsAnything = true;
    await this.#addShape(shape, folders, "read", "anywhere");
  }

  /** `shape` holds a mark. */
  async #addShape(
    shape: string,
    folders: Folders,
    access: Access,
    reach: Comparison,
    text = shown(shape),
  ): Promise<void> {
    for (const folder of folders ?? [""]) {
      const named = await this.#namedBy(shape, folder, access);
      if (named) this.#add(access, text, named);
      else if (reach !== "named") {
        const found = await this.#match(shape, folder, access, reach);
        if (found) this.#add(access, text, found.protection, found.path);
      }
    }
  }

  /** Whether the known parts suffice: `…/.env`, `.git/hooks/…`. */
  async #namedBy(shape: string, folder: string, access: Access): Promise<Protection | undefined> {
    for (const replacement of ["x", ""]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the marks
      const name = unescaped(shape.replace(/[\0-\u0004]/g, replacement));
      if (name === "" || !/\w/.test(name)) continue;
      const { protection = "none", restricted = false } = (await this.#files.locate(name, folder)) ?? {};
      if (restricted) return "secret";
      if (protection !== "none" && !(protection === "settings" && access === "read")) return protection;
    }
    // The folder is unknown, and the name is a pattern: `…/.e*`.
    const last = shape.slice(shape.lastIndexOf("/") + 1);
    if (!shape.includes("/") || !holdsMark(shape.slice(0, -last.length)) || !/^[\w.\\-]{2}/.test(last))
      return undefined;
    const isMatch = patternMatcher(last);
    return isWild(last) && usualSecrets().some((one) => isMatch(one)) ? "secret" : undefined;
  }

  async #match(shape: string, folder: string, access: Access, reach: Comparison): Promise<ProtectedFile | undefined> {
    const { start, rest } = splitShape(shape);
    const place = start === undefined ? undefined : await this.#files.locate(start === "" ? "." : start, folder);
    const patterns = place ? [patternIn(place.path, rest)] : [];
    // Unknown text may lead to parent folders.
    const any = shape.indexOf(marks.any);
    if (any >= 0 && reach === "anywhere" && (await this.#canGoUp(shape.slice(0, any), folder)))
      patterns.push(shape.slice(any));
    const matchers = patterns.flatMap((pattern) => [
      patternMatcher(pattern),
      patternMatcher(`${pattern}/${marks.below}`),
    ]);
    const isTracked = shape.includes(marks.tracked);
    const isNamed = (path: string) => matchers.some((isMatch) => isMatch(path));
    return place && !place.inside
      ? await this.#usual(place, access, isNamed)
      : await this.#inWorkspace(access, !isTracked, isNamed);
  }

  /** Whether `…/..` can follow: what begins like that is a folder. */
  async #canGoUp(before: string, folder: string): Promise<boolean> {
    const end = before.lastIndexOf("/") + 1;
    const begin = unescaped(before.slice(end));
    if (before === "" || isWild(before)) return true;
    const place = await this.#files.locate(unescaped(before.slice(0, end)) || ".", folder);
    if (!place || (await this.#host.workspace.look(place)) !== "folder") return false;
    if (begin === "") return true;
    const found = await this.#host.workspace.open(place, this.#signal);
    return found.type === "folder" && found.entries.some((name) => name.endsWith("/") && name.startsWith(begin));
  }

  /** Finds one of the protected files below a folder, or of those that usually are there. */
  async #usual(place: Location, access: Access, isNamed: PathTest): Promise<ProtectedFile | undefined> {
    if (place.inside) return await this.#inWorkspace(access, true, isNamed);
    if (isOfProcesses(place.path)) {
      const shown = processSecrets()
        .map((name) => `/proc/${name}`)
        .find(isNamed);
      return shown === undefined ? undefined : { path: shown, protection: "secret" };
    }
    if (!(await this.#files.holdsHome(place))) {
      const setting =
        access === "edit" ? usualHomeSettings.find((name) => isNamed(`${os.homedir()}/${name}`)) : undefined;
      if (setting !== undefined) return { path: `${os.homedir()}/${setting}`, protection: "settings" };
      return await this.#below(place, true, isNamed);
    }
    const names = access === "read" ? usualSecrets() : [...usualSecrets(), ...usualHomeSettings];
    const found = names.find((name) => isNamed(`${os.homedir()}/${name}`));
    return found === undefined
      ? undefined
      : { path: `${os.homedir()}/${found}`, protection: isSecret(found) ? "secret" : "settings" };
  }

  async #inWorkspace(access: Access, ignored: boolean, isNamed: PathTest): Promise<ProtectedFile | undefined> {
    for (const folder of this.#host.workspace.folders) {
      const place = await this.#files.locate(folder, "");
      const found = place && (await this.#below(place, ignored, isNamed));
      if (found) return found;
      const setting = access === "edit" ? usualSettings.find((name) => isNamed(`${folder}/${name}`)) : undefined;
      if (setting !== undefined) return { path: `${folder}/${setting}`, protection: "settings" };
    }
    return undefined;
  }

  async #below(place: Location, ignored: boolean, isNamed: PathTest): Promise<ProtectedFile | undefined> {
    const until = (path: string) => isNamed(`${place.path}/${path}`);
    // With too many files to look at, each name may be one of them.
    const [found] = (await this.#files.protectedIn(place, { ignored, until })) ?? usualSecrets().filter(until);
    return found === undefined ? undefined : { path: `${place.path}/${found}`, protection: "secret" };
  }

  #add(access: Access, text: string, protection: Protection, example?: string): void {
    const effect = example === undefined ? msg("may name a protected file") : msg("may be the file {0}", example);
    this.#required.add({ ...exactRequirement(text, effect), permission: access, protection });
  }
}

/** A test for an absolute path. */
type PathTest = (path: string) => boolean;

interface ProtectedFile {
  /** Absolute. */
  path: string;
  protection: Protection;
}

/** Returns the file of settings that a `git config` in the text changes. */
function settingsChangedByGit(text: string): string[] {
  const words = looseWords(text);
  const git = words.findIndex((word) => systemName(word) === "git");
  return git < 0 ? [] : outputFiles("git", words.slice(git + 1));
}

/** Returns the paths in the words of a command, as patterns. */
function pathShapes(program: string, words: readonly ShellWord[]): string[] {
  const all = [program, ...words.flatMap(({ shapes }) => shapes)];
  const isPath = (shape: string) => isWild(shape) && !/^\w+:\/\/|\s/.test(shape);
  const named = [...pathWords(all).filter(isWild), ...guessedPaths(all).filter(isPath)];
  const literals = words
    .filter(({ values }) => !values)
    .flatMap(({ shapes }) => shapes.filter((shape) => !isWild(shape)));
  return [...new Set([...named, ...literals])].slice(0, 100);
}

/** Splits a pattern at the last folder that is known; `start` is undefined if it begins with unknown text. */
function splitShape(shape: string): { start: string | undefined; rest: string } {
  if (shape.startsWith(marks.any)) return { start: undefined, rest: shape };
  const names = shape.split("/");
  const first = names.findIndex((name) => isWild(name));
  const start = unescaped(names.slice(0, first).join("/"));
  return { start: start === "" && first > 0 ? "/" : start, rest: names.slice(first).join("/") };
}

/** Returns a pattern as users know it. */
function shown(shape: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the marks
  return unescaped(shape.replace(/[\0-\u0004]+/g, "…"));
}

// The text that `printf` and `echo` print, which a shell may read as code. Pure.

/**
 * Returns what the program prints, with `marks.any` for what is not known; undefined for other programs. `words`: its
 * arguments. Source: printf(1) and echo(1), coreutils 9.1.
 */
function printedText(program: string, words: readonly (string | undefined)[]): string | undefined {
  if (program === "echo") return words.map((word) => (word === undefined ? marks.any : withControls(word))).join(" ");
  if (program !== "printf") return undefined;
  const [format = marks.any, ...values] = words[0] === "--" ? words.slice(1) : words;
  const rest = [...values];
  let text = "";
  // The format is used again for values that are left.
  for (let round = 0; round < 100 && (round === 0 || rest.length > 0); round++) {
    const before = rest.length;
    text += withControls(format).replace(/%(?:%|[-+ #\d.]{0,9}([a-zA-Z]))/g, (_, kind) => {
      if (kind === undefined) return "%";
      const value = rest.length > 0 ? rest.shift() : "";
      return value === undefined ? marks.any : kind === "b" ? withControls(value) : value;
    });
    if (rest.length === before) break;
  }
  return text;
}

const controls: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  a: "",
  b: "",
  e: "",
  f: "",
};

/** Replaces backslash escapes by the characters that they stand for. */
function withControls(text: string): string {
  return text.replace(
    /\\(?:x([\da-fA-F]{1,2})|0?([0-7]{1,3})|u([\da-fA-F]{1,4})|([ntr\\abef]))/g,
    (_, hex, octal, unicode, control) => {
      if (control !== undefined) return controls[control] ?? "";
      return String.fromCharCode(octal === undefined ? Number.parseInt(hex ?? unicode, 16) : Number.parseInt(octal, 8));
    },
  );
}
