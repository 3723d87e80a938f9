/** The world as tools see it. Tools touch nothing else: Node and VS Code each give one `Host`. */

import type { BackgroundCommand } from "../chat/events.ts";

/** Why a path asks each time, in all modes. */
export type Protection =
  | "none"
  /** Passwords, keys, credentials: reading them, too. */
  | "secret"
  /** Named by `.rondoignore`: reading it, too. */
  | "ignored"
  /** What decides what an agent may do, or runs by itself: `.git`, `.rondo`, the editor's settings, hooks, servers. Changing it only. */
  | "settings";

/** Where a path leads, symbolic links resolved (for the nearest existing parent of a new file, too). */
export interface Location {
  /** Absolute, after links. */
  path: string;
  /** As shown and as matched by rules: relative to its workspace folder with `/`, else absolute. */
  relative: string;
  /** Whether it lies in one of the workspace's folders. */
  inside: boolean;
  protection: Protection;
}

/** A text as it is now: in the editor's unsaved buffer when there is one, else on disk. */
export interface TextFile extends Location {
  /** Decoded, without BOM, line endings as they are. */
  text: string;
  /** Changes whenever the text does. */
  version: string;
  unsaved: boolean;
}

export type FileKind =
  | { type: "text"; file: TextFile }
  | { type: "media"; mime: string; bytes: Uint8Array; location: Location }
  | { type: "binary"; size: number; location: Location }
  | { type: "folder"; entries: string[]; location: Location }
  | { type: "special"; location: Location }
  | { type: "too-large"; size: number; limit: number; location: Location }
  | { type: "missing"; similar: string[]; location: Location };

/** What a search in a folder leaves out: what may be read only when it is asked for by name. */
export interface SearchFilter {
  /** ripgrep's arguments, for a run in that folder, that leave out much of it, and nothing else. */
  readonly args: readonly string[];
  /** `path`: of a file, relative to the folder, with `/`. */
  isExcluded(path: string): boolean;
  /** When the file was changed last, in ms since 1970; 0 when it is gone. At once: thousands are asked about. */
  modified(path: string): number;
}

export interface Workspace {
  /** Absolute paths of the open folders, the first is where commands run. */
  readonly folders: readonly string[];
  /** Whether the user trusts it; where not, nothing is written and nothing is run. */
  readonly trusted: boolean;
  /** Takes absolute paths, `~/…`, and paths relative to the first folder. */
  locate(path: string): Promise<Location>;
  /**
   * The answer says what is found there, be it nothing. Of a folder it names what may be seen.
   * @throws ToolError when it is there but cannot be read, or when its path leads elsewhere by now
   */
  open(location: Location | string, signal: AbortSignal): Promise<FileKind>;
  /**
   * What is there, of which nothing is read.
   * @throws ToolError when the path leads elsewhere by now
   */
  look(location: Location): Promise<"file" | "folder" | "special" | "missing">;
  /** For searches in a folder. */
  searchFilter(folder: Location): SearchFilter;
  /**
   * Replaces the text of a file, or makes it and its parents. Keeps encoding, BOM and mode; `text` holds the line
   * endings to write. Answers with the text afterwards, which a formatter may have changed.
   * @throws ToolError when the file is not what `expected` says it is (its version, or "missing"), or cannot be written.
   */
  write(location: Location, text: string, expected: string | "missing", signal: AbortSignal): Promise<TextFile>;
  /**
   * Deletes a text file; its folders stay.
   * @throws ToolError when it is not the version that is expected, or cannot be deleted.
   */
  remove(location: Location, expected: string, signal: AbortSignal): Promise<void>;
}

export interface ShellCommand {
  command: string;
  cwd: string;
  /** Aborting ends the whole process tree. */
  signal: AbortSignal;
  /** Called as output arrives, stdout and stderr in order of arrival, decoded. */
  onOutput(text: string): void;
  /** It has been silent for a while and waits for someone to type; `prompt` is its last line. Undefined: it goes on. */
  onWaiting(prompt: string | undefined): void;
}

export type CommandEnd =
  /** `left`: what it had left running, each as its command line; it has been ended. */
  | { type: "exit"; code: number; left: string[] }
  | { type: "signal"; signal: string }
  | { type: "aborted" }
  | { type: "failed"; message: string };

export interface Terminal {
  /** When it answers, no process of the tree is left, however it ended. Never rejects. */
  run(command: ShellCommand): Promise<CommandEnd>;
  /** The shell's name, for the prompt: "bash", "pwsh". */
  readonly shell: string;
}

/** A command that a call waits for. */
export interface CallCommand extends Pick<ShellCommand, "command" | "cwd" | "signal"> {
  /** ms */
  timeout: number;
  /** The last lines of its output and how many there are in all; at once, then a few times a second. */
  progress(text: string, lines: number): void;
}

/** How a command ended for the call that waited for it. */
export interface CommandOutcome {
  end: CommandEnd | { type: "timeout" } | { type: "waiting"; prompt: string } | { type: "detached"; id: string };
  /** Made short. */
  output: string;
  /** The file that holds all of it, when it was cut. */
  outputFile: string | undefined;
}

/** The commands of a session. */
export interface Background {
  /** Runs a command that a call waits for, until it ends or is let go with `detach`. Never rejects. */
  run(command: CallCommand, callID: string): Promise<CommandOutcome>;
  /** Those in the background, oldest first; those that have ended, too. */
  list(): readonly BackgroundCommand[];
  /**
   * Starts a command that runs while the agent does other things, and answers at once. It has no time limit, and ends with
   * the session at the latest.
   * @throws ToolError when too many run already
   */
  start(command: Pick<ShellCommand, "command" | "cwd">, callID: string): BackgroundCommand;
  /** What it has put out since it was read last, made short, and where all of it is. Undefined: there is no such command. */
  read(id: string): { text: string; outputFile: string | undefined } | undefined;
  /** Ends its whole process tree. @returns whether it was running */
  kill(id: string): Promise<boolean>;
  /** Lets the command of a call that runs go on in the background: the call is answered at once. @returns whether it could be done */
  detach(callID: string): boolean;
  /** Ends the command of a call that runs; the turn goes on. @returns whether it ran */
  endCall(callID: string): boolean;
  /** Those that ended by themselves since this was asked last: the model is to hear of each once. */
  takeEnded(): BackgroundCommand[];
  /** @returns a function that ends the listening. Called at most a few times a second */
  listen(listener: () => void): () => void;
  /** Ends all. Resolves when no process of any is left. */
  endAll(): Promise<void>;
}

/** What the editor knows of the code; there is none in a headless run. */
export interface Editor {
  /** Whether the file (absolute path) is open, so that all its problems are known; of others the editor may know none. */
  watches(path: string): Promise<boolean>;
  /** Of one file (absolute path), or of all files. */
  problems(path: string | undefined): Promise<Problem[]>;
  /** As `problems`, once they have settled after a change, or after `timeout` ms at the latest. */
  settledProblems(path: string, timeout: number, signal: AbortSignal): Promise<Problem[]>;
  /** Where the symbol that is named on this line (from 1) is defined. */
  definition(path: string, line: number, symbol: string): Promise<CodePlace[]>;
  references(path: string, line: number, symbol: string): Promise<CodePlace[]>;
  /** Symbols of the workspace whose names fit the query; of one file, all of them, when `path` is given. */
  symbols(query: string, path: string | undefined): Promise<CodeSymbol[]>;
}

export interface Problem {
  /** Absolute. */
  path: string;
  /** From 1. */
  line: number;
  column: number;
  severity: "error" | "warning" | "info" | "hint";
  message: string;
  /** "ts(2304)", "eslint"; empty where it is not known. */
  source: string;
}

export interface CodePlace {
  /** Absolute. */
  path: string;
  /** From 1. */
  line: number;
  /** The text of that line. */
  text: string;
}

export interface CodeSymbol extends CodePlace {
  name: string;
  /** "class", "function", … */
  kind: string;
  /** The symbol that it is in; empty for none. */
  container: string;
}

export interface TextSearch {
  /**
   * Runs ripgrep with these arguments in `cwd`. Exit code 1 means "nothing found". `stdout` is cut at `limit` characters.
   * `take` is given the output in pieces, as it comes; `stdout` is empty then.
   */
  ripgrep(
    args: readonly string[],
    cwd: string,
    limit: number,
    signal: AbortSignal,
    take?: (text: string) => void,
  ): Promise<{ code: number; stdout: string; stderr: string; cut: boolean }>;
}

/** Where the whole of a long output is kept (T9). */
export interface Overflow {
  /** Answers with the absolute path of the file. */
  keep(callID: string, text: string): Promise<string>;
  /** For output that comes in pieces and may be too much to hold. */
  open(callID: string): OverflowFile;
  /** Whether `path` (absolute, after links) is a file kept here: the model may read it without a question. */
  holds(path: string): boolean;
}

export interface OverflowFile {
  /** Absolute. */
  readonly path: string;
  /** Whether all so far was kept: the disk may be full, or the output endless. */
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
