/** One session: its chat, its queue, its Stop, and who listens. The only place that turns prompts into turns. */
import type { Host } from "../tools/host.ts";
import type { FilesSeen, Tool } from "../tools/tool.ts";
import { type Agent, findAgent } from "./agents.ts";
import { apply, type Chat, newChat } from "./apply.ts";
import { knownModel } from "./catalog.ts";
import { type Attachment, type ChatEvent, isRecorded, type PermissionMode, type Rule } from "./events.ts";
import { newID } from "./id.ts";
import { IntakeError } from "./intake-error.ts";
import { runTurn } from "./loop.ts";
import type { LoopEvent } from "./loop-events.ts";
import type { ModelRef, Part, TextPart, UserMessage } from "./message.ts";
import type { Model, Thinking } from "./model.ts";
import { type Answer, Permissions } from "./permission.ts";
import { dateNote, systemPrompt } from "./prompt.ts";
import { closeOpenCalls, interruptedText } from "./settle.ts";
import type { Recorder } from "./store.ts";
import { titleFromPrompt } from "./title.ts";
import type { Limits, Turn, TurnEnd } from "./turn.ts";

/** What a session needs of the house around it. Functions are asked anew for each turn. */
export interface SessionDeps {
  host: Host;
  tools: readonly Tool[];
  recorder: Recorder;
  limits(): Limits;
  /** For people: "darwin", "linux", "win32". */
  platform: string;
  openModel(ref: ModelRef): Promise<Model>;
  rules(): { user: readonly Rule[]; workspace: readonly Rule[] };
  keepRules(rules: Rule[]): void;
  attended: boolean;
  onLoopEvent(event: LoopEvent): void;
  onBug(error: unknown): void;
}

/** How the next prompts are answered; the user changes it between them. */
export interface Choices {
  mode: PermissionMode;
  model: ModelRef;
  agent: string;
  thinking: Thinking;
  /** Added to the system prompt. */
  appended: string;
}

export interface Prompt {
  text: string;
  attachments: readonly Attachment[];
  messageID?: string;
  system?: string;
  variant?: string;
  /** Tools switched on or off for this message alone. */
  tools?: Record<string, boolean>;
  /** Stores the message and answers nothing (P1). */
  noReply?: boolean;
}

/** The longest prompt (P2), in characters. */
const longestPrompt = 1 << 20;

export type PromptResult = { type: "ended"; end: TurnEnd } | { type: "queued" } | { type: "stored" };

export class Session {
  readonly chat: Chat;
  readonly choices: Choices;
  readonly permissions: Permissions;
  readonly #deps: SessionDeps;
  readonly #seen: FilesSeen = new Map();
  readonly #listeners = new Set<(event: ChatEvent) => void>();
  #running: { abort: AbortController; wake: (() => void) | undefined; done: Promise<TurnEnd> } | undefined;
  #disposed = false;

  /** `chat` is new, or replayed from a record; what was running when the record ended is settled at once. */
  constructor(chat: Chat, choices: Choices, deps: SessionDeps) {
    this.chat = chat;
    this.choices = choices;
    this.#deps = deps;
    this.permissions = new Permissions({
      book: () => ({ mode: this.choices.mode, ...deps.rules() }),
      keep: (rules) => deps.keepRules(rules),
      emit: (event) => this.#emit(event),
      attended: deps.attended,
    });
    closeOpenCalls(chat, interruptedText, (event) => this.#emit(event));
    this.#closeOpenReply();
  }

  get running(): boolean {
    return this.#running !== undefined;
  }

  /** @returns a function that ends the listening */
  listen(listener: (event: ChatEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Takes a prompt. While a turn runs it waits for the next step; else it starts a turn and resolves when that ends.
   * @throws IntakeError when it is not taken, RecordError when it cannot be kept; nothing is stored then
   */
  async prompt(prompt: Prompt): Promise<PromptResult> {
    this.#check(prompt);
    if (this.#running) return this.#enqueue(prompt);
    this.#deps.recorder.flush();
    this.#store(prompt);
    this.#deps.recorder.flush();
    if (prompt.noReply) return { type: "stored" };
    return { type: "ended", end: await this.#run(prompt) };
  }

  /** Answers the newest user message again, after an error. Does nothing while a turn runs. */
  async tryAgain(): Promise<void> {
    if (!this.#running && this.chat.messages.length > 0) await this.#run(undefined);
  }

  /** Ends the turn: the stream is closed, commands are killed, open questions are withdrawn. Resolves when it is idle. */
  async stop(): Promise<void> {
    this.#running?.abort.abort(new DOMException("Stopped by the user", "AbortError"));
    await this.#running?.done;
  }

  /** Cuts a wait between two tries short. */
  retryNow(): void {
    this.#running?.wake?.();
  }

  withdraw(queuedID: string): void {
    this.#emit({ type: "queued", queue: this.chat.queue.filter((one) => one.id !== queuedID) });
  }

  answer(requestID: string, answer: Answer): boolean {
    return this.permissions.answer(requestID, answer);
  }

  setMode(mode: PermissionMode): void {
    this.choices.mode = mode;
    this.permissions.changed();
  }

  rename(title: string): void {
    this.#emit({ type: "session", session: { ...this.chat.session, title } });
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.stop();
    this.#deps.recorder.flush();
  }

  #check(prompt: Prompt): void {
    if (this.#disposed) throw new IntakeError("session-terminated", "This session is closed. Start a new one.");
    findAgent(this.choices.agent);
    if (prompt.text.trim() === "" && prompt.attachments.length === 0) {
      throw new IntakeError("prompt-invalid", "The message is empty. Write what you want done.");
    }
    if (prompt.text.length > longestPrompt) {
      const size = (prompt.text.length / 1024).toFixed(0);
      throw new IntakeError(
        "prompt-invalid",
        `The message is ${size} KiB long; the most is ${longestPrompt / 1024} KiB. Put the text into a file and attach that.`,
      );
    }
  }

  #enqueue(prompt: Prompt): PromptResult {
    const { maxQueueDepth } = this.#deps.limits();
    if (this.chat.queue.length >= maxQueueDepth) {
      throw new IntakeError(
        "queue-full",
        `${maxQueueDepth} messages wait already. Wait for the next step, or withdraw one.`,
      );
    }
    const waiting = { id: newID("msg"), text: prompt.text, attachments: [...prompt.attachments] };
    this.#emit({ type: "queued", queue: [...this.chat.queue, waiting] });
    this.#deps.recorder.flush();
    return { type: "queued" };
  }

  #store(prompt: Prompt): void {
    const message: UserMessage = {
      id: prompt.messageID ?? newID("msg"),
      sessionID: this.chat.session.id,
      createdAt: Date.now(),
      role: "user",
      agent: this.choices.agent,
      model: this.choices.model,
      ...(prompt.system !== undefined && { system: prompt.system }),
      ...(prompt.variant !== undefined && { variant: prompt.variant }),
      ...(prompt.tools && { tools: prompt.tools }),
    };
    if (this.chat.messages.length === 0) {
      const title = titleFromPrompt(prompt.text) || this.chat.session.title;
      this.#emit({ type: "session", session: { ...this.chat.session, title } });
    }
    const note = dateNote(new Date());
    const noteIsNew = !this.#said(note);
    this.#emit({ type: "message", message });
    const base = () => ({ id: newID("prt"), sessionID: message.sessionID, messageID: message.id });
    if (noteIsNew) this.#put({ type: "text", text: note, synthetic: true, ...base() });
    for (const attachment of prompt.attachments) this.#put({ type: "file", ...attachment, ...base() });
    if (prompt.text.trim() !== "") this.#put({ type: "text", text: prompt.text, ...base() });
  }

  #put(part: Part): void {
    this.#emit({ type: "part", part });
  }

  /** Whether the last of Rondo's own notes says this already. */
  #said(note: string): boolean {
    for (const { info, parts } of this.chat.messages.toReversed()) {
      if (info.role !== "user") continue;
      const last = parts.findLast((part): part is TextPart => part.type === "text" && part.synthetic === true);
      if (last) return last.text === note;
    }
    return false;
  }

  async #run(prompt: Prompt | undefined): Promise<TurnEnd> {
    const abort = new AbortController();
    const running = {
      abort,
      wake: undefined,
      done: Promise.resolve<TurnEnd>({ reason: "end_turn", error: undefined }),
    };
    this.#running = running;
    running.done = runTurn(this.#turn(prompt, running));
    try {
      return await running.done;
    } finally {
      this.#running = undefined;
    }
  }

  #turn(prompt: Prompt | undefined, running: { abort: AbortController; wake: (() => void) | undefined }): Turn {
    const { host, limits, openModel, onLoopEvent, onBug, recorder, platform } = this.#deps;
    const agent = findAgent(this.choices.agent);
    const { model: modelRef, appended, thinking } = this.choices;
    const readOnly = () => agent.readOnly || this.choices.mode === "plan";
    const tools = this.#offered(agent, prompt?.tools ?? {});
    const environment = { folders: host.workspace.folders, platform, shell: host.terminal.shell };
    const clock = workingClock();
    return {
      runID: newID("run"),
      chat: this.chat,
      agent,
      modelRef,
      thinking,
      system: systemPrompt(agent, environment, [appended, prompt?.system ?? ""].filter(Boolean).join("\n\n")),
      limits: limits(),
      maxTokens: knownModel(modelRef)?.maxOutput ?? (modelRef.providerID === "anthropic" ? 8192 : undefined),
      host,
      permissions: this.permissions,
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      definitions: tools.map(({ name, description, schema }) => ({ name, description, schema })),
      seen: this.#seen,
      firstReply: this.chat.messages.length,
      readOnly,
      signal: running.abort.signal,
      openModel: () => openModel(modelRef),
      emit: (event) => this.#emit(event),
      flush: () => recorder.flush(),
      report: onLoopEvent,
      bug: onBug,
      takeQueued: () => this.#takeQueued(),
      pause: (ms) => pause(ms, running),
      untimed: (wait) => clock.untimed(wait),
      elapsed: () => clock.elapsed(),
    };
  }

  /** Tools that the agent and this message leave; in the mode Plan all stay, so that the prompt's prefix holds (C7). */
  #offered(agent: Agent, switches: Record<string, boolean>): Tool[] {
    return this.#deps.tools.filter((tool) => {
      if (switches[tool.name] === false) return false;
      return !agent.readOnly || tool.sideEffect === "read-only" || tool.sideEffect === "none";
    });
  }

  #takeQueued(): void {
    const waiting = this.chat.queue;
    if (waiting.length === 0) return;
    for (const { id, text, attachments } of waiting) this.#store({ text, attachments, messageID: id });
    this.#emit({ type: "queued", queue: [] });
  }

  /** A reply that the end of the process cut is marked, so that nothing waits for its end. */
  #closeOpenReply(): void {
    const last = this.chat.messages.at(-1)?.info;
    if (last?.role !== "assistant" || last.completedAt !== undefined) return;
    this.#emit({ type: "message", message: { ...last, completedAt: Date.now(), finish: "interrupted" } });
  }

  #emit(event: ChatEvent): void {
    apply(this.chat, event);
    for (const listener of this.#listeners) listener(event);
    if (isRecorded(event)) this.#deps.recorder.append(event);
  }
}

export function newSession(cwd: string, id = newID("ses")): Chat {
  return newChat({ id, createdAt: Date.now(), title: "New session", cwd });
}

/** Counts time, save while somebody is waited for. */
function workingClock(): { elapsed(): number; untimed<T>(wait: () => Promise<T>): Promise<T> } {
  const started = Date.now();
  let waited = 0;
  return {
    elapsed: () => Date.now() - started - waited,
    async untimed(wait) {
      const from = Date.now();
      try {
        return await wait();
      } finally {
        waited += Date.now() - from;
      }
    },
  };
}

function pause(ms: number, running: { abort: AbortController; wake: (() => void) | undefined }): Promise<void> {
  const { signal } = running.abort;
  return new Promise((resolve, reject) => {
    const done = (settle: () => void) => () => {
      clearTimeout(timer);
      running.wake = undefined;
      signal.removeEventListener("abort", stop);
      settle();
    };
    const stop = done(() => reject(signal.reason));
    const wake = done(resolve);
    const timer = setTimeout(wake, ms);
    running.wake = wake;
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}
