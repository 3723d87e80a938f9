/** Names of tools as files written for Claude Code and OpenCode spell them. */

/** Claude Code's name → ours. Of several names of a tool the first is its name there today. */
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
] as const;

const ours = new Map<string, string>(names.map(([theirs, own]) => [theirs.toLowerCase(), own]));

/** OpenCode's names are Claude Code's in lower case, so case is not looked at. An unknown name stays as it is. */
export function ourTool(name: string): string {
  return ours.get(name.toLowerCase()) ?? name;
}

/** All names under which Claude Code knows one of our tools, the usual one first; none for others' tools. */
export function claudeTools(own: string): string[] {
  return names.filter(([, one]) => one === own).map(([theirs]) => theirs);
}
