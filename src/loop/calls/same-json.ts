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
