/**
 * Reads the files that Rondo uses on its own: rules, memory, agents, hooks, servers. They come with a cloned
 * workspace and go to the model, so each passes the boundary of the tool `read`, and one that would ask is left out.
 * Synchronous: the first request waits for it.
 */

import { type Dirent, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { never } from "../../base/never.ts";
import {
  type CheckedRead,
  type ReadCheck,
  readChecked,
  realFolder,
  resolveChecked,
} from "../../base/node/read-checked.ts";
import { msg } from "../../l10n/l10n.ts";
import { isWithin } from "../file-access/requirements.ts";
import type { Location } from "../host.ts";
import { placeOf } from "./locate.ts";
import { ProtectedFiles } from "./protection.ts";

/** A folder that may contain `.rondo`, `.claude` and similar folders. */
export interface ConfigRoot {
  /** Absolute, links resolved. */
  folder: string;
  source: "workspace" | "user";
  /** Prefix of relative paths for display: "", "api/" in a workspace of several folders, "~/" for the user. */
  prefix: string;
  check: ReadCheck;
  /** Called with a sentence for each file that the check leaves out. */
  onLeftOut(sentence: string): void;
}

/** What the user has set for reading. */
export interface ReadBoundary {
  /** Patterns of further secret files, in gitignore's syntax. */
  secrets: readonly string[];
  /** Returns why rules forbid to read a path unasked, as the end of a sentence; undefined if they do not. */
  ruledOut(place: Pick<Location, "path" | "relative" | "inside" | "names">): string | undefined;
  onLeftOut(sentence: string): void;
}

export interface ConfigPlaces {
  folders: readonly string[];
  /** Absolute. */
  home: string;
  /** Whether the user trusts the workspace. Without trust none of its files are used. */
  trusted: boolean;
  boundary: ReadBoundary;
}

/** Returns the roots, nearest first; only the user's own if the workspace is not trusted. */
export function configRoots({ folders, home, trusted, boundary }: ConfigPlaces): ConfigRoot[] {
  const { onLeftOut } = boundary;
  const real = folders.map(realFolder);
  const check = checkOf(real, boundary);
  const own: ConfigRoot = { folder: realFolder(home), source: "user", prefix: "~/", check, onLeftOut };
  if (!trusted) return [own];
  const isInside: ReadCheck = (file, asked) =>
    real.some((folder) => isWithin(file, folder))
      ? check(file, asked)
      : msg("it is a link that leads out of the workspace");
  const roots = real.map((folder): ConfigRoot => {
    const prefix = folders.length === 1 ? "" : `${path.basename(folder)}/`;
    return { folder, source: "workspace", prefix, check: isInside, onLeftOut };
  });
  return [...roots, own];
}

/** The boundary for a file wherever it is: the user's own files are outside of the workspace. */
function checkOf(folders: readonly string[], { secrets, ruledOut }: ReadBoundary): ReadCheck {
  const protectedFiles = new ProtectedFiles(folders, secrets);
  return (real, asked) => {
    const place = { ...placeOf(real, asked, folders), protection: protectedFiles.of(real, asked) };
    return whyProtected(place, real !== asked, ruledOut);
  };
}

/** Returns why the tool `read` would ask before it reads a file, as the end of a sentence; undefined if it would not. */
export function whyProtected(
  place: Omit<Location, "restricted" | "changesRestricted">,
  isLink: boolean,
  ruledOut: ReadBoundary["ruledOut"],
): string | undefined {
  const { relative } = place;
  switch (place.protection) {
    case "secret":
      return isLink ? msg("it is a link to {0}, which may hold secrets", relative) : msg("it may hold secrets");
    case "ignored":
      return isLink
        ? msg("it is a link to {0}, which is named by a .rondoignore file", relative)
        : msg("it is named by a .rondoignore file");
    case "none":
    case "settings":
      return ruledOut(place);
    default:
      return never(place.protection);
  }
}

/** Reads at most `limit` bytes. */
export function readConfigFile(
  root: ConfigRoot,
  name: string,
  limit: number,
  from: "start" | "end" = "start",
): CheckedRead {
  return readChecked(path.join(root.folder, name), checkFor(root, name), limit, from);
}

/** The root's check, which also tells what it leaves out. */
function checkFor(root: ConfigRoot, name: string): ReadCheck {
  return (real, asked) => {
    const why = root.check(real, asked);
    if (why !== undefined) root.onLeftOut(msg("Rondo does not use {0}: {1}.", root.prefix + name, why));
    return why;
  };
}

interface Listing {
  /** Sorted, relative to the root. */
  names: string[];
  problems: string[];
}

/** Returns at most 200 Markdown files of a folder, and a sentence if the folder is left out. */
export function listMarkdown(root: ConfigRoot, folder: string): Listing {
  return list(root, folder, ({ name }) => name.endsWith(".md"));
}

/** Returns at most 200 folders in a folder, also behind links, and a sentence if the folder is left out. */
export function listFolders(root: ConfigRoot, folder: string): Listing {
  return list(root, folder, (entry) => entry.isDirectory() || entry.isSymbolicLink());
}

function list(root: ConfigRoot, folder: string, fits: (entry: Dirent) => boolean): Listing {
  try {
    const real = resolveChecked(path.join(root.folder, folder), checkFor(root, folder));
    const why = real.type === "unusable" ? real.why : undefined;
    if (why !== undefined) return { names: [], problems: [msg("{0} is not used: {1}.", root.prefix + folder, why)] };
    if (real.type !== "there" || !statSync(real.path).isDirectory()) return { names: [], problems: [] };
    const names = readdirSync(real.path, { withFileTypes: true })
      .filter(fits)
      .map(({ name }) => name)
      .sort()
      .slice(0, 200)
      .map((name) => `${folder}/${name}`);
    return { names, problems: [] };
  } catch {
    return { names: [], problems: [] };
  }
}
