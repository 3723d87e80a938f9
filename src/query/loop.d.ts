/** The end of `dist/loop.d.ts`: the values that `dist/loop.js` exports. */
import type { Options, Query, QueryErrorCode, SDKUserMessage } from "./query-types.ts";

/**
 * Runs prompts on a folder. Starts at once and buffers messages until they are read. Yields one `result` per prompt and
 * ends after the last one.
 * @throws QueryError when an option cannot be used; the generator rejects with one when the session cannot continue
 */
export declare function query(run: { prompt: string | AsyncIterable<SDKUserMessage>; options?: Options }): Query;

/** Why a query cannot start or cannot continue. */
export declare class QueryError extends Error {
  readonly name: "QueryError";
  readonly code: QueryErrorCode;
  /** The next step for the user; empty when the message says it. */
  readonly next: string;
}
