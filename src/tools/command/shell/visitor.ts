/** The interpreter as the parts of it see it: what they report, and what they ask it to run. */
import type { Syntax } from "./grammar.ts";
import type { ShellState } from "./state.ts";
import type { Word } from "./word.ts";

/** Folders in which relative paths may begin, as `cd` was given them; undefined: unknown. */
export type Folders = readonly string[] | undefined;

/** One thing that a command may do. */
export type Act =
  /** Runs a program; the words are known as far as they can be. */
  | { type: "command"; words: Word[]; folders: Folders }
  /** Cannot be read with certainty, so permission is asked for the text as it is. */
  | { type: "unsupported"; text: string }
  | { type: "redirect"; access: "read" | "edit"; target: Word; folders: Folders }
  /** Names files without a command that needs permission: `cd src`, `[ -f x ]`. */
  | { type: "mention"; words: Word[]; folders: Folders };

/** What a program runs because of its arguments. */
export type LaunchedCommand =
  /** Another command. `unknown`: its standard input or folder is not that of the program. */
  | { type: "command"; words: readonly Word[]; unknown?: readonly ("input" | "folder")[] }
  /** Code in the language of the shell. */
  | { type: "code"; text: string }
  /** The program itself, with these words. */
  | { type: "itself"; words: readonly Word[] };

/**
 * Returns what the command launches; undefined if its program launches nothing.
 * `input`: its standard input, where that is known.
 * @throws UnsupportedSyntax when that cannot be determined
 */
export type Unwrap = (name: string, words: readonly Word[], input: string | undefined) => LaunchedCommand[] | undefined;

export interface Visitor {
  /** Whether the shell evaluates arithmetic in `[`, `printf` and the like, too. */
  readonly computes: boolean;
  readonly unwrap: Unwrap;
  emit(act: Act): void;
  /** Visits code that stands in the arguments of a command. */
  code(text: string, state: ShellState): ShellState;
  /** Visits the inside of `$(…)` or `<(…)`. */
  substituted(nodes: readonly Syntax[], state: ShellState): void;
  /** Visits the body of a function that is called. */
  call(body: Syntax, state: ShellState): ShellState;
}
