/** Tells the other windows of this workspace which sessions run or wait in this one: a small file for each session. */

import path from "node:path";
import * as vscode from "vscode";
import * as z from "zod/mini";
import { attempt } from "../../base/attempt.ts";
import { hasEnded, isThisProcess, ProcessIdentity, thisProcess } from "../../base/node/process-identity.ts";
import { titleOf } from "../../chat/request-kinds.ts";
import type { Session } from "../../loop/session/session.ts";
import { SharedFolder } from "../review/shared-folder.ts";
import { questionsHere, type SessionMark } from "./summary.ts";

const Mark = z.object({
  ...ProcessIdentity.shape,
  state: z.enum(["running", "asks"]),
  /** What it waits for; empty while it runs. */
  doing: z.string(),
});
type Mark = z.infer<typeof Mark>;

/** How often the processes behind marks of other windows are looked at: their death is no event of the folder. */
const aliveEveryMs = 2_000;

export class SessionMarks implements vscode.Disposable {
  readonly #folder: SharedFolder;
  /** By session ID: what this window has written. */
  readonly #own = new Map<string, string>();
  /** By session ID: what other windows have written. */
  readonly #others = new Map<string, Mark>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  #timer: NodeJS.Timeout | undefined;

  constructor(storage: string) {
    this.#folder = new SharedFolder(path.join(storage, "session-states"));
    this.#folder.watch((names) => this.#read(names));
    this.#read(this.#folder.names());
  }

  /** Returns what a session does in another window. */
  of(sessionID: string): SessionMark | undefined {
    return this.#others.get(sessionID);
  }

  /** Writes what the open sessions of this window do, where that has changed. */
  update(sessions: readonly Session[]): void {
    const now = new Map(sessions.flatMap((session) => entryOf(session)));
    for (const [id, json] of now) {
      if (this.#own.get(id) === json) continue;
      this.#own.set(id, json);
      this.#others.delete(id);
      // Without the mark the other windows show the session as it was.
      attempt(() => this.#folder.write(fileOf(id), JSON.parse(json)), undefined);
    }
    for (const id of [...this.#own.keys()]) if (!now.has(id)) this.#withdraw(id);
  }

  dispose(): void {
    for (const id of [...this.#own.keys()]) this.#withdraw(id);
    clearTimeout(this.#timer);
    this.#folder.dispose();
    this.#changed.dispose();
  }

  #withdraw(id: string): void {
    this.#own.delete(id);
    const name = fileOf(id);
    const found = this.#folder.changed(name);
    // Another window may run the session by now, and the file is its own.
    const isOfOther = found.type === "fresh" && !isOwn(found.json);
    if (isOfOther) this.#take(id, found.json);
    else this.#folder.remove(name);
  }

  #read(names: readonly string[]): void {
    for (const name of names) {
      const id = path.basename(name, ".json");
      const found = this.#folder.changed(name);
      if (found.type === "missing") this.#others.delete(id);
      else if (found.type === "fresh") this.#take(id, found.json);
    }
    this.#dropEnded();
    this.#changed.fire();
  }

  #take(id: string, json: unknown): void {
    const mark = Mark.safeParse(json).data;
    if (mark && !isThisProcess(mark)) this.#others.set(id, mark);
    else this.#others.delete(id);
  }

  /** Drops the marks of windows that were killed, and their files. */
  #dropEnded(): boolean {
    clearTimeout(this.#timer);
    const ended = [...this.#others].filter(([, mark]) => hasEnded(mark));
    for (const [id] of ended) {
      this.#others.delete(id);
      this.#folder.remove(fileOf(id));
    }
    if (this.#others.size > 0) {
      this.#timer = setTimeout(() => this.#dropEnded() && this.#changed.fire(), aliveEveryMs).unref();
    }
    return ended.length > 0;
  }
}

const fileOf = (id: string): string => `${id}.json`;

const isOwn = (json: unknown): boolean => {
  const mark = Mark.safeParse(json).data;
  return mark !== undefined && isThisProcess(mark);
};

/** Returns the session's ID and its mark; nothing if it neither runs nor waits here. */
function entryOf(session: Session): [string, string][] {
  const [question] = questionsHere(session);
  // A turn is still wound up when its end is told; a session that is followed is busy, but does not run here.
  const runs = session.running && session.chat.status.type !== "idle";
  if (!question && !runs) return [];
  const mark: Mark = question
    ? { ...thisProcess(), state: "asks", doing: titleOf(question) }
    : { ...thisProcess(), state: "running", doing: "" };
  return [[session.chat.session.id, JSON.stringify(mark)]];
}
