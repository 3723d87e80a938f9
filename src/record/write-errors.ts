/** Explains in sentences for people why a record could not be written. */

import { systemErrorCode } from "../base/node/system-errors.ts";
import { msg } from "../l10n/l10n.ts";
import { RecordError } from "../loop/storage.ts";

export function toRecordError(path: string, error: unknown): RecordError {
  if (error instanceof RecordError) return error;
  const code = systemErrorCode(error);
  const failure = (message: string, next: string) => new RecordError(message, next, error);
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return failure(
        msg("The disk is full, so the session cannot be saved and the turn was stopped."),
        msg("Free some space, then try again. What is on screen is saved as soon as there is space."),
      );
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return failure(
        msg("There is no permission to write the session's record ({0}).", path),
        msg("Check the folder's permissions, then try again."),
      );
    case "ENOENT":
      return failure(
        msg("The session's record no longer exists ({0}).", path),
        msg("It was deleted in the meantime. Start a new session."),
      );
    default:
      return failure(
        msg("The session's record could not be written ({0}; {1}).", code ?? String(error), path),
        msg("Check the folder, then try again."),
      );
  }
}
