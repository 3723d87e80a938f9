/** Groups the messages of a chat for the screen: who speaks, and what happened in which order. */
import type { Entry } from "../../src/chat/apply.ts";
import type { Part, TextPart, Tokens, ToolPart } from "../../src/chat/message.ts";
import type { PromptPart } from "../../src/chat/prompt-input.ts";
import type { ToolKind } from "../../src/chat/tool-cards.ts";
import { toolKindOf } from "../calls/tool-line.ts";
import { lineOf, type PartLine } from "./part-rows.ts";

/** A prompt; or all replies up to the next prompt, shown as one message; or a compaction. */
export type MessageGroup =
  | { id: string; type: "user"; entry: Entry }
  | { id: string; type: "assistant"; entries: Entry[] }
  | CompactionMark;

/** The line between what the model still sees and what only the record keeps. */
export interface CompactionMark {
  id: string;
  type: "compaction";
  /** Started by Rondo because the context window was nearly full. */
  auto: boolean;
  /** A plan has taken the place of the summary. */
  isPlan: boolean;
  messages: number;
  /** Tokens in the context window before the compaction; 0 if unknown. */
  tokens: number;
  summary: Entry | undefined;
}

/** Leaves out silent turns and prompts whose parts are all synthetic. */
export function messageGroupsOf(messages: readonly Entry[]): MessageGroup[] {
  const groups: MessageGroup[] = [];
  let since = 0;
  for (const [at, entry] of messages.entries()) {
    const { info, parts } = entry;
    const { id } = info;
    if (info.silent) continue;
    const last = groups.at(-1);
    if (info.role === "user") {
      const compaction = parts.find((part) => part.type === "compaction");
      if (compaction) {
        const tokens = contextSizeBefore(messages, at);
        groups.push({
          id,
          type: "compaction",
          auto: compaction.auto,
          isPlan: compaction.plan !== undefined,
          messages: since,
          tokens,
          summary: undefined,
        });
        since = 0;
      } else if (!parts.every((part) => part.type === "text" && part.synthetic)) {
        groups.push({ id, type: "user", entry });
        since++;
      }
      continue;
    }
    if (info.summary && last?.type === "compaction") {
      last.summary = entry;
      continue;
    }
    since++;
    if (last?.type === "assistant") last.entries.push(entry);
    else groups.push({ id, type: "assistant", entries: [entry] });
  }
  return groups;
}

/** Returns the texts of a group; not of its calls, which may be why it cannot be drawn. */
export function plainTextOf(group: MessageGroup): string {
  const entries = group.type === "assistant" ? group.entries : group.type === "user" ? [group.entry] : [];
  const texts = entries.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));
  return texts.map(String).join("\n\n");
}

/** Returns the tokens that the newest reply before message `at` took of the context window; 0 if unknown. */
function contextSizeBefore(messages: readonly Entry[], at: number): number {
  for (const { info } of messages.slice(0, at).reverse()) {
    const used = info.role === "assistant" ? totalTokens(info.tokens) : 0;
    if (used > 0) return used;
  }
  return 0;
}

export function totalTokens({ input, output, cacheRead, cacheWrite }: Tokens): number {
  return input + output + cacheRead + cacheWrite;
}

/**
 * Joins the groups of messages that follow each other. Replies on both sides of the cut are one group, with the id
 * `replyID`.
 */
export function joinGroups(
  before: readonly MessageGroup[],
  after: readonly MessageGroup[],
  replyID: string | undefined,
): readonly MessageGroup[] {
  const last = before.at(-1);
  const first = after[0];
  const counted = countAcross(before, after);
  if (last?.type !== "assistant" || first?.type !== "assistant") return [...before, ...counted];
  const both = { ...last, id: replyID ?? last.id, entries: [...last.entries, ...first.entries] };
  return [...before.slice(0, -1), both, ...counted.slice(1)];
}

/** Adds the messages before the cut to those that the first compaction behind it counts. */
function countAcross(before: readonly MessageGroup[], after: readonly MessageGroup[]): readonly MessageGroup[] {
  const at = after.findIndex(({ type }) => type === "compaction");
  const mark = after[at];
  if (mark?.type !== "compaction") return after;
  const since = before.slice(before.findLastIndex(({ type }) => type === "compaction") + 1);
  const more = since.reduce((sum, group) => sum + (group.type === "assistant" ? group.entries.length : 1), 0);
  return after.with(at, { ...mark, messages: mark.messages + more });
}

export function lastShown(messages: readonly Entry[]): Entry | undefined {
  return messages.findLast((entry) => !entry.info.silent);
}

/** Whether a hook wrote the part for the user: it is shown, but never sent. */
export function isNotice(part: Part | PromptPart): part is TextPart {
  return part.type === "text" && "ignored" in part && part.ignored === true;
}

export type Activity =
  | PartLine
  | { id: string; type: "tool"; part: ToolPart }
  | { id: string; type: "collapsed"; kind: ToolKind; parts: ToolPart[] };

type MessageSegment =
  | { id: string; type: "text"; part: TextPart }
  | { id: string; type: "notice"; part: TextPart }
  | { id: string; type: "activities"; activities: Activity[] };

/**
 * Returns what a message shows, in order. Neighbouring calls of one kind collapse once something follows them, or the
 * turn is over (`done`); failed calls never collapse.
 */
export function segmentsOf(entries: readonly Entry[], done: boolean): MessageSegment[] {
  const segments: MessageSegment[] = [];
  for (const part of entries.flatMap((entry) => entry.parts)) {
    if (part.type === "text") {
      if (part.text.trim() === "" || part.synthetic) continue;
      segments.push({ id: part.id, type: isNotice(part) ? "notice" : "text", part });
      continue;
    }
    const activity = activityOf(part);
    if (!activity) continue;
    const last = segments.at(-1);
    const before = last?.type === "activities" ? last.activities.at(-1) : undefined;
    // Retries are one line that changes.
    if (activity.type === "retry" && before?.type === "retry") {
      before.part = activity.part;
      before.times += 1;
    } else if (last?.type === "activities") last.activities.push(activity);
    else segments.push({ id: activity.id, type: "activities", activities: [activity] });
  }
  for (const [at, segment] of segments.entries()) {
    if (segment.type !== "activities") continue;
    segment.activities = collapse(segment.activities, done || at < segments.length - 1);
  }
  return segments;
}

function activityOf(part: Part): Activity | undefined {
  return part.type === "tool" ? { id: part.id, type: "tool", part } : lineOf(part);
}

/** `closed`: nothing will be added to the last run. */
function collapse(all: Activity[], closed: boolean): Activity[] {
  const collapsed: Activity[] = [];
  for (let at = 0; at < all.length; ) {
    const run = runAt(all, at);
    const first = run[0];
    const over = closed || at + run.length < all.length;
    if (first && run.length > 1 && over && run.every((part) => part.state.status === "completed")) {
      collapsed.push({ id: `collapsed-${first.id}`, type: "collapsed", kind: toolKindOf(first.tool), parts: run });
      at += run.length;
    } else {
      collapsed.push(...all.slice(at, at + Math.max(1, run.length)));
      at += Math.max(1, run.length);
    }
  }
  return collapsed;
}

/** Returns the neighbours of one kind that begin at `at` and have not failed; empty if nothing there can collapse. */
function runAt(all: readonly Activity[], at: number): ToolPart[] {
  const run: ToolPart[] = [];
  for (let next = at; next < all.length; next++) {
    const activity = all[next];
    if (activity?.type !== "tool" || activity.part.state.status === "error") break;
    const kind = toolKindOf(activity.part.tool);
    if (kind === "other" || (run[0] && toolKindOf(run[0].tool) !== kind)) break;
    run.push(activity.part);
  }
  return run;
}
