/** Converts parts to content blocks of SDK messages, and prompts in SDK messages to parts (spec K2). */

import { never } from "../base/never.ts";
import type { Entry } from "../chat/apply.ts";
import type { FilePart, Part, SaidPart, ToolPart } from "../chat/message.ts";
import type { PromptPart } from "../chat/prompt-input.ts";
import { base64In } from "../chat/text-file.ts";
import { notSaid } from "../chat/words.ts";
import type { AssistantBlock, SDKUserMessage, ToolResultBlock, UserBlock } from "./query-types.ts";

export function toBlocks(part: Part): AssistantBlock[] {
  switch (part.type) {
    case "text":
      return part.text && !part.ignored ? [{ type: "text", text: part.text }] : [];
    case "reasoning": {
      const { redacted, signature } = part.metadata ?? {};
      if (typeof redacted === "string") return [{ type: "redacted_thinking", data: redacted }];
      return [{ type: "thinking", thinking: part.text, signature: typeof signature === "string" ? signature : "" }];
    }
    case "tool":
      return [{ type: "tool_use", id: part.callID, name: part.tool, input: part.state.input }];
    default:
      return notSaid(part);
  }
}

/** The blocks of a reply that streams, which begin empty. */
export type BlockPart = SaidPart;

export function isBlock(part: Part): part is BlockPart {
  switch (part.type) {
    case "text":
      return part.ignored !== true;
    case "reasoning":
    case "tool":
      return true;
    default:
      return notSaid(part).length > 0;
  }
}

export function emptyBlock(part: BlockPart): Record<string, unknown> {
  switch (part.type) {
    case "text":
      return { type: "text", text: "" };
    case "reasoning":
      return { type: "thinking", thinking: "", signature: "" };
    case "tool":
      return { type: "tool_use", id: part.callID, name: part.tool, input: {} };
    default:
      return never(part);
  }
}

export function toDelta({ type }: BlockPart, text: string): Record<string, unknown> {
  switch (type) {
    case "text":
      return { type: "text_delta", text };
    case "reasoning":
      return { type: "thinking_delta", thinking: text };
    case "tool":
      return { type: "input_json_delta", partial_json: text };
    default:
      return never(type);
  }
}

/** @returns undefined while the call has no result */
export function toResultBlock({ callID, state }: ToolPart): ToolResultBlock | undefined {
  const head = { type: "tool_result", tool_use_id: callID } as const;
  switch (state.status) {
    case "pending":
    case "running":
      return undefined;
    case "error":
      return { ...head, content: state.error, is_error: true };
    case "completed": {
      const media = (state.attachments ?? []).flatMap(toMedia);
      if (media.length === 0) return { ...head, content: state.output };
      return { ...head, content: [{ type: "text", text: state.output }, ...media] };
    }
    default:
      return never(state);
  }
}

function toMedia({ mime, url }: FilePart): Exclude<UserBlock, ToolResultBlock>[] {
  const data = base64In(url);
  if (data === undefined) return [];
  const type = mime.startsWith("image/") ? "image" : "document";
  return [{ type, source: { type: "base64", media_type: mime, data } }];
}

/** Converts a user message to prompt parts. Tool results in it are dropped: only Rondo runs calls. */
export function toPromptParts({ message, isSynthetic, subtasks = [] }: SDKUserMessage): PromptPart[] {
  const { content } = message;
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const parts = blocks.flatMap((block, index): PromptPart[] => {
    switch (block.type) {
      case "text":
        return [{ type: "text", text: block.text, ...(isSynthetic && { synthetic: true }) }];
      case "image":
      case "document": {
        const { media_type: mime, data } = block.source;
        const filename = `${block.type}-${index + 1}.${mime.replace(/^.*\//, "")}`;
        return [{ type: "file", mime, filename, url: `data:${mime};base64,${data}` }];
      }
      case "tool_result":
        return [];
      default:
        return never(block);
    }
  });
  return [...parts, ...subtasks.map((subtask) => ({ type: "subtask" as const, ...subtask }))];
}

/** Returns the text of the last reply that has any, without silent replies and summaries. */
export function lastText(entries: readonly Entry[]): string {
  const texts = entries
    .filter(({ info }) => info.role === "assistant" && !info.silent && !info.summary)
    .map(({ parts }) => parts.flatMap((part) => (part.type === "text" && !part.ignored ? [part.text] : [])));
  return texts.findLast((one) => one.length > 0)?.join("\n") ?? "";
}
