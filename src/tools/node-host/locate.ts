/** Resolves paths and links on this disk as the system does. */

import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { readdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { statsOf } from "../../base/node/stats.ts";
import { msg } from "../../l10n/l10n.ts";
import { isWithin } from "../file-access/requirements.ts";
import type { Location } from "../host.ts";
import { ToolError } from "../tool.ts";
import type { ProtectedFiles } from "./protection.ts";

/** No system opens a longer path. */
const longestPath = 4096;

/** `folders` are absolute, with links resolved. */
export async function locate(name: string, folders: readonly string[], protectedFiles: ProtectedFiles) {
  const refusal = refusalOf(name, process.platform);
  if (refusal !== undefined) throw new ToolError(refusal);
  const asked = absolute(name, folders[0]);
  const real = leadsTo(asked);
  const plain = path.normalize(asked);
  return {
    ...placeOf(real, plain, folders),
    protection: protectedFiles.of(real, plain),
    restricted: false,
    changesRestricted: false,
  };
}

/** `real`: absolute, with links resolved; `asked`: absolute. */
export function placeOf(real: string, asked: string, folders: readonly string[]) {
  const [relative = real, ...others] = inFolders(real, folders);
  const all = [...others, real, ...fromHome(real), ...namesAsAsked(asked, real, folders)];
  const names = [...new Set(all)].filter((one) => one !== relative);
  return { path: real, relative, inside: relative !== real, names };
}

/** Returns the path relative to each workspace folder that contains it. */
function inFolders(file: string, folders: readonly string[]): string[] {
  return folders
    .filter((folder) => isWithin(file, folder))
    .map((folder) => path.relative(folder, file).replaceAll(path.sep, "/") || ".");
}

function fromHome(file: string): string[] {
  const home = os.homedir();
  return isWithin(file, home) && file !== home ? [`~${file.slice(home.length)}`] : [];
}

/** A name that leads through links is judged as well as its target. */
function namesAsAsked(asked: string, real: string, folders: readonly string[]): string[] {
  return asked === real ? [] : [...inFolders(asked, folders), asked, ...fromHome(asked)];
}

/** Returns why a name must not be looked up, or undefined. */
export function refusalOf(name: string, platform: NodeJS.Platform): string | undefined {
  if (name.includes("\0")) return "A path cannot hold a NUL character.";
  if (name.length > longestPath) return `A path of more than ${longestPath} characters leads nowhere.`;
  if (platform !== "win32") return undefined;
  // Looking up a share logs in to its server, and `\\.\` leads to devices.
  if (/^[/\\]{2}/.test(name)) return `${name} is on the network or a device: it is not opened.`;
  if (/:/.test(name.replace(/^[a-z]:/i, ""))) return `${name} names a part of a file, or a device: it is not opened.`;
  if (/(^|[/\\])(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d\u00b9\u00b2\u00b3])\s*(\.[^/\\]*)?([/\\]|$)/i.test(name))
    return `${name} names a device: it is not opened.`;
  return undefined;
}

/** Does not normalize: `link/..` is the parent of the link's target. */
function absolute(name: string, folder: string | undefined): string {
  if (name === "~" || /^~[/\\]/.test(name)) return os.homedir() + name.slice(1);
  if (path.isAbsolute(name)) return name;
  if (folder === undefined)
    throw new ToolError(
      `No folder is open, so ${name} cannot be resolved. Give an absolute path.`,
      msg("No folder is open, so {0} has no place.", name),
    );
  return `${folder}${path.sep}${name}`;
}

/**
 * Resolves links, also broken ones; if nothing is there, those of the nearest existing parent. Synchronous: the thread
 * pool would take many times as long.
 */
export function leadsTo(name: string, depth = 0): string {
  if (depth > 40) throw new ToolError(msg("{0} goes through too many links.", name));
  // Names that do not exist are usual in commands, and errors are slow.
  if (statsOf(name)) {
    try {
      return realpathSync.native(name);
    } catch {
      // It has just gone, or its folder cannot be read.
    }
  }
  const trimmed = name.replace(/(?<=[^/\\]|^[/\\])[/\\]+$/, "");
  const parent = path.dirname(trimmed);
  if (parent === trimmed) return trimmed;
  const folder = leadsTo(parent, depth);
  const resolved = path.join(folder, path.basename(trimmed));
  const target = linkTarget(resolved);
  return target === undefined ? resolved : leadsTo(path.resolve(folder, target), depth + 1);
}

function linkTarget(name: string): string | undefined {
  try {
    return lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(name) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns up to three names in the same folder that may have been meant, best first. */
export async function similarNames(location: Location, protectedFiles: ProtectedFiles): Promise<string[]> {
  const wanted = comparableName(path.basename(location.path));
  const folder = path.dirname(location.path);
  const names = await readdir(folder).catch(() => []);
  const prefix = location.relative.slice(0, location.relative.length - path.basename(location.path).length);
  return names
    .filter((name) => !protectedFiles.isIgnored(path.join(folder, name)))
    .map((name) => ({ name, distance: nameDistance(comparableName(name), wanted) }))
    .filter(({ distance }) => distance <= Math.max(1, wanted.length / 3))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => prefix + name);
}

function comparableName(name: string): string {
  return name.normalize("NFKC").toLowerCase().slice(0, 100);
}

/** Returns 0 for equal names, 0.5 if only the extension differs, else the Levenshtein distance. */
function nameDistance(a: string, b: string): number {
  if (a === b) return 0;
  if (path.parse(a).name === path.parse(b).name) return 0.5;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
