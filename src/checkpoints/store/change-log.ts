/** What happened to the files of a session, in its order: an append-only file of JSON lines. */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { FileState } from "../files/file-state.ts";

/** Absolute. Never in a folder `.git`, whatever the log says. */
const Path = z
  .string()
  .check(
    z.refine((name) => path.isAbsolute(name) && path.normalize(name) === name && !inGit(name) && !name.includes("\0")),
  );

const Transition = z.object({ path: Path, before: FileState, after: FileState });
export type Transition = z.infer<typeof Transition>;

/** Folders come and go with their files, and are not told of. */
export function isFolderOnly({ before, after }: Pick<Transition, "before" | "after">): boolean {
  return [before, after].every(({ type }) => type === "folder" || type === "missing");
}

const Line = z.discriminatedUnion("type", [
  /** All that stood here gave way at `at`, in ms since 1970: of snapshots before nothing is known. */
  z.object({ type: z.literal("dropped"), at: z.number() }),
  /** The state of all files at this place of the log has a name. `at`: ms since 1970. */
  z.object({ type: z.literal("snapshot"), id: z.string(), at: z.number() }),
  /** A tool of the step that began with `snapshot` is about to write. What became of it stands in the next change by the agent. */
  z.object({
    type: z.literal("intent"),
    snapshot: z.string(),
    at: z.number(),
    files: z.array(z.object({ path: Path, before: FileState })),
  }),
  z.object({
    type: z.literal("change"),
    by: z.enum(["agent", "user"]),
    files: z.array(Transition),
    /** It was noticed later, but was there already at that snapshot. */
    until: z.optional(z.string()),
  }),
  /** Is about to be done; `undoes` another one. */
  z.object({
    type: z.literal("restore"),
    id: z.string(),
    at: z.number(),
    undoes: z.optional(z.string()),
    files: z.array(Transition),
  }),
  /** What of it has been done. */
  z.object({ type: z.literal("restored"), id: z.string(), paths: z.array(Path) }),
]);
export type Line = z.infer<typeof Line>;

export class Log {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = path.join(folder, "log.jsonl");
  }

  /** @throws what the system says, as when the disk is full */
  append(line: Line): void {
    mkdirSync(path.dirname(this.#path), { recursive: true, mode: 0o700 });
    // Begins with a line feed, too, so that a line torn by a crash spoils none but itself. One write: several processes may append.
    appendFileSync(this.#path, `\n${JSON.stringify(line)}\n`, { mode: 0o600 });
  }

  /** Those of other processes, too. What cannot be read is left out. */
  read(): Line[] {
    return this.#text()
      .split("\n")
      .flatMap((text) => {
        const parsed = text === "" ? undefined : Line.safeParse(asJSON(text));
        return parsed?.success ? [parsed.data] : [];
      });
  }

  #text(): string {
    try {
      return readFileSync(this.#path, "utf8");
    } catch {
      return "";
    }
  }
}

/** In any case: some file systems do not tell them apart. */
export const inGit = (name: string): boolean => /(^|[/\\])\.git([/\\]|$)/i.test(name);

function asJSON(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
