/**
 * Finds the folders on this disk in which editors keep their settings, extensions and state, and Rondo its own. What is in
 * them decides what runs and what Rondo may do.
 */
import { lstatSync, realpathSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { attempt } from "../../base/attempt.ts";
import { editorNames, stateFolders } from "../../base/editor-folders.ts";
import { isWithin } from "./requirements.ts";

/** Files and folders that people keep elsewhere and link to. */
const oftenLinked = ["settings.json", "keybindings.json", "tasks.json", "mcp.json", "snippets", "prompts", "profiles"];
const linkedFolders = ["User", "Machine", "data/User", "data/Machine", "user-data/User"];

/** Rondo's worktrees lie in its own folder, and are worked in like any other folder. */
const ownWorktree = /^.*[/\\]workspaces[/\\](?:none|[\da-f]{16})[/\\]worktrees[/\\]trees[/\\][^/\\]+(?=[/\\]|$)/;

/** Returns the top folder of Rondo's worktree that a file is in. */
export function ownWorktreeOf(file: string): string | undefined {
  return ownWorktree.exec(file)?.[0];
}

/** Returns those that exist, under all their names. `own`: further ones, absolute. */
export function statePlaces(own: readonly string[], home = os.homedir()): string[] {
  const { XDG_CONFIG_HOME, APPDATA, VSCODE_APPDATA, VSCODE_PORTABLE, XDG_STATE_HOME } = process.env;
  const configs = [XDG_CONFIG_HOME, APPDATA, VSCODE_APPDATA].flatMap((folder) => folder || []);
  const places = [
    ...own,
    ...stateFolders.map((name) => path.join(home, name)),
    ...configs.flatMap((folder) => editorNames.map((name) => path.join(folder, name))),
    ...(VSCODE_PORTABLE ? [VSCODE_PORTABLE] : []),
    ...(XDG_STATE_HOME ? [path.join(XDG_STATE_HOME, "rondo")] : []),
  ].filter((place) => exists(place));
  const linked = places.flatMap((place) =>
    linkedFolders.flatMap((folder) => {
      const there = path.join(place, folder);
      return exists(there) ? [there, ...oftenLinked.map((name) => path.join(there, name))] : [];
    }),
  );
  const targets = [...places, ...linked].flatMap((place) => attempt(() => [realpathSync.native(place)], []));
  return [...new Set([...places, ...targets.filter((at) => !places.some((place) => isWithin(at, place)))])];
}

/**
 * Whether a file is in the state of an editor wherever that is: its user's folder beside `globalStorage`, the settings of
 * the machine beside it, or a folder of installed extensions.
 * https://github.com/microsoft/vscode/blob/main/src/vs/platform/environment/node/userDataPath.ts
 */
export function isInEditorState(file: string): boolean {
  for (let at = file; at !== path.dirname(at); at = path.dirname(at)) {
    const name = path.basename(at).toLowerCase();
    if (name === "user" && exists(path.join(at, "globalStorage"))) return true;
    if (name === "machine" && exists(path.join(at, "..", "User", "globalStorage"))) return true;
    if (name === "extensions" && exists(path.join(at, "extensions.json"))) return true;
    if (name === "argv.json" && exists(path.join(at, "..", "extensions"))) return true;
  }
  return false;
}

const exists = (place: string) => attempt(() => lstatSync(place, { throwIfNoEntry: false }), undefined) !== undefined;
