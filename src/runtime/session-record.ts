/** Where a session is kept: on disk, or only in memory. */

import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Chat } from "../chat/apply.ts";
import type { SessionDeps } from "../loop/session/session-deps.ts";
import { type Ledger, noLedger, noLock, noRecord, type RecordError } from "../loop/storage.ts";
import type { Replay } from "../record/replay.ts";
import { RecordLock } from "../record/session-lock.ts";
import type { Sessions } from "../record/sessions.ts";
import type { Transcript } from "../record/transcript.ts";

export interface SessionRecord extends Pick<SessionDeps, "recorder" | "lock" | "ledger" | "openChild"> {
  /** Path of the record; "" when nothing is recorded. */
  readonly path: string;
  /** Folder for long outputs of tools, which is made when needed. */
  readonly outputs: string;
  /** Updates what the list of sessions shows. */
  saveSummary(chat: Chat): void;
  /** @throws RecordError when what is left cannot be written */
  close(): void;
}

interface StoredOptions {
  sessions: Sessions;
  /** How far the record has been read; undefined: it has not begun, or is only looked at. */
  found: Pick<Replay, "end"> | undefined;
  ledger: Ledger;
  lockTimeoutMs: number;
  /** See `RecordLock`; undefined: who runs the session is always there. */
  isAlive: (() => Promise<boolean>) | undefined;
  /** Called when the record cannot be written between two flushes. */
  failed(error: RecordError): void;
}

/** A session among others in a folder, with the lock that one process has at a time. */
export class StoredRecord implements SessionRecord {
  readonly recorder: Transcript;
  readonly lock: RecordLock;
  readonly ledger: Ledger;
  readonly #options: StoredOptions;
  readonly #id: string;

  /** Opens no file yet. @throws RecordError when the folder cannot be made */
  constructor(id: string, options: StoredOptions) {
    const { sessions, found, failed, ledger, lockTimeoutMs, isAlive } = options;
    this.#id = id;
    this.#options = options;
    this.ledger = ledger;
    this.recorder = sessions.transcript(id, failed, found);
    this.lock = new RecordLock(this.recorder, { sessionID: id, lockTimeoutMs, ...(isAlive && { isAlive }) });
  }

  get path(): string {
    return this.recorder.path;
  }

  get outputs(): string {
    return this.#options.sessions.outputs(this.#id);
  }

  readonly openChild = (childID: string): Transcript => {
    const { sessions, failed } = this.#options;
    return sessions.transcript(childID, failed);
  };

  saveSummary(chat: Chat): void {
    this.#options.sessions.saveSummary(chat);
  }

  close(): void {
    this.recorder.close();
  }
}

/** Keeps nothing but long outputs, in a folder that is removed with the session. */
export function unstoredRecord(): SessionRecord {
  const outputs = mkdtempSync(path.join(os.tmpdir(), "rondo-"));
  return {
    ...{ recorder: noRecord, lock: noLock, ledger: noLedger, path: "", outputs },
    openChild: () => ({ ...noRecord, close() {} }),
    saveSummary() {},
    close: () => rmSync(outputs, { recursive: true, force: true }),
  };
}
