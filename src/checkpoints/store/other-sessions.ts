/**
 * What other sessions of the same folders have changed, in this window or another one. A scan sees every change, so what
 * another session has done is told apart by the logs of the sessions, which all lie in one store.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import path from "node:path";
import { attempt } from "../../base/attempt.ts";
import { type FileState, lstat, sameState } from "../files/file-state.ts";
import { type LogLine, parseLog, type Transition } from "./change-log.ts";
import { isInUse } from "./in-use.ts";

/** `own`: no other session has to do with the change. `session`: another one's alone. `shared`: perhaps of both. */
export type ChangeOrigin = "own" | "session" | "shared";

/** Maximum part of a log that is read. It has thousands of changes. */
const maxReadBytes = 4 << 20;

/** Maximum duration of a command that is looked for. */
const maxCommandMs = 24 * 3_600_000;

/** What one session may have done to one file. */
interface FileClaim {
  before: FileState;
  /** Undefined while a tool of it is about to write the file. */
  after: FileState | undefined;
  /** Whether the session could not tell that the change was its own. */
  isShared: boolean;
}

export class OtherSessions {
  readonly #store: string;
  readonly #own: string;

  /** `store`: the folder that has one folder for each session. */
  constructor(store: string, sessionID: string) {
    this.#store = store;
    this.#own = sessionID;
  }

  /** Reads what they have done since `at`, in ms since 1970. */
  since(at: number): ForeignChanges {
    const changes = new ForeignChanges();
    for (const name of attempt(() => readdirSync(this.#store), [])) {
      const folder = path.join(this.#store, name);
      const log = path.join(folder, "log.jsonl");
      const changedAt = name === this.#own ? undefined : attempt(() => statSync(log).mtimeMs, undefined);
      if (changedAt === undefined || changedAt < at - maxCommandMs) continue;
      const isActive = attempt(() => isInUse(folder), false);
      // The log of a command that runs has been changed when the command began.
      if (changedAt < at && !isActive) continue;
      changes.add(
        linesSince(
          attempt(() => readEnd(log), []),
          at,
        ),
        isActive,
      );
    }
    return changes;
  }
}

export class ForeignChanges {
  readonly #claims = new Map<string, FileClaim[]>();
  /** When the commands have begun that still run. */
  readonly #commands: number[] = [];

  /** Adds the lines of one session. `isActive`: whether its process still runs. */
  add(lines: readonly LogLine[], isActive: boolean): void {
    let command: number | undefined;
    const open = new Map<string, FileState>();
    const restores = new Map<string, readonly Transition[]>();
    for (const line of lines) {
      if (line.type === "command") command = line.at;
      else if (line.type === "snapshot") command = undefined;
      else if (line.type === "intent") for (const { path: file, before } of line.files) open.set(file, before);
      else if (line.type === "restore") restores.set(line.id, line.files);
      else if (line.type === "restored") {
        const done = new Set(line.paths);
        for (const file of restores.get(line.id) ?? [])
          if (done.has(file.path)) this.#claim(file.path, { ...file, isShared: false });
      } else if (line.type === "change" && (line.by === "agent" || line.by === "shared")) {
        for (const file of line.files) this.#claim(file.path, { ...file, isShared: line.by === "shared" });
        if (line.by === "agent") open.clear();
      }
    }
    if (!isActive) return;
    for (const [file, before] of open) this.#claim(file, { before, after: undefined, isShared: false });
    if (command !== undefined) this.#commands.push(command);
  }

  /** Returns whose change it is that a scan has found. */
  originOf(change: Transition): ChangeOrigin {
    const claims = this.#claims.get(change.path) ?? [];
    const isLeft = ({ after, isShared }: FileClaim) =>
      !isShared && after !== undefined && sameState(after, change.after);
    if (claims.some(isLeft)) return "session";
    if (claims.some(({ after, before }) => after !== undefined || !sameState(before, change.after))) return "shared";
    return this.#mayBeOfCommand(change.path) ? "shared" : "own";
  }

  /** As `originOf`, for a change of a file that a tool of this session has named. */
  originOfNamed({ path: file, before }: Transition): "own" | "shared" {
    const claims = this.#claims.get(file) ?? [];
    // What ended before the tool began is no part of the change.
    return claims.some(({ after }) => after !== undefined && !sameState(after, before)) ? "shared" : "own";
  }

  /** Whether another session has left the file like this. */
  hasLeft(file: string, state: FileState): boolean {
    return (this.#claims.get(file) ?? []).some(({ after }) => after !== undefined && sameState(after, state));
  }

  #claim(file: string, { before, after, isShared }: FileClaim): void {
    this.#claims.set(file, [...(this.#claims.get(file) ?? []), { before, after, isShared }]);
  }

  #mayBeOfCommand(file: string): boolean {
    if (this.#commands.length === 0) return false;
    const changedAt = lstat(file)?.ctimeMs;
    return changedAt === undefined || this.#commands.some((since) => since <= changedAt);
  }
}

/** Drops the lines before the step that ran at that time. */
function linesSince(lines: readonly LogLine[], at: number): readonly LogLine[] {
  return lines.slice(lines.findLastIndex((line) => line.type === "snapshot" && line.at < at) + 1);
}

function readEnd(file: string): LogLine[] {
  const opened = openSync(file, "r");
  try {
    const { size } = fstatSync(opened);
    const bytes = Buffer.alloc(Math.min(size, maxReadBytes));
    const length = readSync(opened, bytes, 0, bytes.length, size - bytes.length);
    return parseLog(bytes.subarray(0, length).toString());
  } finally {
    closeSync(opened);
  }
}
