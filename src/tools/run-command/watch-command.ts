/** Looking at a running command from time to time. */
import type { ShellCommand } from "../host.ts";
import { isWaiting } from "./input-detection.ts";
import { PlainTextRenderer } from "./plain-text.ts";
import { membersOf, type ProcessTree } from "./process-tree.ts";

/** ms without output after which a command is taken to wait, if it looks like it. */
export const defaultSilenceMs = 5_000;
/** ms until the first look; the time doubles from look to look. */
const firstCheckMs = 100;
const maxPauseMs = 2_000;
const editorWarning = "Vim: Warning: Input is not from a terminal";
/** Characters of the output in which its last line is looked for. */
const recentLength = 2_000;

/**
 * Sees what belongs to the tree, to know it again where its parents are gone, and whether the command waits for someone to
 * type, which `onWaiting` is told.
 */
export class CommandWatch {
  readonly #tree: ProcessTree;
  readonly #silence: number;
  readonly #onWaiting: ShellCommand["onWaiting"];
  #recent = "";
  /** It is an editor, which says so and then waits at a place where it cannot be seen to. */
  #isEditor = false;
  #wroteAt = Date.now();
  #isWaiting = false;
  #pause = firstCheckMs;
  #timer: NodeJS.Timeout | undefined;

  constructor(tree: ProcessTree, silence: number, onWaiting: ShellCommand["onWaiting"]) {
    this.#tree = tree;
    this.#silence = silence;
    this.#onWaiting = onWaiting;
    this.#timer = setTimeout(() => this.#look(), this.#pause);
  }

  wrote(text: string): void {
    this.#recent = (text.length > recentLength ? text : this.#recent + text).slice(-recentLength);
    this.#isEditor ||= text.includes(editorWarning);
    this.#wroteAt = Date.now();
    if (this.#isWaiting) this.#tell(undefined);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    const members = await membersOf(this.#tree);
    // It was stopped meanwhile.
    if (!this.#timer) return;
    this.#pause = Math.min(2 * this.#pause, maxPauseMs);
    this.#timer = setTimeout(() => this.#look(), this.#pause);
    if (Date.now() - this.#wroteAt < this.#silence) return;
    const line = this.#isEditor ? editorWarning : openLine(this.#recent);
    const waits = this.#isEditor || isWaiting(members, line);
    if (waits !== this.#isWaiting) this.#tell(waits ? line : undefined);
  }

  #tell(prompt: string | undefined): void {
    this.#isWaiting = prompt !== undefined;
    this.#onWaiting(prompt);
  }
}

/** The last line, which has no end. */
function openLine(text: string): string {
  const lines = new PlainTextRenderer(() => {});
  lines.push(text);
  return lines.open;
}
