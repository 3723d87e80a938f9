/** Interface between the parts of the interpreter: what they report and what they let it run. */
import type { TextRange } from "../../../chat/requests.ts";
import type { SyntaxNode } from "./grammar.ts";
import type { Folders, ShellState } from "./state.ts";
import type { ShellWord } from "./word.ts";

export type ShellAction =
  /** Runs a program; its words are known as far as possible. `data`: what is known of the text that it reads. */
  | { type: "command"; words: ShellWord[]; folders: Folders; data?: string | undefined }
  /** Reports a text that cannot be parsed with certainty, so permission is asked for the text itself. */
  | { type: "unsupported"; text: string }
  | { type: "redirect"; access: "read" | "edit"; target: ShellWord; folders: Folders }
  /** Reads a text, such as a here-document, in one of several commands. */
  | { type: "data"; text: string }
  /** Names files without a command that needs permission: `cd src`, `[ -f x ]`. */
  | { type: "mention"; words: ShellWord[]; folders: Folders };

/** An action, and the place in the whole command that causes it: for nested code, that of the command with this code. */
export type PlacedAction = ShellAction & { range: TextRange };

export type LaunchedCommand =
  /**
   * A launched command. `unknown`: its standard input or folder differs from the program's. `folders`: the program changes
   * to these folders first.
   */
  | {
      type: "command";
      words: readonly ShellWord[];
      unknown?: readonly ("input" | "folder")[];
      folders?: readonly ShellWord[];
    }
  /** `parameters`: the values of `$0`, `$1` and so on. */
  | { type: "code"; text: string; parameters?: readonly ShellWord[] }
  /** Code that is known in parts only, as patterns. It may run anything; what its known parts do is reported as well. */
  | { type: "partly known code"; shapes: readonly string[] }
  | { type: "itself"; words: readonly ShellWord[] };

/**
 * Returns what a program launches; undefined for nothing. `input`: its standard input, with patterns for the words in it.
 * @throws UnsupportedSyntax
 */
export type Unwrap = (
  name: string,
  words: readonly ShellWord[],
  input: string | undefined,
  inputShapes: readonly string[],
) => LaunchedCommand[] | undefined;

export interface ShellVisitor {
  /** Whether the shell also evaluates arithmetic in `[`, `printf` and similar commands. */
  readonly evaluatesArithmetic: boolean;
  readonly unwrap: Unwrap;
  /** `node`: what the action is about; without it, the command that is visited. */
  emit(action: ShellAction, node?: SyntaxNode): void;
  /** Visits code in the arguments of a command. */
  code(text: string, state: ShellState): ShellState;
  substituted(nodes: readonly SyntaxNode[], state: ShellState): void;
  call(body: SyntaxNode, state: ShellState): ShellState;
}
