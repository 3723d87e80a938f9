/** The files that a command of PowerShell or cmd names, and the permissions that they require (T8). */
import { msg } from "../../../l10n/l10n.ts";
import type { PermissionRequirement } from "../../tool.ts";
import type { ChangedFiles } from "../changed-files.ts";
import type { CommandFiles } from "../command-files.ts";
import { globBelow } from "../glob.ts";
import { allFiles } from "../programs/program.ts";
import { exactRequirement, type RequiredPermissions } from "../required.ts";
import { escaped, isWholly, isWild, marks } from "../shell/pattern.ts";
import { windowsPlaces } from "./named-paths.ts";
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
