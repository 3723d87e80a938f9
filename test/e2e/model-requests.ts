/** Requests that the model got. */
import assert from "node:assert/strict";
import type { ReceivedRequest } from "../model-server.ts";

interface Block {
  type: string;
  id?: string;
  tool_use_id?: string;
}

/** Checks that each call has one result, in the message after it: a real server refuses other requests. */
export function assertCallsAnswered({ body }: ReceivedRequest): void {
  // The shape is the API's: the server that received it took nothing else.
  const messages = body["messages"] as { role: string; content: string | Block[] }[];
  const blocks = messages.map(({ content }) => (typeof content === "string" ? [] : content));
  for (const [at, message] of blocks.entries()) {
    const calls = message.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
    const results = (blocks[at + 1] ?? []).flatMap(({ type, tool_use_id }) =>
      type === "tool_result" ? [tool_use_id] : [],
    );
    assert.deepEqual(results, calls, `the results after message ${at}`);
  }
}
