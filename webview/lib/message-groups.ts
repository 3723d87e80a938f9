/** The conversation as it is drawn: who speaks, and what happened in which order. */
import type { Entry } from "../../src/chat/apply.ts";
import type { Part, ReasoningPart, TextPart, Tokens, ToolPart } from "../../src/chat/message.ts";
import type { PromptPart } from "../../src/chat/prompt-input.ts";
import { type Kind, kindOf } from "./tool-line.ts";

/** A prompt; or all replies up to the next one, since a turn reads as one message; or what compaction left. */
export type Turn =
  | { id: string; type: "you"; entry: Entry }
  | { id: string; type: "rondo"; entries: Entry[] }
  | Compacted;

/** The line between what the model still sees and what only the record keeps. */
export interface Compacted {
  id: string;
  type: "compaction";
  /** Begun by Rondo, since the window was nearly full. */
  auto: boolean;
  /** Messages since the one before, and the tokens that they took; 0: not known. */
  messages: number;
  tokens: number;
  /** Undefined until the model answers. */
  summary: Entry | undefined;
}

/** Without silent turns, and without messages in which only Rondo speaks to the model. */
export function messageGroupsOf(messages: readonly Entry[]): Turn[] {
  const turns: Turn[] = [];
  let since = 0;
  for (const [at, entry] of messages.entries()) {
    const { info, parts } = entry;
    const { id } = info;
    if (info.silent) continue;
    const last = turns.at(-1);
    if (info.role === "user") {
      const compaction = parts.find((part) => part.type === "compaction");
      if (compaction) {
        const tokens = sizeBefore(messages, at);
        turns.push({ id, type: "compaction", auto: compaction.auto, messages: since, tokens, summary: undefined });
        since = 0;
      } else if (!parts.every(isUnseen)) {
        turns.push({ id, type: "you", entry });
        since++;
      }
      continue;
    }
    if (info.summary && last?.type === "compaction") {
      last.summary = entry;
      continue;
    }
    since++;
    if (last?.type === "rondo") last.entries.push(entry);
    else turns.push({ id, type: "rondo", entries: [entry] });
  }
  return turns;
}

/** The window's tokens in use with the newest reply before the message at `at`; 0: not known. */
function sizeBefore(messages: readonly Entry[], at: number): number {
  for (const { info } of messages.slice(0, at).reverse()) {
    const used = info.role === "assistant" ? sumOf(info.tokens) : 0;
    if (used > 0) return used;
  }
  return 0;
}

/** All that a reply took of the window. */
export function sumOf({ input, output, cacheRead, cacheWrite }: Tokens): number {
  return input + output + cacheRead + cacheWrite;
}

/** `turns`, but for those that are as they were `before`, which stay the same objects: they are not drawn anew. */
export function keepSame(before: readonly Turn[], turns: readonly Turn[]): Turn[] {
  return turns.map((turn, at) => {
    const old = before[at];
    return old && isSame(old, turn) ? old : turn;
  });
}

function isSame(a: Turn, b: Turn): boolean {
  if (a.id !== b.id) return false;
  if (a.type === "you") return b.type === "you" && a.entry === b.entry;
  if (a.type === "compaction") return b.type === "compaction" && a.summary === b.summary && a.auto === b.auto;
  return (
    b.type === "rondo" &&
    a.entries.length === b.entries.length &&
    a.entries.every((entry, at) => entry === b.entries[at])
  );
}

function isUnseen(part: Part): boolean {
  return part.type === "text" && part.synthetic === true;
}

/** The newest message that is not of a silent turn. */
export function lastShown(messages: readonly Entry[]): Entry | undefined {
  return messages.findLast((entry) => !entry.info.silent);
}

/** What a hook tells the user: shown, never sent. */
export function isNotice(part: Part | PromptPart): part is TextPart {
  return part.type === "text" && "ignored" in part && part.ignored === true;
}

type Retry = Extract<Part, { type: "retry" }>;
/** One line of a turn. */
export type Step =
  | { id: string; type: "reasoning"; part: ReasoningPart }
  | { id: string; type: "tool"; part: ToolPart }
  | { id: string; type: "retry"; part: Retry }
  /** Finished neighbours of one kind. */
  | { id: string; type: "fold"; kind: Kind; parts: ToolPart[] };

type Segment =
  | { id: string; type: "text"; part: TextPart }
  | { id: string; type: "notice"; part: TextPart }
  | { id: string; type: "steps"; steps: Step[] };

/**
 * What a turn shows, in order. Neighbours fold once something follows them, or the turn is over (`done`); a failed one
 * never folds.
 */
export function segmentsOf(entries: readonly Entry[], done: boolean): Segment[] {
  const segments: Segment[] = [];
  for (const part of entries.flatMap((entry) => entry.parts)) {
    if (part.type === "text") {
      if (part.text.trim() === "" || part.synthetic) continue;
      segments.push({ id: part.id, type: isNotice(part) ? "notice" : "text", part });
      continue;
    }
    const step = stepOf(part);
    if (!step) continue;
    const last = segments.at(-1);
    if (last?.type === "steps") last.steps.push(step);
    else segments.push({ id: step.id, type: "steps", steps: [step] });
  }
  for (const [at, segment] of segments.entries()) {
    if (segment.type === "steps") segment.steps = fold(segment.steps, done || at < segments.length - 1);
  }
  return segments;
}

function stepOf(part: Part): Step | undefined {
  switch (part.type) {
    case "reasoning":
      return { id: part.id, type: "reasoning", part };
    case "tool":
      return { id: part.id, type: "tool", part };
    case "retry":
      return { id: part.id, type: "retry", part };
    default:
      return undefined;
  }
}

/** `closed`: nothing more will be added to the last run. */
function fold(steps: Step[], closed: boolean): Step[] {
  const folded: Step[] = [];
  for (let at = 0; at < steps.length; ) {
    const run = runAt(steps, at);
    const first = run[0];
    const over = closed || at + run.length < steps.length;
    if (first && run.length > 1 && over && run.every((part) => part.state.status === "completed")) {
      folded.push({ id: `fold-${first.id}`, type: "fold", kind: kindOf(first.tool), parts: run });
      at += run.length;
    } else {
      folded.push(...steps.slice(at, at + Math.max(1, run.length)));
      at += Math.max(1, run.length);
    }
  }
  return folded;
}

/** The neighbours of one kind that begin at `at` and have not failed; empty where nothing can fold. */
function runAt(steps: readonly Step[], at: number): ToolPart[] {
  const run: ToolPart[] = [];
  for (const step of steps.slice(at)) {
    if (step.type !== "tool" || step.part.state.status === "error") break;
    const kind = kindOf(step.part.tool);
    if (kind === "other" || (run[0] && kindOf(run[0].tool) !== kind)) break;
    run.push(step.part);
  }
  return run;
}
