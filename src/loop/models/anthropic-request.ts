/** A request as Anthropic's Messages API wants it, as JSON text: each entry is turned into its piece of it once. */
import type {
  AssistantMessageParam,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { Entry } from "../apply.ts";
import type { FilePart, Part, ToolPart } from "../message.ts";
import type { ModelRequest, Thinking } from "../model.ts";
import { never } from "../never.ts";
import { callData, fileContent, remember, toolResult } from "./entries.ts";

/** Blocks of one role; neighbours of the same role become one message. */
interface Piece {
  role: "user" | AssistantMessageParam["role"];
  /** JSON of the blocks, separated by commas. */
  blocks: string;
}

/**
 * The body of a request. `messages` comes last, and what is said of an entry never changes, so that each body begins
 * with the bytes of the one before it, up to the newest messages (C7).
 */
export function requestBody(request: ModelRequest): string {
  const { model, system, tools, maxTokens = 8_192 } = request;
  const head: Omit<MessageCreateParamsStreaming, "messages"> = {
    model,
    max_tokens: maxTokens,
    stream: true,
    ...thinkingParams(model, request.thinking, maxTokens),
    // Caches up to the last block, wherever that is by then.
    cache_control: { type: "ephemeral" },
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema }) => ({
        name,
        description,
        input_schema: { ...schema, type: "object" as const },
      })),
    }),
    // The tools come before the system prompt in the cache's order: this marker keeps both when messages change.
    ...(system && { system: [{ type: "text" as const, text: system, cache_control: { type: "ephemeral" as const } }] }),
  };
  return `${JSON.stringify(head).slice(0, -1)},"messages":[${messages(request.entries).join(",")}]}`;
}

function messages(entries: readonly Entry[]): string[] {
  const out: string[] = [];
  let role: Piece["role"] | undefined;
  let blocks: string[] = [];
  const close = () => {
    if (role) out.push(`{"role":"${role}","content":[${blocks.join(",")}]}`);
  };
  for (const entry of entries) {
    for (const piece of pieces(entry)) {
      if (piece.role !== role) {
        close();
        role = piece.role;
        blocks = [];
      }
      blocks.push(piece.blocks);
    }
  }
  close();
  // An open reply at the end would be continued word by word, which newer models refuse.
  if (role === "assistant") out.push(`{"role":"user","content":[{"type":"text","text":"Go on."}]}`);
  return out;
}

const pieces = remember((entry: Entry): Piece[] => {
  if (entry.info.role === "user") return piece("user", entry.parts.flatMap(userBlock));
  const blocks = entry.parts.flatMap(replyBlock);
  // A cut reply can end in thinking, which the API does not take as the end of a message.
  const end = blocks.findLastIndex(({ type }) => type === "text" || type === "tool_use");
  const results = entry.parts.filter((part) => part.type === "tool").map(resultBlock);
  return [...piece("assistant", blocks.slice(0, end + 1)), ...piece("user", results)];
});

function piece(role: Piece["role"], blocks: ContentBlockParam[]): Piece[] {
  return blocks.length === 0 ? [] : [{ role, blocks: blocks.map((block) => JSON.stringify(block)).join(",") }];
}

function userBlock(part: Part): ContentBlockParam[] {
  if (part.type === "text" && !part.ignored && part.text.trim()) return [{ type: "text", text: part.text }];
  return part.type === "file" ? [fileBlock(part)] : [];
}

function fileBlock(part: FilePart) {
  const content = fileContent(part);
  switch (content.type) {
    case "text":
      return { type: "text" as const, text: content.text };
    case "image": {
      // `fileContent` lets only these four types through.
      const media_type = content.mime as "image/png" | "image/jpeg" | "image/gif" | "image/webp";
      return { type: "image" as const, source: { type: "base64" as const, media_type, data: content.data } };
    }
    case "pdf": {
      const source = { type: "base64" as const, media_type: "application/pdf" as const, data: content.data };
      return { type: "document" as const, source, title: content.filename };
    }
    default:
      return never(content);
  }
}

/** Thinking goes back unchanged and in its place, or not at all: without a signature the API refuses it (E3). */
function replyBlock(part: Part): ContentBlockParam[] {
  switch (part.type) {
    case "text":
      return part.text.trim() ? [{ type: "text", text: part.text }] : [];
    case "reasoning": {
      const { signature, redacted } = part.metadata ?? {};
      if (typeof redacted === "string") return [{ type: "redacted_thinking", data: redacted }];
      return typeof signature === "string" ? [{ type: "thinking", thinking: part.text, signature }] : [];
    }
    case "tool": {
      return [{ ...callData(part), type: "tool_use", id: wireID(part), name: part.tool, input: part.state.input }];
    }
    default:
      return [];
  }
}

function resultBlock(part: ToolPart): ToolResultBlockParam {
  const { text, failed, files } = toolResult(part);
  const content =
    files.length > 0 ? [{ type: "text" as const, text: text || "(no text)" }, ...files.map(fileBlock)] : text;
  return { type: "tool_result", tool_use_id: wireID(part), content, ...(failed && { is_error: true }) };
}

/** The API takes letters, digits, _ and -, each id once. Other servers' ids have dots, or count anew in each reply. */
function wireID({ callID, id }: ToolPart): string {
  return /^[\w-]{10,64}$/.test(callID) ? callID : id;
}

type ThinkingParams = Pick<MessageCreateParamsStreaming, "thinking" | "output_config">;

/** Tokens to think with, on models that want a number. The API's least is 1,024. */
const budgets = { low: 4_000, medium: 12_000, high: 24_000 };

/**
 * How models are told to think. From https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking and the
 * migration guides there: adaptive from 4.6 on, where a budget is on its way out; before that, from 3.7 on, a budget.
 * Models that are not Claude's get nothing.
 */
function thinkingParams(model: string, thinking: Thinking, maxTokens: number): ThinkingParams {
  const generation = claudeGeneration(model);
  if (generation >= 4.6) {
    if (thinking === "off") return thoughtless(model, generation);
    // Newer models leave the text of their thinking out when not asked for it.
    const adaptive = { thinking: { type: "adaptive" as const, display: "summarized" as const } };
    return thinking === "default" ? adaptive : { ...adaptive, output_config: { effort: thinking } };
  }
  if (generation < 3.7 || thinking === "default" || thinking === "off") return {};
  const budget = Math.min(budgets[thinking], maxTokens - 1_024);
  return budget < 1_024 ? {} : { thinking: { type: "enabled", budget_tokens: budget } };
}

/** The least that a model can be brought to think: 4.x without asking for it, 5 when told so, others only little. */
function thoughtless(model: string, generation: number): ThinkingParams {
  if (generation < 5) return {};
  if (/sonnet/.test(model)) return { thinking: { type: generation < 5.5 ? "disabled" : "between_tools" } };
  if (/opus/.test(model) && generation < 5.5) return { thinking: { type: "disabled" } };
  return { output_config: { effort: "low" } };
}

/** 4.6 of "claude-opus-4-6-20260205", 3.7 of "claude-3-7-sonnet-latest", 0 of what is not known. */
function claudeGeneration(model: string): number {
  if (/claude-mythos-preview/.test(model)) return 5;
  const [, major, minor] =
    /claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ??
    /claude-(\d)(?:[-.](\d))?-[a-z]+/.exec(model) ??
    [];
  return major === undefined ? 0 : Number(`${major}.${minor ?? 0}`);
}
