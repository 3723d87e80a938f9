import { ModelError } from "../loop/model.ts";
import { IntakeError } from "../loop/session/intake-error.ts";
import { RecordError } from "../loop/storage.ts";
import { OpenSessionError } from "../runtime/open-session.ts";
import type { QueryErrorCode } from "./query-types.ts";

export class QueryError extends Error {
  override readonly name = "QueryError";
  readonly code: QueryErrorCode;
  /** The next step for the user; empty when the message says it. */
  readonly next: string;

  constructor(code: QueryErrorCode, message: string, next = "", cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.next = next;
  }
}

/** Converts errors of the loop that a caller can act on; returns others unchanged. */
export function asQueryError(error: unknown): unknown {
  if (error instanceof IntakeError) return new QueryError(error.code, error.message, "", error);
  if (error instanceof RecordError) return new QueryError("record", error.message, error.next, error);
  if (error instanceof OpenSessionError) return new QueryError(error.code, error.message, "", error);
  if (error instanceof ModelError) return new QueryError("model", error.message, error.next, error);
  return error;
}
