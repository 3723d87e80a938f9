/** Expands words with wildcards as a shell would. */
import type { Location, Workspace } from "../host.ts";
import { escaped, isWild, marks, patternMatcher, unescaped } from "./shell/pattern.ts";

const maxPaths = 500;

/** Returns the matching paths; undefined for too many. */
export async function expandGlob(
  glob: string,
  locate: (path: string) => Promise<Location | undefined>,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const names = glob.split("/");
  const list = async (folder: string) => {
    const place = await locate(folder === "" ? "." : folder);
    if (!place || (await workspace.look(place)) !== "folder") return [];
    const found = await workspace.open(place, signal);
    return found.type === "folder" ? found.entries : [];
  };
  let paths = [names[0] === "" ? "/" : ""];
  for (const [index, name] of names.entries()) {
    if (name === "") continue;
    const next: string[] = [];
    for (const path of paths) {
      if (!isWild(name)) next.push(join(path, unescaped(name)));
      else next.push(...(await matching(path, name, index < names.length - 1, list)));
      if (next.length > maxPaths) return undefined;
    }
    paths = next;
  }
  return paths;
}

/**
 * Splits a pattern into the folder before its first wildcard, and a test for the paths below that folder. `hidden`:
 * whether an option of the shell may make a wildcard match the dot of a hidden name.
 */
export function globBelow(glob: string, hidden = false): { folder: string; isMatch: (path: string) => boolean } {
  const names = glob.split("/");
  const first = names.findIndex((name) => isWild(name));
  const from = first < 0 ? names.length - 1 : first;
  const folder = unescaped(names.slice(0, from).join("/"));
  // In some shells `**` matches any number of folders.
  const rest = names
    .slice(from)
    .join("/")
    .replace(/\*\*\/?/g, marks.below);
  // What lies in a matching folder counts, too.
  const isMatch = patternMatcher(rest);
  const isInside = patternMatcher(`${rest}/${marks.below}`);
  const length = hidden || names.slice(from).some((name) => showsHidden(name)) ? 0 : names.length - from;
  const isHidden = (path: string) => path.split("/", length).some((name) => name.startsWith("."));
  return {
    folder: folder === "" && from > 0 ? "/" : folder,
    isMatch: (path) => (isMatch(path) || isInside(path)) && !isHidden(path),
  };
}

/** Returns a pattern that matches exactly this folder's paths that match `glob`. */
export function patternIn(folder: string, glob: string): string {
  return `${escaped(folder.replace(/[/\\]+$/, ""))}/${glob}`;
}

const showsHidden = (pattern: string) => /^(\.|[?*+@!]\()/.test(pattern);

function join(folder: string, name: string): string {
  return folder === "" || folder === "/" ? `${folder}${name}` : `${folder}/${name}`;
}

/** `goesOn`: more of the glob follows, so `**` also matches the folder itself. */
async function matching(
  folder: string,
  name: string,
  goesOn: boolean,
  list: (folder: string) => Promise<string[]>,
): Promise<string[]> {
  const entries = await list(folder);
  const isMatch = patternMatcher(name);
  const fitting = entries.map((entry) => entry.replace(/\/$/, "")).filter(isMatch);
  const isShown = showsHidden(name);
  const here = fitting.filter((entry) => isShown || !/^\./.test(entry)).map((entry) => join(folder, entry));
  // In some shells `**` matches any number of folders.
  if (name !== "**") return here;
  const deeper: string[] = [];
  for (const entry of entries.filter((one) => one.endsWith("/") && !one.startsWith("."))) {
    if (deeper.length > maxPaths) break;
    deeper.push(...(await matching(join(folder, entry.slice(0, -1)), name, goesOn, list)));
  }
  return [...(goesOn ? [folder] : []), ...here, ...deeper];
}
