/** Maps tool names of Claude Code and OpenCode to Rondo's names. Its texts are for programs. */

/** Rondo's names by Claude Code's names. The first of several names for a tool is the one that hooks get. */
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
  // A hook for one way to edit also runs for the others.
  ["MultiEdit", "edit"],
  ["Edit", "multi_edit"],
  ["Edit", "apply_patch"],
  ["MultiEdit", "apply_patch"],
  ["Write", "apply_patch"],
] as const;

/** The first tool counts if several have the same name. */
const ours = new Map<string, string>(names.map(([theirs, own]) => [theirs.toLowerCase(), own] as const).reverse());

/** Ignores case, because OpenCode's names are Claude Code's in lower case. Returns unknown names unchanged. */
export function ourTool(name: string): string {
  return ours.get(name.toLowerCase()) ?? name;
}

/** Returns Claude Code's names of one of Rondo's tools, the usual one first; none for other tools. */
export function claudeTools(own: string): string[] {
  return names.filter(([, one]) => one === own).map(([theirs]) => theirs);
}
