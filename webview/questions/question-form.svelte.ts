/** The answers to the questions of a model, while they are given: one question at a time. */

import type { Question } from "../../src/chat/requests.ts";
import { t } from "../../src/l10n/l10n.ts";
import type { AnswerField } from "../panel/panel.svelte.ts";

export class QuestionForm implements AnswerField {
  readonly label = t("Something else");
  readonly placeholder = t("Or answer in your own words");
  readonly questions: readonly Question[];
  at = $state(0);
  /** For each question: the labels that are chosen, and what is said instead or besides. */
  readonly #chosen: string[][] = $state([]);
  readonly #other: string[] = $state([]);
  #sent = false;

  readonly question = $derived.by(() => this.questions[this.at]);
  readonly last = $derived.by(() => this.at >= this.questions.length - 1);
  readonly answered = $derived.by(() => (this.choices[this.at]?.length ?? 0) > 0);
  readonly choices = $derived.by(() =>
    this.questions.map((_, at) => [...(this.#chosen[at] ?? []), this.#other[at]?.trim() ?? ""].filter(Boolean)),
  );

  constructor(questions: readonly Question[]) {
    this.questions = questions;
    this.#chosen = questions.map(() => []);
    this.#other = questions.map(() => "");
  }

  has(label: string): boolean {
    return this.#chosen[this.at]?.includes(label) ?? false;
  }

  /** Chooses an option; where several may be, takes it back when it was chosen. */
  pick(label: string): void {
    const before = this.#chosen[this.at] ?? [];
    if (!this.question?.multiple) {
      this.#chosen[this.at] = [label];
      this.#other[this.at] = "";
    } else if (before.includes(label)) this.#chosen[this.at] = before.filter((other) => other !== label);
    else this.#chosen[this.at] = [...before, label];
  }

  get text(): string {
    return this.#other[this.at] ?? "";
  }

  set text(words: string) {
    this.#other[this.at] = words;
    if (words.trim() !== "" && !this.question?.multiple) this.#chosen[this.at] = [];
  }

  get unsent(): string {
    return this.#sent ? "" : this.#other.filter(Boolean).join("\n");
  }

  /** Returns the choices for an answer: for each question the chosen labels, then the user's own words. */
  take(): string[][] {
    this.#sent = true;
    return this.choices;
  }
}
