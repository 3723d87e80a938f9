/** Facts about a program. Anything left out is unknown, and then only its plain words are judged. */
import type { LaunchedCommand } from "../shell/visitor.ts";
import type { ShellWord } from "../shell/word.ts";
import type { ArgumentPattern, ProgramArguments } from "./arguments.ts";

export interface CommandFacts {
  /** Its effect, for the permission card, if its name does not say it. */
  effect?: string;
  /**
   * "ignored": its words never name files, and none make it do anything else. "read": it only reads the named files.
   */
  files?: "ignored" | "read";
  /** Arguments that make it run other code, so that only an exact rule allows them. */
  runsOtherCode?: ArgumentCondition;
  /** Arguments that make it do more than a rule for it means, so that only an exact rule allows them. */
  exceeds?: ArgumentCondition;
  /** Options whose values are written files, or the files themselves. */
  writes?: ArgumentPattern | ((words: ProgramArguments) => string[]);
  /**
   * Returns what it certainly changes, although a rule for it allows that: for rules that deny or ask for changes.
   * Without, or for undefined, it may change any file that its words name, unless it only reads.
   */
  changes?: (words: ProgramArguments) => ChangedPath[] | undefined;
  /** Arguments that make it read everything in the named folders, or in the current one. */
  readsRecursively?: ArgumentPattern | ((words: ProgramArguments) => RecursiveRead | undefined);
  /**
   * Options before its sub-command, in the notation of `leadingOptions`. With any other, only an exact rule allows it.
   */
  options?: string;
  /** `options` that do not affect the sub-command; any other counts as unknown. */
  harmlessOptions?: string;
  /** Further options there, known only for rules that deny or ask. */
  readOptions?: string;
  subcommands?: Readonly<Record<string, CommandFacts>>;
  /** How it reads an unlisted sub-command: as an alias, or as a unique abbreviation. Any other may run anything. */
  unlisted?: "alias" | "abbreviation";
  /** Whether it takes abbreviations of sub-commands, for rules that deny or ask. */
  abbreviates?: true;
  /** Further names of sub-commands, for rules that deny or ask: `remove|rm`. */
  aliases?: string;
  /** Names of options, for rules that deny or ask: `-f|--force`. */
  optionNames?: string;
  /** Whether rules name its first word, as in `make test`. Implied by `options` and `subcommands`. */
  hasSubcommands?: true;
}

type ArgumentCondition = "always" | ArgumentPattern | ((words: ProgramArguments) => boolean);

export interface Program extends CommandFacts {
  /** Whether nothing in its folder makes it run other code. Implied by `files` without `runsOtherCode`. */
  isSelfContained?: true;
  /** Whether its names may end with a version: `python3.12`. */
  isVersioned?: true;
  /** Whether it treats a file named `-x`, from a wildcard, as an option. Unknown programs may. */
  globsCanBeOptions?: true;
  /** The first word is a pattern, not a file, unless one of these options gives it. */
  patternUnless?: ArgumentPattern;
  /** Whether each plain word names a sub-command: `make -j4 build deploy`. */
  takesTargets?: true;
  /** Words that may stand before a sub-command without changing it: `gcloud beta compute`. */
  skippedWords?: string;
  /** Whether it runs a file that it is given as a program of its own, or with `-m` a module. */
  runsFile?: true;
  /** Whether it runs a program that its words name. */
  launches?: true;
  /** Whether it runs code in a file that its words name, and thus in a stream: `make -f -`. */
  runsStreams?: true;
  /** Whether it uses the repository of its folder, whose settings can run code, and names files as `HEAD:a.ts`. */
  usesRepository?: true;
  /** Where it reads names of files from, besides its words: standard input, or a file; undefined for nowhere. */
  readsNamesFrom?: (words: ProgramArguments) => NameSource | undefined;
  /** Options before a command that it runs, and the number of its own words between them; or a function for it. */
  wraps?:
    | { options: string; operands?: number }
    | ((
        words: readonly ShellWord[],
        input: string | undefined,
        inputShapes: readonly string[],
      ) => LaunchedCommand[] | undefined);
  /** Examples, run as tests: allowed by a rule for the program with any words. */
  allowed?: readonly string[];
  /** Examples, run as tests: ask despite such a rule. */
  asks?: readonly string[];
}

/** Keys are the names of programs that share these facts, separated by spaces; `install|i` names one of them twice. */
export type Programs = Readonly<Record<string, Program>>;

export interface ChangedPath {
  /** A file or folder. */
  path: string;
  /** If the path is a folder, only what goes into it by these names is changed. */
  names?: readonly string[];
}

export type NameSource = "input" | "file";

export interface RecursiveRead {
  isRead(path: string): boolean;
  /** Whether it also reads files that git ignores. */
  ignored: boolean;
  /** Whether it reads everything in the current folder if no path is named. */
  readsHere: boolean;
}

export const allFiles: RecursiveRead = { isRead: () => true, ignored: true, readsHere: true };
