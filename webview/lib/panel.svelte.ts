/** All that the panel knows: the chat as the fold of its events, the host's state, and which view is open. */
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
import { Announcements } from "./announcements.ts";
import { mentioned } from "./mentions.ts";
import { joined, placeChild, requestsOf } from "./subagents.ts";
import { newestTodos, type Todo, todosOf } from "./todos.ts";
import { keep, recall, send } from "./vscode-api.ts";

/** In ms: how often a hidden panel is drawn, what a drawing may cost without a rest after it, and the longest rest. */
const hiddenDelay = 100;
const cheap = 8;
const longestRest = 40;
/** In ms: how long the typing must rest before the host is told. */
const draftDelay = 400;

type View = "chat" | "sessions" | "context" | "rules" | "servers";

class PanelModel {
  /** Undefined until the first snapshot. */
  chat = $state<Chat>();
  state = $state.raw<PanelState>();
  /** Undefined: the host has not answered yet. `query`: what was searched for. */
  sessions = $state.raw<{ query: string; found: SessionSummary[] }>();
  /** What fills the window; undefined until the host has counted. */
  context = $state.raw<ContextUse>();
  /** Undefined until the host has answered. */
  rules = $state.raw<RuleRow[]>();
  /** What the rules make of the command that was asked about on their page. */
  explained = $state.raw<CommandJudgement>();
  /** What the rules make of the command that the user is changing in a question. */
  judged = $state.raw<{ requestID: string; judgement: CommandJudgement }>();
  /** What the rules that the user is changing in a question would match. */
  tried = $state.raw<{ requestID: string; examples: { text: string; matches: boolean }[] }>();
  /** The message that the files may go back to; without `preview` the host has not answered yet. */
  restore = $state.raw<{ messageID: string; preview?: { at: number; files: RestoreFile[] } }>();
  /** The model's list of what is to be done, as it wrote it last. */
  todos = $state.raw<readonly Todo[]>([]);
  view = $state<View>("chat");
  /** What the user has put off: servers by name and state, ended commands, a restore. */
  seenServers = $state.raw<ReadonlySet<string>>(new Set());
  cleared = $state.raw<ReadonlySet<string>>(new Set());
  seenRestore = $state("");
  notice = $state.raw<{ message: string; next: string }>();
  /** The composer's text. */
  draft = $state(recall().draft);
  field = $state<HTMLTextAreaElement>();
  /** Grows when the composer is to take the focus, or the log to show its end. */
  wantFocus = $state(0);
  wantEnd = $state(0);
  /** Which of the composer's menus is open. */
  menu = $state<"mode" | "agent" | "model">();
  /** The waiting prompt that is being edited. */
  editing = $state<string>();
  /** The open questions of the chat and of all its subagents. */
  readonly requests = $derived(this.chat ? requestsOf(this.chat) : []);
  /** Agents that a prompt can mention. */
  readonly helpers = $derived(this.state?.agents.filter(({ mode }) => mode !== "primary") ?? []);
  /** When the user last typed in the composer; a performance time. */
  typedAt = Number.NEGATIVE_INFINITY;
  readonly speech = new Announcements();

  #seq = -1;
  #inbox: ToPanel[] = [];
  #scheduled = false;
  #restUntil = 0;
  #draftTimer = 0;

  /** Takes a message from the host. It shows with the next frame; a gap in the numbers asks for everything anew. */
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
    keep({ draft });
    clearTimeout(this.#draftTimer);
    // Sent text is gone at once: a reload must not bring it back.
    this.#draftTimer = window.setTimeout(() => send({ type: "draft", text: draft }), draft === "" ? 0 : draftDelay);
  }

  /** Puts text where the cursor is. */
  insert(text: string): void {
    const { selectionStart: from, selectionEnd: to } = this.field ?? { selectionStart: 0, selectionEnd: 0 };
    this.write(this.draft.slice(0, from) + text + this.draft.slice(to));
    this.view = "chat";
    this.wantFocus++;
  }

  /** Whether a prompt would find somebody who answers. */
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
    const agents = mentioned(
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

  /** Asks what going back to before this message would change. */
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

  /** At most one drawing a frame, and after a costly one a rest as long: typing and scrolling come first. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const rest = this.#restUntil - performance.now();
    // A hidden page gets no frames.
    if (document.hidden) setTimeout(() => this.#draw(), hiddenDelay);
    else if (rest > 0) setTimeout(() => this.#draw(), rest);
    else requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    const start = performance.now();
    this.#scheduled = false;
    flushSync(() => this.#drain());
    const end = performance.now();
    this.#restUntil = end - start > cheap ? end + Math.min(end - start, longestRest) : 0;
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
        // Who asks for a snapshot has missed something, perhaps of the rules.
        if (this.view === "rules") send({ type: "show-rules" });
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
      this.speech.hearRestored(restored.files);
    }
    this.state = state;
  }

  #takeEvents(events: ChatEvent[]): void {
    if (!this.chat) return;
    for (const event of joined(events)) {
      apply(this.chat, event);
      if (event.type === "rewound") this.todos = newestTodos(this.chat);
      else if (event.type === "part") this.todos = todosOf(event.part) ?? this.todos;
      this.speech.hear(event, this.chat, this.state?.review ?? []);
    }
  }
}

export const panel = new PanelModel();
