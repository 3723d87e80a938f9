/** Names of tools as files written for Claude Code and OpenCode spell them. */

/** Claude Code's name → ours. Of several names of a tool the first is the one that it is told by. */
const names = [
  ["Bash", "bash"],
  ["Read", "read"],
  ["Write", "write"],
  ["Edit", "edit"],
  ["MultiEdit", "multi_edit"],
  ["Glob", "glob"],
  ["Grep", "grep"],
  ["Task", "task"],
  ["Agent", "task"],
  ["WebFetch", "web_fetch"],
  ["TodoWrite", "todo_write"],
  ["AskUserQuestion", "ask_user"],
  ["NotebookEdit", "notebook_edit"],
  // What watches over one way to edit is to hear of the others, too.
  ["MultiEdit", "edit"],
  ["Edit", "multi_edit"],
  ["Edit", "apply_patch"],
  ["MultiEdit", "apply_patch"],
  ["Write", "apply_patch"],
] as const;

/** Of several tools with the name the first. */
const ours = new Map<string, string>(names.map(([theirs, own]) => [theirs.toLowerCase(), own] as const).reverse());

/** OpenCode's names are Claude Code's in lower case, so case is not looked at. An unknown name stays as it is. */
export function ourTool(name: string): string {
  return ours.get(name.toLowerCase()) ?? name;
}

/** All names under which Claude Code knows one of our tools, the usual one first; none for others' tools. */
export function claudeTools(own: string): string[] {
  return names.filter(([, one]) => one === own).map(([theirs]) => theirs);
}
