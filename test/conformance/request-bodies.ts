/** Reads request bodies of both wire formats. */
import type { ReceivedRequest } from "../model-server.ts";

interface Block {
  type: string;
  text?: string;
  id?: string;
  tool_use_id?: string;
  content?: string | Block[];
  is_error?: boolean;
  cache_control?: object;
}

/** Message of either format. */
export interface WireMessage {
  role: string;
  content: string | Block[] | null;
  tool_call_id?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

export interface ToldResult {
  id: string;
  content: string;
  isError: boolean;
}

export function messagesOf(request: ReceivedRequest | undefined): WireMessage[] {
  const messages = request?.body["messages"];
  // JSON that an SDK has sent; a test that reads what is not there fails.
  return Array.isArray(messages) ? (messages as WireMessage[]) : [];
}

export function blocksOf({ content }: WireMessage): Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content ?? [];
}

/** Returns the results of calls, oldest first. */
export function toolResults(request: ReceivedRequest | undefined): ToldResult[] {
  const messages = messagesOf(request);
  if (request?.api === "openai") {
    return messages
      .filter(({ role }) => role === "tool")
      .map((message) => ({ id: message.tool_call_id ?? "", content: flat(blocksOf(message)), isError: false }));
  }
  return messages
    .flatMap(blocksOf)
    .filter(({ type }) => type === "tool_result")
    .map(({ tool_use_id: id = "", content = "", is_error: isError = false }) => {
      return { id, content: typeof content === "string" ? content.trim() : flat(content), isError };
    });
}

function flat(blocks: readonly Block[]): string {
  return blocks
    .map(({ type, text = `[${type}]` }) => text)
    .join("")
    .trim();
}

/** Returns the names of the tools that a request offers. */
export function offered(request: ReceivedRequest | undefined): string[] {
  const tools = request?.body["tools"];
  if (!Array.isArray(tools)) return [];
  return tools.map((tool) => tool.name ?? tool.function.name);
}
