/** OpenAI by its published rules: the Responses API and Chat Completions of each of its models. */
import { createHash } from "node:crypto";
import { openaiEvents } from "../model-server/encode.ts";
import { rule as chatRule, commonChatRules, type StrictBody } from "./chat-rules.ts";
import { type OpenAIModel, openaiModel } from "./openai-models.ts";
import {
  commonResponsesRules,
  eachItem,
  openaiRules,
  type ResponsesBody,
  type ResponsesRule,
  replyEvents,
  replyItems,
  rule,
  type StrictItem,
} from "./responses-rules.ts";
import type { StrictProvider } from "./strict-server.ts";

const guide = "developers.openai.com/api/docs/guides";

interface IssuedThought {
  model: string;
  /** Hash of all that came before. */
  prefix: string;
  item: StrictItem;
  /** Ids of the items that came with it. */
  companions: Set<string>;
}

interface OpenAIServer extends StrictProvider<ResponsesBody> {
  /** Thoughts that the server left out because something before them had changed. */
  dropped: string[];
}

/** All servers of OpenAI read the thoughts that one of them has issued, as long as the model is the same. */
const thoughts = new Map<string, IssuedThought>();

export function openaiResponses(name: string): OpenAIServer {
  const model = openaiModel(name);
  const dropped: string[] = [];
  return {
    providerID: "openai",
    model: name,
    api: "responses",
    basePath: "/v1",
    dropped,
    rules: [
      ...pathRules("/v1/responses"),
      ...commonResponsesRules,
      ...openaiRules,
      ...modelRules(model),
      ...thoughtRules(name),
    ],
    refuse,
    reply({ blocks }, request) {
      const { body } = request;
      const gone = model.checksPrefix ? changedThoughts(body) : [];
      dropped.push(...gone);
      const hasThoughts = blocks.some((block) => "thinking" in block);
      const all = model.efforts.length > 0 && !hasThoughts ? [{ thinking: "" }, ...blocks] : blocks;
      const shown = model.efforts.length > 0 ? all : all.filter((block) => !("thinking" in block));
      const items = replyItems(shown, request);
      issue(
        items.map(({ item }) => item),
        body,
      );
      const input_transformations = gone.map((id) => ({ type: "reasoning_dropped", item_id: id }));
      return replyEvents(items, gone.length > 0 ? { input_transformations } : {});
    },
  };
}

function pathRules(path: string): ResponsesRule[] {
  return [
    {
      source: `${guide}/migrate-to-responses`,
      breach: (request) => (request.path === path ? undefined : `Invalid URL (POST ${request.path})`),
    },
  ];
}

function modelRules({ name, efforts, ...model }: OpenAIModel): ResponsesRule[] {
  const isReasoning = efforts.length > 0;
  const unsupported = (parameter: string) => `Unsupported parameter: '${parameter}' is not supported with this model.`;
  return [
    rule(`${guide}/models`, (body) => (body.model === name ? undefined : `The model '${body.model}' does not exist.`)),
    rule("vercel/ai#9412", ({ include = [] }) =>
      include.includes("reasoning.encrypted_content") && !isReasoning
        ? "Encrypted content is not supported with this model."
        : undefined,
    ),
    rule(`${guide}/latest-model`, (body) => {
      const refused = ["temperature", "top_p", "top_logprobs"].find((parameter) => parameter in body);
      return isReasoning && refused ? unsupported(refused) : undefined;
    }),
    rule(`${guide}/reasoning`, ({ reasoning }) => {
      if (reasoning === undefined) return undefined;
      if (!isReasoning) return unsupported("reasoning.effort");
      const { effort } = reasoning;
      return effort === undefined || efforts.includes(effort)
        ? undefined
        : `Unsupported value: '${effort}' is not supported with the '${name}' model. Supported values are: ${efforts.join(", ")}.`;
    }),
    rule(`${guide}/latest-model`, ({ text }) =>
      text?.verbosity !== undefined && text.verbosity !== "medium" && !model.takesVerbosity
        ? `Unsupported value: '${text.verbosity}' is not supported with the '${name}' model. Supported values are: 'medium'.`
        : undefined,
    ),
    rule(`${guide}/function-calling`, ({ tools = [], input }) => {
      const all = [...tools, ...input.flatMap((item) => item.tools ?? [])];
      return all.some(({ type }) => type === "custom") && !model.takesCustomTools
        ? `Invalid Value: 'tools'. Custom tools are not supported with '${name}'.`
        : undefined;
    }),
    eachItem("openai/codex; earendil-works/pi-ai 1.5.2 getResponsesToolSupport", ({ type, role }, at) => {
      if (type !== "additional_tools") return undefined;
      if (!model.takesAdditionalTools) return `Invalid value: 'additional_tools'. - 'input[${at}].type'`;
      return role === "developer" ? undefined : `Invalid value: '${role}'. - 'input[${at}].role'`;
    }),
    eachItem(`${guide}/reasoning#change-reasoning-mid-conversation; nano-gpt inline-reasoning-effort`, (item, at) => {
      if (item.type !== "configuration_update") return undefined;
      if (!model.takesEffortUpdates) return `The 'configuration_update' item type is not supported with ${name}.`;
      const { effort } = (item["reasoning"] ?? {}) as { effort?: string };
      return efforts.includes(effort ?? "") ? undefined : `Unsupported value: '${effort}' - 'input[${at}].reasoning'.`;
    }),
    rule("earendil-works/pi-ai 1.5.2: a top-level tool cannot be replaced", ({ tools = [], input }) => {
      const later = input.flatMap((item) => item.tools ?? []);
      const twice = later.find(({ name: added }) => tools.some((tool) => tool.name === added));
      return twice && `Tool '${twice.name}' is already defined.`;
    }),
    rule("litellm#18235", ({ parallel_tool_calls: parallel, tools = [] }) =>
      parallel !== undefined && tools.length === 0
        ? "'parallel_tool_calls' is only allowed when 'tools' are specified."
        : undefined,
    ),
  ];
}

/** What a client without `store` must send back of thoughts. */
function thoughtRules(name: string): ResponsesRule[] {
  return [
    eachItem("bifrost#5410", ({ type, id, encrypted_content }) =>
      type === "reasoning" && !encrypted_content
        ? `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`
        : undefined,
    ),
    eachItem("codex#17541; openclaw#70654", ({ type, id, encrypted_content = "", summary }) => {
      if (type !== "reasoning") return undefined;
      const known = thoughts.get(encrypted_content);
      const isWhole = known?.item.id === id && JSON.stringify(known?.item["summary"]) === JSON.stringify(summary);
      return known?.model === name && isWhole
        ? undefined
        : `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
    }),
    rule("openai-python#3016", ({ input }) => {
      const at = input.findIndex(({ type }, index) => {
        const next = input[index + 1];
        const isOutput = next?.type !== "message" || next.role === "assistant";
        return type === "reasoning" && (!next || !isOutput || next.type?.endsWith("_output"));
      });
      return at >= 0
        ? `Item '${input[at]?.id}' of type 'reasoning' was provided without its required following item.`
        : undefined;
    }),
    rule("coder/mux#59; code_puppy#853", ({ input }) => {
      const ids = new Set(input.map(({ id }) => id));
      for (const { item, companions } of thoughts.values()) {
        const alone = input.find(({ id, type }) => id !== undefined && type !== "reasoning" && companions.has(id));
        if (alone && !ids.has(item.id))
          return `Item '${alone.id}' of type '${alone.type}' was provided without its required 'reasoning' item: '${item.id}'.`;
      }
      return undefined;
    }),
  ];
}

/** Gives each thought a cipher that is bound to all before it. */
function issue(items: readonly StrictItem[], body: ResponsesBody): void {
  const asks = body.include?.includes("reasoning.encrypted_content") && body.store === false;
  for (const [at, item] of items.entries()) {
    if (item.type !== "reasoning" || !asks) continue;
    const prefix = hash(body, [...body.input, ...items.slice(0, at)]);
    const cipher = `gAAAA${createHash("sha256").update(`${item.id} ${prefix}`).digest("base64")}`;
    item.encrypted_content = cipher;
    const companions = new Set(items.flatMap(({ id }) => (id && id !== item.id ? [id] : [])));
    thoughts.set(cipher, { model: body.model, prefix, item: structuredClone(item), companions });
  }
}

function changedThoughts(body: ResponsesBody): string[] {
  return body.input.flatMap(({ type, id = "", encrypted_content = "" }, at) => {
    if (type !== "reasoning") return [];
    return thoughts.get(encrypted_content)?.prefix === hash(body, body.input.slice(0, at)) ? [] : [id];
  });
}

/**
 * [developers.openai.com keep-prefix-unchanged]: tools, the text's format, and all items; the effort, too, where it can
 * change within the conversation, because in the head it would cost the cache.
 */
function hash({ model, tools, text, reasoning }: ResponsesBody, items: readonly StrictItem[]): string {
  const format = text && "format" in text ? text.format : undefined;
  const effort = openaiModel(model).takesEffortUpdates ? reasoning?.effort : undefined;
  return createHash("sha256")
    .update(JSON.stringify([tools, format, effort, items.map(essence)]))
    .digest("hex");
}

/** An item without what may be left out when it goes back. */
function essence({ id: _, status: __, type = "message", content, summary: ___, ...rest }: StrictItem): unknown {
  const said = Array.isArray(content)
    ? content.map((part) => part.text ?? part.refusal ?? JSON.stringify(part))
    : content;
  return [type, said, Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))];
}

function refuse(words: string): { status: number; body: unknown } {
  const code = /could not be verified/.test(words) ? "invalid_encrypted_content" : null;
  const param = /(?:parameter|arameter:|Invalid) '([^']+)'/.exec(words)?.[1] ?? null;
  const error = { message: words, type: "invalid_request_error", param, code };
  return { status: /not found\. Items|does not exist/.test(words) ? 404 : 400, body: { error } };
}

/** Chat Completions of a model. */
export function openaiChat(name: string): StrictProvider<StrictBody> {
  const { efforts, chatTools } = openaiModel(name);
  const isReasoning = efforts.length > 0;
  return {
    providerID: "openai",
    model: name,
    api: "chat",
    basePath: "/v1",
    rules: [
      ...commonChatRules,
      chatRule("openai-openapi#541; litellm#34569; pipecat#4043", ({ tools = [], reasoning_effort: effort }) => {
        const isAllowed =
          chatTools === "always" ||
          (chatTools === "none-or-absent" && (effort === undefined || effort === "none")) ||
          (chatTools === "none" && effort === "none");
        return tools.length === 0 || isAllowed
          ? undefined
          : `Function tools with reasoning_effort are not supported for ${name} in /v1/chat/completions. Please use /v1/responses instead.`;
      }),
      chatRule("litellm#13432", ({ max_tokens: limit }) =>
        isReasoning && limit !== undefined
          ? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
          : undefined,
      ),
      chatRule(`${guide}/latest-model`, ({ temperature }) =>
        isReasoning && temperature !== undefined && temperature !== 1
          ? "Unsupported value: 'temperature' does not support this value with this model. Only the default (1) value is supported."
          : undefined,
      ),
      chatRule(`${guide}/reasoning`, ({ reasoning_effort: effort }) => {
        if (effort === undefined || efforts.includes(String(effort))) return undefined;
        return isReasoning
          ? `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model.`
          : "Unrecognized request argument supplied: reasoning_effort";
      }),
    ],
    refuse,
    reply: ({ blocks }) => openaiEvents({ blocks: blocks.filter((block) => !("thinking" in block)) }),
  };
}
