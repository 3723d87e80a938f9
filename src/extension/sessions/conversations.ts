/** The sessions of this window: the one on screen, and those that continue in the background. */
import * as vscode from "vscode";
import { apply, type Chat, findChild } from "../../chat/apply.ts";
import type { Status } from "../../chat/events.ts";
import type { ReviewDecision } from "../../chat/review-decisions.ts";
import type { SessionSummary, SessionTab } from "../../chat/session-views.ts";
import { noSessionCheckpoints, type SessionCheckpoints } from "../../checkpoints/session-checkpoints.ts";
import { counted, t } from "../../l10n/l10n.ts";
import { deferred } from "../../loop/session/deferred.ts";
import { newSession, type Session } from "../../loop/session/session.ts";
import { RecordError } from "../../loop/storage.ts";
import { runInSlices } from "../../loop/transfer/slices.ts";
import type { Replay } from "../../record/replay.ts";
import type { Sessions } from "../../record/sessions.ts";
import { type ComposedSession, composeSession } from "../../runtime/compose-session.ts";
import { StoredRecord } from "../../runtime/session-record.ts";
import type { ConversationsOptions } from "./conversation-options.ts";
import { KeptReplays, type ReadRecord } from "./kept-replays.ts";
import { stateOf, summaryOf } from "./summary.ts";
import { isLive, SessionTabs } from "./tabs.ts";

interface OpenSession extends ComposedSession {
  record: StoredRecord;
  closing: AbortController;
  /** What it was read from, while nothing has happened in it since. */
  unchanged: ReadRecord | undefined;
}

/** How often the session on screen is checked for a run in another process. */
const checkEveryMs = 500;

export class Conversations implements vscode.Disposable {
  readonly #options: ConversationsOptions;
  readonly #store: Sessions;
  readonly #open = new Map<string, OpenSession>();
  /** Sessions that are closing: their hooks may still run. */
  readonly #closing = new Set<Promise<void>>();
  readonly #replays = new KeptReplays();
  readonly #timer: NodeJS.Timeout;
  readonly #tabs = new SessionTabs();
  #current: Session;

  constructor(options: ConversationsOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#current = this.#start(newSession(options.folder)).session;
    this.#tabs.show(tabOf(this.#current.chat));
    // Last: nobody could stop it if something above had failed.
    this.#timer = setInterval(() => this.#checkOtherProcesses(), checkEveryMs);
  }

  get current(): Session {
    return this.#current;
  }

  get runsElsewhere(): boolean {
    const open = this.#open.get(this.#current.chat.session.id);
    return open !== undefined && isHeldElsewhere(open.record);
  }

  /** The tabs of the window, with their present states. */
  get tabs(): readonly SessionTab[] {
    for (const { session } of this.#open.values()) this.#tabs.update(tabOf(session.chat));
    return this.#tabs.list;
  }

  /** Gives the sessions of the window before a reload their tabs again. */
  restoreTabs(saved: unknown): void {
    this.#tabs.restore(saved, (id) => this.#store.has(id));
  }

  /** Removes a tab. A session that runs keeps its own. @throws RecordError */
  closeTab(id: string): void {
    const tab = this.tabs.find((one) => one.id === id);
    if (!tab || isLive(tab)) return;
    const next = this.#tabs.close(id);
    if (next !== undefined) this.show(next);
    else if (id === this.#current.chat.session.id) this.startNew();
    else this.#options.observer.tabsChanged();
  }

  /** Shows an empty session. The session before continues if it runs. */
  startNew(): void {
    // While hooks hear the first message, the session works without having one.
    const { chat, busy } = this.#current;
    if (chat.messages.length > 0 || busy) this.#show(this.#start(newSession(this.#options.folder)).session);
    else this.#options.observer.switched(this.#current);
  }

  /**
   * Opens an empty session with an id that is known before, in a folder of its own. It has a tab. `shown`: whether it is
   * put on screen.
   */
  startIn(folder: string, id: string, shown: boolean): Session {
    const { session } = this.#start(newSession(folder, id));
    if (shown) this.#show(session);
    else this.#tabs.add(tabOf(session.chat));
    return session;
  }

  /** Continues a closed session in another folder from now on. Its checkpoints are of the other one. @throws RecordError */
  async moveTo(id: string, cwd: string): Promise<void> {
    await this.#options.deps.forgetCheckpoints(id);
    const isCurrent = id === this.#current.chat.session.id;
    if (this.#store.has(id)) this.#changeInfo(id, { cwd });
    if (isCurrent) this.#show(this.#store.has(id) ? this.#reopen(id).session : this.#start(newSession(cwd)).session);
  }

  async closeSession(id: string): Promise<void> {
    const open = this.#open.get(id);
    if (open) await this.#close(open);
  }

  /** Stops the session if it runs here. */
  async stop(id: string): Promise<void> {
    await this.#open.get(id)?.session.stop();
  }

  /** Whether the session runs here or in another process. */
  isBusy(id: string): boolean {
    const open = this.#open.get(id);
    return open ? open.session.busy || isHeldElsewhere(open.record) : isHeldElsewhere(this.#recordOf(id));
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
    this.#showAdded(chat, this.#store.add(chat));
  }

  /** As `add`, while other work goes on. Rejects with the signal's reason when it aborts. */
  async addInSlices(chat: Chat, signal: AbortSignal): Promise<void> {
    this.#showAdded(chat, await runInSlices(this.#store.addSteps(chat), signal));
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

  /** The sessions that are open in this window. */
  get sessions(): Session[] {
    return [...this.#open.values()].map(({ session }) => session);
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
    if (isHeldElsewhere(open?.record ?? this.#recordOf(id))) {
      throw new RecordError(
        t("This session runs in another window, so it was not deleted."),
        t("Stop it there first."),
      );
    }
    if (open) {
      await this.#close(open);
      if (open.session === this.#current) this.#show(this.#start(newSession(this.#options.folder)).session);
    }
    this.#tabs.close(id);
    this.#store.remove(id);
    await this.#options.deps.forgetCheckpoints(id);
  }

  /** @throws RecordError or IntakeError when it runs in another window */
  async rename(id: string, title: string): Promise<void> {
    const open = this.#open.get(id);
    if (open) return await open.session.rename(title);
    this.#changeInfo(id, { title });
    const tab = this.#tabs.list.find((one) => one.id === id);
    if (tab) this.#tabs.update({ ...tab, title });
  }

  /** Records what the user has decided about changes of a session, open or not. @throws RecordError or IntakeError */
  async decided(id: string, decisions: readonly ReviewDecision[]): Promise<void> {
    const open = this.#open.get(id);
    if (open) return await open.session.decided(decisions);
    const record = this.#recordOf(id, this.#store.open(id));
    for (const decision of decisions) record.recorder.append({ type: "decided", decision });
    record.close();
  }

  /** Returns all sessions, the newest first. */
  list(): SessionSummary[] {
    const unseen = new Set(this.#tabs.list.filter(({ state }) => state === "done").map(({ id }) => id));
    return this.#store.list().map((stored) => {
      const { markOf, toReview, worktreeOf } = this.#options;
      const summary = summaryOf(stored, this.openChat(stored.id), unseen.has(stored.id), markOf(stored.id));
      return { ...summary, toReview: toReview(stored.id), worktree: worktreeOf(stored.id), match: undefined };
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
    void this.closeAll();
  }

  #showAdded(chat: Chat, record: Pick<Replay, "end">): void {
    const open = this.#start(chat, record);
    void this.#recover(open);
    this.#show(open.session);
  }

  #show(session: Session): void {
    const before = this.#open.get(this.#current.chat.session.id);
    this.#current = session;
    if (before && before.session !== session) this.#leave(before);
    this.#tabs.show(tabOf(session.chat));
    this.#options.observer.switched(session);
  }

  /** Changes the record of a session that is closed. @throws RecordError */
  #changeInfo(id: string, change: { title?: string; cwd?: string }): void {
    const found = this.#store.open(id);
    const record = this.#recordOf(id, found);
    const event = { type: "session", session: { ...found.chat.session, ...change } } as const;
    apply(found.chat, event);
    record.recorder.append(event);
    record.close();
    record.saveSummary(found.chat);
  }

  /** An empty session leaves no tab, as it leaves no record. */
  #leave(open: OpenSession): void {
    const { chat, busy } = open.session;
    this.#tabs.update(tabOf(chat));
    if (chat.messages.length === 0 && !busy) this.#tabs.close(chat.session.id);
    if (!busy) void this.#close(open);
  }

  #reopen(id: string): OpenSession {
    const found = this.#replays.take(this.#store.path(id), () => this.#store.open(id));
    const { broken, chat } = found;
    if (broken.length > 0) {
      const lines = broken.map((one) => one.line).join(", ");
      this.#options.observer.trouble({
        message: counted(
          broken.length,
          "A line of the record could not be read ({1}); the rest is shown.",
          "Some lines of the record could not be read ({1}); the rest is shown.",
          lines,
        ),
        next: t("The file is unchanged."),
        fix: "open-record",
      });
    }
    const open = this.#start(chat, found);
    open.unchanged = found;
    void this.#recover(open);
    return open;
  }

  #recordOf(id: string, found?: Pick<Replay, "end">): StoredRecord {
    const { ledger, limits } = this.#options.deps;
    const { lockTimeoutMs } = limits();
    return new StoredRecord(id, {
      sessions: this.#store,
      found,
      ledger,
      lockTimeoutMs,
      isAlive: isWindowThere,
      failed: (error) => this.#tell(error),
    });
  }

  #start(chat: Chat, found?: Pick<Replay, "end">): OpenSession {
    const { id } = chat.session;
    const record = this.#recordOf(id, found);
    const { deps, choicesFor } = this.#options;
    const composed = composeSession(deps.partsOf(chat, choicesFor(chat), record));
    const { session } = composed;
    const open: OpenSession = { ...composed, record, closing: new AbortController(), unchanged: undefined };
    this.#open.set(id, open);
    const following = record.recorder.follow((events) => session.catchUp(events));
    open.closing.signal.addEventListener("abort", () => following.dispose());
    session.listen((event) => {
      open.unchanged = undefined;
      this.#options.observer.event(session, event);
      const mayBeOver = event.type === "ended" || event.type === "background";
      // A session that another took the place of before it said that it works has no tab yet.
      if (event.type === "status" && event.status.type !== "idle") this.#tabs.add(tabOf(session.chat));
      else if (event.type === "ended" || event.type === "status") this.#tabs.update(tabOf(session.chat));
      if (mayBeOver && session !== this.#current) setImmediate(() => this.#closeIfIdle(id));
    });
    return open;
  }

  /** Closes the turn that the record ends in, after the host of a reloaded window has released the session. */
  async #recover({ session, record, closing }: OpenSession): Promise<void> {
    try {
      if (await session.recover()) return;
      if (await record.lock.challenge(closing.signal)) await session.recover();
    } catch (error) {
      if (closing.signal.aborted) return;
      if (error instanceof RecordError) this.#tell(error);
      else this.#options.deps.bug(error);
    }
  }

  /** Shows a session that runs in another process as running. Its events come through the record. */
  #checkOtherProcesses(): void {
    const open = this.#open.get(this.#current.chat.session.id);
    if (!open || open.session.running) return;
    const { session, record } = open;
    const holder = record.lock.holder();
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

  #tell({ message, next }: RecordError): void {
    this.#options.observer.trouble({ message, next, fix: "show-log" });
  }

  async #end(open: OpenSession): Promise<void> {
    try {
      await open.close();
      if (open.unchanged) this.#replays.keep(open.record.path, open.unchanged);
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      this.#tell(error);
    }
  }
}

function isHeldElsewhere({ lock }: StoredRecord): boolean {
  const holder = lock.holder();
  return holder !== undefined && !holder.isThisProcess;
}

function tabOf(chat: Chat): SessionTab {
  return { id: chat.session.id, title: chat.session.title, state: stateOf(chat) };
}

// Checks whether the window of this extension host still exists: after a reload the old host may live on.

/** If VS Code does not answer within this time, its window counts as gone. */
const maxAnswerMs = 1500;

/** Asks VS Code's main thread a question that it always answers. */
export async function isWindowThere(): Promise<boolean> {
  const { promise: silence, resolve } = deferred<false>();
  const timer = setTimeout(() => resolve(false), maxAnswerMs);
  try {
    return await Promise.race([Promise.resolve(vscode.commands.getCommands(true)).then(() => true), silence]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
