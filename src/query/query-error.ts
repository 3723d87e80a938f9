import { ModelError } from "../loop/model.ts";
import { IntakeError } from "../loop/session/intake-error.ts";
import { RecordError } from "../loop/storage.ts";
import type { QueryErrorCode } from "./types.ts";

/** Why a query cannot run as it was asked to. Nothing of it was run, or nothing more is. */
export class QueryError extends Error {
  override readonly name = "QueryError";
  readonly code: QueryErrorCode;
  /** What to do about it; "" when the message says it. */
  readonly next: string;

  constructor(code: QueryErrorCode, message: string, next = "", cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.next = next;
  }
}

/** Errors of the loop that a caller can do something about, in the one form that callers know. */
export function asQueryError(error: unknown): unknown {
  if (error instanceof IntakeError) return new QueryError(error.code, error.message, "", error);
  if (error instanceof RecordError) return new QueryError("record", error.message, error.next, error);
  if (error instanceof ModelError) return new QueryError("model", error.message, error.next, error);
  return error;
}
