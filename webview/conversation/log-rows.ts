/** The rows of the log: each is drawn, measured and left out alone. A message has one or many. */

import { never } from "../../src/base/never.ts";
import type { Entry } from "../../src/chat/apply.ts";
import { wordsForPeople } from "../../src/chat/call-words.ts";
import type { TextPart, ToolPart } from "../../src/chat/message.ts";
import { ownWords } from "../../src/chat/words.ts";
import { t } from "../../src/l10n/l10n.ts";
import { toolLineOf } from "../calls/tool-line.ts";
import { type Activity, type CompactionMark, type MessageGroup, plainTextOf, segmentsOf } from "./message-groups.ts";
import { lineWords, plainWords } from "./part-rows.ts";

type RowContent =
  | { type: "user"; entry: Entry }
  | { type: "compaction"; mark: CompactionMark }
  | { type: "text"; part: TextPart }
  | { type: "notice"; part: TextPart }
  /** `segment`: neighbouring activities have the same. */
  | { type: "activity"; activity: Activity; segment: string }
  | { type: "interrupted" }
  /** What can be done with an answer that is over. `entries`: all its messages. */
  | { type: "tools"; entries: readonly Entry[] }
  | { type: "undrawn"; text: string };

/** `gap`: the space above the row, that between messages or parts of one. */
export type LogRow = { key: string; group: MessageGroup["id"]; gap: "message" | "part" | "line" } & RowContent;

/** `done`: nothing will be added to the group. `before`: earlier messages of the group, whose rows are elsewhere. */
export function rowsOf(group: MessageGroup, done: boolean, before?: readonly Entry[]): LogRow[] {
  const contents = attemptContents(group, done);
  const rows = contents.map(([key, content], at): LogRow => {
    const last = contents[at - 1]?.[1];
    const gap = at === 0 ? (before ? "part" : "message") : isLine(last, content) ? "line" : "part";
    return { key, group: group.id, gap, ...content };
  });
  if (!done || group.type !== "assistant") return rows;
  const entries = before ? [...before, ...group.entries] : group.entries;
  if (rows.length === 0 || answerText(entries) === "") return rows;
  return [...rows, { key: `${group.id}-tools`, group: group.id, gap: "line", type: "tools", entries }];
}

/** Returns the rows of a group that goes on elsewhere, where its tools are. */
export function withoutTools(rows: readonly LogRow[]): LogRow[] {
  return rows.filter(({ type }) => type !== "tools");
}

/** Returns what the model has said in an answer, as it has written it. */
export function answerText(entries: readonly Entry[]): string {
  const texts = entries.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type !== "text" || part.synthetic || part.ignored) return [];
      const text = String(part.text).trim();
      return text === "" ? [] : [text];
    }),
  );
  return texts.join("\n\n");
}

function isLine(before: RowContent | undefined, content: RowContent): boolean {
  return before?.type === "activity" && content.type === "activity" && before.segment === content.segment;
}

function attemptContents(group: MessageGroup, done: boolean): [key: string, RowContent][] {
  try {
    return contentsOf(group, done);
  } catch {
    return [[group.id, { type: "undrawn", text: plainTextOf(group) }]];
  }
}

function contentsOf(group: MessageGroup, done: boolean): [key: string, RowContent][] {
  if (group.type === "user") return [[group.id, { type: "user", entry: group.entry }]];
  if (group.type === "compaction") return [[group.id, { type: "compaction", mark: group }]];
  const contents = segmentsOf(group.entries, done).flatMap((segment): [string, RowContent][] => {
    if (segment.type !== "activities") return [[segment.id, { type: segment.type, part: segment.part }]];
    return segment.activities.map((activity) => [activity.id, { type: "activity", activity, segment: segment.id }]);
  });
  const last = group.entries.at(-1)?.info;
  const interrupted = last?.role === "assistant" && last.finish === "interrupted";
  if (interrupted && contents.length > 0) contents.push([`${last.id}-interrupted`, { type: "interrupted" }]);
  return contents;
}

/** Returns `rows`, with those that are as before replaced by the same objects, so that they are not drawn again. */
export function keepSame(before: readonly LogRow[], rows: readonly LogRow[]): LogRow[] {
  return rows.map((row, at) => {
    const old = before[at];
    return old && isSame(old, row) ? old : row;
  });
}

function isSame(a: LogRow, b: LogRow): boolean {
  if (a.key !== b.key || a.group !== b.group || a.gap !== b.gap) return false;
  switch (a.type) {
    case "user":
      return b.type === a.type && a.entry === b.entry;
    case "interrupted":
      return b.type === a.type;
    case "undrawn":
      return false;
    case "tools":
      return b.type === a.type && a.entries.length === b.entries.length && a.entries.at(-1) === b.entries.at(-1);
    case "compaction": {
      if (b.type !== a.type) return false;
      return a.mark.summary === b.mark.summary && a.mark.messages === b.mark.messages && a.mark.auto === b.mark.auto;
    }
    case "text":
    case "notice":
      return b.type === a.type && a.part === b.part;
    case "activity":
      return b.type === a.type && isSameActivity(a.activity, b.activity) && a.segment === b.segment;
    default:
      return never(a);
  }
}

function isSameActivity(a: Activity, b: Activity): boolean {
  if (a.type === "collapsed" || b.type === "collapsed") {
    if (a.type !== "collapsed" || b.type !== "collapsed") return false;
    return a.parts.length === b.parts.length && a.parts.every((part, at) => part === b.parts[at]);
  }
  return a.part === b.part && timesOf(a) === timesOf(b);
}

const timesOf = (activity: Activity) => ("times" in activity ? activity.times : 1);

/** While the pointer is on activities, none of them collapses: `held` has the ids of those that it found there. */
export function holdOpen(rows: readonly LogRow[], segment: string, held: ReadonlySet<string>): LogRow[] {
  return rows.flatMap((row): LogRow[] => {
    if (row.type !== "activity" || row.segment !== segment) return [row];
    const { activity } = row;
    if (activity.type !== "collapsed" || held.has(activity.id)) return [row];
    return activity.parts.map((part, at) => {
      const gap = at === 0 ? row.gap : "line";
      return { ...row, key: part.id, gap, activity: { id: part.id, type: "tool", part } };
    });
  });
}

/** Returns what a row says, for those that are not drawn: to be copied, and to be found. */
export function rowText(row: LogRow, cwd: string): string {
  switch (row.type) {
    case "user":
      return ownWords(row.entry.parts);
    case "text":
    case "notice":
      return String(row.part.text);
    case "undrawn":
      return row.text;
    case "interrupted":
      return t("Interrupted");
    case "tools":
      return "";
    case "compaction":
      return t("Conversation compacted");
    case "activity":
      return activityText(row.activity, cwd);
    default:
      return never(row);
  }
}

function activityText(activity: Activity, cwd: string): string {
  if (activity.type === "collapsed") return activity.parts.map((part) => callText(part, cwd)).join("\n");
  return activity.type === "tool" ? callText(activity.part, cwd) : lineWords(activity);
}

/** Returns what the model has sent in a row that cannot be drawn. Never throws: any part of it may be the reason. */
export function plainRowText(row: LogRow, cwd: string): string {
  const texts = [attempt(() => rowText(row, cwd))];
  if (row.type === "activity") {
    const { activity } = row;
    for (const part of callsIn(activity)) {
      texts.push(attempt(() => part.tool));
      texts.push(attempt(() => plainValue(part.state.input)));
      texts.push(attempt(() => plainValue(resultOf(part))));
    }
    if ("times" in activity) texts.push(attempt(() => plainValue(plainWords(activity))));
  }
  const text = texts.filter((one, at) => one !== "" && texts.indexOf(one) === at).join("\n");
  return text.length <= mostPlainCharacters ? text : `${text.slice(0, mostPlainCharacters)}…`;
}

function callsIn(activity: Activity): readonly ToolPart[] {
  return activity.type === "collapsed" ? activity.parts : activity.type === "tool" ? [activity.part] : [];
}

const mostPlainCharacters = 4000;

function attempt(text: () => string): string {
  try {
    return String(text() ?? "");
  } catch {
    return "";
  }
}

function plainValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, undefined, 1) ?? "");
}

function resultOf({ state }: ToolPart): unknown {
  if (state.status === "pending") return state.raw;
  if (state.status === "running") return state.metadata?.live;
  const result = state.status === "completed" ? state.output : state.error;
  return typeof result === "string" ? wordsForPeople(result, state.metadata?.words) : result;
}

function callText(part: ToolPart, cwd: string): string {
  const { verb, object, fact } = toolLineOf(part, false, cwd);
  return `${verb} ${object}${fact && `, ${fact}`}`;
}

/** Heights in px of rows that were not drawn yet. */
const estimates: Record<LogRow["type"], number> = {
  user: 76,
  compaction: 40,
  text: 36,
  notice: 34,
  activity: 25,
  interrupted: 30,
  tools: 15,
  undrawn: 60,
};
const lineHeight = 20;
const charactersInLine = 56;

export function estimatedHeight(row: LogRow): number {
  if (row.type !== "text") return estimates[row.type];
  const { text } = row.part;
  const lines = Math.ceil(text.length / charactersInLine);
  return estimates.text + lineHeight * Math.max(0, lines - 1);
}
