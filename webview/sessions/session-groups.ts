/** How sessions look, and in which order and groups they are listed: by what they want from the user, then by day. */

import type { SessionSummary, TabState, WorktreeView } from "../../src/chat/session-views.ts";
import { counted, t } from "../../src/l10n/l10n.ts";
import type { IconName } from "../controls/icons.ts";
import { dayGroup } from "../text/format.ts";

interface StateLooks {
  glyph: IconName;
  looks: "" | "now" | "warn" | "bad" | "good";
  /** Empty for a session that wants nothing. */
  words: string;
}

export const looksOf: Readonly<Record<TabState, StateLooks>> = {
  idle: { glyph: "comment", looks: "", words: "" },
  running: { glyph: "loading", looks: "now", words: t("Running") },
  asks: { glyph: "question", looks: "warn", words: t("Waits for you") },
  error: { glyph: "error", looks: "bad", words: t("Failed") },
  done: { glyph: "pass", looks: "good", words: t("Done") },
};

/** A failed turn is something to look at for a day; after that it is history. */
const freshMs = 86_400_000;

export function groupSessions(
  sessions: readonly SessionSummary[],
  now: number,
): { name: string; members: SessionSummary[] }[] {
  const ordered = sessions.toSorted((a, b) => rank(a, now) - rank(b, now) || b.updatedAt - a.updatedAt);
  const groups = Map.groupBy(ordered, (session) => groupOf(session, now));
  return [...groups].map(([name, members]) => ({ name, members }));
}

/** Returns what the session wants or does in one line; empty if nothing. */
export function wishOf({ state, doing, elsewhere, toReview }: SessionSummary): string {
  const words = elsewhere ? t("{0} in another window", looksOf[state].words) : looksOf[state].words;
  if (state === "idle" || state === "done") return [words, reviewWords(toReview)].filter(Boolean).join(" · ");
  return doing === "" ? words : `${words}: ${doing}`;
}

function reviewWords({ changes, files }: SessionSummary["toReview"]): string {
  return changes === 0
    ? ""
    : t("{0} in {1} to review", counted(changes, "{0} change", "{0} changes"), counted(files, "{0} file", "{0} files"));
}

/** "11 files, 2 behind main"; empty while nothing is known. */
export function worktreeFacts({ files, behind, target }: WorktreeView): string {
  if (files === undefined) return "";
  const changed = files === 0 ? t("no changes") : counted(files, "{0} file", "{0} files");
  return behind === 0 ? changed : t("{0}, {1} behind {2}", changed, behind, target);
}

/** Whether a worktree waits to be merged. */
export function isMergeable({ state, worktree }: SessionSummary): boolean {
  return state !== "running" && state !== "asks" && (worktree?.files ?? 0) > 0;
}

function groupOf(session: SessionSummary, now: number): string {
  const names = [t("Now"), t("Now"), t("To look at")];
  return names[rank(session, now)] ?? dayGroup(session.updatedAt, now);
}

function rank(session: SessionSummary, now: number): number {
  const { state, toReview, updatedAt } = session;
  if (state === "asks") return 0;
  if (state === "running") return 1;
  const wantsLook =
    state === "done" ||
    toReview.changes > 0 ||
    isMergeable(session) ||
    (state === "error" && now - updatedAt < freshMs);
  return wantsLook ? 2 : 3;
}
