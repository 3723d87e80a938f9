/** The command of a question while the user changes it: its text, and what the rules make of it. */
import type { CommandPart } from "../../src/chat/requests.ts";
import { Debounce } from "../lib/debounce.ts";
import { panel } from "../lib/panel.svelte.ts";
import { send } from "../lib/vscode-api.ts";

export class CommandEdit {
  text = $state<string>();
  readonly #requestID: string;
  readonly #command: string;
  readonly #asked: readonly CommandPart[];
  readonly #debounce = new Debounce();

  readonly #judged = $derived.by(() =>
    panel.judged?.requestID === this.#requestID ? panel.judged.judgement : undefined,
  );
  readonly changed = $derived.by(() => this.text !== undefined && this.text !== this.#command);
  /** Parts of the last judged text. */
  readonly parts = $derived.by(() => (this.changed && this.#judged ? this.#judged.parts : this.#asked));
  readonly stale = $derived.by(() => this.changed && this.#judged?.command !== this.text);
  readonly possible = $derived.by(
    () => !this.changed || (this.text?.trim() !== "" && (this.stale || this.#judged?.decision !== "deny")),
  );

  constructor(requestID: string, command: string, parts: readonly CommandPart[]) {
    this.#requestID = requestID;
    this.#command = command;
    // A command that could not be parsed is one part.
    const whole: CommandPart = { text: command, permission: "bash", effect: "", decision: "ask", why: "" };
    this.#asked = parts.length > 0 ? parts : [whole];
  }

  open(): void {
    this.text = this.#command;
  }

  close(): void {
    this.#debounce.cancel();
    this.text = undefined;
  }

  write(text: string): void {
    this.text = text;
    if (!this.changed || text.trim() === "") this.#debounce.cancel();
    else this.#debounce.run(() => send({ type: "judge", requestID: this.#requestID, command: text }));
  }
}
