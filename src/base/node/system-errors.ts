/** Codes of the system's errors. */
export function isMissing(error: unknown): boolean {
  return systemErrorCode(error) === "ENOENT" || systemErrorCode(error) === "ENOTDIR";
}

/** Returns the system's code of an error, such as "ENOENT". */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
