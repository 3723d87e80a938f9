/** The interpreter as the parts of it see it: what they report, and what they ask it to run. */
import type { Syntax } from "./grammar.ts";
import type { Folders, ShellState } from "./state.ts";
import type { Word } from "./word.ts";

export type Act =
  /** Runs a program; the words are known as far as they can be. */
  | { type: "command"; words: Word[]; folders: Folders }
  /** Cannot be read with certainty, so permission is asked for the text as it is. */
  | { type: "unsupported"; text: string }
  | { type: "redirect"; access: "read" | "edit"; target: Word; folders: Folders }
  /** Names files without a command that needs permission: `cd src`, `[ -f x ]`. */
  | { type: "mention"; words: Word[]; folders: Folders };

export type LaunchedCommand =
  /** Another command. `unknown`: its standard input or folder is not that of the program. */
  | { type: "command"; words: readonly Word[]; unknown?: readonly ("input" | "folder")[] }
  | { type: "code"; text: string }
  | { type: "itself"; words: readonly Word[] };

/** `input`: standard input, where known. @returns undefined if it launches nothing @throws UnsupportedSyntax if unclear */
export type Unwrap = (name: string, words: readonly Word[], input: string | undefined) => LaunchedCommand[] | undefined;

export interface Visitor {
  /** Whether the shell evaluates arithmetic in `[`, `printf` and the like, too. */
  readonly computes: boolean;
  readonly unwrap: Unwrap;
  emit(act: Act): void;
  /** Visits code that stands in the arguments of a command. */
  code(text: string, state: ShellState): ShellState;
  substituted(nodes: readonly Syntax[], state: ShellState): void;
  call(body: Syntax, state: ShellState): ShellState;
}
