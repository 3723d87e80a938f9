/** The sessions of this window: the one on screen, and those that go on behind it. */
import * as vscode from "vscode";
import type { Chat } from "../loop/apply.ts";
import type { ChatEvent } from "../loop/events.ts";
import type { SessionSummary } from "../loop/protocol.ts";
import { type Choices, newSession, Session, type SessionDeps } from "../loop/session.ts";
import { RecordError } from "../loop/store.ts";
import type { Sessions } from "../record/sessions.ts";
import type { Transcript } from "../record/transcript.ts";

/** What a session needs, but for what belongs to it alone. */
export type SharedDeps = Omit<SessionDeps, "recorder" | "host"> & { hostFor(sessionID: string): SessionDeps["host"] };

interface Live {
  session: Session;
  transcript: Transcript;
}

export class Conversations implements vscode.Disposable {
  readonly #store: Sessions;
  readonly #deps: SharedDeps;
  readonly #choices: () => Choices;
  readonly #folder: string;
  readonly #live = new Map<string, Live>();
  readonly #switched = new vscode.EventEmitter<Session>();
  readonly #events = new vscode.EventEmitter<{ session: Session; event: ChatEvent }>();
  readonly #troubles = new vscode.EventEmitter<{ message: string; next: string }>();
  /** Another session is on screen now. */
  readonly onDidSwitch = this.#switched.event;
  /** Events of all sessions that are open. */
  readonly onEvent = this.#events.event;
  /** Something that the user should know of a record. */
  readonly onTrouble = this.#troubles.event;
  readonly #watch = setInterval(() => this.#stopWhatWasTakenOver(), 500);
  #current: Session;

  /** `choices` is asked when a session is opened; `folder` is where new sessions begin. */
  constructor(store: Sessions, deps: SharedDeps, choices: () => Choices, folder: string) {
    this.#store = store;
    this.#deps = deps;
    this.#choices = choices;
    this.#folder = folder;
    this.#current = this.#open(newSession(folder));
  }

  get current(): Session {
    return this.#current;
  }

  get running(): boolean {
    return [...this.#live.values()].some(({ session }) => session.running);
  }

  /** Shows an empty session; the one before goes on if it runs. */
  startNew(): void {
    if (this.#current.chat.messages.length > 0) this.#show(this.#open(newSession(this.#folder)));
    else this.#switched.fire(this.#current);
  }

  /** @throws RecordError */
  show(id: string): void {
    if (id === this.#current.chat.session.id) return;
    const live = this.#live.get(id);
    if (live) {
      this.#show(live.session);
      return;
    }
    const transcript = this.#transcript(id);
    transcript.takeOver();
    const { chat, broken } = this.#store.open(id);
    if (broken.length > 0) {
      const lines = broken.map((one) => one.line).join(", ");
      this.#troubles.fire({
        message: `${broken.length === 1 ? "A line" : "Some lines"} of the record could not be read (${lines}); the rest is here.`,
        next: 'The file was left as it is: "Rondo: Open Session Record" shows it.',
      });
    }
    this.#show(this.#open(chat, transcript));
  }

  has(id: string): boolean {
    return this.#live.has(id) || this.#store.has(id);
  }

  recordPath(): string {
    return this.#store.path(this.#current.chat.session.id);
  }

  async remove(id: string): Promise<void> {
    const live = this.#live.get(id);
    if (live) {
      await this.#close(live);
      if (live.session === this.#current) this.#show(this.#open(newSession(this.#folder)));
    }
    this.#store.remove(id);
  }

  list(): SessionSummary[] {
    return this.#store.list().map((summary) => {
      const chat = this.#live.get(summary.id)?.session.chat;
      const { id, updatedAt, messages } = summary;
      const state = chat ? stateOf(chat) : summary.failed ? "error" : "idle";
      return { id, title: chat?.session.title ?? summary.title, updatedAt, messages, state };
    });
  }

  async disposeAll(): Promise<void> {
    await Promise.all([...this.#live.values()].map((live) => this.#close(live)));
  }

  dispose(): void {
    clearInterval(this.#watch);
    for (const emitter of [this.#switched, this.#events, this.#troubles]) emitter.dispose();
  }

  #show(session: Session): void {
    const before = this.#live.get(this.#current.chat.session.id);
    this.#current = session;
    if (before && !before.session.running) void this.#close(before);
    this.#switched.fire(session);
  }

  #transcript(id: string): Transcript {
    return this.#store.transcript(id, (error) => this.#troubles.fire(error));
  }

  #open(chat: Chat, transcript = this.#transcript(chat.session.id)): Session {
    const { id } = chat.session;
    const { hostFor, ...shared } = this.#deps;
    const session = new Session(chat, this.#choices(), { ...shared, host: hostFor(id), recorder: transcript });
    this.#live.set(id, { session, transcript });
    session.listen((event) => {
      if (event.type === "ended" || event.type === "session") this.#saveSummary({ session, transcript });
      this.#events.fire({ session, event });
      if (event.type === "ended" && session !== this.#current) setImmediate(() => this.#closeIfIdle(id));
    });
    return session;
  }

  /** Who has lost the record has no say in its summary. */
  #saveSummary({ session, transcript }: Live): void {
    if (transcript.isOwned) this.#store.saveSummary(session.chat);
  }

  /** A window that was reloaded may live on: what another one has opened meanwhile is stopped here. */
  #stopWhatWasTakenOver(): void {
    for (const { session, transcript } of this.#live.values()) {
      if (session.running && !transcript.isOwned) void session.stop();
    }
  }

  #closeIfIdle(id: string): void {
    const live = this.#live.get(id);
    if (live && live.session !== this.#current && !live.session.running) void this.#close(live);
  }

  /** Its events are on disk, or the user is told that they are not. */
  async #close({ session, transcript }: Live): Promise<void> {
    this.#live.delete(session.chat.session.id);
    try {
      await session.dispose();
      transcript.close();
      this.#saveSummary({ session, transcript });
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      this.#troubles.fire(error);
    }
  }
}

function stateOf(chat: Chat): SessionSummary["state"] {
  if (chat.requests.length > 0) return "asks";
  if (chat.status.type !== "idle") return "running";
  const last = chat.messages.at(-1)?.info;
  return last?.role === "assistant" && last.error ? "error" : "idle";
}
