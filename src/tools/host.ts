/** The world as tools see it. Tools touch nothing else: Node and VS Code each give one `Host`. */

/** Where a path leads, symbolic links resolved (for the nearest existing parent of a new file, too). */
export interface Location {
  /** Absolute, after links. */
  path: string;
  /** As shown and as matched by rules: relative to its workspace folder with `/`, else absolute. */
  relative: string;
  /** Whether it lies in one of the workspace's folders. */
  inside: boolean;
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

export interface Workspace {
  /** Absolute paths of the open folders, the first is where commands run. */
  readonly folders: readonly string[];
  /** Whether the user trusts it; where not, nothing is written and nothing is run. */
  readonly trusted: boolean;
  /** Takes absolute paths, `~/…`, and paths relative to the first folder. */
  locate(path: string): Promise<Location>;
  /**
   * The answer says what is found at the path, be it nothing.
   * @throws ToolError only when it is there but cannot be read
   */
  open(path: string, signal: AbortSignal): Promise<FileKind>;
  /**
   * Replaces the text of a file, or makes it and its parents. Keeps encoding, BOM and mode; `text` holds the line
   * endings to write. Answers with the text afterwards, which a formatter may have changed.
   * @throws ToolError when the file is not what `expected` says it is (its version, or "missing"), or cannot be written.
   */
  write(location: Location, text: string, expected: string | "missing", signal: AbortSignal): Promise<TextFile>;
}

export interface Command {
  command: string;
  cwd: string;
  /** ms */
  timeout: number;
  /** Aborting ends the whole process tree. */
  signal: AbortSignal;
  /** Called as output arrives, stdout and stderr in order of arrival, decoded. */
  onOutput(text: string): void;
}

export type CommandEnd =
  | { type: "exit"; code: number }
  | { type: "signal"; signal: string }
  | { type: "timeout" }
  | { type: "aborted" }
  | { type: "failed"; message: string };

export interface Terminal {
  /** Runs in a process group of its own. When it answers, no process of the tree is left (save on `exit`, where children that the command left behind in the background are ended too). */
  run(command: Command): Promise<CommandEnd>;
  /** The shell's name, for the prompt: "bash", "pwsh". */
  readonly shell: string;
}

export interface Search {
  /** Runs ripgrep with these arguments in `cwd`. Exit code 1 means "nothing found". `stdout` is cut at `limit` characters. */
  ripgrep(
    args: readonly string[],
    cwd: string,
    limit: number,
    signal: AbortSignal,
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
  append(text: string): void;
  /** Answers whether all of it was kept: the disk may be full, or the output endless. */
  close(): boolean;
}

export interface Host {
  readonly workspace: Workspace;
  readonly terminal: Terminal;
  readonly search: Search;
  readonly overflow: Overflow;
}
