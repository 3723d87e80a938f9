/** The files that a command of PowerShell or cmd names, and the permissions that they require (T8). */
import { msg } from "../../../l10n/l10n.ts";
import type { PermissionRequirement } from "../../tool.ts";
import type { ChangedFiles } from "../changed-files.ts";
import type { CommandFiles } from "../command-files.ts";
import { globBelow } from "../glob.ts";
import { allFiles } from "../programs/program.ts";
import { exactRequirement, type RequiredPermissions } from "../required.ts";
import { escaped, isWholly, isWild, marks } from "../shell/pattern.ts";
import type { WindowsUse } from "./programs.ts";

/** Beyond this number the words of a command are not looked at, and it asks as if it read secrets. */
const maxPlaces = 200;

export async function addWindowsFiles(
  words: readonly string[],
  { use, isRecursive }: WindowsUse,
  { files, changed, required }: { files: CommandFiles; changed: ChangedFiles; required: RequiredPermissions },
): Promise<void> {
  const access = use === "read" ? "read" : "unknown";
  const named: string[] = [];
  const places = words.flatMap(windowsPlaces);
  if (places.length > maxPlaces) required.add(secretRead("…", msg("names too many files to check")));
  for (const place of places.slice(0, maxPlaces)) {
    // Programs keep secrets in variables.
    if (place.type === "environment") required.add(secretRead(place.name, msg("shows all environment variables")));
    else if (place.type === "elsewhere") required.add(outside(place.name));
    else if (isWild(place.path)) await addMatching(place.path, access, { files, required });
    else named.push(place.path);
    if (place.type !== "path" || use === "read") continue;
    const path = isWild(place.path) ? place.path : escaped(place.path);
    if (use === "change") await changed.addChange({ path }, [""]);
    else await changed.addPossible(path, [""]);
  }
  for (const path of named) {
    const location = await files.locate(path, "");
    // Another system takes a drive for a name in the folder.
    const isDrive = /^[a-z]:/i.test(path);
    if (isDrive && !/^[a-z]:/i.test(location?.path ?? "")) required.add(outside(path));
    else await files.addNamedPath(path, [""], access);
  }
  if (isRecursive) await files.addReadBelow(named, [""], allFiles);
}

/** Wildcards match in any letter case, and hidden names too. */
async function addMatching(
  pattern: string,
  use: "read" | "unknown",
  { files, required }: { files: CommandFiles; required: RequiredPermissions },
): Promise<void> {
  // Of a word that is wholly unknown nothing can be said.
  if (isWholly(pattern)) return;
  const { folder } = globBelow(pattern, true);
  const start = await files.locate(folder === "" ? "." : folder, "");
  if (!start) return;
  await files.addNamedPath(folder, [""], "mention");
  const rest = pattern.slice(folder === "" ? 0 : folder.length + 1).toLowerCase();
  // Unknown text before a name may be the folder itself.
  const patterns = [rest, ...(rest.startsWith(`${marks.any}/`) ? [rest.slice(2)] : [])];
  const matches = patterns.map((each) => globBelow(each, true).isMatch);
  const paths = await files.protectedIn(start, { ignored: true });
  if (!paths) required.add(secretRead(pattern, msg("names too many files to check")));
  for (const path of paths ?? []) {
    if (matches.some((isMatch) => isMatch(path.toLowerCase())))
      await files.addNamedPath(`${start.path}/${path}`, [""], use);
  }
}

function secretRead(name: string, effect: string): PermissionRequirement {
  return { ...exactRequirement(name, effect), permission: "read", protection: "secret" };
}

function outside(name: string): PermissionRequirement {
  return { ...exactRequirement(name, ""), permission: "external_directory", match: "pattern" };
}

// The places that a word of a Windows command may name, in the forms that PowerShell and cmd understand (about_Providers,
// about_Parameters; "Naming Files, Paths, and Namespaces" for devices, streams and short names).

type WindowsPlace =
  /** With `/`, as every system understands it; a pattern if it holds wildcards or unknown pieces. */
  | { type: "path"; path: string }
  /** A share, a device, another drive, or data that is no file. */
  | { type: "elsewhere"; name: string }
  /** All environment variables. */
  | { type: "environment"; name: string };

/** A word may be a switch with a value, an assignment, a file of arguments, or a program glued to its argument. */
export function windowsPlaces(word: string): WindowsPlace[] {
  const candidates = new Set([word, ...valuesIn(word)]);
  return [...candidates].flatMap((candidate) => placeOf(candidate) ?? []);
}

function valuesIn(word: string): string[] {
  // PowerShell takes typographic dashes for `-`.
  const inSwitch = /^[-/\u2013\u2014\u2015]{1,2}[\w-]+[:=](.+)$/s.exec(word)?.[1];
  const assigned = word.includes("=") ? word.slice(word.indexOf("=") + 1) : undefined;
  const inFile = /^(?:[-\u2013\u2014\u2015]\w+)?@(.+)$/s.exec(word)?.[1];
  // cmd runs `type.\x` and `cd..`.
  const glued =
    /^(?:type|copy|del|erase|more|move|ren|rename|cd|chdir|md|mkdir|rd|rmdir|dir|start|mklink)([.\\/:].*)$/is;
  return [inSwitch, assigned, inFile, glued.exec(word)?.[1]].filter(
    (part): part is string => part !== undefined && part !== "",
  );
}

/** Drives of PowerShell that hold no files. */
const dataDrive = /^(?:env|alias|function|variable|cert|wsman|hklm|hkcu|hkcr|hku|hkcc):/i;

function placeOf(name: string): WindowsPlace | undefined {
  const path = name.replaceAll("\\", "/");
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(path)) {
    return /^file:/i.test(path)
      ? placeOf(path.replace(/^file:\/\/(?:localhost)?/i, "").replace(/^\/(?=[a-z]:)/i, ""))
      : undefined;
  }
  const provider = /^([\w./]+)::(.*)$/s.exec(path);
  if (provider && /(?:^|\/)filesystem$/i.test(provider[1] ?? "")) return placeOf(provider[2] ?? "");
  if (provider && /(?:^|\/)environment$/i.test(provider[1] ?? "")) return { type: "environment", name };
  if (provider && /(?:^|\/)(?:registry|certificate|wsman|variable|function|alias)$/i.test(provider[1] ?? ""))
    return { type: "elsewhere", name };
  if (/^env:[/]?(?:$|.*[*?[])/is.test(path)) return { type: "environment", name };
  if (dataDrive.test(path)) return { type: "elsewhere", name };
  const onDevice = path.replace(/^\/\/[?.]\/(?=[a-z]:)/i, "").replace(/^\/\/\?\/unc\//i, "//");
  if (/^\/\//.test(onDevice)) return { type: "elsewhere", name };
  // Nothing but a switch.
  if (
    /^[-\u2013\u2014\u2015]/.test(path) ||
    (/^\/[\w?-]+$/.test(path) && !path.slice(1).includes("/") && path.length <= 4)
  )
    return undefined;
  return fileOf(onDevice);
}

function fileOf(path: string): WindowsPlace {
  const names = path.split("/").map(withoutEnding).map(longName);
  const whole = names.join("/");
  return { type: "path", path: whole };
}

/** Windows ignores dots and spaces at the end of a name, and `name:stream` is part of the file. */
function withoutEnding(name: string): string {
  const file = /^[a-z]:/i.test(name) ? name : name.replace(/(?<=.):.*/s, "");
  return /^\.{1,2}$/.test(file) ? file : file.replace(/(?<=[^. ])[. ]+$/, "");
}

/**
 * A short name such as `ENV~1` or `CREDEN~1.JSO` has up to six letters of the long one, which may begin with dots; after
 * the fourth of its kind just two, and a checksum.
 */
function longName(name: string): string {
  const short = /^([^~]{1,6})~\d{1,6}(?:\.([^.]{0,3}))?$/.exec(name);
  if (!short) return name;
  const [, start = "", ending] = short;
  return `*${start.slice(0, 2)}*${ending ? `.${ending}*` : ""}`;
}
