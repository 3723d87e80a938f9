/** The text that the user writes into the composer while a question is open. */
import type { AnswerField } from "../panel/panel.svelte.ts";

export class AnswerWords implements AnswerField {
  readonly label: string;
  text = $state("");
  readonly filled = $derived.by(() => this.text.trim() !== "");
  #taken = "";

  constructor(label: string) {
    this.label = label;
  }

  get unsent(): string {
    return this.text === this.#taken ? "" : this.text;
  }

  /** Returns the words for an answer. */
  take(): string {
    this.#taken = this.text;
    return this.text.trim();
  }
}
