/** `query()`: runs Rondo for another program, as an async generator of SDK messages (spec K2). */
import { randomUUID } from "node:crypto";
import type { Chat } from "../chat/apply.ts";
import type { ChatEvent } from "../chat/events.ts";
import type { ReplyError, ToolPart } from "../chat/message.ts";
import { slashCommandIn } from "../chat/slash-command.ts";
import { msg } from "../l10n/l10n.ts";
import { deferred } from "../loop/session/deferred.ts";
import { IntakeError } from "../loop/session/intake-error.ts";
import type { Session } from "../loop/session/session.ts";
import type { TurnEnd } from "../loop/turn.ts";
import { askCaller } from "./ask.ts";
import { checkMode, thinkingBudget } from "./check-options.ts";
import { Mailbox } from "./mailbox.ts";
import { asQueryError, QueryError } from "./query-error.ts";
import type {
  Options,
  PermissionMode,
  Query,
  QueryExitReason,
  SDKMessage,
  SDKResultMessage,
  SDKUserMessage,
  TokenUsage,
} from "./query-types.ts";
import { createRuntime, type QueryRuntime, type ResolvedOptions, resolveOptions } from "./runtime.ts";
import { lastText, toPromptParts } from "./sdk-blocks.ts";
import { projectMessages } from "./sdk-messages.ts";
import { stopReason } from "./stream-events.ts";
import { Totals } from "./totals.ts";

export { QueryError } from "./query-error.ts";
export type * from "./query-types.ts";

/**
 * Runs prompts on a folder. Starts at once and buffers messages until they are read. Yields one `result` per prompt and
 * ends after the last one.
 * @throws QueryError when an option cannot be used; the generator rejects with one when the session cannot continue
 */
export function query(run: { prompt: string | AsyncIterable<SDKUserMessage>; options?: Options }): Query {
  return new QueryRun(run.prompt, run.options ?? {});
}

class QueryRun implements Query {
  readonly #plan: ResolvedOptions;
  readonly #options: Options;
  readonly #messages = new Mailbox<SDKMessage>();
  readonly #runtime: Promise<QueryRuntime>;
  readonly #totals = new Totals();
  /** Aborted by `close` and by the caller's controller. */
  readonly #closing = new AbortController();
  /** Resolves when the run has ended and released everything. */
  readonly #over: Promise<void>;
  readonly #given: string | AsyncIterable<SDKUserMessage>;
  readonly #inbox = new Mailbox<SDKUserMessage>();
  #prompt: RunningPrompt | undefined;
  /** Whether the first prompt has started, and whether it must stop as soon as it does. */
  #begun = false;
  #stopsFirst = false;
  #exitReason: QueryExitReason | undefined;

  constructor(prompt: string | AsyncIterable<SDKUserMessage>, options: Options) {
    this.#given = prompt;
    this.#options = options;
    this.#plan = resolveOptions(options);
    const caller = options.abortController?.signal;
    const abort = () => this.#closing.abort();
    caller?.addEventListener("abort", abort, { once: true });
    if (caller?.aborted) abort();
    this.#runtime = createRuntime(this.#plan, options);
    this.#over = this.#run().then(
      () => this.#messages.end(),
      (error: unknown) => this.#messages.fail(asQueryError(error)),
    );
    void this.#over.then(() => caller?.removeEventListener("abort", abort));
  }

  get sessionId(): string {
    return this.#plan.chat.session.id;
  }

  get title(): string {
    return this.#plan.chat.session.title;
  }

  get totalUsage(): TokenUsage {
    return this.#totals.usage;
  }

  get totalCostUsd(): number | null {
    return this.#totals.costUsd;
  }

  get turnCount(): number {
    return this.#totals.turns;
  }

  get exitReason(): QueryExitReason | undefined {
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
      // A prompt given with the query counts as sent, even if its turn has not started.
      this.#stopsFirst = !this.#begun && typeof this.#given === "string";
      return;
    }
    prompt.stopped = true;
    await (await this.#runtime).session.stop();
  }

  async setPermissionMode(mode: PermissionMode): Promise<void> {
    const checked = checkMode(mode);
    (await this.#runtime).session.setMode(checked);
  }

  async setModel(model?: string): Promise<void> {
    const { session } = await this.#runtime;
    const { model: first } = this.#plan;
    session.choose({ model: model === undefined ? first : { ...first, modelID: model } });
  }

  async setMaxThinkingTokens(maxThinkingTokens: number | null): Promise<void> {
    const { session } = await this.#runtime;
    session.choose({ thinking: thinkingBudget(maxThinkingTokens) });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#over;
    this.#messages.clear();
  }

  async #run(): Promise<void> {
    const runtime = await this.#runtime;
    const projection = this.#follow(runtime);
    const stop = () => void runtime.session.stop();
    this.#closing.signal.addEventListener("abort", stop, { once: true });
    try {
      projection.emit(runtime.init());
      void this.#receive();
      for await (const message of this.#inbox) {
        const result = await this.#answer(runtime, message);
        if (result) projection.emit(result);
        if (this.#closing.signal.aborted) break;
      }
      if (!this.#isStopped && this.#exitReason !== "interrupted") await runtime.titled();
    } finally {
      if (this.#options.abortController?.signal.aborted) this.#exitReason ??= "aborted";
      this.#closing.signal.removeEventListener("abort", stop);
      // Ends `#receive`, too.
      this.#closing.abort();
      projection.close();
      await runtime.close(this.#exitReason);
    }
  }

  /** Takes prompts while another is answered, and interrupts that one when a prompt asks for it. */
  async #receive(): Promise<void> {
    try {
      for await (const message of prompts(this.#given, this.#closing.signal)) {
        const isBusy = this.#prompt !== undefined || !this.#inbox.isEmpty;
        if (isBusy && message.whenBusy === "drop") continue;
        this.#inbox.put(message);
        if (isBusy && message.whenBusy === "interrupt") await this.interrupt();
      }
      this.#inbox.end();
    } catch (error) {
      this.#inbox.fail(error);
    }
  }

  #follow({ session }: QueryRuntime) {
    const { chat } = session;
    const { canUseTool, includePartialMessages = false } = this.#options;
    const { limits, models } = this.#plan;
    const { facts } = models;
    const projection = projectMessages({
      chat,
      partial: includePartialMessages,
      maxRetries: () => limits.maxRetries,
      makeID: randomUUID,
      emit: (message) => this.#messages.put(message),
      onReply: (message, own) => {
        for (const totals of [this.#totals, this.#prompt?.totals]) {
          totals?.add(message, facts);
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
      if (inner.type === "charged")
        for (const totals of [this.#totals, this.#prompt?.totals]) totals?.charge(inner, facts);
      if (inner.type === "asked") asker?.asked(inner.request);
      if (inner.type === "answered") asker?.answered(inner.requestID);
      // Stop was called before the turn started.
      if (event.type === "status" && event.status.type === "busy" && this.#isStopped) void session.stop();
    });
    return projection;
  }

  get #isStopped(): boolean {
    return this.#prompt?.stopped === true || this.#closing.signal.aborted;
  }

  /** @returns the result message; undefined when the prompt is only stored */
  async #answer({ session }: QueryRuntime, message: SDKUserMessage) {
    const prompt: RunningPrompt = { totals: new Totals(), denied: [], stopped: this.#stopsFirst };
    this.#begun = true;
    this.#stopsFirst = false;
    const firstMessage = session.chat.messages.length;
    const started = performance.now();
    this.#prompt = prompt;
    let end: Pick<PromptEnding, "reason" | "error"> | undefined;
    try {
      end = await this.#end(session, message);
    } catch (error) {
      if (this.#isStopped) end = { reason: "interrupted" };
      // A prompt that a hook blocks, that is too long, or that names a missing agent ends only itself.
      else if (!(error instanceof IntakeError) || !isAboutPrompt(error, message)) throw error;
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

  /** Runs the prompt. @returns undefined when it is only stored */
  async #end(session: Session, message: SDKUserMessage): Promise<TurnEnd | undefined> {
    const parts = toPromptParts(message);
    const [first] = parts;
    const typed = parts.length === 1 && first?.type === "text" ? slashCommandIn(first.text) : undefined;
    if (typed?.name === "compact") return await session.compact(typed.args);
    if (!parts.some((part) => part.type !== "text" || part.text.trim() !== "")) {
      throw new QueryError("prompt-invalid", msg("The message is empty. Write what you want done."));
    }
    const { agent, tools, system, variant, model } = message;
    const answered = await session.prompt({
      parts,
      ...(message.shouldQuery === false && { noReply: true }),
      ...(model !== undefined && { model: { ...this.#plan.model, modelID: model } }),
      ...(agent !== undefined && { agent }),
      ...(tools && { tools }),
      ...(system !== undefined && { system }),
      ...(variant !== undefined && { variant }),
    });
    return answered.type === "ended" ? answered.end : undefined;
  }
}

function isAboutPrompt({ code }: IntakeError, { agent, subtasks }: SDKUserMessage): boolean {
  const namesAgent = agent !== undefined || subtasks !== undefined;
  return code === "prompt-invalid" || (namesAgent && (code === "agent-not-found" || code === "agent-invalid"));
}

interface RunningPrompt {
  totals: Totals;
  denied: ToolPart[];
  stopped: boolean;
}

function innermost(event: ChatEvent): ChatEvent {
  return event.type === "child" ? innermost(event.event) : event;
}

/** Yields the caller's prompts until they end or the signal is aborted. */
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
    // Not awaited: the source may never settle. Its errors are of no interest any more.
    void (async () => source.return?.())().catch(() => undefined);
  }
}

// Builds the `result` message of a prompt (spec K2).

/** How a prompt ended; `aborted` when the caller's signal ended it. */
interface PromptEnding {
  reason: QueryExitReason;
  error?: ReplyError | undefined;
  durationMs: number;
  /** Number of messages in the chat before the prompt. */
  firstMessage: number;
}

function resultOf(
  chat: Chat,
  ending: PromptEnding,
  { prompt, query, denied }: { prompt: Totals; query: Totals; denied: readonly ToolPart[] },
): Omit<SDKResultMessage, "uuid" | "session_id"> {
  const entries = chat.messages.slice(ending.firstMessage);
  const last = entries.map(({ info }) => info).findLast((info) => info.role === "assistant" && !info.silent);
  const subtype = subtypeOf(ending.reason);
  const failed = subtype !== "success";
  return {
    type: "result",
    subtype,
    is_error: failed,
    duration_ms: Math.round(ending.durationMs),
    duration_api_ms: Math.round(prompt.apiMs),
    num_turns: prompt.turns,
    result: lastText(entries),
    stop_reason: stopReason(last?.role === "assistant" ? last.finish : undefined),
    exit_reason: ending.reason,
    total_cost_usd: query.costUsd,
    known_cost: query.knownCost,
    usage: prompt.usage,
    modelUsage: query.modelUsage,
    permission_denials: denied.map((part) => ({
      tool_name: part.tool,
      tool_use_id: part.callID,
      tool_input: part.state.input,
    })),
    ...(failed && { errors: [describeEnding(ending)] }),
  };
}

function subtypeOf(reason: QueryExitReason): SDKResultMessage["subtype"] {
  if (reason === "end_turn") return "success";
  if (reason === "max_turns") return "error_max_turns";
  return reason === "error_max_budget_usd" ? reason : "error_during_execution";
}

function describeEnding({ reason, error }: PromptEnding): string {
  if (error) return `${error.message} ${error.next}`.trim().replaceAll("\n", " ");
  switch (reason) {
    case "max_turns":
      return msg("The run reached the limit of turns (maxTurns, --max-turns).");
    case "error_max_budget_usd":
      return msg("The budget is used up (maxBudgetUsd, --max-budget-usd, maxBudgetTokens, --max-budget-tokens).");
    case "interrupted":
    case "aborted":
      return msg("The run was interrupted.");
    case "blocked":
      return msg("The run ended because a call it needed was not allowed.");
    default:
      return msg("The run ended early: {0}.", reason);
  }
}
