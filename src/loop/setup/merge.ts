type Fields = Readonly<Record<string, unknown>>;

/** Merges objects field by field; `over` replaces all else, lists too. Changes neither. */
export function mergeDeep(base: Fields, over: Fields): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    // Settings and front matter may hold any name; this one would change what objects are.
    if (name === "__proto__" || value === undefined) continue;
    const old = merged[name];
    merged[name] = isFields(old) && isFields(value) ? mergeDeep(old, value) : value;
  }
  return merged;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
