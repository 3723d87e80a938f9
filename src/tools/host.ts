/** The environment as tools see it, the only thing they touch. Node and VS Code each implement `Host`. */
import type { BackgroundCommand } from "../chat/events.ts";
import type { StopCause } from "../chat/stopped.ts";

/** Why a file is protected, so that its use prompts in every mode. */
export type Protection =
  | "none"
  /** Passwords, keys, credentials: reading prompts, too. */
  | "secret"
  /** Named by `.rondoignore`: reading prompts, too. */
  | "ignored"
  /** Controls execution (`.git`, `.rondo`, the editor's settings, hooks, servers): only changes prompt. */
  | "settings";

/** A path with symbolic links resolved; for a new file, those of its nearest existing parent. */
export interface Location {
  /** Absolute, with links resolved. */
  path: string;
  /** For display and for rules: relative to its workspace folder, with `/`; absolute outside of them. */
  relative: string;
  inside: boolean;
  protection: Protection;
  /**
   * Other names that rules may use: as it was asked for, absolute, from the home folder, and relative to other workspace
   * folders. None is equal to `relative`.
   */
  names: readonly string[];
  /** Whether the rules in force deny reading it, or ask. Always false without rules: see `ruledHost`. */
  restricted: boolean;
  /** Whether the rules in force deny changing it, or ask, of all paths. Always false without such rules. */
  changesRestricted: boolean;
}

/** A file's current text: the editor's unsaved buffer if there is one, else the text on disk. */
export interface TextFile extends Location {
  /** Decoded, without BOM, with its own line endings. */
  text: string;
  /** Changes whenever the text does. */
  version: string;
  unsaved: boolean;
}

export type FileKind =
  | { type: "text"; file: TextFile }
  | { type: "media"; mime: string; bytes: Uint8Array; location: Location }
  /** Text with U+FFFD for what could not be decoded: it can be shown, but not written back. */
  | { type: "unknown-encoding"; text: string; location: Location }
  | { type: "binary"; size: number; location: Location }
  | { type: "folder"; entries: string[]; location: Location }
  | { type: "special"; location: Location }
  | { type: "too-large"; size: number; limit: number; location: Location }
  | { type: "missing"; similar: string[]; location: Location };

/** The names in a folder, each in order. */
export interface FolderListing {
  readonly folders: readonly string[];
  readonly links: readonly string[];
  /** Everything else. */
  readonly files: readonly string[];
}

/** Excludes files from a search in a folder: those that may be read only when named. */
export interface SearchFilter {
  /** Arguments for ripgrep, run in that folder, that exclude most of these files and no others. */
  readonly args: readonly string[];
  /** `path` is relative to the folder, with `/`. */
  isExcluded(path: string): boolean;
  /** Returns the excluded names among files and links, fast for a listing that it has seen. `folder`: as `path`, or "". */
  excludedIn(folder: string, listing: FolderListing): readonly string[];
  /** Identifies the permission rules that exclude files of any name; empty if there are none. */
  readonly rules: string;
  /**
   * Returns the time of the last change in ms since 1970; 0 if the file is gone. Synchronous, for thousands of calls.
   */
  modified(path: string): number;
}

export interface Workspace {
  /** Absolute paths of the open folders; commands run in the first. */
  readonly folders: readonly string[];
  readonly trusted: boolean;
  /**
   * Whether the rules in force may deny or ask for changing one of the paths, with `…` for unknown text; undefined if no
   * rule does.
   */
  readonly restrictsChange: ((names: readonly string[]) => boolean) | undefined;
  /** Takes absolute paths, `~/…`, and paths relative to the first folder. */
  locate(path: string): Promise<Location>;
  /** @throws ToolError if it cannot be read, or its path now leads elsewhere */
  open(location: Location | string, signal: AbortSignal): Promise<FileKind>;
  /** @throws ToolError if the path now leads elsewhere */
  look(location: Location): Promise<"file" | "folder" | "special" | "missing">;
  /**
   * Returns undefined for what is no folder or cannot be read; the same listing as long as nothing has changed. Also
   * lists protected files. Synchronous, for thousands of calls. `path`: absolute, with links resolved.
   */
  list(path: string): FolderListing | undefined;
  searchFilter(folder: Location): SearchFilter;
  /** Whether git surely ignores a file; false if unsure. `file`: absolute. */
  isGitIgnored(file: string): boolean;
  /** Keeps encoding, BOM and mode; a formatter may change the text. @throws ToolError if the version differs */
  write(location: Location, text: string, expected: string | "missing", signal: AbortSignal): Promise<TextFile>;
  /** Leaves its folders. @throws ToolError if the file is not in the `expected` version, or cannot be deleted */
  remove(location: Location, expected: string, signal: AbortSignal): Promise<void>;
}

export interface ShellCommand {
  command: string;
  cwd: string;
  /** Aborting ends the whole process tree. */
  signal: AbortSignal;
  /** Called with decoded output as it arrives, stdout and stderr together. */
  onOutput(text: string): void;
  /**
   * Called when it seems to wait for input, with its last line, and with undefined when it goes on. `by`: who can answer
   * it; the user only where the terminal is theirs and the prompt asks for a password.
   */
  onWaiting(prompt: string | undefined, by?: "nobody" | "user"): void;
  /** Whether it runs outside of the sandbox, as the user has allowed. */
  outsideSandbox?: boolean | undefined;
}

export const sandboxModes = ["off", "workspace", "workspace-network"] as const;
/** `workspace`: commands write only in the workspace and in temporary folders, without network. */
export type SandboxMode = (typeof sandboxModes)[number];

/** Limits what commands can do, by means of the operating system. */
export interface CommandSandbox {
  readonly mode: Exclude<SandboxMode, "off">;
  /** Returns why it cannot be had, and what to do; undefined if it can. */
  problem(): Promise<string | undefined>;
}

export type CommandEnd =
  /** `left`: the command lines of processes that it left running; they have been terminated. */
  | { type: "exit"; code: number; left: string[] }
  | { type: "signal"; signal: string }
  | { type: "aborted" }
  | { type: "failed"; message: string };

export interface Terminal {
  /** Resolves when no process of the command's tree is left. Never rejects. */
  run(command: ShellCommand): Promise<CommandEnd>;
  /** The shell's name, for the system prompt: "bash", "pwsh". */
  readonly shell: string;
  /** Where commands run; undefined if it is switched off. */
  readonly sandbox: CommandSandbox | undefined;
}

/** What a call says about a command. */
export type CommandToRun = Pick<ShellCommand, "command" | "cwd" | "outsideSandbox">;

export interface CallCommand extends CommandToRun, Pick<ShellCommand, "signal"> {
  timeoutMs: number;
  /** Called with the last lines of its output and the number of all lines, a few times a second. */
  progress(text: string, lines: number): void;
}

export interface CommandOutcome {
  end:
    | Exclude<CommandEnd, { type: "aborted" }>
    | { type: "aborted"; by: StopCause }
    | { type: "timeout" }
    | { type: "waiting"; prompt: string }
    | { type: "detached"; id: string };
  output: string;
  /** The file with the full output, if it was shortened. */
  outputFile: string | undefined;
}

export interface Background {
  run(command: CallCommand, callID: string): Promise<CommandOutcome>;
  /** Oldest first, including those that have ended. */
  list(): readonly BackgroundCommand[];
  /** It has no time limit but is terminated with the session. @throws ToolError if too many are running */
  start(command: CommandToRun, callID: string): BackgroundCommand;
  /** Returns the output since the last read, shortened, and the file with all of it; undefined for an unknown id. */
  read(id: string): { text: string; outputFile: string | undefined } | undefined;
  /** @returns whether it was running */
  kill(id: string): Promise<boolean>;
  /** Moves the command of a running call to the background; the call returns at once. @returns whether it succeeded */
  detach(callID: string): boolean;
  /** Terminates the command of a running call; the turn continues. @returns whether it was running */
  endCall(callID: string): boolean;
  /** Returns the commands that ended on their own since the last call, to report each to the model once. */
  takeEnded(): BackgroundCommand[];
  /** Calls `listener` on changes, at most a few times a second. @returns a function that removes it */
  listen(listener: () => void): () => void;
  /** Terminates all commands, those of calls, too. */
  endAll(by: StopCause): Promise<void>;
}

/** The editor's language services; a headless run has none. */
export interface Editor {
  /** Whether the file (absolute path) is open, so that the editor knows all its problems. */
  watches(path: string): Promise<boolean>;
  /** `path` is absolute; undefined for all files. */
  problems(path: string | undefined): Promise<CodeProblem[]>;
  /** Returns the problems of a file once they have settled after a change, or after `timeoutMs`. */
  settledProblems(path: string, timeoutMs: number, signal: AbortSignal): Promise<CodeProblem[]>;
  /** `line` is from 1. */
  definition(path: string, line: number, symbol: string): Promise<CodePlace[]>;
  references(path: string, line: number, symbol: string): Promise<CodePlace[]>;
  /** Returns the workspace's symbols whose names match the query; with `path`, all symbols of that file. */
  symbols(query: string, path: string | undefined): Promise<CodeSymbol[]>;
  /** Works out the edits of a rename and makes none. @throws ToolError if it cannot be renamed, or not to that name */
  rename(path: string, line: number, symbol: string, newName: string): Promise<ServiceEdit[]>;
  /** Works out the code actions of a kind for lines from 1, and makes none. `kind`: "" for the usual ones. */
  actions(path: string, lines: { first: number; last: number }, kind: string): Promise<ServiceAction[]>;
}

/** What language services would change in a file. `path` is absolute. */
export interface ServiceEdit {
  path: string;
  /** The text to which the edits belong. */
  known: string;
  edits: readonly PlacedEdit[];
}

export interface ServiceAction {
  title: string;
  /** "quickfix", "refactor.extract"; empty if unknown. */
  kind: string;
  /** Undefined if it does more than edit texts, or if what it does is not known before. */
  edits: readonly ServiceEdit[] | undefined;
}

/** Lines and characters from 0; the end is not included. */
export interface PlacedEdit {
  from: TextPlace;
  to: TextPlace;
  text: string;
}

export interface TextPlace {
  line: number;
  character: number;
}

/** `path` is absolute; `line` and `column` are from 1. */
export interface CodeProblem {
  path: string;
  line: number;
  column: number;
  severity: "error" | "warning" | "info" | "hint";
  message: string;
  /** "ts(2304)", "eslint"; empty if unknown. */
  source: string;
}

/** `path` is absolute, `line` from 1. */
export interface CodePlace {
  path: string;
  line: number;
  text: string;
}

export interface CodeSymbol extends CodePlace {
  name: string;
  /** "class", "function", … */
  kind: string;
  /** The enclosing symbol; empty for none. */
  container: string;
}

export interface TextSearch {
  /** Exit code 1: nothing found. */
  ripgrep(
    args: readonly string[],
    options: RipgrepOptions,
  ): Promise<{ code: number; stdout: string; stderr: string; cut: boolean }>;
}

export interface RipgrepOptions {
  cwd: string;
  /** Maximum number of characters of output. */
  limit: number;
  signal: AbortSignal;
  /** Gets the output in pieces; without it `stdout` has the output. */
  take?: ((text: string) => void) | undefined;
}

/** Stores long outputs in full (T9). */
export interface Overflow {
  /** Returns the absolute path of the file. */
  keep(callID: string, text: string): Promise<string>;
  open(callID: string): OverflowFile;
  /** Returns the path of the file that `open` makes. */
  pathOf(callID: string): string;
  /** Whether `path` (absolute, links resolved) is stored here, so that the model may read it without a prompt. */
  holds(path: string): boolean;
}

export interface OverflowFile {
  /** Absolute. */
  readonly path: string;
  /** Whether all output so far was stored; not if the disk is full or the output endless. */
  readonly isWhole: boolean;
  append(text: string): void;
  close(): void;
}

export interface Host {
  readonly workspace: Workspace;
  readonly terminal: Terminal;
  readonly search: TextSearch;
  readonly overflow: Overflow;
  readonly background: Background;
  readonly editor: Editor | undefined;
}
