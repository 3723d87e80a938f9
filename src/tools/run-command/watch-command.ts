/** Checks a running command from time to time. */
import type { ShellCommand } from "../host.ts";
import { isWaiting } from "./input-detection.ts";
import { PlainTextRenderer } from "./plain-text.ts";
import { membersOf, type ProcessTree } from "./process-tree.ts";

/** Silence after which a command may count as waiting for input. */
export const defaultSilenceMs = 5_000;
/** Time until the first check; it doubles with each check. */
const firstCheckMs = 100;
const maxPauseMs = 2_000;
const editorWarning = "Vim: Warning: Input is not from a terminal";
const recentLength = 2_000;

/** Records the tree's members, to recognize them once their parents have ended, and tells when it waits for input. */
export class CommandWatch {
  readonly #tree: ProcessTree;
  readonly #silence: number;
  readonly #onWaiting: ShellCommand["onWaiting"];
  #recent = "";
  /** Whether it is Vim, which prints a warning and then waits undetectably. */
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

function openLine(text: string): string {
  const lines = new PlainTextRenderer(() => {});
  lines.push(text);
  return lines.open;
}
