/** What servers of the Responses API demand of the items of a request, and how they stream. */
import type { Block } from "../model-server/encode.ts";
import type { StrictRequest, StrictRule } from "./strict-server.ts";

export interface StrictItem extends Record<string, unknown> {
  type?: string;
  id?: string;
  role?: string;
  content?: string | { type: string; text?: string; refusal?: string }[];
  phase?: string;
  call_id?: string;
  name?: string;
  arguments?: string;
  input?: string;
  output?: string | { type: string }[];
  encrypted_content?: string;
  tools?: StrictTool[];
}

interface StrictTool extends Record<string, unknown> {
  type: string;
  name: string;
  parameters?: Record<string, unknown>;
  strict?: boolean;
}

export interface ResponsesBody extends Record<string, unknown> {
  model: string;
  input: StrictItem[];
  tools?: StrictTool[];
  include?: string[];
  store?: boolean;
  reasoning?: { effort?: string; summary?: string };
  text?: { verbosity?: string };
  tool_choice?: string | { type: string; tools?: { type: string; name: string }[] };
}

export type ResponsesRule = StrictRule<ResponsesBody>;

export function rule(source: string, breach: (body: ResponsesBody) => string | undefined): ResponsesRule {
  return { source, breach: ({ body }) => breach(body) };
}

export function eachItem(source: string, breach: (item: StrictItem, at: number) => string | undefined): ResponsesRule {
  return rule(source, ({ input }) => input.map(breach).find((words) => words !== undefined));
}

const reference = "developers.openai.com/api/reference/resources/responses/methods/create";

/** Fields of the request by the reference. */
const parameters = new Set(
  "background context_management conversation include input instructions max_output_tokens max_tool_calls metadata model parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user".split(
    " ",
  ),
);

const contents: Record<string, readonly string[]> = {
  user: ["input_text", "input_image", "input_file"],
  developer: ["input_text", "input_image", "input_file"],
  system: ["input_text", "input_image", "input_file"],
  assistant: ["output_text", "refusal"],
};

const itemTypes = new Set([
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "additional_tools",
  "configuration_update",
]);

const idPrefixes: Record<string, string> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
};

/** Rules of the reference that all servers of this API share. */
export const commonResponsesRules: readonly ResponsesRule[] = [
  rule(reference, (body) => {
    const unknown = Object.keys(body).find((name) => !parameters.has(name));
    return unknown && `Unknown parameter: '${unknown}'.`;
  }),
  rule(reference, ({ input }) =>
    Array.isArray(input) && input.length > 0 ? undefined : "Missing required parameter: 'input'.",
  ),
  eachItem(reference, ({ type = "message" }, at) =>
    itemTypes.has(type) ? undefined : `Invalid value: '${type}'. - 'input[${at}].type'`,
  ),
  eachItem(reference, contentBreach),
  eachItem(reference, ({ phase }, at) =>
    phase === undefined || phase === "commentary" || phase === "final_answer"
      ? undefined
      : `Invalid value: '${phase}'. - 'input[${at}].phase'`,
  ),
  eachItem(reference, ({ output, type = "" }, at) => {
    if (!type.endsWith("_output")) return undefined;
    const isList = Array.isArray(output) && output.every((part) => contents["user"]?.includes(part.type));
    return typeof output === "string" || isList ? undefined : `Invalid type for 'input[${at}].output'.`;
  }),
  rule(reference, callsAndOutputs),
  rule(reference, ({ max_output_tokens: limit }) =>
    limit === undefined || (typeof limit === "number" && limit >= 16)
      ? undefined
      : `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${limit} instead.`,
  ),
  rule(reference, ({ prompt_cache_key: key }) =>
    key === undefined || (typeof key === "string" && key.length <= 64)
      ? undefined
      : "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64.",
  ),
  rule(reference, ({ tools, input }) => {
    const given = [...(tools ?? []), ...input.flatMap((item) => item.tools ?? [])];
    return given.map(toolBreach).find((words) => words !== undefined);
  }),
  rule(reference, ({ tools = [] }) => {
    const names = tools.map(({ name }) => name);
    const twice = names.find((name, at) => names.indexOf(name) < at);
    return twice && `Duplicate tool name: '${twice}'.`;
  }),
  rule(reference, ({ tool_choice: choice, tools = [] }) => {
    if (choice === undefined || typeof choice === "string") return undefined;
    const missing = choice.tools?.find(
      (one) => !tools.some(({ type, name }) => type === one.type && name === one.name),
    );
    return missing && `Tool choice '${missing.name}' not found in 'tools' parameter.`;
  }),
  {
    source: "RFC 8259, section 8.2",
    breach: ({ raw }) =>
      /(?<!\\)(?:\\\\)*\\ud[89ab]..(?!\\ud[c-f])/i.test(raw) ? "Invalid body: failed to parse JSON value." : undefined,
  },
];

/** What OpenAI's own service demands of ids and functions. [reference; vercel/ai#7883] */
export const openaiRules: readonly ResponsesRule[] = [
  rule(reference, ({ tools = [] }) => {
    // Functions are strict unless they say otherwise.
    const wrong = tools.find(
      ({ type, strict, parameters: schema }) =>
        type === "function" && strict !== false && schema?.["additionalProperties"] !== false,
    );
    return (
      wrong &&
      `Invalid schema for function '${wrong.name}': 'additionalProperties' is required to be supplied and to be false.`
    );
  }),
  eachItem(reference, ({ type = "", id }, at) => {
    const prefix = idPrefixes[type];
    if (id === undefined || prefix === undefined) return undefined;
    if (id.length > 64) return `Invalid 'input[${at}].id': string too long. Expected a string with maximum length 64.`;
    return id.startsWith(prefix)
      ? undefined
      : `Invalid 'input[${at}].id': '${id}'. Expected an ID that begins with '${prefix}'.`;
  }),
  eachItem(reference, ({ call_id: id }, at) =>
    id === undefined || (id.length > 0 && id.length <= 64)
      ? undefined
      : `Invalid 'input[${at}].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${id.length} instead.`,
  ),
  rule(reference, ({ input }) => {
    const ids = input.flatMap(({ id }) => id ?? []);
    const twice = ids.find((id, at) => ids.indexOf(id) < at);
    return twice && `Duplicate item found with id ${twice}. Remove duplicate items from your input and try again.`;
  }),
];

function contentBreach({ type = "message", role = "", content }: StrictItem, at: number): string | undefined {
  if (type !== "message") return undefined;
  const allowed = contents[role];
  if (!allowed) return `Invalid value: '${role}'. - 'input[${at}].role'`;
  if (typeof content === "string" && content !== "") return undefined;
  if (!Array.isArray(content) || content.length === 0) return `Missing required parameter: 'input[${at}].content'.`;
  const wrong = content.find((part) => !allowed.includes(part.type));
  return (
    wrong && `Invalid value: '${wrong.type}'. Supported values are: ${allowed.join(", ")}. - 'input[${at}].content'`
  );
}

function callsAndOutputs({ input }: ResponsesBody): string | undefined {
  const calls = new Map<string, string>();
  const answered = new Set<string>();
  for (const { type = "", call_id: id = "", name = "" } of input) {
    if (type === "function_call" || type === "custom_tool_call") {
      if (calls.has(id)) return `Duplicate function call with call_id ${id}.`;
      if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return `Invalid 'name': '${name}' does not match '^[a-zA-Z0-9_-]+$'.`;
      calls.set(id, type);
    }
    if (!type.endsWith("call_output")) continue;
    if (calls.get(id) !== type.replace("_output", ""))
      return `No tool call found for ${type.replace("_call_output", " call output")} with call_id ${id}.`;
    if (answered.has(id)) return `Duplicate output for call_id ${id}.`;
    answered.add(id);
  }
  const open = [...calls.keys()].find((id) => !answered.has(id));
  return open && `No tool output found for function call ${open}.`;
}

function toolBreach({ type, name, parameters: schema }: StrictTool): string | undefined {
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return `Invalid 'tools[0].name': '${name}'.`;
  if (type === "custom") return undefined;
  if (type !== "function") return `Invalid value: '${type}'. - 'tools[0].type'`;
  if (schema?.["type"] !== "object")
    return `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"'.`;
  const choice = ["oneOf", "anyOf", "allOf", "enum", "not"].find((key) => key in schema);
  if (choice)
    return `Invalid schema for function '${name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`;
  // kagent#1889
  if (!("properties" in schema)) return `Invalid schema for function '${name}': object schema missing properties.`;
  return undefined;
}

/** An item of a reply, with its stream of deltas. */
interface ReplyItem {
  item: StrictItem & { id: string };
  open: object;
  deltas: object[];
}

let issued = 0;

/** Makes items of blocks. `cipher`: encrypted content of thoughts; without it they come as they are where `isPlain`. */
export function replyItems(
  blocks: readonly Block[],
  { body }: StrictRequest<ResponsesBody>,
  isPlain = false,
): ReplyItem[] {
  return blocks.map((block) => {
    const number = `${++issued}`.padStart(12, "0");
    if ("call" in block) return callReply(block.call, number, body);
    if ("text" in block) {
      const content = [{ type: "output_text", text: block.text, annotations: [] }];
      const isLast = blocks.at(-1) === block;
      const phase = isLast ? "final_answer" : "commentary";
      return {
        item: { id: `msg_${number}`, type: "message", role: "assistant", status: "completed", phase, content },
        open: { status: "in_progress", content: [] },
        deltas: [{ type: "response.output_text.delta", content_index: 0, delta: block.text }],
      };
    }
    const text = "thinking" in block ? block.thinking : "";
    const part = isPlain ? { content: [{ type: "reasoning_text", text }] } : {};
    const summary = isPlain ? [] : [{ type: "summary_text", text }];
    const type = isPlain ? "response.reasoning_text.delta" : "response.reasoning_summary_text.delta";
    return {
      item: { id: `rs_${number}`, type: "reasoning", summary, ...part },
      open: { summary: [] },
      deltas: [{ type, delta: text }],
    };
  });
}

function callReply(
  call: Extract<Block, { call: object }>["call"],
  number: string,
  { tools = [] }: ResponsesBody,
): ReplyItem {
  const { name, input = {}, raw = JSON.stringify(input), id = `call_${number}` } = call;
  const isCustom = tools.some((tool) => tool.type === "custom" && tool.name === name);
  if (isCustom) {
    const [text = ""] = Object.values(input).filter((value) => typeof value === "string");
    return {
      item: { id: `ctc_${number}`, type: "custom_tool_call", status: "completed", call_id: id, name, input: text },
      open: { input: "" },
      deltas: [{ type: "response.custom_tool_call_input.delta", delta: text }],
    };
  }
  return {
    item: { id: `fc_${number}`, type: "function_call", status: "completed", call_id: id, name, arguments: raw },
    open: { status: "in_progress", arguments: "" },
    deltas: [{ type: "response.function_call_arguments.delta", delta: raw }],
  };
}

/** Returns the events of a reply, as bytes. */
export function replyEvents(items: readonly ReplyItem[], more: Record<string, unknown> = {}): string[] {
  const response = { id: `resp_${++issued}`, object: "response", status: "in_progress", output: [], ...more };
  const usage = { input_tokens: 100, input_tokens_details: { cached_tokens: 0 }, output_tokens: 20 };
  const output = items.map(({ item }) => item);
  return [
    { type: "response.created", response },
    ...items.flatMap(({ item, open, deltas }, output_index) => [
      { type: "response.output_item.added", output_index, item: { ...item, ...open } },
      ...deltas.map((delta) => ({ ...delta, output_index, item_id: item.id })),
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: { ...response, status: "completed", output, usage } },
  ].map((event, sequence_number) => {
    const { type = "" } = event as { type?: string };
    return `event: ${type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`;
  });
}
