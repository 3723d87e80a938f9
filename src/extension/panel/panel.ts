/** The panel: the host's end of the line. It owns no state; what it shows can be asked for again at any time. */
import * as vscode from "vscode";
import type { Chat } from "../../chat/apply.ts";
import type { ChatEvent } from "../../chat/events.ts";
import { type PanelState, ToHost, type ToPanel } from "../../chat/protocol.ts";
import { panelHtml } from "./panel-html.ts";

/** A message without its number, which is given when it is sent. */
type Unnumbered<T> = T extends unknown ? Omit<T, "seq"> : never;
export type PanelMessage = Unnumbered<ToPanel>;

/** Events are sent together, so that a fast model costs the panel one message a frame. In ms. */
const frame = 16;

export interface PanelSource {
  chat(): Chat;
  state(): PanelState;
  draft(): string;
  /** A message that the schema knows. May throw; the panel then shows why. */
  receive(message: ToHost): Promise<void> | void;
  /** To be awaited before the first snapshot. */
  prepare(): Promise<void>;
  /** A failure while a message was handled, in words for the user. */
  explain(error: unknown): { message: string; next: string };
}

export class Panel implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #extensionUri: vscode.Uri;
  readonly #source: PanelSource;
  readonly #log: vscode.LogOutputChannel;
  #view: vscode.WebviewView | undefined;
  /** Whether the panel's script runs and has had its snapshot. */
  #connected = false;
  #seq = 0;
  #events: ChatEvent[] = [];
  #stateIsNew = false;
  #timer: NodeJS.Timeout | undefined;
  /** What came before the panel was there; sent after its snapshot. */
  #waiting: PanelMessage[] = [];

  constructor(extensionUri: vscode.Uri, source: PanelSource, log: vscode.LogOutputChannel) {
    this.#extensionUri = extensionUri;
    this.#source = source;
    this.#log = log;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    const dist = vscode.Uri.joinPath(this.#extensionUri, "dist");
    view.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    view.webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    // Hidden, its page is gone; shown again, its script runs anew and asks for a snapshot.
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.#disconnect();
    });
    view.onDidDispose(() => {
      this.#disconnect();
      this.#view = undefined;
    });
    view.webview.html = panelHtml(view.webview, this.#extensionUri);
  }

  /** Opens the view if need be. */
  async reveal(): Promise<void> {
    await vscode.commands.executeCommand("rondo.chat.focus");
    this.send({ type: "focus" });
  }

  event(event: ChatEvent): void {
    if (!this.#connected) return;
    const last = this.#events.at(-1);
    const both = last && joined(last, event);
    if (both) this.#events[this.#events.length - 1] = both;
    else this.#events.push(event);
    this.#schedule();
  }

  /** The state beside the chat has changed; it is asked for once a frame. */
  stateChanged(): void {
    this.#stateIsNew = true;
    if (this.#connected) this.#schedule();
  }

  /** Another chat is on screen. */
  chatChanged(): void {
    if (this.#connected) this.#snapshot();
  }

  /** Waits for the panel when it is not there. What has happened goes before it: a whole chat holds that already. */
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
  }

  async #receive(message: unknown): Promise<void> {
    const parsed = ToHost.safeParse(message);
    if (!parsed.success) {
      this.#log.warn("A message of the panel that no schema knows was ignored", parsed.error.issues);
      return;
    }
    try {
      if (parsed.data.type === "ready") await this.#connect();
      await this.#source.receive(parsed.data);
    } catch (error) {
      this.send({ type: "notice", ...this.#source.explain(error) });
    }
  }

  async #connect(): Promise<void> {
    await this.#source.prepare();
    this.#connected = true;
    this.#snapshot();
    for (const message of this.#waiting.splice(0)) this.#post(message);
  }

  #disconnect(): void {
    this.#connected = false;
    this.#events = [];
  }

  #snapshot(): void {
    this.#events = [];
    this.#stateIsNew = false;
    const source = this.#source;
    this.#post({ type: "snapshot", chat: source.chat(), state: source.state(), draft: source.draft() });
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#flush(), frame);
  }

  #flush(): void {
    this.#timer = undefined;
    if (!this.#connected) return;
    const events = this.#events;
    this.#events = [];
    if (events.length > 0) this.#post({ type: "events", events });
    if (!this.#stateIsNew) return;
    this.#stateIsNew = false;
    this.#post({ type: "state", state: this.#source.state() });
  }

  #post(message: PanelMessage): void {
    this.#seq += 1;
    void this.#view?.webview.postMessage({ ...message, seq: this.#seq });
  }
}

/** One event that does what both do, where that can be: text that streams in, and output that replaces output. */
function joined(last: ChatEvent, event: ChatEvent): ChatEvent | undefined {
  if (event.type === "delta" && last.type === "delta" && last.partID === event.partID) {
    return { ...last, text: last.text + event.text };
  }
  if (event.type === "output" && last.type === "output" && last.partID === event.partID) return event;
  if (event.type !== "child" || last.type !== "child" || last.sessionID !== event.sessionID) return undefined;
  const inner = joined(last.event, event.event);
  return inner && { ...last, event: inner };
}
