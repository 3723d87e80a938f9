/**
 * What is known of each tool beside its code: how its calls are drawn and grouped, what other agents call it, what rules
 * about it are. A tool has a line in each table here, and its code in `src/tools/built-in`; one without the other does not
 * compile. What only the panel or the documents need is in functions, so that other bundles leave it out.
 */
import { counted, english, t } from "../l10n/l10n.ts";

export type ToolName =
  | "bash"
  | "bash_output"
  | "bash_kill"
  | "read"
  | "write"
  | "edit"
  | "multi_edit"
  | "apply_patch"
  | "notebook_edit"
  | "glob"
  | "grep"
  | "todo_write"
  | "ask_user"
  | "web_fetch"
  | "diagnostics"
  | "symbols"
  | "rename_symbol"
  | "code_action"
  | "task"
  | "tool_search";

/** Tools with the same effect as another, with which they are switched off. */
const otherWays: Readonly<Partial<Record<string, ToolName>>> = {
  bash_output: "bash",
  bash_kill: "bash",
  multi_edit: "edit",
  apply_patch: "edit",
  notebook_edit: "edit",
  rename_symbol: "edit",
  code_action: "edit",
} satisfies Partial<Record<ToolName, ToolName>>;

/** Returns the tool that a tool is another way to; undefined for all others. */
export const wayOf = (tool: string): ToolName | undefined => otherWays[tool];

/** Whether a tool changes files that its calls name. */
export const changesFiles = (tool: string) => tool === "edit" || tool === "write" || wayOf(tool) === "edit";

/**
 * Names in Claude Code, which in OpenCode are the same in lower case. The first is what hooks get. Hooks for the others run,
 * too: they are ways to do the same.
 */
const claudeNames: Readonly<Partial<Record<string, readonly string[]>>> = {
  bash: ["Bash"],
  read: ["Read"],
  write: ["Write"],
  edit: ["Edit", "MultiEdit"],
  multi_edit: ["MultiEdit", "Edit"],
  // Below `edit`, which is meant by that name.
  apply_patch: ["Edit", "MultiEdit", "Write"],
  notebook_edit: ["NotebookEdit"],
  glob: ["Glob"],
  grep: ["Grep"],
  todo_write: ["TodoWrite"],
  ask_user: ["AskUserQuestion"],
  web_fetch: ["WebFetch"],
  task: ["Task", "Agent"],
} satisfies Partial<Record<ToolName, readonly string[]>>;

/** Returns Rondo's name of a tool of Claude Code or OpenCode. Other names are unchanged. */
export function ourTool(name: string): string {
  const wanted = name.toLowerCase();
  const all = Object.entries(claudeNames);
  const found = ([0, 1] as const).flatMap((at) => all.filter(([, names]) => names?.[at]?.toLowerCase() === wanted));
  return found[0]?.[0] ?? name;
}

/** Returns Claude Code's names of one of Rondo's tools, the usual one first; none for other tools. */
export function claudeTools(own: string): readonly string[] {
  return claudeNames[own] ?? [];
}

/**
 * What the rules for a permission name: commands, paths of the workspace, paths outside of it, addresses of pages, or
 * something without likes, such as an agent. Questions, examples and "Wider" follow from it.
 */
export type RuleSubject = "command" | "path" | "place" | "address" | "name";

/** The permissions that tools require. A tool without an own one requires those of what it touches. */
const permissions = {
  bash: "command",
  outside_sandbox: "command",
  read: "path",
  edit: "path",
  memory: "path",
  external_directory: "place",
  web_fetch: "address",
  task: "name",
  doom_loop: "name",
} as const satisfies Record<string, RuleSubject>;

export type Permission = keyof typeof permissions;

export const permissionNames = (): readonly string[] => Object.keys(permissions);

/** Returns what rules for a permission name; undefined for tools of servers and of other extensions. */
export function ruleSubjectOf(permission: string): RuleSubject | undefined {
  return Object.hasOwn(permissions, permission) ? permissions[permission as Permission] : undefined; // an own key
}

/** The words before the rules that "Always allow" would add. */
export const ruleWords = (): Readonly<Record<Permission, string>> => ({
  bash: t("Run commands like"),
  outside_sandbox: t("Leave the sandbox for commands like"),
  read: t("Read files like"),
  edit: t("Edit files like"),
  memory: t("Use {0} for", "memory"),
  external_directory: t("Go outside the workspace to"),
  web_fetch: t("Fetch pages like"),
  task: t("Use {0} for", "task"),
  doom_loop: t("Use {0} for", "doom_loop"),
});

/** The arguments of a call, as they are drawn. */
export interface DrawnCall {
  /** The texts among them, also while they are being written. */
  texts: Readonly<Record<string, string>>;
  /** Returns the texts of each object in one of the lists. */
  list(name: string): readonly Readonly<Record<string, string>>[];
  /** Returns a path as it is shown: relative to the session's folder. */
  short(path: string): string;
}

/** Neighbouring calls of one kind collapse into one line. */
export type ToolKind = "read" | "edit" | "search" | "other";

/** How calls of a tool are drawn: verb and object. */
export interface ToolLook<Icon extends string = string> {
  kind: ToolKind;
  glyph: Icon;
  /** Asked or failed, in progress, done; or a name that stays. */
  verbs: readonly [string, string, string] | ((call: DrawnCall) => string);
  /** The arguments that may be the object, the first present one wins; or a function that returns the object. */
  object: readonly string[] | ((call: DrawnCall) => string);
  /** Whether the object is code: a command or a pattern. */
  code: boolean;
}

/** The glyph is one of `webview/controls/icons.ts`, which the panel checks. */
export function toolLooks() {
  const edited = {
    kind: "edit",
    glyph: "edit",
    verbs: [t("Edit"), t("Editing"), t("Edited")],
    object: ["file_path"],
    code: false,
  } as const;
  const searched = { kind: "search", glyph: "search", object: ["pattern"], code: true } as const;
  const other = { kind: "other", code: false } as const;
  const coded = { kind: "other", code: true } as const;
  const command = ({ texts }: DrawnCall) => texts["id"] ?? t("the background");
  return {
    bash: { ...coded, glyph: "terminal", verbs: [t("Run"), t("Running"), t("Ran")], object: ["command"] },
    bash_output: {
      ...coded,
      glyph: "server-process",
      verbs: [t("Look at"), t("Looking at"), t("Looked at")],
      object: command,
    },
    bash_kill: {
      ...coded,
      glyph: "debug-stop",
      verbs: [t("End|a command"), t("Ending"), t("Ended|a command")],
      object: command,
    },
    read: {
      kind: "read",
      glyph: "file",
      verbs: [t("Read"), t("Reading"), t("Read|done")],
      object: ["file_path"],
      code: false,
    },
    write: { ...edited, glyph: "new-file", verbs: [t("Write"), t("Writing"), t("Wrote")] },
    edit: edited,
    multi_edit: edited,
    apply_patch: { ...edited, object: patchedFiles },
    notebook_edit: { ...edited, glyph: "notebook", object: ["notebook_path", "file_path"] },
    glob: { ...searched, verbs: [t("Find"), t("Finding"), t("Found")] },
    grep: { ...searched, verbs: [t("Search"), t("Searching"), t("Searched")] },
    todo_write: {
      ...other,
      glyph: "checklist",
      verbs: [t("Update"), t("Updating"), t("Updated")],
      object: () => t("the to-dos"),
    },
    ask_user: {
      ...other,
      glyph: "comment-discussion",
      verbs: [t("Ask"), t("Asking"), t("Asked")],
      object: ({ list }) => list("questions")[0]?.["question"] ?? "",
    },
    web_fetch: { ...other, glyph: "globe", verbs: [t("Fetch"), t("Fetching"), t("Fetched")], object: ["url"] },
    diagnostics: {
      ...other,
      glyph: "warning",
      verbs: [t("Check"), t("Checking"), t("Checked")],
      object: ({ texts: { path = "" }, short }) => (path === "" ? t("problems") : t("problems in {0}", short(path))),
    },
    symbols: {
      ...searched,
      glyph: "references",
      verbs: [t("Look up"), t("Looking up"), t("Looked up")],
      object: ["symbol", "path"],
    },
    rename_symbol: { ...edited, verbs: [t("Rename"), t("Renaming"), t("Renamed")], object: ["symbol"], code: true },
    code_action: {
      ...edited,
      glyph: "lightbulb",
      verbs: [t("Apply"), t("Applying"), t("Applied")],
      object: ({ texts: { title, path = "" }, short }) => title ?? t("actions of {0}", short(path)),
    },
    task: {
      ...other,
      glyph: "hubot",
      verbs: ({ texts }) => texts["subagent_type"] ?? texts["agent"] ?? "subagent",
      object: ({ texts }) => texts["description"] ?? "",
    },
    tool_search: {
      ...coded,
      glyph: "tools",
      verbs: [t("Look for tools"), t("Looking for tools"), t("Looked for tools")],
      object: ["query"],
    },
  } as const satisfies Record<ToolName, ToolLook>;
}

function patchedFiles({ texts, short }: DrawnCall): string {
  const text = texts["patch"] ?? texts["input"] ?? "";
  const paths = [...text.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.*)$/gm)].map(([, path = ""]) => path.trim());
  return paths.length > 1 ? counted(paths.length, "{0} file", "{0} files") : short(paths[0] ?? "");
}

/** What each tool does, for `docs/tools.md`. */
export const toolSentences = (): Readonly<Record<ToolName, string>> => ({
  read: english("Reads files, images, PDFs and notebooks, and lists folders"),
  write: english("Writes a whole file"),
  edit: english("Replaces a text in a file"),
  multi_edit: english("Replaces several texts in a file at once"),
  apply_patch: english("Changes files by a patch, in place of `write`, `edit` and `multi_edit` (see [Edits](#edits))"),
  glob: english("Finds files by name, without ignored ones"),
  grep: english("Searches the text of files, without ignored ones"),
  bash: english("Runs a [command](#commands)"),
  bash_output: english("Looks at the output of a command in the background"),
  bash_kill: english("Ends a command in the background"),
  web_fetch: english(
    "Reads public web pages (never addresses of this machine or its network, without cookies, at most 5 MB). Permission is per site",
  ),
  todo_write: english("Maintains the to-do list that you see"),
  ask_user: english("Asks you questions with choices"),
  diagnostics: english("Asks VS Code's language services for problems"),
  symbols: english("Asks VS Code's language services for definitions, references and symbols"),
  rename_symbol: english(
    "Renames a symbol everywhere by means of the language services; allowed, previewed and reviewed as edits of each file",
  ),
  code_action: english(
    "Applies quick fixes and refactorings of the language services; allowed, previewed and reviewed as edits of each file",
  ),
  notebook_edit: english("Changes notebook cells"),
  task: english("Delegates work to a [subagent](agents-and-hooks.md)"),
  tool_search: english("Finds tools of servers and extensions where they are too many to be listed in each request"),
});
