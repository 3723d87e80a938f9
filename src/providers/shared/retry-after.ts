/** How long a server says to wait. */

/** Returns ms from `retry-after-ms`, or `retry-after` in seconds or as a date (H3); undefined if invalid. */
export function retryAfter(headers: Headers): number | undefined {
  const ms = number(headers.get("retry-after-ms"));
  if (ms !== undefined) return ms;
  const value = headers.get("retry-after");
  const seconds = number(value);
  if (seconds !== undefined) return seconds * 1000;
  // Only complete dates: `Date.parse` accepts nearly any text with a number.
  const wait = value !== null && /:\d\d/.test(value) ? Date.parse(value) - Date.now() : Number.NaN;
  return wait > 0 ? wait : undefined;
}

/**
 * Returns ms from the words of an error ("try again in 1m2.5s", "retry after 26 seconds"), or from the headers of OpenAI's
 * limits: when that one starts anew of which nothing remains.
 */
export function waitIn(text: string, headers: Headers | undefined): number | undefined {
  const said = /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?\s?(?:ms|h|m|s)[a-z]*\s?)+)/i.exec(text)?.[1];
  if (said !== undefined) return duration(said);
  const resets = ["requests", "tokens"].flatMap((limit) => {
    const isUsedUp = headers?.get(`x-ratelimit-remaining-${limit}`) === "0";
    return (isUsedUp && duration(headers?.get(`x-ratelimit-reset-${limit}`) ?? "")) || [];
  });
  return resets.length > 0 ? Math.max(...resets) : undefined;
}

const unitsMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Returns the ms of "6m0s", "20ms" or "26 seconds"; undefined for other texts. */
function duration(text: string): number | undefined {
  const found = [...text.matchAll(/(?<!\d)(\d+(?:\.\d+)?)\s?(ms|h|m|s)/gi)];
  const sum = found.reduce((ms, [, size, unit = "s"]) => ms + Number(size) * (unitsMs[unit.toLowerCase()] ?? 0), 0);
  return found.length > 0 ? Math.ceil(sum) : undefined;
}

function number(value: string | null): number | undefined {
  return value !== null && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}
