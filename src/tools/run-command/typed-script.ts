/**
 * The script of a command that is typed into the user's shell, and how it tells its own end. A terminal takes a mark in
 * the output for the end of a command (OSC 633 D, https://code.visualstudio.com/docs/terminal/shell-integration), and any
 * output can hold that mark: a recorded session, another shell.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

/** What a command's line names. */
export interface ScriptPlace {
  /** Path of the script. */
  script: string;
  /** Path of a file that gets the exit code. */
  code: string;
  /** Shown by no terminal; stands in the output after everything that the command wrote. */
  mark: string;
}

export interface TypedScript extends ScriptPlace {
  write(script: string): void;
  /** The exit code; undefined until the command has ended, and if it was ended before it could tell. */
  told(): Promise<number | undefined>;
  remove(): void;
}

/** @param id a random one, which no output can hold by chance */
export function typedScript(id: string): TypedScript {
  // A folder of this user alone.
  const folder = mkdtempSync(path.join(os.tmpdir(), "rondo-"));
  const script = path.join(folder, "run");
  const code = path.join(folder, "code");
  return {
    script,
    code,
    // Terminals ignore properties that they do not know.
    mark: `\x1b]633;P;RondoEnd=${id}\x07`,
    write: (text) => writeFileSync(script, text, { mode: 0o600 }),
    async told() {
      const text = await readFile(code, "utf8").catch(() => "");
      return /^\d+\n$/.test(text) ? Number(text) : undefined;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Passes on the output before the mark. What the shell writes after it, such as zsh's `%`, is not the command's. */
export class UntilMark {
  readonly #mark: string | undefined;
  readonly #onText: (text: string) => void;
  /** May be the beginning of the mark. */
  #held = "";
  #wasThere = false;

  /** @param mark undefined if there is none: then all output is passed on */
  constructor(mark: string | undefined, onText: (text: string) => void) {
    this.#mark = mark;
    this.#onText = onText;
  }

  /** Whether the mark was there, and with it all output; true if there is none. */
  get isComplete(): boolean {
    return this.#mark === undefined || this.#wasThere;
  }

  push(text: string): void {
    if (this.#wasThere) return;
    const all = this.#held + text;
    const at = this.#mark === undefined ? -1 : all.indexOf(this.#mark);
    this.#wasThere = at >= 0;
    const end = this.#wasThere ? at : all.length - heldLength(all, this.#mark ?? "");
    this.#held = this.#wasThere ? "" : all.slice(end);
    if (end > 0) this.#onText(all.slice(0, end));
  }

  /** Call this when no more output comes. */
  end(): void {
    const held = this.#held;
    this.#held = "";
    if (held !== "") this.#onText(held);
  }
}

/** Returns the length of the longest end of `text` with which `mark` begins. */
function heldLength(text: string, mark: string): number {
  let length = Math.max(0, Math.min(text.length, mark.length - 1));
  while (length > 0 && !mark.startsWith(text.slice(-length))) length--;
  return length;
}
