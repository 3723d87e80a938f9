/** What a tool asks for because of the paths it touches (T8). */
import type { Host, Location, Workspace } from "./host.ts";
import type { Need } from "./tool.ts";

type Access = "read" | "edit";

export function fileNeeds(access: Access, location: Location, host: Host): Need[] {
  const need: Need = {
    permission: access,
    pattern: location.relative,
    always: siblings(location.relative),
    match: "pattern",
  };
  if (location.inside || (access === "read" && host.overflow.holds(location.path))) return [need];
  return [need, outside(location.path, siblings(location.path))];
}

/** Reading all that is in a folder. */
export function folderNeeds(location: Location): Need[] {
  const { relative } = location;
  const isRoot = relative === ".";
  const always = isRoot ? "*" : `${relative}/**`;
  const need: Need = { permission: "read", pattern: isRoot ? "." : `${relative}/`, always, match: "pattern" };
  return location.inside ? [need] : [need, outside(`${location.path}/`, `${location.path}/**`)];
}

/** Something outside that a command names; whether it is a file or a folder is not known. */
export function namedOutside(location: Location): Need {
  return outside(location.path, location.path);
}

function outside(pattern: string, always: string): Need {
  return { permission: "external_directory", pattern, always, match: "pattern" };
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
