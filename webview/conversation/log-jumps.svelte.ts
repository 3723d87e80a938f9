/** Jumps by keys, to messages that are in the page, that are not, and that only the host has. */
import { tick, untrack } from "svelte";
import { isPrompt } from "../../src/chat/words.ts";
import type { LogRow } from "../lib/log-rows.ts";
import { panel } from "../lib/panel.svelte.ts";
import type { LogScroll } from "./log-scroll.svelte.ts";

/** A jump that waits for earlier messages: to the first one, or to the prompt before a row. */
type WaitingJump = { to: "first" } | { to: "prompt"; before: string };

const isUsers = (row: LogRow) => row.type === "user" && isPrompt(row.entry.parts);

export class LogJumps {
  readonly #rows: () => readonly LogRow[];
  readonly #scroll: LogScroll;
  #waiting = $state.raw<WaitingJump>();

  /** `rows` is read reactively. */
  constructor(rows: () => readonly LogRow[], scroll: LogScroll) {
    this.#rows = rows;
    this.#scroll = scroll;
  }

  toFirst(): void {
    panel.earlier.hurry();
    this.#waiting = { to: "first" };
  }

  toLast(): void {
    this.#waiting = undefined;
    this.#scroll.toEnd();
    void tick().then(() => this.#focus(this.#rows().at(-1)?.key ?? "", -1));
  }

  /** Goes to the user's message before the row `from`. */
  toPromptBefore(from: number): void {
    const rows = this.#rows();
    const found = rows.slice(0, from).findLast(isUsers);
    const row = rows[from];
    this.#waiting = undefined;
    if (found) {
      this.#go(found);
      return;
    }
    panel.earlier.hurry();
    if (row && panel.earlier.missing > 0) this.#waiting = { to: "prompt", before: row.key };
  }

  /** Goes to the user's message after the row `from`; after the last one, to the message box. */
  toPromptAfter(from: number): void {
    this.#waiting = undefined;
    const found = this.#rows()
      .slice(from + 1)
      .find(isUsers);
    if (found) {
      this.#go(found);
      return;
    }
    this.#scroll.toEnd();
    panel.field?.focus();
  }

  /** Call this in an effect: does a jump that waits, if what it waits for has come. */
  follow(): void {
    const rows = this.#rows();
    const waiting = this.#waiting;
    const [first] = rows;
    if (!waiting || !first) return;
    const isWhole = panel.earlier.missing === 0;
    const end = waiting.to === "prompt" ? rows.findIndex(({ key }) => key === waiting.before) : 0;
    const found = waiting.to === "prompt" ? rows.slice(0, end).findLast(isUsers) : isWhole ? first : undefined;
    if (found || isWhole) this.#waiting = undefined;
    if (found) untrack(() => this.#go(found));
  }

  #go({ key }: LogRow): void {
    this.#scroll.show(key, 0);
    void tick().then(() => this.#focus(key, 0));
  }

  /** Gives the focus to a stop of the row: the first one, or with -1 the last one. */
  #focus(key: string, at: 0 | -1): void {
    const element = this.#scroll.element(key);
    const stops = [...(element?.querySelectorAll<HTMLElement>("[data-stop]") ?? [])];
    const stop = stops.at(at) ?? element?.closest<HTMLElement>("[data-stop]");
    stop?.focus({ preventScroll: true });
  }
}
