/** Returns a number of tokens, or a price: some servers send them as strings. */
export function count(value: unknown): number {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
}
