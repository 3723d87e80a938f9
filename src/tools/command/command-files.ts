/** The files that a command names, and the permissions that they require (T8). */
import { msg } from "../../l10n/l10n.ts";
import { type BelowOptions, protectedBelow } from "../file-access/protected-below.ts";
import { fileRequirements, isWithin, namedOutside } from "../file-access/requirements.ts";
import type { Host, Location } from "../host.ts";
import { ToolError } from "../tool.ts";
import { expandGlob, type GlobBelow, type GlobPaths, globBelow } from "./glob.ts";
import { isHarmlessDevice } from "./paths.ts";
import type { RecursiveRead } from "./programs/program.ts";
import { exactRequirement, type RequiredPermissions } from "./required.ts";
import { pathFrom } from "./shell/simple-command.ts";
import type { Folders } from "./shell/state.ts";
import type { ShellAction } from "./shell/visitor.ts";

export interface CommandContext {
  host: Host;
  signal: AbortSignal;
}

export type FileUse = "mention" | "read" | "unknown";

export interface ExpandedGlob extends GlobPaths {
  glob: string;
  folder: string;
}

/** In one folder. */
const maxPartialSearches = 4;
/** Files and folders that are looked at for one command; beyond this number it asks. */
const maxEntriesOfCommand = 400_000;

export class CommandFiles {
  readonly #required: RequiredPermissions;
  readonly #locations = new Map<string, Promise<Location | undefined>>();
  readonly #protectedFiles = new Map<string, ReturnType<typeof protectedBelow>>();
  readonly #searches = new Map<string, number>();
  readonly #budget = { entries: maxEntriesOfCommand };
  readonly #host: Host;
  readonly #signal: AbortSignal;

  constructor(required: RequiredPermissions, { host, signal }: CommandContext) {
    this.#required = required;
    this.#host = host;
    this.#signal = signal;
  }

  async addReadBelow(named: readonly string[], folders: readonly string[], below: RecursiveRead): Promise<void> {
    for (const folder of folders) {
      const there: Location[] = [];
      for (const path of named) {
        const place = await this.locate(path, folder);
        if (place && (await this.#host.workspace.look(place)) !== "missing") there.push(place);
      }
      const here = await this.locate(".", folder);
      if (there.length === 0 && here && below.readsHere) there.push(here);
      for (const place of there) await this.#addProtectedBelow(place, below);
    }
  }

  /** `enters`: whether what it reads can be in a folder. */
  async #addProtectedBelow(
    folder: Location,
    { isRead, ignored }: Omit<RecursiveRead, "readsHere">,
    enters?: GlobBelow["enters"],
  ): Promise<void> {
    if (!this.#host.workspace.list(folder.path)) return;
    const paths = (await this.holdsHome(folder)) ? undefined : await this.protectedIn(folder, { ignored, enters });
    if (!paths)
      this.#required.add({ ...exactRequirement(`${folder.relative}/…`, ""), permission: "read", protection: "secret" });
    for (const path of paths ?? []) {
      if (isRead(path)) this.#addNamedFile(await this.#host.workspace.locate(`${folder.path}/${path}`), "read");
    }
  }

  /** Returns relative paths; undefined for too many files. `until`: returns the first such path alone. */
  async protectedIn(
    folder: Location,
    { ignored, enters, until }: Pick<BelowOptions, "ignored" | "enters" | "until">,
  ): ReturnType<typeof protectedBelow> {
    const options = { signal: this.#signal, ignored, budget: this.#budget };
    const key = `${ignored} ${folder.path}`;
    const searches = (this.#searches.get(key) ?? 0) + 1;
    this.#searches.set(key, searches);
    // Looking at few folders is fast; looking at the same ones many times is not.
    const isPart = (enters || until) && searches <= maxPartialSearches && !this.#protectedFiles.has(key);
    if (isPart) return await protectedBelow(folder, this.#host, { ...options, enters, until });
    const all = this.#protectedFiles.get(key) ?? protectedBelow(folder, this.#host, options);
    this.#protectedFiles.set(key, all);
    return until ? (await all)?.filter(until).slice(0, 1) : await all;
  }

  /** Whether the folder is a home folder, shows processes, or holds such folders, which always counts as holding secrets. */
  async holdsHome({ path, inside }: Location): Promise<boolean> {
    if (inside) return false;
    if (isOfProcesses(path)) return true;
    const home = await this.locate("~", "");
    return /^\/(root|home|Users)(\/[^/]+)?$/.test(path) || (home !== undefined && isWithin(home.path, path));
  }

  /** Resolves each path once. Undefined if that fails, because it is far too long or circular. */
  locate(name: string, folder: string): Promise<Location | undefined> {
    // A home folder such as `~name` is always outside.
    const path = pathFrom(folder, /^~[^/]/.test(name) ? `/${name}` : name).replace(/(?<=[^/]|^\/)\/+$/, "");
    const known = this.#locations.get(path) ?? this.#host.workspace.locate(path).catch(onlyToolErrors);
    this.#locations.set(path, known);
    return known;
  }

  /** Whether git may use a folder or its parent as a bare repository, whose settings can run code. */
  async isBare(folders: readonly string[]): Promise<boolean> {
    for (const folder of folders) {
      let path = folder;
      for (let up = 0; up < 50; up++) {
        const place = await this.locate(path === "" ? "HEAD" : `${path}/HEAD`, "");
        if (!place?.inside) break;
        if ((await this.#host.workspace.look(place)) !== "missing") return true;
        if (!place.relative.includes("/")) break;
        path = path === "" ? ".." : `${path}/..`;
      }
    }
    return false;
  }

  async areInside(folders: readonly string[]): Promise<boolean> {
    const places = await Promise.all(folders.map((folder) => this.locate(".", folder)));
    return places.every((place) => place?.inside);
  }

  async expandGlobs(globs: readonly string[], folders: readonly string[]): Promise<ExpandedGlob[]> {
    const expand = async (glob: string, folder: string) => {
      const locate = (path: string) => this.locate(path, folder);
      const { paths, free } = await expandGlob(glob, locate, this.#host.workspace);
      // A shell does not change a wildcard that matches nothing.
      return { glob, folder, paths: paths?.length === 0 ? [glob] : paths, free };
    };
    return await Promise.all(folders.flatMap((folder) => globs.map((glob) => expand(glob, folder))));
  }

  async addGlobFiles({ glob, folder, paths, free }: ExpandedGlob, use: FileUse): Promise<void> {
    for (const path of paths ?? [])
      if (use === "unknown" || !free.has(path)) await this.addNamedPath(path, [folder], use);
    if (use === "mention") return;
    // Some shells also match hidden names, and there may be more paths than the limit.
    const below = globBelow(glob);
    const place = await this.locate(below.folder === "" ? "." : below.folder, folder);
    if (place) await this.#addProtectedBelow(place, { isRead: below.isMatch, ignored: true }, below.enters);
  }

  async addRedirect({ access, target, folders }: Extract<ShellAction, { type: "redirect" }>): Promise<void> {
    const { values, isGlob, text } = target;
    if (!values || isGlob || !folders) this.#addUnknownFile(access, text);
    if (!folders) for (const value of values ?? []) await this.addProtectedPath(value, [""], access);
    else if (values && !isGlob) for (const value of values) await this.addFile(access, value, folders);
  }

  async addFile(access: "read" | "edit", name: string, folders: readonly string[]): Promise<void> {
    if (isHarmlessDevice(name)) return;
    for (const folder of folders) {
      const location = await this.locate(name, folder);
      if (!location) this.#addUnknownFile(access, name);
      for (const each of location ? fileRequirements(access, location, this.#host) : []) {
        const isWrite = access === "edit" && each.permission === "edit";
        this.#required.add(isWrite ? { ...each, effect: msg("writes {0}", each.pattern) } : each);
      }
    }
  }

  #addUnknownFile(access: "read" | "edit", name: string): void {
    this.#required.add(
      exactRequirement(`${access === "edit" ? ">" : "<"} ${name}`, msg("the file is known only when it runs")),
    );
  }

  async addNamedPath(name: string, folders: Folders, use: FileUse): Promise<void> {
    if (name === "" || isHarmlessDevice(name)) return;
    // In an unknown folder, permission is asked for the command as a whole.
    for (const folder of folders ?? (/^[/~]/.test(name) ? [""] : [])) {
      this.#addNamedFile(await this.locate(name, folder), use);
    }
  }

  /** Requires nothing unless the file is protected, or rules restrict it. */
  async addProtectedPath(name: string, folders: readonly string[], use: FileUse | "edit"): Promise<void> {
    if (name === "" || isHarmlessDevice(name)) return;
    for (const folder of folders) {
      const location = await this.locate(name, folder);
      if (location && (location.protection !== "none" || location.restricted))
        this.#addNamedFile(location, use === "edit" ? "unknown" : use);
    }
  }

  #addNamedFile(location: Location | undefined, use: FileUse): void {
    if (!location) return;
    if (!location.inside) this.#required.add(namedOutside(location, use === "unknown"));
    if (use === "mention") return;
    const { protection, restricted } = location;
    const mayChange = use === "unknown" && protection !== "none";
    if (!mayChange && !restricted && (protection === "none" || protection === "settings")) return;
    for (const each of fileRequirements(mayChange ? "edit" : "read", location, this.#host)) this.#required.add(each);
  }
}

/** Whether it is `/proc`, or a folder of a process in it. */
export const isOfProcesses = (path: string) => /^\/proc(\/(\d+|self|thread-self)(\/.*)?)?$/.test(path);

function onlyToolErrors(error: unknown): undefined {
  if (!(error instanceof ToolError)) throw error;
}
