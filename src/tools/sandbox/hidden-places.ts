/** Finds what commands in the sandbox do not see: keys, and sockets of programs that run outside of it. */
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { stateFolders } from "../file-access/protected-names.ts";

/**
 * Below the home folder. Not among them: `.npmrc` and `.m2/settings.xml`, without which packages are taken from the
 * wrong place.
 */
const keyPlaces: readonly string[] = [
  ...[".ssh", ".gnupg", ".password-store", ".local/share/keyrings", "Library/Keychains", ".Xauthority"],
  ...[".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".config/gh", ".config/hub"],
  ...[".aws", ".azure", ".config/gcloud", ".kube", ".docker/config.json", ".terraform.d/credentials.tfrc.json"],
  ...[".boto", ".s3cfg", ".config/rclone", ".vault-token", ".pgpass", ".my.cnf", ".mylogin.cnf"],
  ...[".pypirc", ".gem/credentials", ".composer/auth.json", ".config/composer/auth.json"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".m2/settings-security.xml"],
  ...[".codex/auth.json", ".claude/.credentials.json", ".bash_history", ".zsh_history", ".psql_history"],
  // Where editors keep what extensions store as a secret.
  ...stateFolders.flatMap((name) =>
    ["", "data/"].flatMap((data) =>
      ["", ".backup"].map((end) => `${name}/${data}User/globalStorage/state.vscdb${end}`),
    ),
  ),
  ...[".mysql_history", ".mozilla", ".config/google-chrome", ".config/chromium"],
];

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

/** Returns the real paths of those that exist. */
export function hiddenKeys(home = os.homedir()): HiddenPlaces {
  const found: HiddenPlaces = { folders: [], files: [] };
  for (const name of keyPlaces) {
    const place = realPath(path.join(home, name));
    if (place === undefined) continue;
    (lstatSync(place).isDirectory() ? found.folders : found.files).push(place);
  }
  return found;
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
