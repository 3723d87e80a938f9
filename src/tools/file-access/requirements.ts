/** The permissions that a tool requires for the paths it touches (T8). */
import type { Permission } from "../../chat/tool-cards.ts";
import type { Host, Location, Protection, Workspace } from "../host.ts";
import type { PermissionRequirement } from "../tool.ts";

type FileAccess = "read" | "edit";

export function fileRequirements(access: FileAccess, location: Location, host: Host): PermissionRequirement[] {
  const { path, relative, inside, names } = location;
  const protection = access === "read" ? readProtection(location) : location.protection;
  const requirement = { ...requirementFor(access, relative, siblings(relative), protection), names };
  if (inside || (access === "read" && host.overflow.holds(path))) return [requirement];
  return [requirement, { ...requirementFor("external_directory", path, siblings(path), protection), names }];
}

/** For reading all files in a folder except the protected ones, which searches leave out. */
export function folderRequirements(location: Location): PermissionRequirement[] {
  const { path, relative, inside, names } = location;
  const protection = readProtection(location);
  const isRoot = relative === ".";
  const pattern = isRoot ? "." : `${relative}/`;
  const requirement = { ...requirementFor("read", pattern, isRoot ? "*" : `${relative}/**`, protection), names };
  if (inside) return [requirement];
  return [requirement, { ...requirementFor("external_directory", `${path}/`, `${path}/**`, protection), names }];
}

/** For a path outside the workspace that a command names; it may be a file or a folder. */
export function namedOutside(location: Location, mayChange: boolean): PermissionRequirement {
  const { path, names } = location;
  const protection = mayChange ? location.protection : readProtection(location);
  return { ...requirementFor("external_directory", path, path, protection), names };
}

/** Whether reading it prompts, or is denied. */
export function isReadProtected(location: Location): boolean {
  return !location.inside || location.restricted || readProtection(location) !== "none";
}

/** Files that control execution are protected from changes only. */
const readProtection = ({ protection }: Location): Protection => (protection === "settings" ? "none" : protection);

/** `rule` is suggested for "Always allow", unless the file is protected. */
export function requirementFor(
  permission: Permission,
  pattern: string,
  rule: string,
  protection: Protection = "none",
): PermissionRequirement {
  const suggestedRule = protection === "none" ? rule : undefined;
  return { permission, pattern, suggestedRule, match: "pattern", protection, effect: "" };
}

/** A pattern for all files in the file's folder; only the file if that folder is the workspace or the root. */
function siblings(file: string): string {
  const end = Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\"));
  return end <= 0 ? file : `${file.slice(0, end)}/**`;
}

/** The path to show to the model so that it can use it: relative to the first folder, absolute elsewhere. */
export function pathFor({ path, relative }: Location, workspace: Workspace): string {
  const first = workspace.folders[0];
  return workspace.folders.length === 1 || (first !== undefined && isWithin(path, first)) ? relative : path;
}

/** Whether `path` is `folder` or lies in it. Both absolute, with links resolved. */
export function isWithin(path: string, folder: string): boolean {
  if (path === folder) return true;
  const base = /[/\\]$/.test(folder) ? folder.slice(0, -1) : folder;
  return path.startsWith(`${base}/`) || path.startsWith(`${base}\\`);
}
