/** Explains in sentences for people why a record could not be written. */
import { RecordError } from "../loop/storage.ts";
import { systemErrorCode } from "../tools/node-host/system-errors.ts";

export function toRecordError(path: string, error: unknown): RecordError {
  if (error instanceof RecordError) return error;
  const code = systemErrorCode(error);
  const failure = (message: string, next: string) => new RecordError(message, next, error);
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return failure(
        "The disk is full, so the session cannot be saved and the turn was stopped.",
        "Free some space, then try again. What is on screen is saved as soon as there is space.",
      );
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return failure(
        `There is no permission to write the session's record (${path}).`,
        "Check the folder's permissions, then try again.",
      );
    case "ENOENT":
      return failure(
        `The session's record no longer exists (${path}).`,
        "It was deleted in the meantime. Start a new session.",
      );
    default:
      return failure(
        `The session's record could not be written (${code ?? String(error)}; ${path}).`,
        "Check the folder, then try again.",
      );
  }
}
