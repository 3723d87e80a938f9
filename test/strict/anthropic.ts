/** Anthropic's Messages API, a server a row of the table of thinking. */
import { anthropicEvents, type Block } from "../model-server/encode.ts";
import { limitRules } from "./anthropic-limits.ts";
import type { StrictProvider, StrictRequest, StrictRule } from "./strict-server.ts";

type Json = Record<string, unknown>;

export interface MessagesBody extends Json {
  messages: { role: string; content: string | Json[]; output_config?: { effort: string } }[];
  tools?: (Json & { name: string; input_schema: Json; defer_loading?: boolean })[];
  thinking?: Json;
  tool_choice?: { type: string };
}

type MessagesRule = StrictRule<MessagesBody>;

interface ModelRow {
  model: string;
  /** Forms of `thinking` that are taken, beside none. */
  thinking: readonly string[];
  /** Whether sampling parameters other than the default are refused. */
  refusesSampling: boolean;
  /** Whether thoughts are bound to all before them. */
  bindsThoughts: boolean;
  /** Whether messages of the role "system", and changes of tools, are taken within the conversation. */
  takesUpdates: boolean;
  takesEffort: boolean;
}

/** providers: thinking-troubleshooting and models overview on platform.claude.com, inspect_ai#5176. */
export const messagesRows: readonly ModelRow[] = [
  row("claude-haiku-4-5", { thinking: ["enabled", "disabled"] }),
  row("claude-opus-4-6", { thinking: ["enabled", "disabled", "adaptive"] }),
  row("claude-opus-4-8", { thinking: ["disabled", "adaptive"], refusesSampling: true, takesUpdates: true }),
  row("claude-sonnet-5", { thinking: ["disabled", "adaptive"], refusesSampling: true }),
  row("claude-opus-5", {
    thinking: ["disabled", "adaptive"],
    refusesSampling: true,
    takesUpdates: true,
    takesEffort: true,
  }),
  newest("claude-sonnet-5-5", ["adaptive", "between_tools"]),
  newest("claude-haiku-5-5", ["adaptive"]),
  newest("claude-opus-5-5", ["adaptive"]),
  newest("claude-fable-5-1", ["adaptive"]),
];

function row(model: string, more: Partial<ModelRow> & Pick<ModelRow, "thinking">): ModelRow {
  return { model, refusesSampling: false, bindsThoughts: false, takesUpdates: false, takesEffort: false, ...more };
}

function newest(model: string, thinking: readonly string[]): ModelRow {
  return row(model, { thinking, refusesSampling: true, bindsThoughts: true, takesUpdates: true, takesEffort: true });
}

/** Everything before a thought, and the thought, as they were when it was made. */
interface BoundThought {
  prefix: string;
  text: string;
}

export function anthropicProvider(row: ModelRow): StrictProvider<MessagesBody> {
  const thoughts = new Map<string, BoundThought>();
  let count = 0;
  return {
    providerID: "anthropic",
    model: row.model,
    basePath: "",
    rules: [...limitRules, ...commonRules, ...modelRules(row), thoughtRule(row, thoughts)],
    refuse: (message) => ({
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error", message }, request_id: "req_1" },
    }),
    reply({ blocks }, { body }) {
      const isShown = row.thinking.includes("enabled") || body.thinking?.["display"] === "summarized";
      const made: Block[] = [];
      for (const block of blocks) {
        if ("thinking" in block) {
          const signature = `sig-${row.model}-${++count}`;
          const text = isShown ? block.thinking : "";
          thoughts.set(signature, { prefix: prefixOf(body, body.messages, made.map(contentOf)), text });
          made.push({ thinking: text, signature });
        } else if ("call" in block) made.push({ call: { id: `toolu_${row.model}_${++count}`, ...block.call } });
        else made.push(block);
      }
      return anthropicEvents({ blocks: made });
    },
  };
}

/** A block as it goes back. */
function contentOf(block: Block): Json {
  if ("thinking" in block) return { type: "thinking", thinking: block.thinking, signature: block.signature };
  if ("call" in block) {
    const { id, name, input = {} } = block.call;
    return { type: "tool_use", id, name, input };
  }
  return { type: "text", ...block };
}

/** Marks for the cache do not count (docs.litellm.ai anthropic_preserved_thinking). */
function prefixOf({ system, tools }: MessagesBody, messages: MessagesBody["messages"], within: Json[]): string {
  return JSON.stringify([system, tools, messages, within], (key, value) =>
    key === "cache_control" ? undefined : value,
  );
}

function blocksOf({ content }: MessagesBody["messages"][number]): Json[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function rule(
  source: string,
  breach: (body: MessagesBody, request: StrictRequest<MessagesBody>) => string | undefined,
): MessagesRule {
  return { source, breach: (request) => breach(request.body, request) };
}

/** Asks of each message in turn. */
function each(
  source: string,
  breach: (blocks: Json[], at: number, messages: MessagesBody["messages"]) => string | undefined,
): MessagesRule {
  return rule(source, ({ messages }) => {
    for (const [at, message] of messages.entries()) {
      const words = breach(blocksOf(message), at, messages);
      if (words !== undefined) return `messages.${at}: ${words}`;
    }
    return undefined;
  });
}

/** Every mark, wherever it is. */
export function marksOf(body: Json): number {
  return JSON.stringify(body).split('"cache_control":').length - 1;
}

const commonRules: readonly MessagesRule[] = [
  rule("docs/en/api/messages", ({ max_tokens, messages }) => {
    if (typeof max_tokens !== "number" || max_tokens < 1) return "max_tokens: Field required";
    if (messages[0]?.role !== "user") return "messages: first message must use the `user` role";
    return messages.at(-1)?.role === "assistant"
      ? "This model does not support assistant message prefill. The conversation must end with a user message."
      : undefined;
  }),
  each("docs/en/api/messages", (blocks, at, messages) => {
    const { role, output_config: effort } = messages[at] ?? {};
    if (blocks.length === 0 && !effort) return "all messages must have non-empty content";
    const isEmpty = blocks.some(({ type, text }) => type === "text" && String(text).trim() === "");
    if (isEmpty) return "text content blocks must be non-empty";
    const last = blocks.at(-1)?.["type"];
    return role === "assistant" && (last === "thinking" || last === "redacted_thinking")
      ? "The final block in an assistant message cannot be `thinking`."
      : undefined;
  }),
  each("docs/en/agents-and-tools/tool-use/troubleshooting-tool-use", (blocks, at, messages) => {
    const calls = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
    const next = messages[at + 1];
    const results = (next ? blocksOf(next) : []).filter(({ type }) => type === "tool_result");
    const answered = results.map(({ tool_use_id }) => tool_use_id);
    if (calls.length > 0 && JSON.stringify(calls) !== JSON.stringify(answered)) {
      return `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${calls.join(", ")}`;
    }
    const first = blocks.findIndex(({ type }) => type !== "tool_result");
    const isLate = first >= 0 && blocks.slice(first).some(({ type }) => type === "tool_result");
    if (isLate) return "`tool_result` blocks must come first";
    const before = messages[at - 1];
    const isOrphan = blocks.some(({ type }) => type === "tool_result") && before?.role !== "assistant";
    return isOrphan ? "unexpected `tool_use_id` found in `tool_result` blocks" : undefined;
  }),
  rule("docs/en/api/messages", ({ messages }) => {
    const ids = messages.flatMap(blocksOf).flatMap(({ type, id }) => (type === "tool_use" ? [String(id)] : []));
    if (new Set(ids).size < ids.length) return "`tool_use` ids must be unique";
    return ids.every((id) => /^[a-zA-Z0-9_-]+$/.test(id)) ? undefined : "tool_use.id: String should match pattern";
  }),
  rule("dodopayments#189; notion-mcp-server#341; claude-code#95504", ({ tools = [], messages }) => {
    const added = messages.flatMap(blocksOf).flatMap(({ tool }) => {
      const { definition } = (tool ?? {}) as { definition?: NonNullable<MessagesBody["tools"]>[number] };
      return definition ? [definition] : [];
    });
    for (const [at, { name, input_schema }] of [...tools, ...added].entries()) {
      if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return `tools.${at}.custom.name: String should match pattern`;
      if (input_schema["type"] !== "object") return `tools.${at}.custom.input_schema.type: Field required`;
      if (["oneOf", "anyOf", "allOf"].some((key) => key in input_schema))
        return `tools.${at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
    }
    if (tools.length > 0 && tools.every(({ defer_loading }) => defer_loading))
      return "At least one tool must be loaded";
    return new Set(tools.map(({ name }) => name)).size < tools.length ? "tools: Tool names must be unique." : undefined;
  }),
  rule("docs/en/build-with-claude/prompt-caching", (body) => {
    const marks = marksOf(body);
    if (marks > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`;
    const onThought = body.messages
      .flatMap(blocksOf)
      .some((block) => block["type"] === "thinking" && "cache_control" in block);
    return onThought ? "cache_control cannot be set for thinking blocks" : undefined;
  }),
];

function modelRules(row: ModelRow): MessagesRule[] {
  return [
    rule("thinking-troubleshooting; inspect_ai#5176", ({ thinking, max_tokens }) => {
      if (thinking === undefined) return undefined;
      const { type, budget_tokens: budget } = thinking;
      if (!row.thinking.includes(String(type))) return `"thinking.type.${type}" is not supported for this model`;
      if (type !== "enabled") return undefined;
      return Number(budget) < 1024 || Number(budget) >= Number(max_tokens)
        ? "`max_tokens` must be greater than `thinking.budget_tokens`"
        : undefined;
    }),
    rule("preserved-thinking/fix-bound-to-a-different-conversation; pi-ai 1.5.2", ({ thinking }, { headers }) => {
      if (!thinking || !("block_binding" in thinking)) return undefined;
      if (!row.bindsThoughts || thinking["type"] !== "adaptive")
        return "thinking.block_binding: Extra inputs are not permitted";
      return has(headers, "thinking-binding-controls-2026-08-01")
        ? undefined
        : "thinking.block_binding: requires the `thinking-binding-controls-2026-08-01` beta";
    }),
    rule("thinking-troubleshooting", ({ temperature, top_p, top_k }) =>
      row.refusesSampling && [temperature, top_p, top_k].some((one) => one !== undefined)
        ? "temperature, top_p and top_k are not supported for this model"
        : undefined,
    ),
    rule("sonnet-5-5/overview; opus-5-5/overview", ({ tool_choice }) =>
      row.bindsThoughts && /^(any|tool)$/.test(tool_choice?.type ?? "")
        ? "Thinking may not be enabled when tool_choice forces tool use."
        : undefined,
    ),
    each("mid-conversation-system-messages#limitations; pydantic-ai#6765; bifrost#5931", (_, at, messages) => {
      if (messages[at]?.role !== "system") return undefined;
      if (!row.takesUpdates) return "role: Input should be 'user' or 'assistant'";
      const next = messages[at + 1]?.role;
      const isPlaced = messages[at - 1]?.role === "user" && (next === undefined || next === "assistant");
      return isPlaced ? undefined : "role 'system' must follow a 'user' message and end the array or precede a reply";
    }),
    rule("mid-conversation-system-messages; langchainjs @langchain/anthropic 1.5.12", ({ messages }, { headers }) => {
      const updates = messages.filter(({ role }) => role === "system");
      const changes = updates.flatMap(blocksOf).filter(({ type }) => /^tool_(addition|removal)$/.test(String(type)));
      if (changes.length > 0 && !has(headers, "inline-tools-2026-09-15")) return "tool_addition: unknown block";
      const isEffort = updates.some(({ output_config: effort }) => effort);
      if (!isEffort) return undefined;
      return row.takesEffort && has(headers, "mid-conversation-output-config-2026-07-01")
        ? undefined
        : "messages.output_config: Extra inputs are not permitted";
    }),
  ];
}

function has(headers: StrictRequest<MessagesBody>["headers"], beta: string): boolean {
  return String(headers["anthropic-beta"] ?? "")
    .split(",")
    .includes(beta);
}

/**
 * Thoughts go back as they came, and where they are bound to what is before them, that has not changed. The check holds
 * with `drop_block`, too: nothing is to be dropped.
 */
function thoughtRule({ bindsThoughts }: ModelRow, made: ReadonlyMap<string, BoundThought>): MessagesRule {
  return rule("preserved-thinking/prefix-checks; vscode#318076", (body) => {
    for (const [at, message] of body.messages.entries()) {
      const blocks = blocksOf(message);
      for (const [index, { type, thinking, signature }] of blocks.entries()) {
        if (type !== "thinking") continue;
        const where = `messages.${at}.content.${index}: Invalid \`signature\` in \`thinking\` block`;
        const known = made.get(String(signature));
        if (!known || known.text !== thinking) return where;
        const prefix = prefixOf(body, body.messages.slice(0, at), blocks.slice(0, index));
        if (bindsThoughts && prefix !== known.prefix)
          return `${where}. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`;
      }
    }
    const last = body.messages.findLast(({ role }) => role === "assistant");
    const types = (last ? blocksOf(last) : []).map(({ type }) => type);
    return body.thinking?.["type"] === "enabled" && types.includes("tool_use") && types[0] !== "thinking"
      ? "messages: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block."
      : undefined;
  });
}
