/**
 * The profile of seatbelt, with which `sandbox-exec` runs a command. macOS. The last matching rule wins. Apple documents
 * neither; the operations are those of the profiles in /System/Library/Sandbox/Profiles.
 */
import type { HiddenPlaces } from "./hidden-places.ts";
import type { ProtectedPlaces } from "./protected-places.ts";

interface SeatbeltWalls {
  network: boolean;
  /** Absolute, with links resolved. */
  folders: readonly string[];
  places: readonly ProtectedPlaces[];
  /** Folders for temporary files. */
  temporary: readonly string[];
  keys: HiddenPlaces;
}

export const seatbeltProgram = "/usr/bin/sandbox-exec";

export function seatbeltProfile({ network, folders, places, temporary, keys }: SeatbeltWalls): string {
  const below = (paths: readonly string[]) => paths.map((at) => ` (subpath ${quoted(at)})`).join("");
  const exactly = (paths: readonly string[]) => paths.map((at) => ` (literal ${quoted(at)})`).join("");
  const readOnly = places.flatMap((one) => one.readOnly);
  const pinned = places.flatMap((one) => one.pinned);
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write*${below([...folders, ...temporary])} (literal "/dev/null") (regex #"^/dev/(tty|pty|fd/|std))"))`,
    ...(readOnly.length > 0 ? [`(deny file-write*${below(readOnly)})`] : []),
    ...(pinned.length > 0 ? [`(deny file-write-unlink${exactly(pinned)})`] : []),
    ...(keys.folders.length > 0 ? [`(deny file-read*${below(keys.folders)})`] : []),
    ...(keys.files.length > 0 ? [`(deny file-read*${exactly(keys.files)})`] : []),
    // Otherwise `open` and `osascript` would have other programs do it, outside of the sandbox.
    "(deny appleevent-send)",
    "(deny lsopen)",
    "(deny job-creation)",
    '(deny mach-lookup (global-name "com.apple.coreservices.launchservicesd")',
    '  (global-name "com.apple.CoreServices.coreservicesd") (global-name "com.apple.coreservices.appleevents"))',
    // The environments of other processes.
    "(deny process-info* (target others))",
    '(deny sysctl-read (sysctl-name-prefix "kern.procargs"))',
    "(deny signal (target others))",
    "(allow signal (target same-sandbox))",
    // Sockets in the file system, too, such as Docker's.
    ...(network ? ["(deny network-outbound (remote unix-socket))"] : ["(deny network*)"]),
  ].join("\n");
}

/** As a string of the profile's language. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
