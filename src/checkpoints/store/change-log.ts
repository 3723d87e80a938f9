/** The changes to files during a session, in order: an append-only file of JSON lines. */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { attempt } from "../../chat/attempt.ts";
import { parseJson } from "../../chat/json.ts";
import { FileState } from "../files/file-state.ts";

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
  z.object({
    type: z.literal("change"),
    by: z.enum(["agent", "user"]),
    files: z.array(Transition),
    /** The change was noticed later, but happened before this snapshot. */
    until: z.optional(z.string()),
  }),
  /** A restore is about to start. `undoes` names the restore that it reverts. */
  z.object({
    type: z.literal("restore"),
    id: z.string(),
    at: z.number(),
    undoes: z.optional(z.string()),
    files: z.array(Transition),
  }),
  /** The restore has ended; `paths` were restored. */
  z.object({ type: z.literal("restored"), id: z.string(), paths: z.array(LoggedPath) }),
]);
export type LogLine = z.infer<typeof LogLine>;

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

  /** Reads the lines of all processes. Broken lines are ignored. */
  read(): LogLine[] {
    const lines = attempt(() => readFileSync(this.#path, "utf8"), "").split("\n");
    return lines.flatMap((line) => LogLine.safeParse(parseJson(line)).data ?? []);
  }
}

/** Ignores case, because some file systems do. */
export const inGit = (name: string): boolean => /(^|[/\\])\.git([/\\]|$)/i.test(name);
