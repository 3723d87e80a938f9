/** Lines of models: "claude-sonnet-5" and "claude-sonnet-5-5" are two versions of one. */

/** Returns the name without its date: "claude-haiku-4-5-20251001", "gpt-5.4-2026-03-05", "mistral-large-2512". */
export function undated(id: string): string {
  return id.replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2}|2[3-9](0[1-9]|1[0-2]))(-v\d+(:\d+)?)?$/, "");
}

const version = /(?<!\d)\d+(?:[.-]\d+)*(?![a-z\d])/i;

/** Returns the name without its version: "claude-sonnet-*". */
export function lineOf(id: string): string {
  return undated(id).replace(version, "*");
}

/** Compares major and minor version of two models of a line. */
export function compareVersions(a: string, b: string): number {
  const [one, two] = [a, b].map((id) => undated(id).match(version)?.[0].split(/[.-]/).map(Number) ?? []);
  return (one?.[0] ?? 0) - (two?.[0] ?? 0) || (one?.[1] ?? 0) - (two?.[1] ?? 0);
}
