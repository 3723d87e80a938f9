/** What is known about a program. Everything that is left out is unknown, and then only its plain words are judged. */
import type { LaunchedCommand } from "../shell/visitor.ts";
import type { Word } from "../shell/word.ts";
import type { Given, Words } from "./arguments.ts";

export interface CommandFacts {
  /** What it does, for the permission card, where its name does not say it. */
  effect?: string;
  /** "ignored": its words never name files, and no words make it do anything else. "read": it only reads the files that they name. */
  files?: "ignored" | "read";
  /** Arguments with which it runs other code or does more than a rule means, so that only an exact rule allows it. */
  runsOtherCode?: "always" | Given | ((words: Words) => boolean);
  /** Options whose values are files that it writes, or the files themselves. */
  writes?: Given | ((words: Words) => string[]);
  /** Arguments with which it reads everything below the folders that it names, or below the one where it runs. */
  readsRecursively?: Given | ((words: Words) => Recursion | undefined);
  /**
   * Options that may stand before its sub-command, in the notation of `leadingOptions`. Any other may hide the sub-command, so
   * that only an exact rule allows it.
   */
  options?: string;
  /** Those of `options` that change nothing about the sub-command; any other counts as unknown. */
  harmlessOptions?: string;
  subcommands?: Readonly<Record<string, CommandFacts>>;
  /** How it takes a sub-command that is not listed: as an alias, or as the only one that starts so. Any other may run anything. */
  unlisted?: "alias" | "abbreviation";
  /** Whether rules name its first word, as in `make test`. Implied by `options` and `subcommands`. */
  hasSubcommands?: true;
}

export interface Program extends CommandFacts {
  /** Whether its names may end with a version: `python3.12`. */
  isVersioned?: true;
  /** Whether it takes a file named `-x`, which the shell puts in the place of a wildcard, for an option. Unknown programs may. */
  globsCanBeOptions?: true;
  /** The first word is a pattern, not a file, unless one of these options gives it. */
  patternUnless?: Given;
  /** Such an option before the sub-command that rules need not name. */
  overlookedOption?: string;
  /** Whether it works on the repository around its folder, whose settings can run code, and names files as `HEAD:a.ts`. */
  usesRepository?: true;
  /** Options before a command that it runs, and how many words of its own stand between the two; or what it runs. */
  wraps?:
    | { options: string; operands?: number }
    | ((words: readonly Word[], input: string | undefined) => LaunchedCommand[]);
  /** Examples, run as tests: allowed where a rule allows the program with any words. */
  allowed?: readonly string[];
  /** Examples, run as tests: permission is asked for in spite of such a rule. */
  asks?: readonly string[];
}

/** By the names of programs that share these facts, separated by spaces; `install|i` has an alias. */
export type Programs = Readonly<Record<string, Program>>;

export interface Recursion {
  isRead(path: string): boolean;
  /** Whether it also reads files that git ignores. */
  ignored: boolean;
}

export const allFiles: Recursion = { isRead: () => true, ignored: true };
