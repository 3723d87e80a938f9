import os from "node:os";
import path from "node:path";

/** Returns the default folder for sessions: `rondo` in the user's state directory. */
export function stateFolder(): string {
  const home = os.homedir();
  switch (process.platform) {
    case "win32":
      return path.join(process.env["LOCALAPPDATA"] ?? path.join(home, "AppData", "Local"), "rondo");
    case "darwin":
      return path.join(home, "Library", "Application Support", "rondo");
    default:
      return path.join(process.env["XDG_STATE_HOME"] || path.join(home, ".local", "state"), "rondo");
  }
}
