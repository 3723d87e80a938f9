/** The changes to files during a session, in order: an append-only file of JSON lines. */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { attempt } from "../../base/attempt.ts";
import { parseJson } from "../../base/json.ts";
import { ProcessIdentity } from "../../base/node/process-identity.ts";
import { FileState, sameState } from "../files/file-state.ts";

/** Absolute and never in a folder `.git`, whatever the log contains. */
const LoggedPath = z
  .string()
  .check(
    z.refine((name) => path.isAbsolute(name) && path.normalize(name) === name && !inGit(name) && !name.includes("\0")),
  );

const Transition = z.object({ path: LoggedPath, before: FileState, after: FileState });
export type Transition = z.infer<typeof Transition>;

/** Whether only a folder came or went. Such changes are not shown. */
export function isFolderOnly({ before, after }: Pick<Transition, "before" | "after">): boolean {
  return [before, after].every(({ type }) => type === "folder" || type === "missing");
}

/** Returns earlier changes together with later ones. A path that changed twice is in the result once. */
export function joinedChanges(early: readonly Transition[], late: readonly Transition[]): Transition[] {
  const joined = new Map(early.map((change) => [change.path, change]));
  for (const change of late) {
    const before = joined.get(change.path)?.before ?? change.before;
    if (sameState(before, change.after)) joined.delete(change.path);
    else joined.set(change.path, { ...change, before });
  }
  return [...joined.values()];
}

const LogLine = z.discriminatedUnion("type", [
  /** Earlier lines were deleted at `at` (milliseconds since 1970): snapshots before that time are not known. */
  z.object({ type: z.literal("dropped"), at: z.number() }),
  /** Names the state of all files at this point of the log. `at` is in milliseconds since 1970. */
  z.object({ type: z.literal("snapshot"), id: z.string(), at: z.number() }),
  /** A tool of the step that began with `snapshot` is about to write. The agent's next change says what it wrote. */
  z.object({
    type: z.literal("intent"),
    snapshot: z.string(),
    at: z.number(),
    files: z.array(z.object({ path: LoggedPath, before: FileState })),
  }),
  /** A command of the step is about to run; the next snapshot ends it. */
  z.object({ type: z.literal("command"), at: z.number() }),
  /** `session`: another session's, of the same folder. `shared`: perhaps of both. */
  z.object({
    type: z.literal("change"),
    by: z.enum(["agent", "user", "session", "shared"]),
    files: z.array(Transition),
    /** The change was noticed later, but happened before this snapshot. */
    until: z.optional(z.string()),
  }),
  /**
   * A restore is about to start. `undoes` names the restore that it reverts, `by` the process, and `rewindTo` the message
   * to which the conversation goes back afterwards. Logs of earlier versions lack the latter two.
   */
  z.object({
    type: z.literal("restore"),
    id: z.string(),
    at: z.number(),
    undoes: z.optional(z.string()),
    by: z.optional(ProcessIdentity),
    rewindTo: z.optional(z.string()),
    files: z.array(Transition),
  }),
  /** The restore has ended; `paths` were restored. */
  z.object({ type: z.literal("restored"), id: z.string(), paths: z.array(LoggedPath) }),
]);
export type LogLine = z.infer<typeof LogLine>;
export type ChangeLine = Extract<LogLine, { type: "change" }>;

export class ChangeLog {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = path.join(folder, "log.jsonl");
  }

  /** @throws the system's error, as for a full disk */
  append(line: LogLine): void {
    mkdirSync(path.dirname(this.#path), { recursive: true, mode: 0o700 });
    // The first line feed ends a line that a crash cut off. One write, because several processes may append.
    appendFileSync(this.#path, `\n${JSON.stringify(line)}\n`, { mode: 0o600 });
  }

  /** Reads the lines of all processes. */
  read(): LogLine[] {
    return parseLog(attempt(() => readFileSync(this.#path, "utf8"), ""));
  }
}

/** Returns the lines of a log, without those that are broken. */
export function parseLog(text: string): LogLine[] {
  return text.split("\n").flatMap((line) => LogLine.safeParse(parseJson(line)).data ?? []);
}

/** Ignores case, because some file systems do. */
export const inGit = (name: string): boolean => /(^|[/\\])\.git([/\\]|$)/i.test(name);
