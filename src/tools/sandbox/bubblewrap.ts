/** The arguments of bubblewrap (bwrap(1)), which runs a command in namespaces of its own. Linux. */
import os from "node:os";
import path from "node:path";
import { isWithin } from "../file-access/requirements.ts";
import { hiddenKeys, openSockets, realPath, socketFolders } from "./hidden-places.ts";
import type { ProtectedPlaces } from "./protected-places.ts";

interface Walls {
  network: boolean;
  /** Absolute, with links resolved. */
  folders: readonly string[];
  places: readonly ProtectedPlaces[];
  /** A private folder that takes the place of all folders for temporary files. */
  temporary: string;
  /** Folders with programs, which stay visible. */
  programs: readonly string[];
}

interface Mount {
  how: "--bind" | "--ro-bind" | "--tmpfs";
  /** Undefined for an empty folder. */
  from: string | undefined;
  at: string;
}

/**
 * The new process is in no terminal, has no privileges and sees only its own processes. `/proc/sys` is covered because
 * root could otherwise change the system by it: it needs no capability for that.
 */
export function namespaceArguments(network: boolean): string[] {
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", ...(network ? [] : ["--unshare-net"])],
    ...["--cap-drop", "ALL", "--die-with-parent", "--new-session"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"],
  ];
}

/** `cwd`: with links resolved. */
export function bubblewrapArguments(walls: Walls, cwd: string): string[] {
  // A mount hides what was mounted below it before.
  const mounts = mountsFor(walls).sort((one, other) => depthOf(one.at) - depthOf(other.at));
  const args = mounts.flatMap(({ how, from, at }) => (from === undefined ? [how, at] : [how, from, at]));
  return [...namespaceArguments(walls.network), ...args, "--chdir", cwd, "--"];
}

function mountsFor({ folders, places, temporary, programs }: Walls): Mount[] {
  const write = (at: string): Mount => ({ how: "--bind", from: at, at });
  const read = (at: string): Mount => ({ how: "--ro-bind", from: at, at });
  const empty = (at: string): Mount => ({ how: "--tmpfs", from: undefined, at });
  const isInside = (at: string) => folders.some((folder) => isWithin(at, folder));
  const hidden = temporaryFolders()
    .filter((at) => !isInside(at))
    .map((at): Mount => ({ how: "--bind", from: temporary, at }));
  for (const at of realFolders(socketFolders)) hidden.push(empty(at));
  const isHidden = (at: string) => hidden.some((mount) => isWithin(at, mount.at));
  const keys = hiddenKeys();
  const blank = [...keys.files, ...openSockets()].filter((at) => isInside(at) || !isHidden(at));
  return [
    ...hidden,
    ...visible(programs).filter(({ at }) => isHidden(at) && !isInside(at)),
    ...keys.folders.filter((at) => !isHidden(at)).map(empty),
    ...blank.map((at): Mount => ({ how: "--ro-bind", from: "/dev/null", at })),
    ...folders.map(write),
    ...places.flatMap(({ pinned }) => pinned.map(write)),
    ...places.flatMap(({ readOnly }) => readOnly.map(read)),
  ];
}

/** Returns mounts of the folders with programs, and of the file that says how to find names in the network. */
function visible(programs: readonly string[]): Mount[] {
  const names = realPath("/etc/resolv.conf");
  const mounts = programs.map((at): Mount => ({ how: "--ro-bind", from: realPath(at), at: path.resolve(at) }));
  mounts.push({ how: "--ro-bind", from: names, at: names ?? "" });
  return mounts.filter(({ from }) => from !== undefined);
}

function temporaryFolders(): string[] {
  return realFolders(["/tmp", "/var/tmp", os.tmpdir()]);
}

/** Without those that are missing, and without repetitions. */
function realFolders(folders: readonly string[]): string[] {
  return [...new Set(folders.map(realPath))].filter((at) => at !== undefined);
}

function depthOf(at: string): number {
  return at.split("/").filter((part) => part !== "").length;
}
