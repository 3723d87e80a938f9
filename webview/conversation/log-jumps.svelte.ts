/** Jumps by keys, to messages that are in the page, that are not, and that only the host has. */
import { tick, untrack } from "svelte";
import { isPrompt } from "../../src/chat/words.ts";
import { panel } from "../panel/panel.svelte.ts";
import type { LogRow } from "./log-rows.ts";
import type { LogScroll } from "./log-scroll.svelte.ts";

/** A jump that waits for earlier messages: to the first one, or to the prompt before a row. */
type WaitingJump = { to: "first" } | { to: "prompt"; before: string };

const isUsers = (row: LogRow) => row.type === "user" && isPrompt(row.entry.parts);

export class LogJumps {
  readonly #rows: () => readonly LogRow[];
  readonly #scroll: LogScroll;
  #waiting = $state.raw<WaitingJump>();

  readonly #log: () => HTMLElement;

  /** `rows` is read reactively. */
  constructor(rows: () => readonly LogRow[], scroll: LogScroll, log: () => HTMLElement) {
    this.#rows = rows;
    this.#scroll = scroll;
    this.#log = log;
  }

  toFirst(): void {
    panel.earlier.hurry();
    this.#waiting = { to: "first" };
  }

  toLast(): void {
    this.#waiting = undefined;
    this.#scroll.toEnd();
    const stops = () => this.#log().querySelectorAll<HTMLElement>("[data-stop]:not([role=toolbar])");
    void tick().then(() => [...stops()].at(-1)?.focus());
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
    const stop = () => this.#scroll.element(key)?.querySelector<HTMLElement>("[data-stop]");
    void tick().then(() => stop()?.focus({ preventScroll: true }));
  }
}
