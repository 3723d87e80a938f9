/** Watches one request for silence (H6): first tells the user, later aborts the request. */
import { msg } from "../../l10n/l10n.ts";
import { ModelError } from "../model.ts";
import type { Turn } from "../turn.ts";

type WatchedTurn = Pick<Turn, "signal" | "limits" | "emit" | "onRetryNow">;

export class Watchdog {
  readonly #turn: WatchedTurn;
  readonly #controller = new AbortController();
  readonly #abort = () => this.#controller.abort(this.#turn.signal.reason);
  readonly #started = Date.now();
  #last = this.#started;
  #onFirstByte: ((afterMs: number) => void) | undefined;
  #timer: ReturnType<typeof setTimeout>;
  #told = false;
  #endRetryNow: (() => void) | undefined;
  stalled: ModelError | undefined;

  constructor(turn: WatchedTurn, onFirstByte: (afterMs: number) => void) {
    this.#turn = turn;
    this.#onFirstByte = onFirstByte;
    if (turn.signal.aborted) this.#abort();
    turn.signal.addEventListener("abort", this.#abort, { once: true });
    this.#timer = setTimeout(() => this.#look(), turn.limits.stallNoticeMs);
  }

  /** Aborted by Stop and by long silence. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Called for each piece that arrives, so it must be cheap. */
  alive(): void {
    this.#last = Date.now();
    this.#onFirstByte?.(this.#last - this.#started);
    this.#onFirstByte = undefined;
    if (this.#told) this.#tell(null);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#turn.signal.removeEventListener("abort", this.#abort);
    if (this.#told) this.#tell(null);
  }

  #look(): void {
    const { stallNoticeMs, stallTimeoutMs } = this.#turn.limits;
    const silent = Date.now() - this.#last;
    if (silent >= stallTimeoutMs) {
      this.#giveUp({});
      return;
    }
    if (silent >= stallNoticeMs && !this.#told) this.#tell(this.#last);
    const next = silent >= stallNoticeMs ? stallTimeoutMs : Math.min(stallNoticeMs, stallTimeoutMs);
    this.#timer = setTimeout(() => this.#look(), Math.max(1, next - silent));
  }

  #giveUp(more: { retryAfterMs?: number }): void {
    const seconds = Math.round((Date.now() - this.#last) / 1000);
    this.stalled = new ModelError(
      "network",
      msg("The model sent no data for {0} s.", seconds),
      msg("Try again."),
      more,
    );
    this.#controller.abort(this.stalled);
  }

  #tell(since: number | null): void {
    this.#told = since !== null;
    this.#endRetryNow?.();
    this.#endRetryNow = this.#told ? this.#turn.onRetryNow(() => this.#giveUp({ retryAfterMs: 0 })) : undefined;
    this.#turn.emit({ type: "silence", since });
  }
}
