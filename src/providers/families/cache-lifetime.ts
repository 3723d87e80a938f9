/** How long providers keep a conversation in their cache, as they document it; nothing is said where they do not. */
import type { CacheLifetime, CacheUse } from "../../chat/context-views.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Whether the cache has surely expired. */
export function isExpired({ at, lifetime }: CacheUse, now: number): boolean {
  return lifetime !== undefined && now >= at + (lifetime.type === "idle" ? lifetime.atMostMs : lifetime.ms);
}

export function cacheLifetime({ model, writtenForHour }: CacheUse): CacheLifetime | undefined {
  // platform.claude.com/docs/en/build-with-claude/prompt-caching: five minutes, or an hour with `ttl: "1h"`; each use
  // begins it again. Counted from when the request was sent, which is the earlier moment.
  if (model.providerID === "anthropic") return { type: "renewed", ms: writtenForHour > 0 ? hourMs : 5 * minuteMs };
  if (model.providerID !== "openai") return undefined;
  // developers.openai.com/docs/guides/prompt-caching. In memory: gone after 5 to 10 minutes without use, and after an
  // hour at most.
  if (/^(chatgpt-4o|gpt-4o|o[134])(-|$)/.test(model.modelID)) {
    return { type: "idle", fromMs: 5 * minuteMs, toMs: 10 * minuteMs, atMostMs: hourMs };
  }
  // These are kept for up to 24 hours: GPT-5.5 always, the others unless the organization keeps no data. What holds for
  // GPT-5.6 and later is a minimum alone.
  return /^gpt-(4\.1|5(\.[1-5])?)(-|$)/.test(model.modelID) ? { type: "at-most", ms: 24 * hourMs } : undefined;
}
