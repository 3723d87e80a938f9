/** Expands words with wildcards as a shell would. */
import type { Location, Workspace } from "../host.ts";

const maxPaths = 500;
const maxStars = 5;

/** Returns the matching paths; undefined for too many. */
export async function expandGlob(
  glob: string,
  locate: (path: string) => Promise<Location | undefined>,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const names = glob.split("/");
  // Matching would take too long.
  if (names.some((name) => name.split("*").length > maxStars)) return undefined;
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
      if (!/[*?[]/.test(name)) next.push(join(path, name));
      else next.push(...(await matching(path, name, index < names.length - 1, list)));
      if (next.length > maxPaths) return undefined;
    }
    paths = next;
  }
  return paths;
}

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
  const pattern = toRegExp(name);
  const fitting = entries.map((entry) => entry.replace(/\/$/, "")).filter((entry) => pattern.test(entry));
  const here = fitting.filter((entry) => /^\./.test(name) || !/^\./.test(entry)).map((entry) => join(folder, entry));
  // In some shells `**` matches any number of folders.
  if (name !== "**") return here;
  const deeper: string[] = [];
  for (const entry of entries.filter((one) => one.endsWith("/") && !one.startsWith("."))) {
    if (deeper.length > maxPaths) break;
    deeper.push(...(await matching(join(folder, entry.slice(0, -1)), name, goesOn, list)));
  }
  return [...(goesOn ? [folder] : []), ...here, ...deeper];
}

function toRegExp(name: string): RegExp {
  const pattern = name.replace(
    /\*+|\?|\[(!|\^)?(\]?[^\]]*)\]|[^*?[]|\[/gu,
    (part, not: string | undefined, set: string | undefined) => {
      if (part.startsWith("*")) return ".*";
      if (part === "?") return ".";
      // Named classes match any character.
      if (set !== undefined)
        return set.includes("[") ? "." : `[${not === undefined ? "" : "^"}${set.replace(/[\\\]]/g, "\\$&")}]`;
      return part.replace(/[.+^${}()|[\]\\/]/, "\\$&");
    },
  );
  try {
    return new RegExp(`^${pattern}$`, "su");
  } catch {
    return /^/; // An invalid range: match every name.
  }
}
