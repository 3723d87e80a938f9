/**
 * Finds protected files that have several names (hard links): each name leads to the same content, so all of them are
 * protected. Synchronous, so it looks at a limited number of files, and at most once a minute.
 */
import { type Dirent, readdirSync, type Stats } from "node:fs";
import os from "node:os";
import path from "node:path";
import { attempt } from "../../base/attempt.ts";
import { stateFolders } from "../../base/editor-folders.ts";
import { foundSecrets } from "../../base/node/found-secrets.ts";
import { statsOf } from "../../base/node/stats.ts";
import type { Protection } from "../host.ts";

const maxEntries = 20_000;
const keptMs = 60_000;
/** Package managers link their files, which are no secrets; git links its objects. */
const skipped = /(?:^|[/\\])(?:node_modules|\.git[/\\]objects|\.pnpm-store|\.venv)$/;
/** In secret places: browsers keep thousands of files in theirs, the telling ones near its top. */
const maxSecretEntries = 3000;
/** Settings of editors: the rest of these folders is large. */
const editorFiles = stateFolders.flatMap((name) =>
  ["User", "data/User", "data/Machine"].flatMap((folder) =>
    ["settings", "keybindings", "tasks", "mcp"].map((file) => `${name}/${folder}/${file}.json`),
  ),
);

/** Returns files and folders of the home folder that hold secrets or control execution. */
function placesOfHome(): { secrets: string[]; settings: string[] } {
  const home = os.homedir();
  const files = attempt(() => readdirSync(home, { withFileTypes: true }), []).filter((entry) => entry.isFile());
  const named = [...files.map(({ name }) => name), ...editorFiles];
  return { secrets: foundSecrets(home).map(({ at }) => at), settings: named.map((name) => path.join(home, name)) };
}

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
      this.#found = find(this.#folders, placesOfHome(), this.#protectionOf, this.#limit);
      this.#until = performance.now() + keptMs;
    }
    return this.#found;
  }
}

function find(
  folders: readonly string[],
  { secrets, settings }: ReturnType<typeof placesOfHome>,
  protectionOf: (file: string) => Protection,
  limit: number,
) {
  const found = new Map<string, Protection>();
  const add = (file: string) => {
    const stats = statsOf(file);
    if (!stats?.isFile() || stats.nlink < 2) return;
    const protection = protectionOf(file);
    // One of its names may be that of a secret, and another that of a settings file, which may be read.
    const known = found.get(keyOf(stats)) ?? "settings";
    if (protection !== "none" && known === "settings") found.set(keyOf(stats), protection);
  };
  for (const file of settings) add(file);
  lookIn([...folders, path.join(os.homedir(), ".config/git")], add, limit);
  lookIn(secrets, add, Math.min(limit, maxSecretEntries));
  return found;
}

/** Outer folders first. */
function lookIn(places: readonly string[], add: (file: string) => void, limit: number): void {
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
