/**
 * What is known of the rate limits of provider accounts. When one session is told to wait, the others that ask the same
 * model of the same account wait as well, instead of asking and being refused; files tell the other windows.
 */

import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { attempt } from "../../base/attempt.ts";
import { parseJson } from "../../base/json.ts";
import { msg } from "../../l10n/l10n.ts";
import { type Model, ModelError, type ModelEvent, type ModelRequest } from "../../loop/model.ts";

/** Time until which an account may not be asked, in ms since 1970, by model. */
const Waits = z.record(z.string(), z.number());
type Waits = z.infer<typeof Waits>;

/** A longer wait counts for the session alone that was told: a wrong answer must not stop all sessions for days. */
const maxSharedMs = 3_600_000;

/** Sessions that wait for the same moment ask this long after it at most, so that they do not all ask at once. */
const spreadMs = 2_000;

export class RateLimits {
  readonly #folder: string;
  /** Of accounts whose file could not be written. */
  readonly #unwritten = new Map<string, Waits>();
  /** The wait that each conversation has been told of: it may ask again when it decides to, as "Try now" does. */
  readonly #told = new Map<string, number>();

  /** `folder` is shared by all windows and created when needed. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** `access`: address and key of the account; only a hash of it is stored. */
  shared(model: Model, access: unknown): Model {
    const account = createHash("sha256")
      .update(JSON.stringify([model.providerID, access]))
      .digest("hex")
      .slice(0, 32);
    return { providerID: model.providerID, stream: (request) => this.#stream(model, account, request) };
  }

  async *#stream(model: Model, account: string, request: ModelRequest): AsyncGenerator<ModelEvent> {
    const waitMs = this.#waitOf(account, request);
    if (waitMs > 0) {
      const message = msg("Another session was told that the rate limit is reached.");
      const more = { retryAfterMs: waitMs + Math.random() * spreadMs, shouldRetry: true };
      yield {
        type: "error",
        error: new ModelError("rate-limit", message, msg("Rondo asks again after the wait."), more),
      };
      return;
    }
    // What comes to be known while this request runs is not ended by its answer.
    let ended = this.#endOf(account, request) <= Date.now();
    for await (const event of model.stream(request)) {
      if (event.type === "error") {
        if (event.error.kind === "rate-limit") this.#note(account, request, event.error);
      } else if (!ended) {
        ended = true;
        this.#forget(account, request);
      }
      yield event;
    }
  }

  /** Returns the ms that the conversation has to wait; 0 if it has been told of this wait before. */
  #waitOf(account: string, request: ModelRequest): number {
    const { conversationID } = request;
    const until = this.#endOf(account, request);
    const now = Date.now();
    if (until <= now || until - now > maxSharedMs || this.#told.get(conversationID) === until) return 0;
    this.#told.set(conversationID, until);
    return until - now;
  }

  #note(account: string, { model, conversationID }: ModelRequest, { retryAfterMs = 0 }: ModelError): void {
    const now = Date.now();
    if (retryAfterMs <= 0 || retryAfterMs > maxSharedMs) return;
    const until = now + retryAfterMs;
    this.#told.set(conversationID, until);
    this.#keep(account, { ...this.#read(account), [model]: until });
  }

  /** The account answers again, before the wait is over: a session asked because the user wished so. */
  #forget(account: string, { model }: ModelRequest): void {
    const { [model]: _, ...others } = this.#read(account);
    this.#keep(account, others);
  }

  /** Returns the time at which the wait ends, in ms since 1970; 0 if there is none. */
  #endOf(account: string, { model }: ModelRequest): number {
    return this.#read(account)[model] ?? 0;
  }

  #keep(account: string, waits: Waits): void {
    const current = Object.fromEntries(Object.entries(waits).filter(([, end]) => end > Date.now()));
    try {
      this.#write(account, current);
      this.#unwritten.delete(account);
    } catch {
      // The other windows ask by themselves then.
      this.#unwritten.set(account, current);
    }
  }

  #read(account: string): Waits {
    const unwritten = this.#unwritten.get(account);
    if (unwritten) return unwritten;
    const file = attempt(() => readFileSync(this.#file(account), "utf8"), "");
    return file === "" ? {} : (Waits.safeParse(parseJson(file)).data ?? {});
  }

  #write(account: string, waits: Waits): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const temporary = path.join(this.#folder, `${account}.${randomUUID()}`);
    try {
      writeFileSync(temporary, JSON.stringify(waits), { mode: 0o600 });
      renameSync(temporary, this.#file(account));
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }

  #file(account: string): string {
    return path.join(this.#folder, `${account}.json`);
  }
}
