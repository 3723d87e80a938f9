/** What the panel shows of the context window, and what the user can change of it. */
import * as z from "zod/mini";
import type { ModelRef } from "./message.ts";

export const PieceChange = z.enum(["pin", "unpin", "drop", "put-back"]);
export type PieceChange = z.infer<typeof PieceChange>;

/** Changes many at once: drops all that is not pinned, or puts back all drops that wait for the next request. */
export const PiecesChange = z.enum(["keep-pinned", "put-back"]);
export type PiecesChange = z.infer<typeof PiecesChange>;

/** Estimated tokens. */
export interface ContextUse {
  window: number;
  /** Tokens at which compaction begins. */
  limit: number;
  /** As counted by the provider in its last reply; undefined if it did not. */
  reported: number | undefined;
  parts: ContextPart[];
  /** All that are pinned, the largest that are dropped, and the largest of the others; the largest first. */
  pieces: PieceView[];
  /** Number of all pieces. */
  pieceCount: number;
  /** The drops that wait for the next request. */
  waiting: PieceSum;
  /** What "keep only what is pinned" drops. */
  loose: PieceSum;
  /** What the drops that wait for the next request make it cost more, once; undefined if none waits. `usd`: undefined if the price is unknown. */
  dropCost: { usd: number | undefined } | undefined;
  /** Undefined before the first reply whose tokens the provider has reported. */
  cache: CacheUse | undefined;
  /** Whether the session runs in another window or process, so that nothing can be changed here. */
  locked: boolean;
}

export interface PieceSum {
  count: number;
  tokens: number;
}

export interface ContextPart {
  name: "system" | "rules" | "memory" | "skills" | "tools" | "messages" | "outputs";
  tokens: number;
  /** The rules file or the MCP server, each of which is a part of its own. */
  detail?: string;
  /** Number of tools. */
  count?: number;
  /** Where the user can change it, if in one place. */
  place?: { type: "file"; path: string } | { type: "servers" };
}

/** A part of the conversation that the user can pin or drop (C8). */
export interface PieceView {
  /** Of the part. */
  id: string;
  kind: "file" | "image" | "output" | "page" | "you" | "answer" | "comment";
  name: string;
  /** "src · read", "output, 2,140 lines" */
  detail: string;
  tokens: number;
  pinned: boolean;
  /** Left out from the next request on. */
  dropped: boolean;
  /** Whether requests can do without it: not without the message that is to be answered. */
  droppable: boolean;
}

/** What the last request has read from and written to the provider's cache, as the provider has reported. */
export interface CacheUse {
  model: ModelRef;
  read: number;
  written: number;
  /** The part of `written` that stays for an hour. */
  writtenForHour: number;
  /** All tokens of the request. */
  sent: number;
  /** When it was sent, in ms since 1970. */
  at: number;
  /** How long the cache lasts, where the provider documents it. */
  lifetime: CacheLifetime | undefined;
}

/** From the last use on, in ms. */
export type CacheLifetime =
  /** Each use begins it again. */
  | { type: "renewed"; ms: number }
  /** Cleared after so long without use, and after `atMostMs` in any case. */
  | { type: "idle"; fromMs: number; toMs: number; atMostMs: number }
  | { type: "at-most"; ms: number };
