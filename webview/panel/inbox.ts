/** What the host has sent: taken in order and without gaps, and drawn when the schedule says so. */
import { flushSync } from "svelte";
import type { ToPanel } from "../../src/chat/protocol.ts";
import { DrawSchedule, isStreamedText } from "./draw-schedule.ts";
import { send } from "./vscode-api.ts";

/** The number of the last message while a snapshot is waited for, without which no other message is taken. */
const beforeSnapshot = -1;

export class Inbox {
  #seq = beforeSnapshot;
  #messages: ToPanel[] = [];
  readonly #schedule: DrawSchedule;

  /** `take` is called with each message, in order, when it is to be drawn. */
  constructor(take: (message: ToPanel) => void) {
    this.#schedule = new DrawSchedule(() =>
      flushSync(() => {
        for (const message of this.#messages.splice(0)) take(message);
      }),
    );
  }

  /** When the user last typed in the composer; a performance time. */
  get typedAt(): number {
    return this.#schedule.typedAt;
  }

  /** The user has typed a letter. */
  typed(): void {
    this.#schedule.typed();
  }

  /** Keeps a message for the next frame. A gap in the numbers requests a new snapshot. */
  receive(message: ToPanel): void {
    if (message.type === "snapshot") this.#messages = [];
    else if (message.seq <= this.#seq || this.#seq === beforeSnapshot) return;
    else if (message.seq !== this.#seq + 1) {
      this.requestSnapshot();
      return;
    }
    this.#seq = message.seq;
    this.#messages.push(message);
    this.#schedule.request(isStreamedText(message));
  }

  /** Requests a new snapshot. No other message is taken before it. */
  requestSnapshot(): void {
    this.#seq = beforeSnapshot;
    send({ type: "ready" });
  }

  /** Draws what was received without waiting for a frame. */
  drawNow(): void {
    this.#schedule.drawNow();
  }
}
