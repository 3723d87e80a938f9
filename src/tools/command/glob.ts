/** What the shell would put in the place of a word with wildcards. */
import type { Location, Workspace } from "../host.ts";

const most = 500;

/** Where the names lead that fit now; undefined when they are too many to look at. A word that fits nothing stays as it is. */
export async function expandGlob(
  glob: string,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<Location[] | undefined> {
  const names = glob.split("/");
  let paths = [names[0] === "" ? "/" : ""];
  for (const [index, name] of names.entries()) {
    if (name === "") continue;
    const next: string[] = [];
    for (const path of paths) {
      if (!/[*?[]/.test(name)) next.push(join(path, name));
      else next.push(...(await matching(path, name, index < names.length - 1, workspace, signal)));
      if (next.length > most) return undefined;
    }
    paths = next;
  }
  return await Promise.all(paths.map((path) => workspace.locate(path === "" ? "." : path)));
}

function join(folder: string, name: string): string {
  if (folder === "" || folder === "/") return `${folder}${name}`;
  return `${folder}/${name}`;
}

async function matching(folder: string, name: string, goesOn: boolean, workspace: Workspace, signal: AbortSignal) {
  const found = await workspace.open(await workspace.locate(folder === "" ? "." : folder), signal);
  if (found.type !== "folder") return [];
  const pattern = toRegExp(name);
  const fitting = found.entries.map((entry) => entry.replace(/\/$/, "")).filter((entry) => pattern.test(entry));
  const visible = fitting.filter((entry) => name.startsWith(".") || !entry.startsWith("."));
  const here = visible.map((entry) => join(folder, entry));
  // In some shells `**` also stands for any number of folders.
  if (name !== "**") return here;
  const deeper: string[] = [];
  for (const entry of found.entries.filter((one) => one.endsWith("/") && !one.startsWith("."))) {
    if (deeper.length > most) break;
    deeper.push(...(await matching(join(folder, entry.slice(0, -1)), name, goesOn, workspace, signal)));
  }
  return [...(goesOn ? [folder] : []), ...here, ...deeper];
}

function toRegExp(name: string): RegExp {
  try {
    return new RegExp(`^${translated(name)}$`, "su");
  } catch {
    // A range that goes backwards, or the like: whatever a shell makes of it is among all names.
    return /^/;
  }
}

function translated(name: string): string {
  return name.replace(
    /\*+|\?|\[(!|\^)?(\]?[^\]]*)\]|[^*?[]|\[/gu,
    (part, not: string | undefined, set: string | undefined) => {
      if (part.startsWith("*")) return ".*";
      if (part === "?") return ".";
      // Classes by name are taken for anything.
      if (set !== undefined)
        return set.includes("[") ? "." : `[${not === undefined ? "" : "^"}${set.replace(/[\\\]]/g, "\\$&")}]`;
      return part.replace(/[.+^${}()|[\]\\/]/, "\\$&");
    },
  );
}
