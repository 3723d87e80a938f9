/**
 * The profile of seatbelt, with which `sandbox-exec` runs a command. macOS. The last matching rule wins. Apple documents
 * neither; the operations are those of the profiles in /System/Library/Sandbox/Profiles.
 */
import path from "node:path";
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
  const missing = places.flatMap((one) => one.missing);
  const pinned = places.flatMap((one) => one.pinned);
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write*${below([...folders, ...temporary])} (literal "/dev/null") (regex #"^/dev/(tty|pty|fd/|std))"))`,
    ...(readOnly.length > 0 ? [`(deny file-write*${below(readOnly)})`] : []),
    // What does not exist has no case of its own yet.
    ...missing.map(({ at }) => `(deny file-write* (regex ${inAnyCase(at)}))`),
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

/** A pattern for a path and all below it, whose last name may be written in any case. Its folder exists. */
function inAnyCase(at: string): string {
  // No quote may be in a pattern; the dot stands for any character.
  const plain = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll('"', ".");
  const letter = (one: string) => `[${one.toLowerCase()}${one.toUpperCase()}]`;
  const { dir, base } = path.parse(at);
  return `#"^${plain(dir)}/${plain(base).replace(/[a-z]/gi, letter)}(/|$)"`;
}

/** As a string of the profile's language. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
