/** Checks a running command from time to time. */
import type { ShellCommand } from "../host.ts";
import { isWaiting } from "./input-detection.ts";
import { PlainTextRenderer } from "./plain-text.ts";
import { membersOf, type ProcessTree } from "./process-tree.ts";

/** Silence after which a command may count as waiting for input. */
export const defaultSilenceMs = 5_000;
/** The same for a prompt that the user has to answer, and should be told of soon. */
const passwordSilenceMs = 1_000;
/** Time until the first check; it doubles with each check. */
const firstCheckMs = 100;
const maxPauseMs = 2_000;
const editorWarning = "Vim: Warning: Input is not from a terminal";
const recentLength = 2_000;

interface WatchOptions {
  /** Silence after which it may count as waiting for input. */
  silenceMs: number;
  onWaiting: ShellCommand["onWaiting"];
  /** Whether the user can answer a prompt where the command runs. */
  isForUser(prompt: string): Promise<boolean>;
  /** Called each time after the members were looked for. */
  onLook(): void;
}

/** Records the tree's members, to recognize them once their parents have ended, and tells when it waits for input. */
export class CommandWatch {
  readonly #tree: ProcessTree;
  readonly #silence: number;
  readonly #onWaiting: ShellCommand["onWaiting"];
  readonly #isForUser: (prompt: string) => Promise<boolean>;
  readonly #onLook: () => void;
  #recent = "";
  /** Whether it is Vim, which prints a warning and then waits undetectably. */
  #isEditor = false;
  #wroteAt = Date.now();
  #isWaiting = false;
  #pause = firstCheckMs;
  #timer: NodeJS.Timeout | undefined;

  constructor(tree: ProcessTree, { silenceMs, onWaiting, isForUser, onLook }: WatchOptions) {
    this.#tree = tree;
    this.#silence = silenceMs;
    this.#onWaiting = onWaiting;
    this.#isForUser = isForUser;
    this.#onLook = onLook;
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
    this.#onLook();
    this.#pause = Math.min(2 * this.#pause, maxPauseMs);
    this.#timer = setTimeout(() => this.#look(), this.#pause);
    const wroteAt = this.#wroteAt;
    const silentMs = Date.now() - wroteAt;
    if (silentMs < Math.min(this.#silence, passwordSilenceMs)) return;
    const line = this.#isEditor ? editorWarning : openLine(this.#recent);
    const waits = this.#isEditor || isWaiting(members, line);
    if (waits === this.#isWaiting) return;
    const by = waits && (await this.#isForUser(line)) ? "user" : "nobody";
    // It may have written, or have ended, in the meantime.
    if (!this.#timer || this.#wroteAt !== wroteAt) return;
    if (by === "user" || silentMs >= this.#silence) this.#tell(waits ? line : undefined, by);
  }

  #tell(prompt: string | undefined, by: "nobody" | "user" = "nobody"): void {
    this.#isWaiting = prompt !== undefined;
    this.#onWaiting(prompt, by);
  }
}

function openLine(text: string): string {
  const lines = new PlainTextRenderer(() => {});
  lines.push(text);
  return lines.open;
}
