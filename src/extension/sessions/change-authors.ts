/** Which session has changed the files under review. Two sessions on one folder share the review, not its count. */
import * as vscode from "vscode";
import * as z from "zod/mini";
import { diffsOf } from "../../chat/diffs.ts";
import type { ChatEvent } from "../../chat/events.ts";
import type { ReviewFile } from "../../chat/review-views.ts";
import type { SessionSummary } from "../../chat/session-views.ts";

const key = "rondo.changeAuthors";
const Saved = z.record(z.string(), z.array(z.string()));

export class ChangeAuthors {
  readonly #memory: vscode.Memento;
  readonly #pending: () => readonly ReviewFile[];
  readonly #files: Map<string, Set<string>>;

  /** `pending`: the files that wait for review. */
  constructor(memory: vscode.Memento, pending: () => readonly ReviewFile[]) {
    this.#memory = memory;
    this.#pending = pending;
    const saved = Saved.safeParse(memory.get(key)).data ?? {};
    this.#files = new Map(Object.entries(saved).map(([id, files]) => [id, new Set(files)]));
  }

  /** Notes the files that the session, or one of its subagents, has changed by this event. */
  note(sessionID: string, event: ChatEvent): void {
    const changed = changedBy(event);
    if (changed.length === 0) return;
    const files = this.#files.get(sessionID) ?? new Set();
    this.#files.set(sessionID, files);
    for (const file of changed) files.add(file);
    this.#save(new Set(changed));
  }

  count(sessionID: string): SessionSummary["toReview"] {
    const files = this.#files.get(sessionID);
    const own = files ? this.#pending().filter((file) => namesOf(file).some((name) => files.has(name))) : [];
    return { files: own.length, changes: own.reduce((sum, { hunks }) => sum + hunks, 0) };
  }

  /** Returns the sessions that have changed each file that waits for review, by its path. */
  byPath(): Map<string, string[]> {
    return new Map(this.#pending().map((file) => [file.path, this.sessionsOf(namesOf(file))]));
  }

  /** Returns the sessions that have changed a file, which has these names. */
  sessionsOf(names: readonly string[]): string[] {
    return [...this.#files].flatMap(([id, files]) => (names.some((name) => files.has(name)) ? [id] : []));
  }

  /** Drops files that no longer wait. Those that have just changed may not be under review yet. */
  #save(justChanged: ReadonlySet<string>): void {
    const pending = new Set(this.#pending().flatMap(namesOf));
    for (const [id, files] of this.#files) {
      for (const file of files) if (!pending.has(file) && !justChanged.has(file)) files.delete(file);
      if (files.size === 0) this.#files.delete(id);
    }
    void this.#memory.update(key, Object.fromEntries([...this.#files].map(([id, files]) => [id, [...files]])));
  }
}

/** With several folders, `relative` begins with the name of the folder, and a tool names the file without it. */
function namesOf({ path, relative }: ReviewFile): string[] {
  return [path, relative, vscode.workspace.asRelativePath(path, false)];
}

function changedBy(event: ChatEvent): readonly string[] {
  if (event.type === "child") return changedBy(event.event);
  // What commands have changed is known when the step has ended.
  if (event.type === "part" && event.part.type === "patch") return event.part.files;
  if (event.type !== "part" || event.part.type !== "tool" || event.part.state.status !== "completed") return [];
  // The path of a moved file is "old → new".
  return diffsOf(event.part.state.metadata).flatMap(({ path }) => path.split(" → "));
}
