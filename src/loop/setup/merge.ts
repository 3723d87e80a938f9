type Fields = Readonly<Record<string, unknown>>;

/** Merges objects field by field; other values, including lists, are replaced by `over`. Changes neither. */
export function mergeDeep(base: Fields, over: Fields): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    // Settings and front matter may contain any name; this one would change prototypes.
    if (name === "__proto__" || value === undefined) continue;
    const old = merged[name];
    merged[name] = isFields(old) && isFields(value) ? mergeDeep(old, value) : value;
  }
  return merged;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
