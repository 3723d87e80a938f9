/** Interface between the parts of the interpreter: what they report and what they let it run. */
import type { Syntax } from "./grammar.ts";
import type { Folders, ShellState } from "./state.ts";
import type { Word } from "./word.ts";

export type Act =
  /** Runs a program; its words are known as far as possible. */
  | { type: "command"; words: Word[]; folders: Folders }
  /** Reports a text that cannot be parsed with certainty, so permission is asked for the text itself. */
  | { type: "unsupported"; text: string }
  | { type: "redirect"; access: "read" | "edit"; target: Word; folders: Folders }
  /** Names files without a command that needs permission: `cd src`, `[ -f x ]`. */
  | { type: "mention"; words: Word[]; folders: Folders };

export type LaunchedCommand =
  /** A launched command. `unknown`: its standard input or folder differs from the program's. */
  | { type: "command"; words: readonly Word[]; unknown?: readonly ("input" | "folder")[] }
  | { type: "code"; text: string }
  | { type: "itself"; words: readonly Word[] };

/** Returns what a program launches; undefined for nothing. `input`: its standard input. @throws UnsupportedSyntax */
export type Unwrap = (name: string, words: readonly Word[], input: string | undefined) => LaunchedCommand[] | undefined;

export interface Visitor {
  /** Whether the shell also evaluates arithmetic in `[`, `printf` and similar commands. */
  readonly computes: boolean;
  readonly unwrap: Unwrap;
  emit(act: Act): void;
  /** Visits code in the arguments of a command. */
  code(text: string, state: ShellState): ShellState;
  substituted(nodes: readonly Syntax[], state: ShellState): void;
  call(body: Syntax, state: ShellState): ShellState;
}
