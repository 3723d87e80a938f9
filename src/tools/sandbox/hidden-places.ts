/** Finds what commands in the sandbox do not see: keys, and sockets of programs that run outside of it. */
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import os from "node:os";
import { foundSecrets } from "../../base/node/found-secrets.ts";

/** Folders of sockets: Docker's, and those of the user's session, its agents and its editor. */
export const socketFolders: readonly string[] = ["/run", "/var/run"];

/** Names in the environment by which programs find sockets that are hidden. */
const socketVariables: readonly string[] = [
  ...["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"],
  ...["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "WSL_INTEROP", "TMUX"],
];

export interface HiddenPlaces {
  folders: string[];
  files: string[];
}

/** Returns the real paths of secrets that no command in the sandbox needs. */
export function hiddenKeys(home = os.homedir()): HiddenPlaces {
  const hidden = foundSecrets(home).filter(({ sandbox }) => sandbox === "hidden");
  const places = (isFolder: boolean) => [
    ...new Set(hidden.filter((one) => one.isFolder === isFolder).map(({ real }) => real)),
  ];
  return { folders: places(true), files: places(false) };
}

/**
 * Returns the real paths of sockets on which programs listen. A read-only file system does not keep anyone from
 * connecting. `table` has the form of `/proc/net/unix` (proc_pid_net(5)).
 */
export function openSockets(table = readText("/proc/net/unix")): string[] {
  const paths = [...table.matchAll(/^\S+: (?:\S+ +){5}\d+ (\/.*)$/gm)].map(([, at = ""]) => realPath(at));
  return [...new Set(paths)].filter((at) => at !== undefined).filter((at) => lstatSync(at).isSocket());
}

export function withoutSockets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !socketVariables.includes(name)));
}

/** Undefined if there is nothing, or it cannot be reached. */
export function realPath(place: string): string | undefined {
  try {
    return realpathSync(place);
  } catch {
    return undefined;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
