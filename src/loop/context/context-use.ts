/** What fills the window, in tokens and piece by piece, for the user (C8). */
import { type Chat, type Entry, isFinishedSummary } from "../../chat/apply.ts";
import type { CacheUse, ContextPart, ContextUse, PieceSum, PieceView } from "../../chat/context-views.ts";
import type { Part, Tokens } from "../../chat/message.ts";
import { contextSize, noTokens } from "../../chat/token-counts.ts";
import type { Limits } from "../limits.ts";
import { kindOf } from "../part-kinds.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import { costOf } from "../setup/model-facts.ts";
import type { Project } from "../setup/project.ts";
import type { SystemPrompt } from "../setup/system-prompt.ts";
import {
  fixedSize,
  overflowLimit,
  sizeOfEntry,
  sizeOfOutputs,
  sizeOfPart,
  sizeOfTools,
  sum,
  visibleEntries,
} from "./context.ts";
import { insteadOf, leftOutOf, pieceIDOf } from "./dropped.ts";
import { canDrop } from "./leave-out.ts";
import { sizeOfText } from "./token-size.ts";

/** As many pieces the panel lists of each kind, beside those that are pinned. */
const mostPieces = 200;

export function contextUse(
  chat: Chat,
  config: AgentConfig,
  prompt: SystemPrompt,
  files: PromptFiles,
  limits: Limits,
): ContextUse {
  const entries = visibleEntries(chat);
  const last = lastReported(entries);
  const outputs = sum(entries, sizeOfOutputs);
  const all = piecesOf(chat, entries);
  const pinned = all.filter((piece) => piece.pinned);
  const dropped = all.filter((piece) => piece.dropped);
  const others = all.filter((piece) => !piece.pinned && !piece.dropped);
  return {
    window: config.contextWindow,
    limit: overflowLimit(config, limits),
    reported: last && contextSize(last.tokens),
    parts: [
      ...fixedParts(config, prompt, files),
      { name: "messages", tokens: sum(entries, sizeOfEntry) - outputs },
      { name: "outputs", tokens: outputs },
    ],
    pieces: [...pinned, ...dropped.slice(0, mostPieces), ...others.slice(0, mostPieces)].toSorted(
      (a, b) => b.tokens - a.tokens,
    ),
    pieceCount: all.length,
    waiting: sumOf(dropped),
    loose: sumOf(others.filter(isLoose)),
    dropCost: dropCost(chat, entries, config),
    cache: last && cacheUse(last),
    locked: false,
  };
}

/** Returns the ids of the parts that "keep only what is pinned" drops. */
export function looseIDs(chat: Chat): string[] {
  return piecesOf(chat, visibleEntries(chat)).flatMap((piece) => (isLoose(piece) ? [piece.id] : []));
}

function isLoose({ pinned, dropped, droppable }: PieceView): boolean {
  return !pinned && !dropped && droppable;
}

function sumOf(pieces: readonly PieceView[]): PieceSum {
  return { count: pieces.length, tokens: sum(pieces, ({ tokens }) => tokens) };
}

function lastReported(entries: readonly Entry[]) {
  const info = entries.findLast(
    ({ info }) => info.role === "assistant" && !info.summary && !info.estimated && contextSize(info.tokens) > 0,
  )?.info;
  return info?.role === "assistant" ? info : undefined;
}

function cacheUse({ tokens, createdAt, model }: NonNullable<ReturnType<typeof lastReported>>): CacheUse {
  const { input, cacheRead, cacheWrite, cacheWriteHour = 0 } = tokens;
  return {
    model,
    read: cacheRead,
    written: cacheWrite,
    writtenForHour: cacheWriteHour,
    sent: input + cacheRead + cacheWrite,
    at: createdAt,
    lifetime: undefined,
  };
}

/** Returns what the user can pin or drop, the largest first; copies in the message of a compaction count for their originals. */
function piecesOf(chat: Chat, entries: readonly Entry[]): PieceView[] {
  const sizes = new Map<string, number>();
  for (const entry of entries) {
    const gone = new Set(leftOutOf(entry).map(({ instead }) => instead));
    for (const part of entry.parts) {
      const size = gone.has(part) || !insteadOf(part, entry.info.role === "user") ? 0 : sizeOfContent(part);
      if (size > 0) sizes.set(pieceIDOf(part), (sizes.get(pieceIDOf(part)) ?? 0) + size);
    }
  }
  const pieces = chat.messages.flatMap((entry) => {
    if (entry.info.silent || isFinishedSummary(entry)) return [];
    return entry.parts.flatMap((part): PieceView[] => {
      const tokens = sizes.get(part.id);
      if (tokens === undefined) return [];
      const { pinned = false, dropped = null } = chat.pieces[part.id] ?? {};
      return [
        {
          id: part.id,
          ...kindOf(part).name(part, entry.info.role),
          tokens: Math.ceil(tokens),
          pinned: pinned && !dropped,
          dropped: dropped !== null,
          droppable: canDrop(chat.messages, entry, part),
        },
      ];
    });
  });
  return pieces.toSorted((a, b) => b.tokens - a.tokens);
}

/** Returns the tokens that a drop frees: a call stays, its output goes. */
function sizeOfContent(part: Part): number {
  return part.type === "tool" ? sizeOfOutputs({ parts: [part] }) : sizeOfPart(part);
}

/**
 * Returns what the drops that wait make the next request cost more, in USD: what comes after the first of them is no
 * longer read from the provider's cache. 0 if nothing is cached; undefined if the price is not known.
 */
function dropCost({ pieces }: Chat, entries: readonly Entry[], config: AgentConfig): ContextUse["dropCost"] {
  const due = new Set(
    Object.entries(pieces).flatMap(([id, { dropped }]) => (dropped && dropped.after === null ? [id] : [])),
  );
  const isDue = (part: Part) => due.has(pieceIDOf(part));
  const at = entries.findIndex(({ parts }) => parts.some(isDue));
  if (at < 0) return undefined;
  const last = lastReported(entries);
  const { cacheRead, cacheWrite } = last?.tokens ?? noTokens;
  const cached = cacheRead + cacheWrite;
  const scale = config.tokenScale();
  const before = Math.min(cached, scale * (fixedSize(config) + sum(entries.slice(0, at), sizeOfEntry)));
  const freed = scale * sum(entries, ({ parts }) => sum(parts.filter(isDue), sizeOfContent));
  const anew = Math.max(0, cached - before - freed);
  if (cached === 0 || anew === 0) return { usd: 0 };
  // Providers that charge no more for writing report none.
  const sent: Partial<Tokens> = cacheWrite > 0 ? { cacheWrite: anew } : { input: anew };
  const now = costOf(config.facts.price, { ...noTokens, cacheRead: cached });
  const then = costOf(config.facts.price, { ...noTokens, cacheRead: before, ...sent });
  return { usd: now === undefined || then === undefined ? undefined : Math.max(0, then - now) };
}

// What fills the window by kind, and where the user can change what no request goes without (C8). Sizes are in tokens.

/** The files that system prompts are made of. */
type PromptFiles = Pick<Project, "rules" | "memory">;

/** Returns the parts of the system prompt, and the tools: ours, and those of each MCP server. */
function fixedParts(config: AgentConfig, prompt: SystemPrompt, { rules, memory }: PromptFiles): ContextPart[] {
  const system = sizeOfText(config.system);
  // The conversation may have begun with others.
  const sizeOfRules = Math.min(sizeOfText(prompt.rules), system);
  const sizeOfMemory = Math.min(sizeOfText(prompt.memory), system - sizeOfRules);
  const skills = Math.min(sizeOfText(prompt.skills), system - sizeOfRules - sizeOfMemory);
  return [
    { name: "system", tokens: system - sizeOfRules - sizeOfMemory - skills },
    ...ruleParts(sizeOfRules, rules),
    { name: "memory", tokens: sizeOfMemory, ...(memory && { place: { type: "file", path: memory.path } }) },
    { name: "skills", tokens: skills },
    ...toolParts(config),
  ];
}

/** Each file has its share of what all take. */
function ruleParts(tokens: number, files: PromptFiles["rules"]): ContextPart[] {
  const all = sum(files, ({ text }) => sizeOfText(text));
  if (all === 0) return [{ name: "rules", tokens }];
  return files.map(({ path, text }) => ({
    ...{ name: "rules", tokens: Math.round((tokens * sizeOfText(text)) / all), detail: path },
    place: { type: "file", path },
  }));
}

function toolParts({ definitions }: AgentConfig): ContextPart[] {
  const serverOf = ({ name }: (typeof definitions)[number]) => /^mcp__(.+?)__/.exec(name)?.[1];
  const ofServers = Object.entries(Object.groupBy(definitions, (one) => serverOf(one) ?? "")).flatMap(
    ([server, tools]): ContextPart[] =>
      server === "" || !tools
        ? []
        : [
            {
              ...{ name: "tools", tokens: sizeOfText(JSON.stringify(tools)), count: tools.length, detail: server },
              place: { type: "servers" },
            },
          ],
  );
  const count = definitions.filter((one) => serverOf(one) === undefined).length;
  const tokens = Math.max(0, sizeOfTools(definitions) - sum(ofServers, (part) => part.tokens));
  return [{ name: "tools", tokens, count }, ...ofServers];
}
