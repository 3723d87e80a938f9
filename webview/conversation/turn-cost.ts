/** What an answer took: time, tokens and cost, of the model and of its tools. */

import type { Entry } from "../../src/chat/apply.ts";
import type { Tokens, ToolPart } from "../../src/chat/message.ts";
import { addSpent, nothingSpent, type Spent, spentOn, spentOnEntries } from "../../src/chat/spent.ts";
import { counted, t } from "../../src/l10n/l10n.ts";
import { duration, price, rough, unknownPrice } from "../text/format.ts";
import { totalTokens } from "./message-groups.ts";

type SentTokens = Pick<Tokens, "input" | "output" | "cacheRead" | "cacheWrite">;

export interface TurnCost {
  /** From the first reply to the end of the last one, or of its last call; 0: unknown. */
  ms: number;
  model: { replies: number; ms: number; tokens: SentTokens; spent: Spent };
  /** `ms`: time in which at least one call ran. */
  calls: { count: number; ms: number };
  agents: { count: number; spent: Spent };
  /** The subagents included. */
  spent: Spent;
}

/** `entries`: all messages of the answer. */
export function turnCost(entries: readonly Entry[]): TurnCost {
  const cost: TurnCost = {
    ms: 0,
    model: { replies: 0, ms: 0, tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, spent: nothingSpent },
    calls: { count: 0, ms: 0 },
    agents: { count: 0, spent: nothingSpent },
    spent: spentOnEntries(entries),
  };
  const { model, agents } = cost;
  const calls: ToolPart[] = [];
  let start = Number.POSITIVE_INFINITY;
  let end = 0;
  for (const entry of entries) {
    const { info, parts } = entry;
    if (info.role !== "assistant") continue;
    const own = parts.filter((part) => part.type === "tool");
    calls.push(...own);
    start = Math.min(start, info.createdAt);
    end = Math.max(end, info.completedAt ?? 0, ...own.map(({ state }) => ("end" in state ? state.end : 0)));
    if (totalTokens(info.tokens) === 0 && info.cost === undefined) continue;
    model.replies++;
    model.ms += Math.max(0, (info.completedAt ?? info.createdAt) - info.createdAt);
    for (const kind of ["input", "output", "cacheRead", "cacheWrite"] as const) model.tokens[kind] += info.tokens[kind];
    model.spent = addSpent(model.spent, spentOn(info));
    const byAgents = spentOnEntries([{ info: { ...info, tokens: noneOf(info.tokens), cost: 0 }, parts }]);
    if (byAgents.tokens > 0 || byAgents.usd > 0) agents.spent = addSpent(agents.spent, byAgents);
  }
  agents.count = calls.filter(({ tool }) => tool === "task").length;
  cost.calls = { count: calls.length - agents.count, ms: runningMs(calls) };
  cost.ms = Math.max(0, end - start);
  return cost;
}

function noneOf(tokens: Tokens): Tokens {
  return { ...tokens, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
}

/** Returns the time in which calls ran. Calls that ran side by side count once. */
function runningMs(calls: readonly ToolPart[]): number {
  const spans = calls.flatMap(({ state }) => ("end" in state ? [{ start: state.start, end: state.end }] : []));
  let ms = 0;
  let until = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    ms += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return ms;
}

/** "12 s · $0.03"; empty if nothing is known. An unknown price is said, never 0. */
export function costLine({ ms, spent }: TurnCost): string {
  const isCharged = spent.usd > 0 || spent.tokens > 0;
  const money = price(spent.usd, spent.partial);
  const words = [ms > 0 ? duration(ms) : "", isCharged ? (money === unknownPrice() ? t("cost unknown") : money) : ""];
  return words.filter((word) => word !== "").join(" · ");
}

export interface CostRow {
  name: string;
  time: string;
  input: string;
  output: string;
  cost: string;
}

/** Waiting that is shorter is not worth a row. */
const shortestWaitMs = 500;

/** Returns the rows of the table; the last one is the sum. */
export function costRows({ ms, model, calls, agents, spent }: TurnCost): CostRow[] {
  const { input, output, cacheRead, cacheWrite } = model.tokens;
  const empty = { time: "", input: "", output: "", cost: "" };
  const waited = ms - model.ms - calls.ms;
  const isKnown = model.replies > 0;
  const rows: CostRow[] = [];
  if (isKnown) {
    rows.push({
      ...{ name: t("Model ({0})", counted(model.replies, "{0} reply", "{0} replies")), time: duration(model.ms) },
      ...{ input: rough(input), output: rough(output), cost: price(model.spent.usd, model.spent.partial) },
    });
  }
  if (cacheRead > 0) rows.push({ ...empty, name: t("Read from cache"), input: rough(cacheRead) });
  if (cacheWrite > 0) rows.push({ ...empty, name: t("Written to cache"), input: rough(cacheWrite) });
  if (calls.count > 0)
    rows.push({ ...empty, name: counted(calls.count, "{0} tool call", "{0} tool calls"), time: duration(calls.ms) });
  if (agents.count > 0) {
    const { tokens, usd, partial } = agents.spent;
    const name = counted(agents.count, "{0} subagent", "{0} subagents");
    rows.push({ ...empty, name, input: tokens > 0 ? t("{0} in all", rough(tokens)) : "", cost: price(usd, partial) });
  }
  if (isKnown && waited >= shortestWaitMs)
    rows.push({ ...empty, name: t("Your answers and waiting"), time: duration(waited) });
  rows.push({
    ...{ name: t("This answer"), time: ms > 0 ? duration(ms) : unknownPrice() },
    input: isKnown ? rough(input + cacheRead + cacheWrite) : unknownPrice(),
    output: isKnown ? rough(output) : unknownPrice(),
    cost: isKnown ? price(spent.usd, spent.partial) : unknownPrice(),
  });
  return rows;
}
