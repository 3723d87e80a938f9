/** What a tool asks for because of the paths it touches (T8). */
import type { Guard, Host, Location, Workspace } from "../host.ts";
import type { Need } from "../tool.ts";

type Access = "read" | "edit";

export function fileNeeds(access: Access, location: Location, host: Host): Need[] {
  const guard = access === "read" ? readGuard(location) : location.guard;
  const need = needOf(access, location.relative, siblings(location.relative), guard);
  if (location.inside || (access === "read" && host.overflow.holds(location.path))) return [need];
  return [need, needOf("external_directory", location.path, siblings(location.path), guard)];
}

/** Reading all that is in a folder, save what is guarded below it: searches leave that out. */
export function folderNeeds(location: Location): Need[] {
  const { relative } = location;
  const guard = readGuard(location);
  const isRoot = relative === ".";
  const need = needOf("read", isRoot ? "." : `${relative}/`, isRoot ? "*" : `${relative}/**`, guard);
  if (location.inside) return [need];
  return [need, needOf("external_directory", `${location.path}/`, `${location.path}/**`, guard)];
}

/** Something outside that a command names; whether it is a file or a folder is not known. */
export function namedOutside(location: Location): Need {
  return needOf("external_directory", location.path, location.path, location.guard);
}

/** Whether reading it asks, whatever the rules say. */
export function asksToRead(location: Location): boolean {
  return !location.inside || readGuard(location) !== "none";
}

/** Settings may be read. */
const readGuard = ({ guard }: Location): Guard => (guard === "settings" ? "none" : guard);

/** What is guarded is asked for each time: nothing can allow it for always. */
function needOf(permission: string, pattern: string, always: string, guard: Guard): Need {
  const need: Need = { permission, pattern, match: "pattern", guard, effect: "" };
  return guard === "none" ? { ...need, always } : need;
}

/** All files of the file's folder; the file alone where that would be all of the workspace, or of the disk. */
function siblings(file: string): string {
  const end = Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\"));
  return end <= 0 ? file : `${file.slice(0, end)}/**`;
}

/** The path by which the model reaches it again: short in the first folder, absolute elsewhere. */
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
