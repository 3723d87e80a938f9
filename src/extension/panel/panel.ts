/** The panel's webview: sends numbered messages and batched events, and dispatches messages of the page. */
import * as vscode from "vscode";
import type { Chat } from "../../chat/apply.ts";
import { tailStart } from "../../chat/chat-slices.ts";
import type { ChatEvent } from "../../chat/events.ts";
import type { PanelState } from "../../chat/panel-state.ts";
import { ToHost } from "../../chat/protocol.ts";
import { isShownEvent, shownChat } from "../../chat/shown-chat.ts";
import type { EarlyView } from "./first-page.ts";
import { type Handlers, handle, type PanelContext, type PanelMessage } from "./handlers.ts";
import { tellError } from "./reported.ts";

/** Events are sent together once a frame, however fast the model is. */
const frameMs = 16;

/** What the panel shows, and who answers it. */
interface PanelContent {
  handlers: Handlers;
  chat(): Chat;
  state(): PanelState;
  draft(): string;
  prepare: PanelContext["prepare"];
  /** Called when the page is gone, and when a new one begins. */
  pageGone(): void;
}

export class Panel implements vscode.Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #explain: PanelContext["explain"];
  #filled: PanelContent | undefined;
  #view: vscode.WebviewView | undefined;
  /** Whether the page runs and has its snapshot. */
  #connected = false;
  #seq = 0;
  #events: ChatEvent[] = [];
  #stateIsNew = false;
  #timer: NodeJS.Timeout | undefined;
  #badge: vscode.ViewBadge | undefined;
  #hasFocus = false;
  /** Messages from before the page was there; sent after its snapshot. */
  #waiting: PanelMessage[] = [];

  /** Fires when the view was shown, hidden or removed, or the focus has come or gone. */
  readonly #seen = new vscode.EventEmitter<void>();
  readonly onDidChangeSeen = this.#seen.event;
  readonly #focused = new vscode.EventEmitter<void>();
  readonly onDidFocus = this.#focused.event;

  readonly handlers = {
    ready: () => this.#content.pageGone(),
    "panel-focus": ({ on }) => {
      this.#setFocus(on);
      this.#seen.fire();
      if (on) this.#focused.fire();
    },
  } satisfies Partial<Handlers>;

  constructor(log: vscode.LogOutputChannel, explain: PanelContext["explain"]) {
    this.#log = log;
    this.#explain = explain;
  }

  /** To be called once, before a view is taken over: features need the panel before it can show what they have. */
  fill(content: PanelContent): void {
    this.#filled = content;
  }

  /** Takes over a view that shows its first page. */
  takeOver(early: EarlyView): void {
    const { view } = early;
    if (early.isGone) return;
    this.#view = view;
    view.webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    // A hidden page is discarded. When it is shown again, its script restarts and asks for a snapshot.
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.#disconnect();
      this.#seen.fire();
    });
    view.onDidDispose(() => {
      this.#disconnect();
      this.#view = undefined;
      this.#seen.fire();
    });
    view.badge = this.#badge;
    this.#seen.fire();
    for (const message of early.take()) void this.#receive(message);
  }

  /** Whether the user has the page in sight. */
  get isShown(): boolean {
    return this.#connected;
  }

  /** Whether the view is on the screen, also while its page is still loading. */
  get isVisible(): boolean {
    return this.#view?.visible === true;
  }

  get hasFocus(): boolean {
    return this.#hasFocus;
  }

  setBadge(badge: vscode.ViewBadge | undefined): void {
    this.#badge = badge;
    if (this.#view) this.#view.badge = badge;
  }

  async reveal(): Promise<void> {
    await vscode.commands.executeCommand("rondo.chat.focus");
    this.send({ type: "focus" });
  }

  /** Returns `act` with the panel on screen before it. */
  revealed(act: () => void | Promise<void>): () => Promise<void> {
    return async () => {
      await this.reveal();
      await act();
    };
  }

  event(event: ChatEvent): void {
    if (!this.#connected || !isShownEvent(event)) return;
    const last = this.#events.at(-1);
    const both = last && combined(last, event);
    if (both) this.#events[this.#events.length - 1] = both;
    else this.#events.push(event);
    this.#schedule();
  }

  stateChanged(): void {
    this.#stateIsNew = true;
    if (this.#connected) this.#schedule();
  }

  chatChanged(): void {
    if (this.#connected) this.#snapshot();
  }

  send(message: PanelMessage): void {
    if (!this.#connected) {
      this.#waiting.push(message);
      return;
    }
    this.#flush();
    this.#post(message);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#seen.dispose();
    this.#focused.dispose();
  }

  get #content(): PanelContent {
    if (!this.#filled) throw new Error("The panel has nothing to show yet.");
    return this.#filled;
  }

  async #receive(message: unknown): Promise<void> {
    const parsed = ToHost.safeParse(message);
    if (!parsed.success) {
      this.#log.warn("An unknown message from the panel was ignored", parsed.error.issues);
      return;
    }
    try {
      if (parsed.data.type === "ready") await this.#connect();
      await handle(this.#content.handlers, parsed.data);
    } catch (error) {
      // A page without its snapshot cannot show the notice.
      if (!this.#connected) this.#log.error("The panel could not be shown", error);
      tellError({ send: (told) => this.send(told), explain: this.#explain }, error);
    }
  }

  async #connect(): Promise<void> {
    await this.#content.prepare();
    this.#connected = true;
    this.#snapshot();
    for (const message of this.#waiting.splice(0)) this.#post(message);
  }

  #disconnect(): void {
    this.#connected = false;
    this.#setFocus(false);
    this.#events = [];
    this.#content.pageGone();
  }

  /** A key of a `when` clause, too: VS Code's own `focusedView` does not know the focus in a webview. */
  #setFocus(on: boolean): void {
    this.#hasFocus = on;
    void vscode.commands.executeCommand("setContext", "rondo.panelFocus", on);
  }

  #snapshot(): void {
    this.#events = [];
    this.#stateIsNew = false;
    const { chat, state, draft } = this.#content;
    const shown = shownChat(chat());
    const missing = tailStart(shown.messages);
    const tail = { ...shown, messages: shown.messages.slice(missing) };
    this.#post({ type: "snapshot", chat: tail, missing, state: state(), draft: draft() });
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#flush(), frameMs);
  }

  #flush(): void {
    this.#timer = undefined;
    if (!this.#connected) return;
    const events = this.#events;
    this.#events = [];
    if (events.length > 0) this.#post({ type: "events", events });
    if (!this.#stateIsNew) return;
    this.#stateIsNew = false;
    this.#post({ type: "state", state: this.#content.state() });
  }

  #post(message: PanelMessage): void {
    this.#seq += 1;
    void this.#view?.webview.postMessage({ ...message, seq: this.#seq });
  }
}

/** Combines two events into one with the same effect: added text, or output that replaces output. */
function combined(last: ChatEvent, event: ChatEvent): ChatEvent | undefined {
  if (event.type === "delta" && last.type === "delta" && last.partID === event.partID) {
    return { ...last, text: last.text + event.text };
  }
  if (event.type === "output" && last.type === "output" && last.partID === event.partID) return event;
  if (event.type !== "child" || last.type !== "child" || last.sessionID !== event.sessionID) return undefined;
  const inner = combined(last.event, event.event);
  return inner && { ...last, event: inner };
}
