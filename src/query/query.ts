/** `query()`: a run of Rondo for another program, as an async generator of SDK messages (spec K2). */

import { randomUUID } from "node:crypto";
import type { ChatEvent } from "../chat/events.ts";
import type { ToolPart } from "../chat/message.ts";
import { deferred } from "../loop/session/deferred.ts";
import { IntakeError } from "../loop/session/intake-error.ts";
import type { Session } from "../loop/session/session.ts";
import type { TurnEnd } from "../loop/turn.ts";
import { askCaller } from "./ask.ts";
import { type House, openHouse, type Plan, planHouse } from "./house.ts";
import { Mailbox } from "./mailbox.ts";
import { budget, checkMode } from "./options.ts";
import { asQueryError, QueryError } from "./query-error.ts";
import { type Ending, resultOf } from "./result.ts";
import { toPromptParts } from "./sdk-blocks.ts";
import { project } from "./sdk-messages.ts";
import { Totals } from "./totals.ts";
import type { ExitReason, Options, PermissionMode, Query, SDKMessage, SDKUserMessage, Usage } from "./types.ts";

export { QueryError } from "./query-error.ts";
export type * from "./types.ts";

/**
 * Runs prompts on a folder. It begins at once; what is not read yet is kept. One `result` comes for each prompt, and the
 * generator ends when there are no more.
 * @throws QueryError when the options cannot be kept; the generator rejects with one when the session cannot go on
 */
export function query(run: { prompt: string | AsyncIterable<SDKUserMessage>; options?: Options }): Query {
  return new Run(run.prompt, run.options ?? {});
}

class Run implements Query {
  readonly #plan: Plan;
  readonly #options: Options;
  readonly #messages = new Mailbox<SDKMessage>();
  readonly #house: Promise<House>;
  readonly #totals = new Totals();
  /** Aborted by `close` and by the caller's controller. */
  readonly #closing = new AbortController();
  /** Resolves when nothing of the run is left. */
  readonly #over: Promise<void>;
  readonly #given: string | AsyncIterable<SDKUserMessage>;
  #prompt: Prompt | undefined;
  /** Whether a prompt has been taken up yet, and whether the first one is to be stopped when it is. */
  #begun = false;
  #stopsFirst = false;
  #exitReason: ExitReason | undefined;

  constructor(prompt: string | AsyncIterable<SDKUserMessage>, options: Options) {
    this.#given = prompt;
    this.#options = options;
    this.#plan = planHouse(options);
    const caller = options.abortController?.signal;
    const abort = () => this.#closing.abort();
    caller?.addEventListener("abort", abort, { once: true });
    if (caller?.aborted) abort();
    this.#house = openHouse(this.#plan, options);
    this.#over = this.#run().then(
      () => this.#messages.end(),
      (error: unknown) => this.#messages.fail(asQueryError(error)),
    );
    void this.#over.then(() => caller?.removeEventListener("abort", abort));
  }

  get sessionId(): string {
    return this.#plan.chat.session.id;
  }

  get totalUsage(): Usage {
    return this.#totals.usage;
  }

  get totalCostUsd(): number | null {
    return this.#totals.costUsd;
  }

  get turnCount(): number {
    return this.#totals.turns;
  }

  get exitReason(): ExitReason | undefined {
    return this.#exitReason;
  }

  next(): Promise<IteratorResult<SDKMessage, void>> {
    return this.#messages.read();
  }

  async return(): Promise<IteratorResult<SDKMessage, void>> {
    await this.close();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<IteratorResult<SDKMessage, void>> {
    await this.close();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async interrupt(): Promise<void> {
    const prompt = this.#prompt;
    if (!prompt) {
      // A prompt that came with the query has been given already, even where its turn has not begun.
      this.#stopsFirst = !this.#begun && typeof this.#given === "string";
      return;
    }
    prompt.stopped = true;
    await (await this.#house).session.stop();
  }

  async setPermissionMode(mode: PermissionMode): Promise<void> {
    const checked = checkMode(mode);
    (await this.#house).session.setMode(checked);
  }

  async setModel(model?: string): Promise<void> {
    const { session } = await this.#house;
    const { model: first } = this.#plan;
    session.choose({ model: model === undefined ? first : { ...first, modelID: model } });
  }

  async setMaxThinkingTokens(maxThinkingTokens: number | null): Promise<void> {
    const { session } = await this.#house;
    session.choose({ thinking: budget(maxThinkingTokens) });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#over;
    this.#messages.clear();
  }

  async #run(): Promise<void> {
    const house = await this.#house;
    const projection = this.#follow(house);
    const stop = () => void house.session.stop();
    this.#closing.signal.addEventListener("abort", stop, { once: true });
    try {
      projection.emit(house.init());
      for await (const message of prompts(this.#given, this.#closing.signal)) {
        const result = await this.#answer(house, message);
        if (result) projection.emit(result);
        if (this.#closing.signal.aborted) break;
      }
    } finally {
      if (this.#options.abortController?.signal.aborted) this.#exitReason ??= "aborted";
      this.#closing.signal.removeEventListener("abort", stop);
      projection.close();
      await house.close();
    }
  }

  /** Tells the events of the session as messages, and asks the caller what is asked. */
  #follow({ session }: House) {
    const { chat } = session;
    const { canUseTool, includePartialMessages = false } = this.#options;
    const { limits } = this.#plan;
    const projection = project({
      chat,
      partial: includePartialMessages,
      maxRetries: () => limits.maxRetries,
      makeID: randomUUID,
      emit: (message) => this.#messages.put(message),
      onReply: (message, own) => {
        for (const totals of [this.#totals, this.#prompt?.totals]) {
          totals?.add(message, limits);
          if (totals && own && !message.silent && !message.summary) totals.turns += 1;
        }
      },
      onDenied: (part) => this.#prompt?.denied.push(part),
    });
    const asker =
      canUseTool &&
      askCaller({
        chat,
        canUseTool,
        answer: (id, answer) => session.answer(id, answer),
        setMode: (mode) => session.setMode(mode),
        stop: () => void session.stop(),
        note: this.#plan.say,
      });
    session.listen((event: ChatEvent) => {
      projection.take(event);
      const inner = innermost(event);
      if (inner.type === "asked") asker?.asked(inner.request);
      if (inner.type === "answered") asker?.answered(inner.requestID);
      // Stop came before there was a turn that it could end.
      if (event.type === "status" && event.status.type === "busy" && this.#isStopped) void session.stop();
    });
    return projection;
  }

  get #isStopped(): boolean {
    return this.#prompt?.stopped === true || this.#closing.signal.aborted;
  }

  /** @returns the result; nothing for a message that is only stored */
  async #answer({ session }: House, message: SDKUserMessage) {
    const prompt: Prompt = { totals: new Totals(), denied: [], stopped: this.#stopsFirst };
    this.#begun = true;
    this.#stopsFirst = false;
    const firstMessage = session.chat.messages.length;
    const started = performance.now();
    this.#prompt = prompt;
    let end: Pick<Ending, "reason" | "error"> | undefined;
    try {
      end = await this.#end(session, message);
    } catch (error) {
      if (this.#isStopped) end = { reason: "interrupted" };
      // What a hook does not let pass, or is too long, ends no more than its own prompt.
      else if (!(error instanceof IntakeError) || error.code !== "prompt-invalid") throw error;
      else end = { reason: "blocked", error: { code: error.code, message: error.message, next: "" } };
    } finally {
      this.#prompt = undefined;
    }
    if (!end) return undefined;
    const byCaller = end.reason === "interrupted" && this.#options.abortController?.signal.aborted === true;
    this.#exitReason = byCaller ? "aborted" : end.reason;
    const ending = { ...end, reason: this.#exitReason, durationMs: performance.now() - started, firstMessage };
    return resultOf(session.chat, ending, { prompt: prompt.totals, query: this.#totals, denied: prompt.denied });
  }

  /** Runs the prompt; undefined when it is only stored. */
  async #end(session: Session, message: SDKUserMessage): Promise<TurnEnd | undefined> {
    const parts = toPromptParts(message);
    const [first] = parts;
    if (parts.length === 1 && first?.type === "text" && first.text.trim() === "/compact")
      return await session.compact();
    if (!parts.some((part) => part.type !== "text" || part.text.trim() !== "")) {
      throw new QueryError("prompt-invalid", "The message is empty. Write what you want done.");
    }
    const answered = await session.prompt({ parts, ...(message.shouldQuery === false && { noReply: true }) });
    return answered.type === "ended" ? answered.end : undefined;
  }
}

/** The prompt that is being answered: what it took so far, and whether it is to be stopped. */
interface Prompt {
  totals: Totals;
  denied: ToolPart[];
  stopped: boolean;
}

function innermost(event: ChatEvent): ChatEvent {
  return event.type === "child" ? innermost(event.event) : event;
}

/** The caller's prompts, until there are none or the signal is aborted. */
async function* prompts(
  prompt: string | AsyncIterable<SDKUserMessage>,
  signal: AbortSignal,
): AsyncGenerator<SDKUserMessage> {
  if (typeof prompt === "string") {
    if (!signal.aborted) yield { type: "user", message: { role: "user", content: prompt } };
    return;
  }
  const source = prompt[Symbol.asyncIterator]();
  const { promise: closed, resolve } = deferred<"closed">();
  const close = () => resolve("closed");
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    for (;;) {
      const next = await Promise.race([source.next(), closed]);
      if (next === "closed" || next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", close);
    // Not waited for: the source may be waiting for something itself.
    void leave(source);
  }
}

/** Tells the source that nobody asks any more; what it makes of that is its own affair. */
async function leave(source: AsyncIterator<SDKUserMessage>): Promise<void> {
  try {
    await source.return?.();
  } catch {
    return;
  }
}
