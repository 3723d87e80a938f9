/** For values that may not be available. */

/** Returns the result of `work`, or `otherwise` if it throws. */
export function attempt<T, Otherwise>(work: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** Returns undefined for text that is not JSON. */
export const parseJson = (text: string): unknown => attempt(() => JSON.parse(text), undefined);

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
