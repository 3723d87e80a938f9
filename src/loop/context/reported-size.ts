/** Compares the tokens that a server reports of a request with the estimate, and notices when part of it was left out. */
import type { Entry } from "../../chat/apply.ts";
import type { Part, Tokens } from "../../chat/message.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import { fixedSize, sizeOfEntry, sizeOfFrame, sizeOfLeftOut, sizeOfPart, sum } from "./context.ts";

/** No current server has a smaller window; a smaller number is no count of the request. */
const smallestWindow = 1024;

/** Tokens by which a conversation must have grown before the same count twice is a sign of cutting. */
const leastGrowth = 100;

export type ReportedSize =
  /** How many tokens the request took for each that was estimated. */
  | { type: "scale"; scale: number }
  /** The server left out what is beyond its window of so many tokens. */
  | { type: "cut"; window: number }
  | { type: "implausible" };

/** `entries` and `config`: of the request whose reply reports `tokens`. */
export function judgeReported(entries: readonly Entry[], config: AgentConfig, tokens: Tokens): ReportedSize {
  const reported = requestSize(tokens);
  const sizes = sizesOf(entries);
  const estimate = fixedSize(config) + sizes.estimate;
  const least = fixedSize(config) + sizes.sent;
  // Half of the estimate may be right for some script; the exact size of a window is hardly a coincidence.
  const isTooFew = reported < least * (reported % smallestWindow === 0 ? 0.75 : 0.5);
  const growth = growthOf(entries, config);
  const isStuck = growth?.before === reported && growth.added >= leastGrowth;
  // A server whose model the catalogue knows refuses what does not fit.
  if (config.facts.unknown.length > 0 && reported >= smallestWindow && (isTooFew || isStuck)) {
    return { type: "cut", window: Math.ceil(reported / smallestWindow) * smallestWindow };
  }
  // A server that has just begun to cut reports its window's size, or hardly more than the time before.
  const hasGrown = growth === undefined || reported - growth.before >= growth.added / 2;
  if (reported % smallestWindow === 0 || !hasGrown) return { type: "implausible" };
  const scale = reported / estimate;
  // Much of the estimate may not have been sent, or is counted in another way.
  if (least < 0.8 * estimate) return { type: "implausible" };
  return scale >= 0.5 && scale <= 3 ? { type: "scale", scale } : { type: "implausible" };
}

interface Growth {
  /** What the last reply of this model was reported to have taken. */
  before: number;
  /** Estimate of what has come since and is surely sent. */
  added: number;
}

function growthOf(entries: readonly Entry[], { model }: AgentConfig): Growth | undefined {
  const at = entries.findLastIndex(({ info }) => info.role === "assistant" && !info.summary && !info.estimated);
  const last = entries[at]?.info;
  if (last?.role !== "assistant" || last.model.modelID !== model.modelID) return undefined;
  return { before: requestSize(last.tokens), added: sum(entries.slice(at), sizeOfSent) };
}

interface RequestSizes {
  /** Number of the request's entries. */
  count: number;
  estimate: number;
  /** Estimate of the content that is certainly sent. */
  sent: number;
  /** What was dropped from it. */
  dropped: number;
}

/** Sizes of requests by their last entry. */
const requestSizes = new WeakMap<Entry, RequestSizes>();

/**
 * Within a turn a request has one more reply than the one before; earlier messages change only between turns, unless the
 * user drops something of them.
 */
function sizesOf(entries: readonly Entry[]): RequestSizes {
  const [before, last] = entries.slice(-2);
  const known = last?.info.role === "assistant" && before ? requestSizes.get(before) : undefined;
  const dropped = sum(entries, (entry) => sizeOfLeftOut(entry));
  const isNext = known?.count === entries.length - 1 && known.dropped === dropped;
  const added = isNext ? entries.slice(-1) : entries;
  const sizes = {
    count: entries.length,
    estimate: sum(added, sizeOfEntry) + (isNext ? known.estimate : 0),
    sent: sum(added, sizeOfSent) + (isNext ? known.sent : 0),
    dropped,
  };
  const newest = last ?? before;
  if (newest) requestSizes.set(newest, sizes);
  return sizes;
}

/** Returns the size of the content that is certainly in a request: servers count images in their own ways, and not all thoughts are sent. */
function sizeOfSent({ parts }: Entry): number {
  return sizeOfFrame + sum(parts, (part) => (isText(part) ? sizeOfPart(part) : 0));
}

function isText({ type }: Part): boolean {
  return type === "text" || type === "tool";
}

function requestSize({ input, cacheRead, cacheWrite }: Tokens): number {
  return input + cacheRead + cacheWrite;
}
