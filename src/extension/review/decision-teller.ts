/** Tells the sessions that have worked on a file what the user decides about its changes. Each records it, for its model. */
import * as vscode from "vscode";
import { newID } from "../../base/ids.ts";
import type { Chat } from "../../chat/apply.ts";
import type { DecidedHunk, ReviewDecision } from "../../chat/review-decisions.ts";
import { touchedFiles } from "../../loop/context/touched-files.ts";
import { differences, splitLines } from "../../review/line-diff.ts";
import { versionOf } from "../../tools/node-host/workspace.ts";
import type { Decision } from "./decider.ts";
import type { Review } from "./review.ts";

interface TellerOptions {
  review: Pick<Review, "onDidDecide">;
  /** The chats of the sessions that are open in this window. */
  chats(): readonly Chat[];
  /** Returns the sessions that have changed the file with these names, also those that are not open. */
  authors(names: readonly string[]): readonly string[];
  /** Records decisions with a session. Rejects if that is not possible now. */
  record(sessionID: string, decisions: readonly ReviewDecision[]): Promise<void>;
  /** Returns the file's names: as the model knows it, and its real path. */
  locate(uri: vscode.Uri): Promise<{ relative: string; path: string }>;
  /** Called when a session could not record a decision now; it is tried again. */
  failed(error: unknown): void;
}

export class DecisionTeller implements vscode.Disposable {
  readonly #options: TellerOptions;
  readonly #listening: vscode.Disposable;
  #batch: Decision[] = [];
  #describing: Promise<void> = Promise.resolve();
  /** By session: what it could not record yet, and the work on it. */
  readonly #due = new Map<string, ReviewDecision[]>();
  readonly #recording = new Map<string, Promise<void>>();

  constructor(options: TellerOptions) {
    this.#options = options;
    this.#listening = options.review.onDidDecide((decision) => this.#take(decision));
  }

  /** Resolves when the session has recorded what was decided so far, or cannot now. */
  async settled(sessionID: string): Promise<void> {
    await this.#describing;
    await this.#record(sessionID, []);
  }

  dispose(): void {
    this.#listening.dispose();
  }

  /** Decisions that come one after the other are recorded together. */
  #take(decision: Decision): void {
    if (decision.before === decision.after && decision.users.length === 0) return;
    this.#batch.push(decision);
    if (this.#batch.length > 1) return;
    this.#describing = this.#describing.then(async () => {
      const batch = this.#batch;
      this.#batch = [];
      const decisions = await this.#describe(batch);
      for (const [sessionID, own] of this.#bySession(decisions)) void this.#record(sessionID, own);
    });
  }

  #bySession(decisions: readonly ReviewDecision[]): Map<string, ReviewDecision[]> {
    const found = new Map<string, ReviewDecision[]>();
    const note = (id: string, decision: ReviewDecision) => found.set(id, [...(found.get(id) ?? []), decision]);
    const chats = this.#options.chats();
    for (const chat of chats) {
      const touched = touchedFiles(chat);
      for (const one of decisions) if (touched.has(one.path) || touched.has(one.name)) note(chat.session.id, one);
    }
    const open = new Set(chats.map(({ session }) => session.id));
    for (const one of decisions)
      for (const id of this.#options.authors([one.path, one.name])) if (!open.has(id)) note(id, one);
    return found;
  }

  async #describe(batch: readonly Decision[]): Promise<ReviewDecision[]> {
    const all = await Promise.all(
      batch.map(async (decision) => {
        const { uri } = decision;
        const { relative: name, path } = await this.#options
          .locate(uri)
          .catch(() => ({ relative: vscode.workspace.asRelativePath(uri), path: uri.fsPath }));
        return toldDecision(decision, { name, path });
      }),
    );
    return all.filter((one) => one !== undefined);
  }

  #record(sessionID: string, decisions: readonly ReviewDecision[]): Promise<void> {
    this.#due.set(sessionID, [...(this.#due.get(sessionID) ?? []), ...decisions]);
    const recording = (this.#recording.get(sessionID) ?? Promise.resolve()).then(async () => {
      const due = this.#due.get(sessionID) ?? [];
      this.#due.delete(sessionID);
      if (due.length === 0) return;
      try {
        await this.#options.record(sessionID, due);
      } catch (error) {
        this.#due.set(sessionID, [...due, ...(this.#due.get(sessionID) ?? [])]);
        this.#options.failed(error);
      }
    });
    this.#recording.set(sessionID, recording);
    return recording;
  }
}

// Turns a decision of the review into what a session records of it. Pure.

/** Maximum characters of a change whose lines are kept, and of all changes of a decision. */
const maxChars = { one: 3000, all: 20_000 };
/** Maximum number of lines whose numbers are kept. */
const maxOthers = 1000;

/** Returns undefined if the model need not know the decision. `name` and `path`: the file for the model, and on disk. */
function toldDecision(
  { action, before, after, users }: Pick<Decision, "action" | "before" | "after" | "users">,
  { name, path }: { name: string; path: string },
): ReviewDecision | undefined {
  const base = { id: newID("prt"), time: Date.now(), name: name.replaceAll(/[\r\n]/g, " "), path };
  if (action === "accept") {
    if (users.length === 0 || after === undefined) return undefined;
    const own = users.map(({ start, lines }) => ({ line: start + 1, removed: "", added: lines.join("") }));
    // The text that the model knows is not that of before the acceptance.
    return { ...base, action: "edited", ...withinRoom(own), before: "", after: versionOf(after) };
  }
  if (before === after) return undefined;
  const { hunks, others } = before === undefined || after === undefined ? noHunks : hunksBetween(before, after);
  return {
    ...{ ...base, action: action === "undo" ? "restored" : "rejected", hunks, others },
    before: before === undefined ? null : versionOf(before),
    after: after === undefined ? null : versionOf(after),
  };
}

const noHunks = { hunks: [], others: [] };

function hunksBetween(before: string, after: string): Pick<ReviewDecision, "hunks" | "others"> {
  const [old, now] = [splitLines(before), splitLines(after)];
  return withinRoom(
    differences(old, now).map(({ baseStart, baseCount, start, count }) => ({
      line: start + 1,
      removed: old.slice(baseStart, baseStart + baseCount).join(""),
      added: now.slice(start, start + count).join(""),
    })),
  );
}

/** Keeps the lines of what is not too long, and the places of the rest. */
function withinRoom(all: readonly DecidedHunk[]): Pick<ReviewDecision, "hunks" | "others"> {
  const hunks: DecidedHunk[] = [];
  const others: number[] = [];
  let room = maxChars.all;
  for (const hunk of all) {
    const size = hunk.removed.length + hunk.added.length;
    if (size <= Math.min(room, maxChars.one)) {
      room -= size;
      hunks.push(hunk);
    } else if (others.length < maxOthers) others.push(hunk.line);
  }
  return { hunks, others };
}
