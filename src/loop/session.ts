/** One session: its chat, its queue, its Stop, and who listens. The only place that turns prompts into turns. */
import type { Host } from "../tools/host.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { FilesSeen, Tool } from "../tools/tool.ts";
import { type Agent, findAgent } from "./agents.ts";
import { apply, type Chat, findEntry, newChat } from "./apply.ts";
import { knownModel } from "./catalog.ts";
import { pause, type Sleeper, workingClock } from "./clock.ts";
import { type Attachment, type ChatEvent, isRecorded, type PermissionMode, type Rule } from "./events.ts";
import { newID } from "./id.ts";
import { IntakeError } from "./intake-error.ts";
import { runTurn } from "./loop.ts";
import type { LoopEvent } from "./loop-events.ts";
import type { ModelRef, Part, TextPart, UserMessage } from "./message.ts";
import type { Model, Thinking } from "./model.ts";
import { type Answer, Permissions } from "./permission.ts";
import { noteFor, systemPrompt } from "./prompt.ts";
import { isWhollyDenied, type RuleBook } from "./rules.ts";
import { closeOpen, interruptedText } from "./settle.ts";
import type { Recorder } from "./store.ts";
import { askForTitle, titleFromPrompt } from "./title.ts";
import type { Limits, Turn, TurnEnd } from "./turn.ts";

/** What a session needs of the house around it. Functions are asked anew for each turn. */
export interface SessionDeps {
  host: Host;
  tools: ToolRegistry;
  recorder: Recorder;
  limits(): Limits;
  /** For people: "darwin", "linux", "win32". */
  platform: string;
  openModel(ref: ModelRef): Promise<Model>;
  rules(): { user: readonly Rule[]; workspace: readonly Rule[] };
  keepRules(rules: Rule[]): void;
  attended: boolean;
  /** Whether the model is asked for a title once it has answered (L5). */
  titles: boolean;
  onLoopEvent(event: LoopEvent): void;
  onNote(message: string): void;
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

/** The turn that runs. */
interface Running extends Sleeper {
  abort: AbortController;
  done: Promise<void>;
  /** It takes no more prompts. */
  closed: boolean;
}

export type PromptResult = { type: "ended"; end: TurnEnd } | { type: "queued" } | { type: "stored" };

export class Session {
  readonly chat: Chat;
  readonly choices: Choices;
  readonly permissions: Permissions;
  readonly #deps: SessionDeps;
  readonly #seen: FilesSeen = new Map();
  readonly #listeners = new Set<(event: ChatEvent) => void>();
  /** Aborted when the session is closed. */
  readonly #closing = new AbortController();
  #running: Running | undefined;

  /** `chat` is new, or replayed from a record; what was running when the record ended is settled at once. */
  constructor(chat: Chat, choices: Choices, deps: SessionDeps) {
    this.chat = chat;
    this.choices = choices;
    this.#deps = deps;
    this.permissions = new Permissions({
      book: () => this.#book(),
      keep: (rules) => deps.keepRules(rules),
      emit: (event) => this.#emit(event),
      attended: deps.attended,
    });
    closeOpen(chat, interruptedText, (event) => this.#emit(event));
    if (deps.titles && chat.messages.length === 0) this.#nameAfterFirstReply();
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
   * @throws IntakeError when it is not taken, RecordError when what was said before cannot be kept: nothing is stored
   */
  async prompt(prompt: Prompt): Promise<PromptResult> {
    await this.#lastWord();
    this.#check(prompt);
    if (this.#running && !prompt.noReply) return this.#enqueue(prompt);
    this.#deps.recorder.flush();
    if (!this.#running) this.#takeQueued();
    this.#store(prompt);
    // With a reply to come, the turn sees to it that the message is kept before the model is asked (R2).
    if (!prompt.noReply) return { type: "ended", end: await this.#run(prompt) };
    this.#deps.recorder.flush();
    return { type: "stored" };
  }

  /** Answers the newest user message again, after an error. Does nothing while a turn runs. */
  async tryAgain(): Promise<void> {
    await this.#lastWord();
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
    this.#closing.abort();
    await this.stop();
    this.#deps.recorder.flush();
  }

  #check(prompt: Prompt): void {
    if (this.#closing.signal.aborted)
      throw new IntakeError("session-terminated", "This session is closed. Start a new one.");
    findAgent(this.choices.agent);
    if (prompt.messageID !== undefined && findEntry(this.chat, prompt.messageID)) {
      throw new IntakeError("prompt-invalid", `There is a message ${prompt.messageID} already.`);
    }
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
    const waiting = { id: prompt.messageID ?? newID("msg"), text: prompt.text, attachments: [...prompt.attachments] };
    this.#emit({ type: "queued", queue: [...this.chat.queue, waiting] });
    try {
      this.#deps.recorder.flush();
    } catch (error) {
      this.withdraw(waiting.id);
      throw error;
    }
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
    const note = noteFor(new Date(), this.choices.mode, this.#lastNote());
    this.#emit({ type: "message", message });
    const base = () => ({ id: newID("prt"), sessionID: message.sessionID, messageID: message.id });
    if (note !== undefined) this.#put({ type: "text", text: note, synthetic: true, ...base() });
    for (const attachment of prompt.attachments) this.#put({ type: "file", ...attachment, ...base() });
    if (prompt.text.trim() !== "") this.#put({ type: "text", text: prompt.text, ...base() });
  }

  #put(part: Part): void {
    this.#emit({ type: "part", part });
  }

  /** The last of Rondo's own notes to the model. */
  #lastNote(): string | undefined {
    const isNote = (part: Part): part is TextPart => part.type === "text" && part.synthetic === true;
    return this.chat.messages.findLast(({ parts }) => parts.some(isNote))?.parts.findLast(isNote)?.text;
  }

  async #run(prompt: Prompt | undefined): Promise<TurnEnd> {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const running: Running = { abort: new AbortController(), wake: undefined, done, closed: false };
    const turn = this.#turn(prompt, running);
    this.#running = running;
    try {
      return await runTurn(turn);
    } finally {
      this.#running = undefined;
      resolve();
    }
  }

  /** Waits for the end of a turn that takes no more prompts. */
  async #lastWord(): Promise<void> {
    while (this.#running?.closed) await this.#running.done;
  }

  #turn(prompt: Prompt | undefined, running: Running): Turn {
    const { host, limits, openModel, onLoopEvent, onNote, onBug, recorder, platform } = this.#deps;
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
      maxTokens: knownModel(modelRef)?.maxOutput,
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
      report: (event) => this.#tell(() => onLoopEvent(event)),
      note: onNote,
      bug: onBug,
      takeQueued: () => this.#takeQueued(),
      close: () => {
        running.closed = true;
      },
      pause: (ms) => pause(ms, running, running.abort.signal),
      untimed: (wait) => clock.untimed(wait),
      elapsed: () => clock.elapsed(),
    };
  }

  /** Tools that agent, rules and message leave (T1); in the mode Plan all stay, so that the prompt's prefix holds (C7). */
  #offered(agent: Agent, switches: Record<string, boolean>): Tool[] {
    const book = this.#book();
    return this.#deps.tools.offered().filter((tool) => {
      if (switches[tool.name] === false || isWhollyDenied(tool, book)) return false;
      return !agent.readOnly || tool.sideEffect === "read-only" || tool.sideEffect === "none";
    });
  }

  #book(): RuleBook {
    return { mode: this.choices.mode, ...this.#deps.rules() };
  }

  #takeQueued(): void {
    const waiting = this.chat.queue;
    if (waiting.length === 0) return;
    for (const { id, text, attachments } of waiting) {
      // The process may have ended between the message and the emptied queue: its parts are then put anew.
      if (findEntry(this.chat, id)) this.#emit({ type: "reset", messageID: id });
      this.#store({ text, attachments, messageID: id });
    }
    this.#emit({ type: "queued", queue: [] });
  }

  #nameAfterFirstReply(): void {
    const forget = this.listen((event) => {
      if (event.type !== "message" || event.message.role !== "assistant") return;
      if (event.message.finish === undefined || event.message.finish === "interrupted") return;
      forget();
      void this.#name(event.message.model);
    });
  }

  /** A failure is never seen: the title made of the prompt stays (L5). So it does when it was changed meanwhile. */
  async #name(ref: ModelRef): Promise<void> {
    const { title } = this.chat.session;
    try {
      const [first] = this.chat.messages;
      if (!first) return;
      const model = await this.#deps.openModel(ref);
      const made = await askForTitle(model, ref.modelID, first, this.#closing.signal);
      if (made !== "" && this.chat.session.title === title && !this.#closing.signal.aborted) this.rename(made);
    } catch {
      return;
    }
  }

  #emit(event: ChatEvent): void {
    apply(this.chat, event);
    if (isRecorded(event)) this.#deps.recorder.append(event);
    for (const listener of this.#listeners) this.#tell(() => listener(event));
  }

  /** Who listens cannot break the turn. */
  #tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#deps.onBug(error);
    }
  }
}

export function newSession(cwd: string, id = newID("ses")): Chat {
  return newChat({ id, createdAt: Date.now(), title: "New session", cwd });
}
