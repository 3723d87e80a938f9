/** The sessions of this window: the one on screen, and those that continue in the background. */
import type * as vscode from "vscode";
import { apply, type Chat, findChild } from "../../chat/apply.ts";
import type { ChatEvent, Status } from "../../chat/events.ts";
import type { SessionSummary } from "../../chat/protocol.ts";
import { noSessionCheckpoints, type SessionCheckpoints } from "../../checkpoints/session-checkpoints.ts";
import { newSession, Session } from "../../loop/session/session.ts";
import type { SessionDeps } from "../../loop/session/session-deps.ts";
import type { Choices } from "../../loop/setup/agent-config.ts";
import { RecordError } from "../../loop/storage.ts";
import type { Replay } from "../../record/replay.ts";
import { RecordLock } from "../../record/session-lock.ts";
import type { Sessions } from "../../record/sessions.ts";
import type { Transcript } from "../../record/transcript.ts";
import { isWindowThere } from "./window-alive.ts";

export interface SharedDeps
  extends Omit<SessionDeps, "recorder" | "lock" | "openChild" | "host" | "hooks" | "checkpoints"> {
  checkpointsFor(sessionID: string): SessionCheckpoints;
  /** Deletes the checkpoints of a deleted session. */
  forgetCheckpoints(sessionID: string): Promise<void>;
  hostFor(sessionID: string): SessionDeps["host"];
  hooksFor(chat: Chat, recordPath: string, choices: Choices): SessionDeps["hooks"];
}

export interface ConversationObserver {
  switched(session: Session): void;
  event(session: Session, event: ChatEvent): void;
  trouble(problem: { message: string; next: string }): void;
}

export interface ConversationsOptions {
  store: Sessions;
  deps: SharedDeps;
  observer: ConversationObserver;
  choicesFor(chat: Chat): Choices;
  /** Folder of new sessions. */
  folder: string;
}

interface OpenSession {
  session: Session;
  transcript: Transcript;
  lock: RecordLock;
  checkpoints: SessionCheckpoints;
  closing: AbortController;
}

/** How often the session on screen is checked for a run in another process. */
const checkEveryMs = 500;

export class Conversations implements vscode.Disposable {
  readonly #options: ConversationsOptions;
  readonly #store: Sessions;
  readonly #open = new Map<string, OpenSession>();
  /** Sessions that are closing: their hooks may still run. */
  readonly #closing = new Set<Promise<void>>();
  readonly #timer = setInterval(() => this.#checkOtherProcesses(), checkEveryMs);
  #current: Session;

  constructor(options: ConversationsOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#current = this.#start(newSession(options.folder)).session;
  }

  get current(): Session {
    return this.#current;
  }

  get runsElsewhere(): boolean {
    const open = this.#open.get(this.#current.chat.session.id);
    return open !== undefined && isHeldElsewhere(open.lock);
  }

  /** Shows an empty session. The session before continues if it runs. */
  startNew(): void {
    if (this.#current.chat.messages.length > 0) this.#show(this.#start(newSession(this.#options.folder)).session);
    else this.#options.observer.switched(this.#current);
  }

  /**
   * Shows the session, and follows it if it runs in another window or process. If only the extension host of a reloaded
   * window still holds the session, it is taken over. @throws RecordError
   */
  show(id: string): void {
    if (id === this.#current.chat.session.id) return;
    const open = this.#open.get(id) ?? this.#reopen(id);
    this.#show(open.session);
  }

  add(chat: Chat): void {
    this.#store.add(chat);
    this.show(chat.session.id);
  }

  has(id: string): boolean {
    return this.#open.has(id) || this.#store.has(id);
  }

  openChat(id: string): Chat | undefined {
    return this.#open.get(id)?.session.chat;
  }

  /** Returns the chat of a session, open or not. @throws RecordError */
  chat(id: string): Chat {
    return this.openChat(id) ?? this.#store.open(id).chat;
  }

  /** Returns the chat of a subagent: the one on screen if it is complete, else the recorded one. @throws RecordError */
  child(id: string): Chat {
    const followed = findChild(this.#current.chat, id);
    return followed && followed.session.createdAt > 0 ? followed : this.#store.open(id).chat;
  }

  get checkpoints(): SessionCheckpoints {
    return this.#open.get(this.#current.chat.session.id)?.checkpoints ?? noSessionCheckpoints;
  }

  recordPath(): string {
    return this.#store.path(this.#current.chat.session.id);
  }

  /** @throws RecordError when it runs in another window */
  async remove(id: string): Promise<void> {
    const open = this.#open.get(id);
    const { lock } = open ?? this.#recordOf(id);
    if (isHeldElsewhere(lock)) {
      throw new RecordError("This session runs in another window, so it was not deleted.", "Stop it there first.");
    }
    if (open) {
      await this.#close(open);
      if (open.session === this.#current) this.#show(this.#start(newSession(this.#options.folder)).session);
    }
    this.#store.remove(id);
    await this.#options.deps.forgetCheckpoints(id);
  }

  /** @throws RecordError or IntakeError when it runs in another window */
  async rename(id: string, title: string): Promise<void> {
    const open = this.#open.get(id);
    if (open) return await open.session.rename(title);
    const found = this.#store.open(id);
    const { transcript } = this.#recordOf(id, found);
    const event = { type: "session", session: { ...found.chat.session, title } } as const;
    apply(found.chat, event);
    transcript.append(event);
    transcript.close();
    this.#store.saveSummary(found.chat);
  }

  /** Returns all sessions, the newest first. */
  list(): SessionSummary[] {
    return this.#store.list().map(({ id, title, updatedAt, messages, tokens, cost, failed }) => {
      const chat = this.#open.get(id)?.session.chat;
      const state = chat ? stateOf(chat) : failed ? "error" : "idle";
      return { id, title: chat?.session.title ?? title, updatedAt, messages, state, tokens, cost, match: undefined };
    });
  }

  /** Returns the sessions whose title or messages contain the words. Rejects on abort. */
  async search(query: string, signal: AbortSignal): Promise<SessionSummary[]> {
    const found = await this.#store.search(query, signal);
    return this.list().flatMap((summary) => {
      const match = found.get(summary.id);
      return match === undefined ? [] : [{ ...summary, match }];
    });
  }

  /** Ends all sessions. Resolves when their events are on disk. */
  async closeAll(): Promise<void> {
    for (const open of this.#open.values()) void this.#close(open);
    await Promise.all(this.#closing);
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  #show(session: Session): void {
    const before = this.#open.get(this.#current.chat.session.id);
    this.#current = session;
    if (before && !before.session.busy) void this.#close(before);
    this.#options.observer.switched(session);
  }

  #reopen(id: string): OpenSession {
    const found = this.#store.open(id);
    const { broken, chat } = found;
    if (broken.length > 0) {
      const lines = broken.map((one) => one.line).join(", ");
      this.#options.observer.trouble({
        message: `${broken.length === 1 ? "A line" : "Some lines"} of the record could not be read (${lines}); the rest is shown.`,
        next: 'The file is unchanged: "Rondo: Open Session Record" shows it.',
      });
    }
    const open = this.#start(chat, found);
    void this.#recover(open);
    return open;
  }

  #recordOf(id: string, found?: Replay): { transcript: Transcript; lock: RecordLock } {
    const transcript = this.#store.transcript(id, (error) => this.#options.observer.trouble(error), found);
    const { lockTimeoutMs } = this.#options.deps.limits();
    return { transcript, lock: new RecordLock(transcript, { sessionID: id, lockTimeoutMs, isAlive: isWindowThere }) };
  }

  #start(chat: Chat, found?: Replay): OpenSession {
    const { id } = chat.session;
    const { transcript, lock } = this.#recordOf(id, found);
    const { hostFor, hooksFor, checkpointsFor, forgetCheckpoints: _, ...shared } = this.#options.deps;
    const checkpoints = checkpointsFor(id);
    const choices = this.#options.choicesFor(chat);
    const session = new Session(chat, choices, {
      ...shared,
      host: hostFor(id),
      checkpoints,
      hooks: hooksFor(chat, transcript.path, choices),
      recorder: transcript,
      lock,
      openChild: (childID) => this.#store.transcript(childID, (error) => this.#options.observer.trouble(error)),
    });
    const open = { session, transcript, lock, checkpoints, closing: new AbortController() };
    this.#open.set(id, open);
    const following = transcript.follow((events) => session.catchUp(events));
    open.closing.signal.addEventListener("abort", () => following.dispose());
    session.listen((event) => {
      if (event.type === "ended" || event.type === "session") this.#store.saveSummary(session.chat);
      this.#options.observer.event(session, event);
      const mayBeOver = event.type === "ended" || event.type === "background";
      if (mayBeOver && session !== this.#current) setImmediate(() => this.#closeIfIdle(id));
    });
    return open;
  }

  /** Closes the turn that the record ends in, after the host of a reloaded window has released the session. */
  async #recover({ session, lock, closing }: OpenSession): Promise<void> {
    try {
      if (await session.recover()) return;
      if (await lock.challenge(closing.signal)) await session.recover();
    } catch (error) {
      if (closing.signal.aborted) return;
      if (error instanceof RecordError) this.#options.observer.trouble(error);
      else this.#options.deps.log.bug(error);
    }
  }

  /** Shows a session that runs in another process as running. Its events come through the record. */
  #checkOtherProcesses(): void {
    const open = this.#open.get(this.#current.chat.session.id);
    if (!open || open.session.running) return;
    const { session, lock } = open;
    const holder = lock.holder();
    const isElsewhere = holder !== undefined && !holder.isThisProcess;
    if (isElsewhere === (session.chat.status.type !== "idle")) return;
    const status: Status = isElsewhere ? { type: "busy", since: holder.since.getTime() } : { type: "idle" };
    session.catchUp([{ type: "status", status }]);
    // The other process may have died during a turn.
    if (!isElsewhere) void this.#recover(open);
  }

  #closeIfIdle(id: string): void {
    const open = this.#open.get(id);
    if (open && open.session !== this.#current && !open.session.busy) void this.#close(open);
  }

  /** Resolves when the session's events are on disk, or the user knows that they are not. */
  async #close(open: OpenSession): Promise<void> {
    this.#open.delete(open.session.chat.session.id);
    open.closing.abort();
    const closed = this.#end(open).finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
    await closed;
  }

  async #end({ session, transcript, checkpoints }: OpenSession): Promise<void> {
    try {
      await session.dispose();
      await checkpoints.close();
      transcript.close();
      this.#store.saveSummary(session.chat);
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      this.#options.observer.trouble(error);
    }
  }
}

function isHeldElsewhere(lock: RecordLock): boolean {
  const holder = lock.holder();
  return holder !== undefined && !holder.isThisProcess;
}

function stateOf(chat: Chat): SessionSummary["state"] {
  if (chat.requests.length > 0) return "asks";
  if (chat.status.type !== "idle") return "running";
  const last = chat.messages.at(-1)?.info;
  return last?.role === "assistant" && last.error ? "error" : "idle";
}
