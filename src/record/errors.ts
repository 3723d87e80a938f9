/** What went wrong on disk, in sentences for people. */
import { RecordError } from "../loop/storage.ts";

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** `path` is the record that could not be written. */
export function toRecordError(path: string, error: unknown): RecordError {
  if (error instanceof RecordError) return error;
  const code = codeOf(error);
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return new RecordError(
        "The disk is full, so the session cannot be kept and the turn was stopped.",
        "Make room, then try again. What is on screen is written as soon as there is room.",
        error,
      );
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new RecordError(
        `The session's record may not be written (${path}).`,
        "Check the folder's permissions, then try again.",
        error,
      );
    case "ENOENT":
      return new RecordError(
        `The session's record is gone (${path}).`,
        "It was deleted meanwhile: start a new session.",
        error,
      );
    default:
      return new RecordError(
        `The session's record could not be written (${code || String(error)}; ${path}).`,
        "Check the folder, then try again.",
        error,
      );
  }
}
