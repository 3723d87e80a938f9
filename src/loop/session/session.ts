/** A session: its chat, queue, Stop and listeners. Only a session turns prompts into turns. */
import { type Chat, newChat } from "../../chat/apply.ts";
import type { ChatEvent, ExitReason, PermissionMode, RecordedEvent, SessionInfo } from "../../chat/events.ts";
import { newID } from "../../chat/ids.ts";
import type { PromptInput } from "../../chat/prompt-input.ts";
import type { CommandJudgement, ContextUse } from "../../chat/protocol.ts";
import type { Answer, BudgetRequest, BuildMode } from "../../chat/requests.ts";
import type { ReviewDecision } from "../../chat/review-decisions.ts";
import { spentOn } from "../../chat/spent.ts";
import { type StopCause, Stopped } from "../../chat/stopped.ts";
import type { Background } from "../../tools/host.ts";
import type { PermissionRequirement } from "../../tools/tool.ts";
import type { Agent } from "../agents/agents.ts";
import { closeOpenCalls, interrupted, waitingCalls } from "../calls/close-calls.ts";
import { requestCompaction } from "../context/compact.ts";
import { asBegun, contextUse, pendingPrompt, visibleEntries } from "../context/context.ts";
import { addSyntheticMessage } from "../context/synthetic-message.ts";
import { withoutZeros } from "../limits.ts";
import { runTurn } from "../loop.ts";
import { OpenRequests } from "../permissions/open-requests.ts";
import { judgeCommand } from "../permissions/parts.ts";
import { Permissions } from "../permissions/permissions.ts";
import type { RuleBook } from "../permissions/rules.ts";
import { type Choices, ConfigResolver, type ModeEnd, presentMode } from "../setup/agent-config.ts";
import { reminders } from "../setup/system-prompt.ts";
import type { HeldLock } from "../storage.ts";
import type { Turn, TurnEnd } from "../turn.ts";
import { Budget, costOfSession, type ReachedLimit } from "./budget.ts";
import { createTurn, type Running, type SessionState } from "./create-turn.ts";
import { deferred } from "./deferred.ts";
import { checkPrompt, storePrompt } from "./intake.ts";
import { IntakeError } from "./intake-error.ts";
import { PlanOffer } from "./plan-offer.ts";
import { PromptQueue } from "./prompt-queue.ts";
import type { SessionDeps } from "./session-deps.ts";
import { SessionEvents } from "./session-events.ts";
import { SessionHooks } from "./session-hooks.ts";
import { endByMemory, endedError, killed, withMark } from "./termination.ts";
import { nameSession } from "./title.ts";

export type PromptResult =
  | { type: "ended"; end: TurnEnd }
  | { type: "queued" }
  | { type: "stored" }
  | { type: "dropped" };

export class Session {
  readonly chat: Chat;
  readonly choices: Choices;
  readonly requests: OpenRequests;
  readonly permissions: Permissions;
  readonly queue: PromptQueue;
  /** Resolves when no title is being made. */
  readonly titled: () => Promise<void> = async () => {};
  readonly #planOffer: PlanOffer;
  readonly #deps: SessionDeps;
  readonly #hooks: SessionHooks;
  readonly #state: SessionState;
  readonly #events: SessionEvents;
  readonly #closing = new AbortController();
  #running: Running | undefined;
  #hasBegun = false;
  /** How the last turn ended. */
  #lastEnd: ExitReason | undefined;

  /** `chat` is new, or replayed from a record; `recover` closes what was running at the end of the record. */
  constructor(chat: Chat, choices: Choices, deps: SessionDeps) {
    this.chat = chat;
    this.choices = choices;
    this.#deps = deps;
    this.#hooks = new SessionHooks(deps.hooks);
    this.#events = new SessionEvents({ ...deps, chat });
    const emit = (event: ChatEvent) => this.#events.emit(event);
    this.queue = new PromptQueue({
      chat,
      emit,
      flush: () => deps.recorder.flush(),
      locked: (change) => this.#locked(change),
      maxDepth: () => deps.limits().maxQueueDepth,
    });
    this.requests = new OpenRequests(emit, (rules, scope) => deps.keepRules(rules, scope, chat.session.id));
    this.permissions = new Permissions({
      requests: this.requests,
      book: () => this.#book(),
      used: (rule) => deps.ruleUsed(rule),
      attended: deps.attended,
      lookPatienceMs: deps.lookPatienceMs,
    });
    const ask = async (reached: ReachedLimit, signal: AbortSignal) => {
      const request = { kind: "budget", id: newID("per"), sessionID: chat.session.id, ...reached } as const;
      const answer = await this.requests.ask<BudgetRequest>(request, { signal });
      return answer.type === "continue";
    };
    const limits = () => withoutZeros(deps.limits());
    this.#state = {
      chat,
      choices,
      permissions: this.permissions,
      resolver: new ConfigResolver({ ...deps, choices, book: () => this.#book() }),
      budget: new Budget({ ledger: deps.ledger, limits, ask: deps.attended ? ask : undefined }),
      emit,
      takeQueued: () => this.#takeQueued(),
    };
    const agents = () => this.#state.resolver.project.agents;
    this.#planOffer = new PlanOffer({ chat, choices, requests: this.requests, agents });
    const { background } = deps.host;
    background.listen(() => this.#events.apply({ type: "background", commands: [...background.list()] }));
    if (deps.titles && chat.messages.length === 0) {
      const { openModel, facts } = deps;
      const { budget } = this.#state;
      this.titled = nameSession({ session: this, agents, openModel, facts, budget, closing: this.#closing.signal });
    }
  }

  get agent(): Agent {
    return this.#state.resolver.project.agents.find(this.choices.agent);
  }

  get background(): Background {
    return this.#deps.host.background;
  }

  /** Whether a turn or a background command of the session runs. */
  get busy(): boolean {
    return this.running || this.background.list().some(({ state }) => state.type !== "ended");
  }

  /** Whether a turn runs here, or waits for another process to end its own. */
  get running(): boolean {
    return this.#running !== undefined;
  }

  listen(listener: (event: ChatEvent) => void): () => void {
    return this.#events.listen(listener);
  }

  /**
   * Takes a prompt and resolves when its turn ends. While a turn runs, the prompt waits for the next step (`queue`), is
   * not taken (`drop`), or ends the turn and begins one of its own (`interrupt`).
   * @throws IntakeError when it is not taken, RecordError when what was said before cannot be kept: nothing is stored
   */
  async prompt(input: PromptInput, whenBusy: "queue" | "drop" | "interrupt" = "queue"): Promise<PromptResult> {
    await this.#waitForCurrentTurn();
    this.#refresh();
    this.#check(input);
    await this.#checkMemory();
    if (this.#running && whenBusy === "drop") return { type: "dropped" };
    if (!this.#running && !input.noReply) {
      const submit = async (signal: AbortSignal) => {
        const heard = await this.#hooks.submit(input, signal);
        return () => this.#store(heard);
      };
      return { type: "ended", end: await this.#run(submit) };
    }
    const { signal } = this.#closing;
    await this.#beginHooks(signal);
    const heard = await this.#hooks.submit(input, signal);
    if (whenBusy === "interrupt") await this.stop();
    await this.#waitForCurrentTurn();
    const store = () => this.#store(heard);
    if (!input.noReply) {
      if (this.#running) {
        this.queue.add(heard);
        return { type: "queued" };
      }
      return { type: "ended", end: await this.#run(async () => store) };
    }
    await this.#locked(store);
    return { type: "stored" };
  }

  /** Answers the newest user message again after an error. Does nothing while a turn runs. @throws IntakeError */
  async tryAgain(): Promise<void> {
    await this.#waitForCurrentTurn();
    if (this.#running || this.chat.messages.length === 0) return;
    this.#refresh();
    await this.#checkMemory();
    if (!this.#running) await this.#run(async () => () => {});
  }

  /** Compacts now, as a turn of its own. @throws IntakeError while a turn runs, or when there is nothing to compact */
  async compact(): Promise<TurnEnd> {
    await this.#waitForCurrentTurn();
    this.#refresh();
    await this.#checkMemory();
    // Another turn may have begun meanwhile: nothing may come between this and the run.
    const { user } = pendingPrompt(this.chat);
    if (this.#running)
      throw new IntakeError("prompt-invalid", "Rondo is working. Compact when it is done, or stop it first.");
    if (!user) throw new IntakeError("prompt-invalid", "There is nothing to compact yet.");
    return await this.#run(async () => (turn) => requestCompaction(turn, user, false));
  }

  /** Resolves when the turn has ended and background commands are killed. */
  async stop(): Promise<void> {
    await this.#endAll("user");
  }

  retryNow(): void {
    this.#running?.wake?.();
  }

  /**
   * Interrupts the turn and answers the queued prompts in a new one (Q2). Does nothing when none is queued.
   * @throws IntakeError
   */
  async sendQueuedNow(): Promise<void> {
    if (this.queue.isEmpty) return;
    this.#refresh();
    await this.#checkMemory();
    await this.stop();
    await this.#waitForCurrentTurn();
    if (!this.#running && !this.queue.isEmpty) await this.#run(async () => () => {});
  }

  /** @returns whether the request was open @throws AnswerError for an answer of another kind; it then stays open */
  answer(requestID: string, answer: Answer): boolean {
    return this.requests.answer(requestID, answer);
  }

  /** Takes effect with the next request, also in a running turn. */
  choose({ model, thinking }: Partial<Pick<Choices, "model" | "thinking">>): void {
    if (model) this.choices.model = model;
    if (thinking !== undefined) this.choices.thinking = thinking;
    this.#state.resolver.choose(model);
  }

  /** Takes effect with the next decision, also in a running turn. `end`: when the mode ends on its own. */
  setMode(mode: PermissionMode, end?: ModeEnd): void {
    this.choices.mode = mode;
    this.choices.modeEnd = end;
    this.#planOffer.modeChanged();
    this.requests.reconsider();
  }

  /** The mode of the user in which files may be changed: the present one, or the last one. */
  get buildMode(): BuildMode {
    return this.#planOffer.buildMode;
  }

  /** Leaves Plan mode or a read-only agent. */
  startBuilding(mode: BuildMode): void {
    this.choices.agent = this.#planOffer.buildAgent;
    this.setMode(mode);
  }

  /** Rewinds to before a user message; null undoes the last rewind. @throws IntakeError while a turn runs */
  async rewind(messageID: string | null): Promise<void> {
    if (this.#running) throw new IntakeError("prompt-invalid", "Rondo is working. Stop it first.");
    await this.#locked(() => {
      this.#planOffer.withdraw();
      this.#events.emit({ type: "rewound", messageID });
    });
    this.#state.resolver.refresh();
  }

  /** Judges a command without running it. `outsideSandbox`: why it is to leave the sandbox; empty if it is not. @throws ToolError when it cannot be analysed */
  async judge(command: string, outsideSandbox = ""): Promise<CommandJudgement> {
    const lineage = [this.agent];
    const judge = (need: PermissionRequirement, tool: string) => this.permissions.judge(need, tool, lineage);
    const { host, tools } = this.#deps;
    const seen = { host: this.permissions.hostFor(host, "bash", lineage), tools };
    return await judgeCommand(command, seen, judge, this.#closing.signal, outsideSandbox);
  }

  async rename(title: string): Promise<void> {
    await this.#locked(() => this.#events.emit({ type: "session", session: { ...this.chat.session, title } }));
  }

  /** Records what the user has decided about changes. The model is told before it answers again. @throws IntakeError `session-locked` */
  async decided(decisions: readonly ReviewDecision[]): Promise<void> {
    await this.#locked(() => {
      for (const decision of decisions) this.#events.emit({ type: "decided", decision });
    });
  }

  /** Counts the cost of a request that is part of no message. */
  async charge(charge: Omit<Extract<RecordedEvent, { type: "charged" }>, "type">): Promise<void> {
    this.#state.budget.add(spentOn(charge));
    await this.#locked(() => this.#events.emit({ type: "charged", ...charge }));
  }

  contextUse(): ContextUse {
    const { user } = pendingPrompt(this.chat);
    const { model, agent } = this.choices;
    const base = { id: "", sessionID: this.chat.session.id, createdAt: 0, role: "user" } as const;
    const asked = user ?? { ...base, agent, model };
    const config = this.#state.resolver.of(asked);
    const prompt = this.#state.resolver.promptOf(config.agent, asked);
    return contextUse(visibleEntries(this.chat), asBegun(this.chat, config), prompt, this.#deps.limits());
  }

  /** Applies events of another process without recording them. */
  catchUp(events: readonly ChatEvent[]): void {
    if (events.length > 0) this.#planOffer.withdraw();
    for (const event of events) this.#events.apply(event);
  }

  /** Closes calls that the record left open, and asks again what was asked. @returns false when another process still runs the session */
  async recover(): Promise<boolean> {
    if (this.#running) return true;
    try {
      await this.#locked(() => {}, 0);
      if (this.#mayOfferPlan) this.#planOffer.offerAgain();
      // The project is read again at the start of the first turn.
      if (!this.#hasBegun) this.#state.resolver.refresh();
      this.#askAgain();
      return true;
    } catch (error) {
      if (error instanceof IntakeError) return false;
      throw error;
    }
  }

  /** Goes on with a turn that was broken off. Does nothing while a turn runs. @throws IntakeError */
  async continueTurn(): Promise<void> {
    await this.#waitForCurrentTurn();
    if (this.#running || this.chat.messages.length === 0) return;
    this.#refresh();
    await this.#checkMemory();
    if (this.#running) return;
    await this.#run(async () => (turn) => {
      const { user } = pendingPrompt(this.chat);
      // A prompt without any reply is answered as it stands.
      if (user && this.chat.messages.at(-1)?.info.role === "assistant") {
        addSyntheticMessage(turn, user, reminders.brokenOff);
      }
      if (this.chat.session.terminated) this.#mark(undefined);
    });
  }

  /** Goes on with a turn that waited for the user when its window was closed: the question opens again. */
  #askAgain(): void {
    if (this.#running || !this.#mayOfferPlan || waitingCalls(this.chat).length === 0) return;
    const start = async () => () => {
      if (this.chat.session.terminated) this.#mark(undefined);
    };
    this.#run(start, true).catch((error: unknown) => {
      // Another window has been faster, and asks.
      if (!(error instanceof IntakeError)) this.#deps.log.bug(error);
    });
  }

  /** `reason`: how the session ends, if not as its last turn did. */
  async dispose(reason?: string): Promise<void> {
    const isFirst = !this.#closing.signal.aborted;
    this.#closing.abort();
    this.#planOffer.withdraw();
    await this.#endAll("closed");
    if (isFirst) await this.#hooks.end(reason ?? this.#lastEnd ?? "other");
    this.#deps.recorder.flush();
  }

  /** Ends the turn and all commands. */
  async #endAll(by: StopCause): Promise<void> {
    this.#running?.abort.abort(new Stopped(by));
    await Promise.all([this.#running?.done, this.#deps.host.background.endAll(by)]);
  }

  /** Reads the project again, for what comes next. A turn that runs reads it when it takes prompts. */
  #refresh(): void {
    if (!this.#running) this.#state.resolver.refresh();
  }

  get #mayOfferPlan(): boolean {
    return this.#deps.attended && !this.#closing.signal.aborted;
  }

  #check(input: PromptInput): void {
    if (this.#closing.signal.aborted) {
      throw new IntakeError("session-terminated", "This session is closed. Start a new one.");
    }
    const { chat, choices } = this;
    checkPrompt(input, { chat, choices, agents: this.#state.resolver.project.agents, limits: this.#deps.limits() });
  }

  #store(input: Omit<PromptInput, "noReply">): void {
    const { chat, choices } = this;
    const { agents } = this.#state.resolver.project;
    if (chat.session.terminated) this.#mark(undefined);
    storePrompt(input, { chat, choices, agents, facts: this.#deps.facts, emit: (event) => this.#events.emit(event) });
    this.#storeSaid();
  }

  /** The end by the memory file stays. */
  #mark(terminated: SessionInfo["terminated"]): void {
    if (this.chat.session.terminated?.by === "memory") return;
    this.#events.emit({ type: "session", session: withMark(this.chat.session, terminated) });
  }

  /** Ends the session for good if the user's memory file says so. @throws IntakeError `session-terminated` */
  async #checkMemory(): Promise<void> {
    const { session, messages } = this.chat;
    if (session.terminated?.by === "memory") throw endedError(session.terminated);
    const terminated = endByMemory(session, this.#running ? this.#deps.project() : this.#state.resolver.project);
    if (!terminated) return;
    // A session that never began leaves no record.
    if (messages.length > 0) await this.#locked(() => this.#mark(terminated));
    throw endedError(terminated);
  }

  async #beginHooks(signal: AbortSignal): Promise<void> {
    const source = this.chat.messages.length > 0 ? "resume" : "startup";
    if (await this.#hooks.begin(source, signal)) this.#state.resolver.refresh();
  }

  /** Adds what SessionStart hooks have said to the newest prompt. */
  #storeSaid(): void {
    const { user } = pendingPrompt(this.chat);
    if (!user) return;
    for (const part of this.#hooks.takeSaid()) {
      const base = { id: newID("prt"), sessionID: user.sessionID, messageID: user.id };
      this.#events.emit({ type: "part", part: { ...part, ...base } });
    }
  }

  /** Changes the record while no other process does. @throws IntakeError `session-locked` */
  async #locked(change: () => void, timeout = this.#deps.limits().queueTimeoutMs): Promise<void> {
    await this.#running?.ready;
    const lock = this.#running ? undefined : await this.#deps.lock.acquire(newID("run"), timeout, this.#closing.signal);
    try {
      if (lock) this.#begin(lock, true);
      change();
      this.#deps.recorder.flush();
    } finally {
      lock?.release();
    }
  }

  /** Applies events of other processes and closes the calls that they left open, questions only if they are not kept. @throws RecordError */
  #begin(lock: HeldLock, keepsQuestions: boolean): void {
    this.catchUp(lock.caughtUp);
    const kept = keepsQuestions && this.#deps.attended ? waitingCalls(this.chat) : [];
    const wasBrokenOff = closeOpenCalls(this.#state, interrupted, kept);
    if (wasBrokenOff) this.#mark(killed());
    this.#deps.recorder.flush();
  }

  /**
   * Runs a turn. `prepare` may take its time, as hooks do; what it returns adds the prompt or the request to the chat.
   * Stop ends both. `keepsQuestions`: the turn goes on with the questions that a closed window has left open.
   */
  async #run(
    prepare: (signal: AbortSignal) => Promise<(turn: Turn) => void>,
    keepsQuestions = false,
  ): Promise<TurnEnd> {
    const done = deferred<void>();
    const ready = deferred<void>();
    const abort = new AbortController();
    const running: Running = { abort, wake: undefined, done: done.promise, ready: ready.promise, closed: false };
    this.#running = running;
    let end: TurnEnd | undefined;
    let turn: Turn | undefined;
    let lock: HeldLock | undefined;
    try {
      const runID = newID("run");
      lock = await this.#acquire(runID, abort.signal);
      lock.lost.addEventListener("abort", () => abort.abort(new Stopped("elsewhere")));
      this.#begin(lock, keepsQuestions);
      await this.#beginHooks(abort.signal);
      const start = await prepare(abort.signal);
      this.#planOffer.withdraw();
      this.#state.resolver.begin();
      this.#takeQueued();
      turn = createTurn(runID, running, this.#deps, this.#state);
      start(turn);
      this.#storeSaid();
      this.#hasBegun = true;
      this.#state.budget.begin(costOfSession(this.chat));
      ready.resolve();
      end = await runTurn(turn);
      return end;
    } finally {
      // Its clock must not outlive it.
      turn?.close();
      lock?.release();
      this.#running = undefined;
      this.#lastEnd = end?.reason ?? this.#lastEnd;
      if (end?.reason === "end_turn" && this.#mayOfferPlan) this.#planOffer.offer();
      ready.resolve();
      done.resolve();
    }
  }

  async #acquire(runID: string, signal: AbortSignal): Promise<HeldLock> {
    try {
      return await this.#deps.lock.acquire(runID, this.#deps.limits().queueTimeoutMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new IntakeError("session-locked", "Stopped while another process was still working in this session.");
    }
  }

  async #waitForCurrentTurn(): Promise<void> {
    for (let running = this.#running; running; running = this.#running) {
      await running.ready;
      if (!running.closed && this.#running === running) return;
      await running.done;
    }
  }

  #book(): RuleBook {
    return { mode: presentMode(this.choices), ...this.#deps.rules(this.chat.session.id) };
  }

  #takeQueued(): void {
    if (this.queue.isEmpty) return;
    this.#state.resolver.refresh();
    this.queue.take(this.#state.resolver.project.agents, (input) => this.#store(input));
  }
}

export function newSession(cwd: string, id = newID("ses")): Chat {
  return newChat({ id, createdAt: Date.now(), title: "New session", cwd });
}
