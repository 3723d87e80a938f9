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
  /** Arguments that make it run other code or exceed what a rule means, so that only an exact rule allows them. */
  runsOtherCode?: "always" | ArgumentPattern | ((words: ProgramArguments) => boolean);
  /** Options whose values are written files, or the files themselves. */
  writes?: ArgumentPattern | ((words: ProgramArguments) => string[]);
  /** Arguments that make it read everything in the named folders, or in the current one. */
  readsRecursively?: ArgumentPattern | ((words: ProgramArguments) => RecursiveRead | undefined);
  /**
   * Options before its sub-command, in the notation of `leadingOptions`. With any other, only an exact rule allows it.
   */
  options?: string;
  /** `options` that do not affect the sub-command; any other counts as unknown. */
  harmlessOptions?: string;
  subcommands?: Readonly<Record<string, CommandFacts>>;
  /** How it reads an unlisted sub-command: as an alias, or as a unique abbreviation. Any other may run anything. */
  unlisted?: "alias" | "abbreviation";
  /** Whether rules name its first word, as in `make test`. Implied by `options` and `subcommands`. */
  hasSubcommands?: true;
}

export interface Program extends CommandFacts {
  /** Whether its names may end with a version: `python3.12`. */
  isVersioned?: true;
  /** Whether it treats a file named `-x`, from a wildcard, as an option. Unknown programs may. */
  globsCanBeOptions?: true;
  /** The first word is a pattern, not a file, unless one of these options gives it. */
  patternUnless?: ArgumentPattern;
  /** Options of `options` that rules need not name. */
  overlookedOption?: string;
  /** Whether it uses the repository of its folder, whose settings can run code, and names files as `HEAD:a.ts`. */
  usesRepository?: true;
  /** Options before a command that it runs, and the number of its own words between them; or a function for it. */
  wraps?:
    | { options: string; operands?: number }
    | ((words: readonly ShellWord[], input: string | undefined, inputShapes: readonly string[]) => LaunchedCommand[]);
  /** Examples, run as tests: allowed by a rule for the program with any words. */
  allowed?: readonly string[];
  /** Examples, run as tests: ask despite such a rule. */
  asks?: readonly string[];
}

/** Keys are the names of programs that share these facts, separated by spaces; `install|i` has an alias. */
export type Programs = Readonly<Record<string, Program>>;

export interface RecursiveRead {
  isRead(path: string): boolean;
  /** Whether it also reads files that git ignores. */
  ignored: boolean;
}

export const allFiles: RecursiveRead = { isRead: () => true, ignored: true };
