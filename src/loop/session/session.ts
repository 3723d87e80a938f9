/** A session: its chat, queue, Stop and listeners. Only a session turns prompts into turns. */
import { newID } from "../../base/ids.ts";
import { type Chat, newChat } from "../../chat/apply.ts";
import type { ContextUse, PieceChange, PiecesChange } from "../../chat/context-views.ts";
import type { ChatEvent, RecordedEvent } from "../../chat/events.ts";
import type { PermissionMode } from "../../chat/permission-mode.ts";
import type { PromptInput } from "../../chat/prompt-input.ts";
import type { Answer, BudgetRequest, BuildMode } from "../../chat/requests.ts";
import type { ReviewDecision } from "../../chat/review-decisions.ts";
import type { CommandJudgement } from "../../chat/rule-views.ts";
import { spentOn } from "../../chat/spent.ts";
import { msg } from "../../l10n/l10n.ts";
import type { Background } from "../../tools/host.ts";
import type { PermissionRequirement } from "../../tools/tool.ts";
import type { Agent } from "../agents/agents.ts";
import { requestCompaction } from "../context/compact.ts";
import { asBegun, pendingPrompt } from "../context/context.ts";
import { contextUse } from "../context/context-use.ts";
import { beginFresh } from "../context/fresh-context.ts";
import { changedPiece, changedPieces } from "../context/piece-changes.ts";
import { type Limits, withoutZeros } from "../limits.ts";
import { OpenRequests } from "../permissions/open-requests.ts";
import { judgeCommand } from "../permissions/parts.ts";
import { Permissions } from "../permissions/permissions.ts";
import type { RuleBook } from "../permissions/rules.ts";
import { type Choices, ConfigResolver, type ModeEnd, presentMode } from "../setup/agent-config.ts";
import type { Turn, TurnEnd } from "../turn.ts";
import { Budget, type ReachedLimit } from "./budget.ts";
import type { SessionState } from "./create-turn.ts";
import { IntakeError } from "./intake-error.ts";
import { PlanOffer } from "./plan-offer.ts";
import { PromptQueue } from "./prompt-queue.ts";
import { Reruns } from "./reruns.ts";
import type { SessionDeps } from "./session-deps.ts";
import { SessionEvents } from "./session-events.ts";
import { SessionHooks } from "./session-hooks.ts";
import { SessionPrompts } from "./session-prompts.ts";
import { SessionTurns } from "./session-turns.ts";
import { endByMemory, endedError, markSession } from "./termination.ts";
import { nameSession } from "./title.ts";
import { WaitingPrompts } from "./waiting-prompts.ts";

export type PromptResult =
  | { type: "ended"; end: TurnEnd }
  | { type: "queued" }
  | { type: "stored" }
  | { type: "dropped" };

/**
 * What becomes of a prompt that is sent while a turn runs (Q2): it waits for the next step (`queue`) or for the end of the
 * turn (`after-turn`), is not taken (`drop`), or ends the turn and begins one of its own (`interrupt`).
 */
export type WhenBusy = "queue" | "after-turn" | "drop" | "interrupt";

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
  readonly #prompts: SessionPrompts;
  readonly #turns: SessionTurns;
  readonly #waiting: WaitingPrompts;
  readonly #reruns: Reruns;
  readonly #closing = new AbortController();

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
      locked: (change) => this.#turns.locked(change),
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
      // Subagents that reach the limit side by side share an answer.
      const subject = reached.scope === "price" ? reached.model : reached.scope;
      return await this.requests.ask<BudgetRequest>(request, { signal, subject });
    };
    const limits = () => withoutZeros(deps.limits());
    const resolver = new ConfigResolver({ ...deps, choices, book: () => this.#book() });
    this.#state = {
      chat,
      choices,
      permissions: this.permissions,
      resolver,
      budget: new Budget({ ledger: deps.ledger, limits, ask: deps.attended ? ask : undefined }),
      emit,
      takeQueued: () => this.#prompts.takeQueued(),
    };
    const agents = () => resolver.project.agents;
    this.#planOffer = new PlanOffer({ chat, choices, requests: this.requests, agents });
    const closing = this.#closing.signal;
    this.#prompts = new SessionPrompts({
      ...{ chat, choices, deps, resolver, emit, closing },
      hooks: this.#hooks,
      queue: this.queue,
    });
    this.#turns = new SessionTurns({
      ...{ deps, closing },
      state: this.#state,
      events: this.#events,
      prompts: this.#prompts,
      planOffer: this.#planOffer,
      onDone: () => void this.#waiting.sendDue(),
    });
    this.#waiting = new WaitingPrompts({
      ...{ chat, deps, closing, queue: this.queue, prompts: this.#prompts, turns: this.#turns },
      prepare: () => this.#prepare(),
    });
    this.#reruns = new Reruns({
      ...{ deps, state: this.#state, turns: this.#turns },
      prepare: () => this.#prepare(),
      rewind: (messageID) => this.rewind(messageID),
    });
    const { background } = deps.host;
    background.listen(() => this.#events.apply({ type: "background", commands: [...background.list()] }));
    if (deps.titles && chat.messages.length === 0) {
      const { openModel, facts } = deps;
      const { budget } = this.#state;
      this.titled = nameSession({ session: this, agents, openModel, facts, budget, closing });
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
    return this.#turns.isRunning;
  }

  listen(listener: (event: ChatEvent) => void): () => void {
    return this.#events.listen(listener);
  }

  /**
   * Takes a prompt and resolves when its turn ends, or when it is queued. `planID`: a turn that it begins sees this reply,
   * a plan, in place of the conversation (C9).
   * @throws IntakeError when it is not taken, RecordError when what was said before cannot be kept: nothing is stored
   */
  async prompt(input: PromptInput, whenBusy: WhenBusy = "queue", planID?: string): Promise<PromptResult> {
    await this.#turns.waitForCurrent();
    this.#refresh();
    this.#prompts.check(input);
    await this.#checkMemory();
    if (this.running && whenBusy === "drop") return { type: "dropped" };
    if (!this.running && !input.noReply) {
      const submit = async (signal: AbortSignal) => {
        const heard = await this.#hooks.submit(input, signal);
        return (turn: Turn) => {
          if (planID !== undefined) beginFresh(turn, this.choices.agent, planID);
          this.#prompts.store(heard);
        };
      };
      return { type: "ended", end: await this.#turns.run(submit) };
    }
    const { signal } = this.#closing;
    await this.#prompts.beginHooks(signal);
    const heard = await this.#hooks.submit(input, signal);
    if (whenBusy === "interrupt") await this.stop();
    await this.#turns.waitForCurrent();
    const store = () => this.#prompts.store(heard);
    if (!input.noReply) {
      if (this.running) {
        this.queue.add(heard, whenBusy === "after-turn" ? "after-turn" : "next-step");
        return { type: "queued" };
      }
      return { type: "ended", end: await this.#turns.run(async () => store) };
    }
    await this.#turns.locked(store);
    return { type: "stored" };
  }

  /** Answers the newest user message again after an error. Does nothing while a turn runs. @throws IntakeError */
  async tryAgain(): Promise<void> {
    await this.#reruns.tryAgain();
  }

  /** Goes back to a user message and answers it again: see Reruns. @throws IntakeError */
  async answerAgain(messageID: string): Promise<void> {
    await this.#reruns.answerAgain(messageID);
  }

  /** Compacts now, as a turn of its own. `keep`: what the summary is to keep, in the user's words. @throws IntakeError while a turn runs, or when there is nothing to compact */
  async compact(keep = ""): Promise<TurnEnd> {
    await this.#turns.waitForCurrent();
    await this.#prepare();
    // Another turn may have begun meanwhile: nothing may come between this and the run.
    const { user } = pendingPrompt(this.chat);
    if (this.running)
      throw new IntakeError("prompt-invalid", msg("Rondo is working. Compact when it is done, or stop it first."));
    if (!user) throw new IntakeError("prompt-invalid", msg("There is nothing to compact yet."));
    return await this.#turns.run(async () => (turn) => requestCompaction(turn, user, false, keep));
  }

  /** Resolves when the turn has ended and background commands are killed. */
  async stop(): Promise<void> {
    await this.#turns.endAll("user");
  }

  retryNow(): void {
    this.#turns.retryNow();
  }

  /** Interrupts the turn for the queued prompts: see WaitingPrompts. @throws IntakeError */
  async sendQueuedNow(first?: string): Promise<void> {
    await this.#waiting.sendNow(first);
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

  /** Rewinds to before a message; null undoes the last rewind. @throws IntakeError while a turn runs */
  async rewind(messageID: string | null): Promise<void> {
    if (this.running) throw new IntakeError("prompt-invalid", msg("Rondo is working. Stop it first."));
    await this.#turns.locked(() => {
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
    await this.#turns.locked(() => this.#events.emit({ type: "session", session: { ...this.chat.session, title } }));
  }

  /** Records what the user has decided about changes. The model is told before it answers again. @throws IntakeError `session-locked` */
  async decided(decisions: readonly ReviewDecision[]): Promise<void> {
    await this.#turns.locked(() => {
      for (const decision of decisions) this.#events.emit({ type: "decided", decision });
    });
  }

  /** Counts the cost of a request that is part of no message. */
  async charge(charge: Omit<Extract<RecordedEvent, { type: "charged" }>, "type">): Promise<void> {
    this.#state.budget.add(spentOn(charge));
    await this.#turns.locked(() => this.#events.emit({ type: "charged", ...charge }));
  }

  contextUse(): ContextUse {
    return presentContext(this.#state, this.#deps.limits());
  }

  /**
   * Pins or drops a part, or takes that back; it holds from the next request on (C8). @throws IntakeError `session-locked`,
   * or where it cannot be done, or no longer
   */
  async changePiece(partID: string, change: PieceChange): Promise<void> {
    await this.#turns.locked(() => {
      const piece = changedPiece(this.chat, partID, change);
      if (piece) this.#events.emit({ type: "piece", partID, piece });
    });
  }

  /** Drops all that is not pinned, or takes back the drops that wait (C8). @throws IntakeError `session-locked` */
  async changePieces(change: PiecesChange): Promise<void> {
    await this.#turns.locked(() => {
      for (const [partID, piece] of changedPieces(this.chat, change))
        this.#events.emit({ type: "piece", partID, piece });
    });
  }

  /** Applies events of another process without recording them. */
  catchUp(events: readonly ChatEvent[]): void {
    this.#turns.catchUp(events);
  }

  /** Closes calls that the record left open, and asks again what was asked. @returns false when another process still runs the session */
  async recover(): Promise<boolean> {
    if (this.running) return true;
    try {
      await this.#turns.locked(() => {}, 0);
      if (this.#turns.mayAsk) this.#planOffer.offerAgain();
      // The project is read again at the start of the first turn.
      if (!this.#turns.hasBegun) this.#state.resolver.refresh();
      this.#reruns.askAgain();
      return true;
    } catch (error) {
      if (error instanceof IntakeError) return false;
      throw error;
    }
  }

  /** Goes on with a turn that was broken off. Does nothing while a turn runs. @throws IntakeError */
  async continueTurn(): Promise<void> {
    await this.#reruns.continueTurn();
  }

  /** `reason`: how the session ends, if not as its last turn did. */
  async dispose(reason?: string): Promise<void> {
    const isFirst = !this.#closing.signal.aborted;
    this.#closing.abort();
    this.#planOffer.withdraw();
    await this.#turns.endAll("closed");
    if (isFirst) await this.#hooks.end(reason ?? this.#turns.lastEnd ?? "other");
    this.#deps.recorder.flush();
  }

  /** To be called before a turn. @throws IntakeError `session-terminated` */
  async #prepare(): Promise<void> {
    this.#refresh();
    await this.#checkMemory();
  }

  /** Reads the project again, for what comes next. A turn that runs reads it when it takes prompts. */
  #refresh(): void {
    if (!this.running) this.#state.resolver.refresh();
  }

  /** Ends the session for good if the user's memory file says so. @throws IntakeError `session-terminated` */
  async #checkMemory(): Promise<void> {
    const { session, messages } = this.chat;
    if (session.terminated?.by === "memory") throw endedError(session.terminated);
    const terminated = endByMemory(session, this.running ? this.#deps.project() : this.#state.resolver.project);
    if (!terminated) return;
    // A session that never began leaves no record.
    if (messages.length > 0) await this.#turns.locked(() => markSession(this.#state, terminated));
    throw endedError(terminated);
  }

  #book(): RuleBook {
    return { mode: presentMode(this.choices), ...this.#deps.rules(this.chat.session.id) };
  }
}

export function newSession(cwd: string, id = newID("ses")): Chat {
  return newChat({ id, createdAt: Date.now(), title: msg("New session"), cwd });
}

// What fills the window of a session now: with the prompt that waits for an answer, or before the next one.

/** Returns what the next request would hold, by the agent and the model that would answer it. */
function presentContext({ chat, choices, resolver }: SessionState, limits: Limits): ContextUse {
  const { model, agent } = choices;
  const base = { id: "", sessionID: chat.session.id, createdAt: 0, role: "user" } as const;
  const asked = pendingPrompt(chat).user ?? { ...base, agent, model };
  const config = resolver.of(asked);
  const prompt = resolver.promptOf(config.agent, asked);
  return contextUse(chat, asBegun(chat, config), prompt, resolver.project, limits);
}
