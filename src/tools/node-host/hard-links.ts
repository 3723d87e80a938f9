/**
 * Finds protected files that have several names (hard links): each name leads to the same content, so all of them are
 * protected. Synchronous, so it looks at a limited number of files, and at most once a minute.
 */
import { type Dirent, readdirSync, type Stats } from "node:fs";
import os from "node:os";
import path from "node:path";
import { statsOf } from "../../base/node/stats.ts";
import { stateFolders } from "../file-access/protected-names.ts";
import type { Protection } from "../host.ts";

const maxEntries = 20_000;
const keptMs = 60_000;
/** Package managers link their files, which are no secrets; git links its objects. */
const skipped = /(?:^|[/\\])(?:node_modules|\.git[/\\]objects|\.pnpm-store|\.venv)$/;
/** Files and folders of the home folder that hold secrets or control execution. */
const ofHome = [
  ...[".ssh", ".aws", ".gnupg", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".kube", ".docker"],
  ...[".config/gh", ".config/git", ".gitconfig", ".bashrc", ".profile", ".zshrc", ".env"],
  // The rest of these folders is large.
  ...stateFolders.flatMap((name) =>
    ["User", "data/User", "data/Machine"].flatMap((folder) =>
      ["settings", "keybindings", "tasks", "mcp"].map((file) => `${name}/${folder}/${file}.json`),
    ),
  ),
];

export class HardLinks {
  readonly #folders: readonly string[];
  readonly #protectionOf: (file: string) => Protection;
  readonly #limit: number;
  #found: ReadonlyMap<string, Protection> = new Map();
  #until = 0;

  /** `folders`: of the workspace. `protectionOf` judges a file by its name. `limit`: entries to look at. */
  constructor(folders: readonly string[], protectionOf: (file: string) => Protection, limit = maxEntries) {
    this.#folders = folders;
    this.#protectionOf = protectionOf;
    this.#limit = limit;
  }

  get isEmpty(): boolean {
    return this.#current().size === 0;
  }

  /** Returns the protection of the file under its other names. */
  of(stats: Stats | undefined): Protection {
    if (!stats?.isFile() || stats.nlink < 2) return "none";
    return this.#current().get(keyOf(stats)) ?? "none";
  }

  #current(): ReadonlyMap<string, Protection> {
    if (performance.now() >= this.#until) {
      const home = ofHome.map((name) => path.join(os.homedir(), name));
      this.#found = find([...this.#folders, ...home], this.#protectionOf, this.#limit);
      this.#until = performance.now() + keptMs;
    }
    return this.#found;
  }
}

/** Outer folders first. */
function find(places: readonly string[], protectionOf: (file: string) => Protection, limit: number) {
  const found = new Map<string, Protection>();
  const add = (file: string) => {
    const stats = statsOf(file);
    if (!stats?.isFile() || stats.nlink < 2) return;
    const protection = protectionOf(file);
    // One of its names may be that of a secret, and another that of a settings file, which may be read.
    const known = found.get(keyOf(stats)) ?? "settings";
    if (protection !== "none" && known === "settings") found.set(keyOf(stats), protection);
  };
  const open = [...places];
  let count = 0;
  for (let next = open.shift(); next !== undefined && count < limit; next = open.shift()) {
    const entries = entriesOf(next);
    if (!entries) add(next);
    for (const entry of entries ?? []) {
      count++;
      const file = path.join(next, entry.name);
      if (entry.isFile()) add(file);
      else if (entry.isDirectory() && !skipped.test(file)) open.push(file);
    }
  }
  return found;
}

/** Returns undefined for what is no folder, or may not be opened. */
function entriesOf(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return undefined;
  }
}

const keyOf = ({ dev, ino }: Stats) => `${dev} ${ino}`;
