/** Requests that the model got. */
import assert from "node:assert/strict";
import type { ReceivedRequest } from "../model-server.ts";

interface Block {
  type: string;
  id?: string;
  tool_use_id?: string;
  tool?: { name?: string; definition?: { name: string } };
}

interface Message {
  role: string;
  content: string | Block[];
}

/** Returns the content of each message. */
function blocksOf({ body }: ReceivedRequest): Block[][] {
  // The shape is the API's: the server that received it took nothing else.
  const messages = body["messages"] as Message[];
  return messages.map(({ content }) => (typeof content === "string" ? [] : content));
}

/** Returns the tools that the model has: those of the request's head, with what changed later in the conversation. */
export function toolNames(request: ReceivedRequest): string[] {
  const head = (request.body["tools"] ?? []) as { name: string; defer_loading?: boolean }[];
  const names = new Set(head.filter((tool) => !tool.defer_loading).map(({ name }) => name));
  for (const { type, tool } of blocksOf(request).flat()) {
    if (type === "tool_addition") names.add(tool?.definition?.name ?? "");
    else if (type === "tool_removal") names.delete(tool?.name ?? "");
  }
  return [...names];
}

/** Checks that each call has one result, in the message after it: a real server refuses other requests. */
export function assertCallsAnswered(request: ReceivedRequest): void {
  const blocks = blocksOf(request);
  for (const [at, message] of blocks.entries()) {
    const calls = message.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
    const results = (blocks[at + 1] ?? []).flatMap(({ type, tool_use_id }) =>
      type === "tool_result" ? [tool_use_id] : [],
    );
    assert.deepEqual(results, calls, `the results after message ${at}`);
  }
}
