/** The end of `dist/loop.d.ts`: what `dist/loop.js` exports beside types. */
import type { Options, Query, QueryErrorCode, SDKUserMessage } from "./types.ts";

/**
 * Runs prompts on a folder. It begins at once; what is not read yet is kept. One `result` comes for each prompt, and the
 * generator ends when there are no more.
 * @throws QueryError when the options cannot be kept; the generator rejects with one when the session cannot go on
 */
export declare function query(run: { prompt: string | AsyncIterable<SDKUserMessage>; options?: Options }): Query;

/** Why a query cannot run as it was asked to. Nothing of it was run, or nothing more is. */
export declare class QueryError extends Error {
  readonly name: "QueryError";
  readonly code: QueryErrorCode;
  /** What to do about it; "" when the message says it. */
  readonly next: string;
}
