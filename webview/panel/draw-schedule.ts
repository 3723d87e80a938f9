/** When the panel draws what the host has sent. */
import type { ToPanel } from "../../src/chat/protocol.ts";

const hiddenIntervalMs = 100;
/** A longer update is followed by a rest of the same length, up to a limit. */
const cheapUpdateMs = 8;
const longestRestMs = 40;
/**
 * While the user types, streamed text is drawn at most once in this time, right after a letter: the frame that it needs
 * is over before the next letter comes, so that each letter has a frame at once.
 */
const typingIntervalMs = 100;
/** How much longer it waits for a letter. */
const letterPatienceMs = 100;
/** The user types when the last key is not older. */
const typingMs = 300;

/** Whether a message is only text that streams, which may wait for keys. */
export const isStreamedText = (message: ToPanel): boolean =>
  message.type === "events" && message.events.every(({ type }) => type === "delta");

/** Draws at most once per frame, and rests after a slow update, so that typing and scrolling stay smooth. */
export class DrawSchedule {
  #typedAt = Number.NEGATIVE_INFINITY;
  readonly #drawAll: () => void;
  #restUntil = 0;
  #drawnAt = 0;
  /** Ends what is scheduled; undefined: nothing is. */
  #cancel: (() => void) | undefined;
  /** Whether only streamed text is scheduled. */
  #isText = false;
  /** From when on what is scheduled is drawn after a letter; undefined: it does not wait for one. */
  #afterLetterFrom: number | undefined;

  constructor(drawAll: () => void) {
    this.#drawAll = drawAll;
  }

  /** When the user last typed; a performance time. */
  get typedAt(): number {
    return this.#typedAt;
  }

  /** The user has typed a letter. */
  typed(): void {
    this.#typedAt = performance.now();
    if (this.#afterLetterFrom === undefined || this.#typedAt < this.#afterLetterFrom) return;
    this.#cancelAll();
    const frame = requestAnimationFrame(() => this.#after(0));
    this.#cancel = () => cancelAnimationFrame(frame);
  }

  /** @param isText whether it is only text that streams, which may wait for keys */
  request(isText: boolean): void {
    if (this.#cancel && (isText || !this.#isText)) return;
    this.#cancelAll();
    this.#isText = isText;
    const now = performance.now();
    const rest = this.#restUntil - now;
    // A hidden page gets no frames.
    if (document.hidden) this.#after(hiddenIntervalMs);
    else if (isText && now - this.#typedAt < typingMs) this.#afterLetter(now);
    else if (rest > 0) this.#after(rest);
    else this.#atFrame();
  }

  drawNow(): void {
    this.#cancelAll();
    this.#draw();
  }

  #cancelAll(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#afterLetterFrom = undefined;
  }

  #afterLetter(now: number): void {
    this.#afterLetterFrom = Math.max(this.#restUntil, this.#drawnAt + typingIntervalMs);
    this.#after(Math.max(0, this.#afterLetterFrom - now) + letterPatienceMs);
  }

  #after(ms: number): void {
    const timer = setTimeout(() => this.#draw(), ms);
    this.#cancel = () => clearTimeout(timer);
  }

  #atFrame(): void {
    const asked = performance.now();
    const frame = requestAnimationFrame(() => {
      // A task after the frame's callbacks: the letter is painted first.
      if (this.#isText && this.#typedAt > asked) this.#after(0);
      else this.#draw();
    });
    this.#cancel = () => cancelAnimationFrame(frame);
  }

  #draw(): void {
    const start = performance.now();
    this.#cancel = undefined;
    this.#afterLetterFrom = undefined;
    this.#drawAll();
    this.#drawnAt = performance.now();
    const took = this.#drawnAt - start;
    this.#restUntil = took > cheapUpdateMs ? this.#drawnAt + Math.min(took, longestRestMs) : 0;
  }
}
