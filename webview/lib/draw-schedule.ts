/** When the panel draws what the host has sent. */
import type { ToPanel } from "../../src/chat/protocol.ts";

const hiddenIntervalMs = 100;
/** A longer update is followed by a rest of the same length, up to a limit. */
const cheapUpdateMs = 8;
const longestRestMs = 40;
/** While the user types, streamed text is drawn once in this time, so that most letters have their frame alone. */
const typingIntervalMs = 150;
/** The user types when the last key is not older. */
const typingMs = 300;

/** Whether a message is only text that streams, which may wait for keys. */
export const isStreamedText = (message: ToPanel): boolean =>
  message.type === "events" && message.events.every(({ type }) => type === "delta");

/** Draws at most once per frame, and rests after a slow update, so that typing and scrolling stay smooth. */
export class DrawSchedule {
  readonly #typedAt: () => number;
  readonly #drawAll: () => void;
  #restUntil = 0;
  #drawnAt = 0;
  /** Ends what is scheduled; undefined: nothing is. */
  #cancel: (() => void) | undefined;
  /** Whether only streamed text is scheduled. */
  #isText = false;

  /** @param typedAt returns when the user last typed; a performance time */
  constructor(typedAt: () => number, drawAll: () => void) {
    this.#typedAt = typedAt;
    this.#drawAll = drawAll;
  }

  /** @param isText whether it is only text that streams, which may wait for keys */
  request(isText: boolean): void {
    if (this.#cancel && (isText || !this.#isText)) return;
    this.#cancel?.();
    this.#isText = isText;
    const now = performance.now();
    const isTyping = isText && now - this.#typedAt() < typingMs;
    const rest = Math.max(this.#restUntil, isTyping ? this.#drawnAt + typingIntervalMs : 0) - now;
    // A hidden page gets no frames.
    if (document.hidden) this.#after(hiddenIntervalMs);
    else if (rest > 0) this.#after(rest);
    else this.#atFrame();
  }

  drawNow(): void {
    this.#cancel?.();
    this.#draw();
  }

  #after(ms: number): void {
    const timer = setTimeout(() => this.#draw(), ms);
    this.#cancel = () => clearTimeout(timer);
  }

  #atFrame(): void {
    const asked = performance.now();
    const frame = requestAnimationFrame(() => {
      // A task after the frame's callbacks: the letter is painted first.
      if (this.#isText && this.#typedAt() > asked) this.#after(0);
      else this.#draw();
    });
    this.#cancel = () => cancelAnimationFrame(frame);
  }

  #draw(): void {
    const start = performance.now();
    this.#cancel = undefined;
    this.#drawAll();
    this.#drawnAt = performance.now();
    const took = this.#drawnAt - start;
    this.#restUntil = took > cheapUpdateMs ? this.#drawnAt + Math.min(took, longestRestMs) : 0;
  }
}
