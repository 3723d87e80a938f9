/** The sessions of this window: the one on screen, and those that go on behind it. */
import * as vscode from "vscode";
import { apply, type Chat } from "../../chat/apply.ts";
import type { ChatEvent, Status } from "../../chat/events.ts";
import type { SessionSummary } from "../../chat/protocol.ts";
import { noCheckpointsKept, type SessionCheckpoints } from "../../checkpoints/session-checkpoints.ts";
import { newSession, Session } from "../../loop/session/session.ts";
import type { SessionDeps } from "../../loop/session/session-deps.ts";
import type { Choices } from "../../loop/setup/agent-config.ts";
import { RecordError } from "../../loop/storage.ts";
import type { Replay } from "../../record/replay.ts";
import { RecordLock } from "../../record/session-lock.ts";
import type { Sessions } from "../../record/sessions.ts";
import type { Transcript } from "../../record/transcript.ts";
import { isWindowThere } from "./window-alive.ts";

/** What a session needs, but for what belongs to it alone. */
export interface SharedDeps
  extends Omit<SessionDeps, "recorder" | "lock" | "openChild" | "host" | "hooks" | "checkpoints"> {
  checkpointsFor(sessionID: string): SessionCheckpoints;
  /** The session is deleted, and what was kept for it. */
  forgetCheckpoints(sessionID: string): Promise<void>;
  hostFor(sessionID: string): SessionDeps["host"];
  hooksFor(chat: Chat, recordPath: string, choices: Choices): SessionDeps["hooks"];
}

interface Live {
  session: Session;
  transcript: Transcript;
  lock: RecordLock;
  checkpoints: SessionCheckpoints;
  /** What is to end with it. */
  closing: AbortController;
}

/** How often it is looked whether the session on screen runs in another process, in ms. */
const lookEvery = 500;

export class Conversations implements vscode.Disposable {
  readonly #store: Sessions;
  readonly #deps: SharedDeps;
  readonly #choices: (chat: Chat) => Choices;
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
  readonly #watch = setInterval(() => this.#look(), lookEvery);
  #current: Session;

  /** `choices` is asked when a session is opened; `folder` is where new sessions begin. */
  constructor(store: Sessions, deps: SharedDeps, choices: (chat: Chat) => Choices, folder: string) {
    this.#store = store;
    this.#deps = deps;
    this.#choices = choices;
    this.#folder = folder;
    this.#current = this.#open(newSession(folder)).session;
  }

  get current(): Session {
    return this.#current;
  }

  /** Whether the session on screen is run by another window or process. */
  get runsElsewhere(): boolean {
    const live = this.#live.get(this.#current.chat.session.id);
    return live !== undefined && runsElsewhere(live.lock);
  }

  /** Shows an empty session; the one before goes on if it runs. */
  startNew(): void {
    if (this.#current.chat.messages.length > 0) this.#show(this.#open(newSession(this.#folder)).session);
    else this.#switched.fire(this.#current);
  }

  /**
   * Shows the session. One that runs in another window or process is followed; when that window is only left behind, as
   * after a reload, the session is taken from it. @throws RecordError
   */
  show(id: string): void {
    if (id === this.#current.chat.session.id) return;
    const live = this.#live.get(id) ?? this.#reopen(id);
    this.#show(live.session);
  }

  /** Keeps a session that was made of another or of a file, and shows it. @throws RecordError */
  add(chat: Chat): void {
    this.#store.add(chat);
    this.show(chat.session.id);
  }

  has(id: string): boolean {
    return this.#live.has(id) || this.#store.has(id);
  }

  /** The session as it is now, open or not. @throws RecordError */
  chat(id: string): Chat {
    return this.#live.get(id)?.session.chat ?? this.#store.open(id).chat;
  }

  /** The session of a subagent: as it was followed, else as it was recorded. @throws RecordError */
  child(id: string): Chat {
    const followed = findChild(this.#current.chat, id);
    return followed && followed.session.createdAt > 0 ? followed : this.#store.open(id).chat;
  }

  /** Of the session on screen. */
  get checkpoints(): SessionCheckpoints {
    return this.#live.get(this.#current.chat.session.id)?.checkpoints ?? noCheckpointsKept;
  }

  recordPath(): string {
    return this.#store.path(this.#current.chat.session.id);
  }

  /** @throws RecordError when it runs in another window */
  async remove(id: string): Promise<void> {
    const live = this.#live.get(id);
    const { lock } = live ?? this.#recordOf(id);
    if (runsElsewhere(lock)) {
      throw new RecordError("This session runs in another window, so it was not deleted.", "Stop it there first.");
    }
    if (live) {
      await this.#close(live);
      if (live.session === this.#current) this.#show(this.#open(newSession(this.#folder)).session);
    }
    this.#store.remove(id);
    await this.#deps.forgetCheckpoints(id);
  }

  /** @throws RecordError or IntakeError when it runs in another window */
  async rename(id: string, title: string): Promise<void> {
    const live = this.#live.get(id);
    if (live) return await live.session.rename(title);
    const found = this.#store.open(id);
    const { transcript } = this.#recordOf(id, found);
    const event = { type: "session", session: { ...found.chat.session, title } } as const;
    apply(found.chat, event);
    transcript.append(event);
    transcript.close();
    this.#store.saveSummary(found.chat);
  }

  /** Newest first. */
  list(): SessionSummary[] {
    return this.#store.list().map(({ id, title, updatedAt, messages, tokens, cost, failed }) => {
      const chat = this.#live.get(id)?.session.chat;
      const state = chat ? stateOf(chat) : failed ? "error" : "idle";
      return { id, title: chat?.session.title ?? title, updatedAt, messages, state, tokens, cost, match: undefined };
    });
  }

  /** Those whose title or messages hold the words. Rejects on abort. */
  async search(query: string, signal: AbortSignal): Promise<SessionSummary[]> {
    const found = await this.#store.search(query, signal);
    return this.list().flatMap((summary) => {
      const match = found.get(summary.id);
      return match === undefined ? [] : [{ ...summary, match }];
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
    if (before && !before.session.busy) void this.#close(before);
    this.#switched.fire(session);
  }

  /** @throws RecordError */
  #reopen(id: string): Live {
    const found = this.#store.open(id);
    const { broken, chat } = found;
    if (broken.length > 0) {
      const lines = broken.map((one) => one.line).join(", ");
      this.#troubles.fire({
        message: `${broken.length === 1 ? "A line" : "Some lines"} of the record could not be read (${lines}); the rest is here.`,
        next: 'The file was left as it is: "Rondo: Open Session Record" shows it.',
      });
    }
    const live = this.#open(chat, found);
    void this.#settle(live);
    return live;
  }

  #recordOf(id: string, found?: Replay): { transcript: Transcript; lock: RecordLock } {
    const transcript = this.#store.transcript(id, (error) => this.#troubles.fire(error), found);
    const { lockTimeoutMs } = this.#deps.limits();
    return { transcript, lock: new RecordLock(transcript, { sessionID: id, lockTimeoutMs, isAlive: isWindowThere }) };
  }

  #open(chat: Chat, found?: Replay): Live {
    const { id } = chat.session;
    const { transcript, lock } = this.#recordOf(id, found);
    const { hostFor, hooksFor, checkpointsFor, forgetCheckpoints: _, ...shared } = this.#deps;
    const checkpoints = checkpointsFor(id);
    const choices = this.#choices(chat);
    const session = new Session(chat, choices, {
      ...shared,
      host: hostFor(id),
      checkpoints,
      hooks: hooksFor(chat, transcript.path, choices),
      recorder: transcript,
      lock,
      openChild: (childID) => this.#store.transcript(childID, (error) => this.#troubles.fire(error)),
    });
    const live = { session, transcript, lock, checkpoints, closing: new AbortController() };
    this.#live.set(id, live);
    const following = transcript.follow((events) => session.catchUp(events));
    live.closing.signal.addEventListener("abort", () => following.dispose());
    session.listen((event) => {
      if (event.type === "ended" || event.type === "session") this.#store.saveSummary(session.chat);
      this.#events.fire({ session, event });
      const mayBeOver = event.type === "ended" || event.type === "background";
      if (mayBeOver && session !== this.#current) setImmediate(() => this.#closeIfIdle(id));
    });
    return live;
  }

  /** Ends what was running when the record ended; a window that was left behind gives the session back first. */
  async #settle({ session, lock, closing }: Live): Promise<void> {
    try {
      if (await session.recover()) return;
      if (await lock.challenge(closing.signal)) await session.recover();
    } catch (error) {
      if (closing.signal.aborted) return;
      if (error instanceof RecordError) this.#troubles.fire(error);
      else this.#deps.onBug(error);
    }
  }

  /** What runs in another process is shown as running; its events come through the record. */
  #look(): void {
    const live = this.#live.get(this.#current.chat.session.id);
    if (!live || live.session.running) return;
    const { session, lock } = live;
    const holder = lock.holder();
    const isElsewhere = holder !== undefined && !holder.here;
    if (isElsewhere === (session.chat.status.type !== "idle")) return;
    const status: Status = isElsewhere ? { type: "busy", since: holder.since.getTime() } : { type: "idle" };
    session.catchUp([{ type: "status", status }]);
    // Whoever ran it may have died over it.
    if (!isElsewhere) void this.#settle(live);
  }

  #closeIfIdle(id: string): void {
    const live = this.#live.get(id);
    if (live && live.session !== this.#current && !live.session.busy) void this.#close(live);
  }

  /** Its events are on disk, or the user is told that they are not. */
  async #close({ session, transcript, checkpoints, closing }: Live): Promise<void> {
    this.#live.delete(session.chat.session.id);
    closing.abort();
    try {
      await session.dispose();
      await checkpoints.close();
      transcript.close();
      this.#store.saveSummary(session.chat);
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      this.#troubles.fire(error);
    }
  }
}

function runsElsewhere(lock: RecordLock): boolean {
  const holder = lock.holder();
  return holder !== undefined && !holder.here;
}

function findChild({ children }: Chat, id: string): Chat | undefined {
  for (const [childID, child] of Object.entries(children)) {
    const found = childID === id ? child : findChild(child, id);
    if (found) return found;
  }
  return undefined;
}

function stateOf(chat: Chat): SessionSummary["state"] {
  if (chat.requests.length > 0) return "asks";
  if (chat.status.type !== "idle") return "running";
  const last = chat.messages.at(-1)?.info;
  return last?.role === "assistant" && last.error ? "error" : "idle";
}
