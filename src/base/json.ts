/** Parses, compares and merges JSON values. */
import { attempt } from "./attempt.ts";

/** Returns undefined for text that is not JSON. */
export const parseJson = (text: string): unknown => attempt(() => JSON.parse(text), undefined);

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two JSON values are equal; the order of keys does not matter. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((one, at) => sameJson(one, b[at]));
  }
  const others = new Map(Object.entries(b));
  const own = Object.entries(a);
  return own.length === others.size && own.every(([key, value]) => others.has(key) && sameJson(value, others.get(key)));
}

/** Merges objects field by field; other values, including lists, are replaced by `over`. Changes neither. */
export function mergeDeep(
  base: Readonly<Record<string, unknown>>,
  over: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    // Settings and front matter may contain any name; this one would change prototypes.
    if (name === "__proto__" || value === undefined) continue;
    const old = merged[name];
    merged[name] = isRecord(old) && isRecord(value) ? mergeDeep(old, value) : value;
  }
  return merged;
}
