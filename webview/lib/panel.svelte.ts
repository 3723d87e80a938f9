/** The panel's state: the chat as the fold of its events, the host's state, and the open view. */
import { flushSync } from "svelte";
import { apply, type Chat } from "../../src/chat/apply.ts";
import type { ChatEvent } from "../../src/chat/events.ts";
import { never } from "../../src/chat/never.ts";
import type {
  CommandJudgement,
  ContextUse,
  PanelState,
  RestoreFile,
  RuleRow,
  SessionSummary,
  ToPanel,
} from "../../src/chat/protocol.ts";
import type { Trace } from "../../src/chat/trace.ts";
import { Announcements } from "./announcements.ts";
import { mentionedNames } from "./mentions.ts";
import { joinDeltas, placeChild, requestsOf } from "./subagents.ts";
import { newestTodos, type Todo, todosOf } from "./todos.ts";
import { savedState, saveState, send } from "./vscode-api.ts";

/** Interval between updates of a hidden panel. */
const hiddenIntervalMs = 100;
/** A longer update is followed by a rest of the same length, up to a limit. */
const cheapUpdateMs = 8;
const longestRestMs = 40;
/** The host gets the draft after the user has not typed for this time. */
const draftPauseMs = 400;

type PanelView = "chat" | "sessions" | "context" | "rules" | "servers" | "trace";

class PanelModel {
  /** Undefined until the first snapshot. */
  chat = $state<Chat>();
  state = $state.raw<PanelState>();
  /** Undefined until the host has answered. `query`: the text of the search. */
  sessions = $state.raw<{ query: string; found: SessionSummary[] }>();
  /** What fills the context window; undefined until the host has counted. */
  context = $state.raw<ContextUse>();
  /** Undefined until the host has answered. */
  rules = $state.raw<RuleRow[]>();
  /** Undefined until the host has answered. */
  trace = $state.raw<Trace>();
  /** How the rules judge the command that the user entered on the page of rules. */
  explained = $state.raw<CommandJudgement>();
  /** How the rules judge the command that the user is editing in a question. */
  judged = $state.raw<{ requestID: string; judgement: CommandJudgement }>();
  /** What the rules that the user is editing in a question would match. */
  tried = $state.raw<{ requestID: string; examples: { text: string; matches: boolean }[] }>();
  /** The message to restore to; `preview` is missing until the host has answered. */
  restore = $state.raw<{ messageID: string; preview?: { at: number; files: RestoreFile[] } }>();
  /** The newest to-dos of the model. */
  todos = $state.raw<readonly Todo[]>([]);
  view = $state<PanelView>("chat");
  /** What the user has dismissed: servers by name and state, ended commands, a restore. */
  seenServers = $state.raw<ReadonlySet<string>>(new Set());
  cleared = $state.raw<ReadonlySet<string>>(new Set());
  seenRestore = $state("");
  notice = $state.raw<{ message: string; next: string }>();
  /** The composer's text. */
  draft = $state(savedState().draft);
  field = $state<HTMLTextAreaElement>();
  /** Incremented to focus the composer, or to scroll the log to its end. */
  wantFocus = $state(0);
  wantEnd = $state(0);
  /** The open menu of the composer. */
  menu = $state<"mode" | "agent" | "model">();
  /** ID of the queued message that the user is editing. */
  editing = $state<string>();
  /** The open questions of the chat and of all its subagents. */
  readonly requests = $derived(this.chat ? requestsOf(this.chat) : []);
  /** Agents that a prompt can mention. */
  readonly helpers = $derived(this.state?.agents.filter(({ mode }) => mode !== "primary") ?? []);
  /** When the user last typed in the composer; a performance time. */
  typedAt = Number.NEGATIVE_INFINITY;
  readonly announcements = new Announcements();

  #seq = -1;
  #inbox: ToPanel[] = [];
  #scheduled = false;
  #restUntil = 0;
  #draftTimer = 0;

  /** Queues a message from the host for the next frame. A gap in the numbers requests a new snapshot. */
  receive(message: ToPanel): void {
    if (message.type === "snapshot") {
      this.#inbox = [];
    } else if (message.seq <= this.#seq || this.#seq < 0) {
      return;
    } else if (message.seq !== this.#seq + 1) {
      this.#seq = -1;
      send({ type: "ready" });
      return;
    }
    this.#seq = message.seq;
    this.#inbox.push(message);
    this.#schedule();
  }

  write(draft: string): void {
    this.draft = draft;
    saveState({ draft });
    clearTimeout(this.#draftTimer);
    // The host learns at once that the draft was sent, so that a reload does not bring it back.
    this.#draftTimer = window.setTimeout(() => send({ type: "draft", text: draft }), draft === "" ? 0 : draftPauseMs);
  }

  /** Inserts text at the cursor. */
  insert(text: string): void {
    const { selectionStart: from, selectionEnd: to } = this.field ?? { selectionStart: 0, selectionEnd: 0 };
    this.write(this.draft.slice(0, from) + text + this.draft.slice(to));
    this.view = "chat";
    this.wantFocus++;
  }

  /** Whether a model, or the tour, can answer a prompt. */
  get ready(): boolean {
    return this.state !== undefined && this.state.readiness.type !== "no-key";
  }

  prompt(): void {
    const text = this.draft.trim();
    if (!this.state || (text === "" && this.state.attachments.length === 0)) return;
    if (!this.ready) {
      const next = "Set an API key, or start a server on this machine. Your message waits here.";
      this.notice = { message: "No model is connected, so nothing was sent.", next };
      return;
    }
    this.#send(text);
    this.write("");
  }

  #send(text: string): void {
    const agents = mentionedNames(
      text,
      this.helpers.map(({ name }) => name),
    );
    send({ type: "prompt", text, attachments: this.state?.attachments ?? [], agents });
    this.view = "chat";
    this.notice = undefined;
    this.wantEnd++;
  }

  open(id: string): void {
    send({ type: "open-session", id });
    this.view = "chat";
    this.wantEnd++;
  }

  newSession(): void {
    send({ type: "new-session" });
    this.view = "chat";
    this.wantFocus++;
  }

  showSessions(): void {
    send({ type: "list-sessions", query: "" });
    this.view = "sessions";
  }

  showContext(): void {
    this.context = undefined;
    this.view = "context";
  }

  showRules(): void {
    this.rules = undefined;
    this.explained = undefined;
    this.view = "rules";
  }

  showTrace(): void {
    this.trace = undefined;
    this.view = "trace";
  }

  /** Opens the restore dialog, which asks the host what would change. */
  showRestore(messageID: string): void {
    this.view = "chat";
    this.restore = { messageID };
    send({ type: "preview-restore", messageID });
  }

  compact(): void {
    send({ type: "compact" });
    this.view = "chat";
    this.wantEnd++;
  }

  /** Updates at most once per frame, and rests after a slow update, so that typing and scrolling stay smooth. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const rest = this.#restUntil - performance.now();
    // A hidden page gets no frames.
    if (document.hidden) setTimeout(() => this.#draw(), hiddenIntervalMs);
    else if (rest > 0) setTimeout(() => this.#draw(), rest);
    else requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    const start = performance.now();
    this.#scheduled = false;
    flushSync(() => this.#drain());
    const end = performance.now();
    this.#restUntil = end - start > cheapUpdateMs ? end + Math.min(end - start, longestRestMs) : 0;
  }

  #drain(): void {
    const messages = this.#inbox;
    this.#inbox = [];
    for (const message of messages) this.#take(message);
  }

  #take(message: ToPanel): void {
    switch (message.type) {
      case "snapshot":
        if (this.chat?.session.id !== message.chat.session.id) this.restore = undefined;
        this.chat = message.chat;
        this.todos = newestTodos(message.chat);
        // The panel has missed messages, maybe about the rules.
        if (this.view === "rules") send({ type: "show-rules" });
        if (this.view === "trace") send({ type: "show-trace" });
        this.state = message.state;
        if (this.draft === "" && message.draft !== "") this.draft = message.draft;
        return;
      case "events":
        this.#takeEvents(message.events);
        return;
      case "state":
        this.#takeState(message.state);
        return;
      case "sessions":
        this.sessions = { query: message.query, found: message.sessions };
        return;
      case "child":
        if (this.chat) placeChild(this.chat, message.chat);
        return;
      case "context":
        this.context = message.use;
        return;
      case "judged":
        this.judged = message;
        return;
      case "tried":
        this.tried = message;
        return;
      case "rules":
        this.rules = message.rules;
        return;
      case "trace":
        this.trace = message.trace;
        return;
      case "explained":
        this.explained = message.judgement;
        return;
      case "restore-preview":
        if (this.restore?.messageID === message.messageID) {
          this.restore = { messageID: message.messageID, preview: message };
        }
        return;
      case "notice":
        this.notice = { message: message.message, next: message.next };
        return;
      case "compose":
        if (message.send && this.ready) this.#send(message.text);
        else this.insert(message.text);
        return;
      case "focus":
        this.view = "chat";
        this.wantFocus++;
        return;
      case "show-sessions":
        this.showSessions();
        return;
      case "show-rules":
        this.showRules();
        return;
      case "show-trace":
        this.showTrace();
        return;
      case "show-restore":
        this.showRestore(message.messageID);
        return;
      default:
        never(message);
    }
  }

  #takeState(state: PanelState): void {
    const { restored } = state;
    if (restored && restored.files > 0 && restored.at !== this.state?.restored?.at) {
      this.announcements.addRestored(restored.files);
    }
    this.state = state;
  }

  #takeEvents(events: ChatEvent[]): void {
    if (!this.chat) return;
    for (const event of joinDeltas(events)) {
      apply(this.chat, event);
      if (event.type === "rewound") this.todos = newestTodos(this.chat);
      else if (event.type === "part") this.todos = todosOf(event.part) ?? this.todos;
      this.announcements.addEvent(event, this.chat, this.state?.review ?? []);
    }
  }
}

export const panel = new PanelModel();
