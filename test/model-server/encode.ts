/** Replies as the bytes of the wire formats. */

export type Block =
  /** `pieces`: the number of deltas for the text, 1 by default. */
  | { text: string; pieces?: number }
  | { thinking: string; signature?: string }
  /** Redacted thinking, Anthropic only. */
  | { redacted: string }
  /** `raw` replaces the input's JSON, for malformed input. */
  | { call: { name: string; input?: Record<string, unknown>; raw?: string; id?: string } };

/** Stop reason in the words of the requested API; derived from the blocks by default. */
export interface Said {
  blocks: Block[];
  stop?: string;
  /** `input` without cached tokens. */
  usage?: { input: number; output: number; cacheRead?: number; cacheWrite?: number };
}

const usual = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0 };
let calls = 0;

/** Each item is an event and its data, ended by a blank line. */
export function anthropicEvents({ blocks, stop, usage }: Said): string[] {
  const { input, output, cacheRead, cacheWrite } = { ...usual, ...usage };
  const said = {
    input_tokens: input,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "test", content: [], stop_reason: null };
  const reason = stop ?? (blocks.some((block) => "call" in block) ? "tool_use" : "end_turn");
  return [
    { type: "message_start", message: { ...message, usage: { ...said, output_tokens: 1 } } },
    ...blocks.flatMap(anthropicBlock),
    { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: output } },
    { type: "message_stop" },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function anthropicBlock(block: Block, index: number): { type: string }[] {
  const whole = (start: object, deltas: object[]) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  if ("text" in block) {
    const deltas = split(block.text, block.pieces ?? 1).map((text) => ({ type: "text_delta", text }));
    return whole({ type: "text", text: "" }, deltas);
  }
  if ("thinking" in block) {
    return whole({ type: "thinking", thinking: "", signature: "" }, [
      { type: "thinking_delta", thinking: block.thinking },
      ...(block.signature ? [{ type: "signature_delta", signature: block.signature }] : []),
    ]);
  }
  if ("redacted" in block) return whole({ type: "redacted_thinking", data: block.redacted }, []);
  const { name, input, raw = input ? JSON.stringify(input) : "", id = `toolu_test${++calls}` } = block.call;
  const deltas = split(raw, 2).map((partial_json) => ({ type: "input_json_delta", partial_json }));
  return whole({ type: "tool_use", id, name, input: {} }, deltas);
}

/** Each item is a line of data, ended by a blank line. */
export function openaiEvents({ blocks, stop, usage }: Said): string[] {
  const { input, output, cacheRead, cacheWrite } = { ...usual, ...usage };
  const reason = stop ?? (blocks.some((block) => "call" in block) ? "tool_calls" : "stop");
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...frame,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const frame = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "test" };
  const prompt_tokens = input + cacheRead + cacheWrite;
  const counts = { prompt_tokens, completion_tokens: output, prompt_tokens_details: { cached_tokens: cacheRead } };
  let index = 0;
  const deltas = blocks.flatMap((block) => ("call" in block ? openaiCall(block.call, index++) : openaiDeltas(block)));
  const chunks = [
    chunk({ role: "assistant", content: "" }),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, reason),
    { ...frame, choices: [], usage: counts },
  ];
  return [...chunks.map((data) => `data: ${JSON.stringify(data)}\n\n`), "data: [DONE]\n\n"];
}

function openaiCall(call: Extract<Block, { call: object }>["call"], index: number): object[] {
  const { name, input, raw = JSON.stringify(input ?? {}), id = `call_test${++calls}` } = call;
  const first = { index, id, type: "function", function: { name, arguments: "" } };
  const rest = split(raw, 2).map((text) => ({ index, function: { arguments: text } }));
  return [first, ...rest].map((fragment) => ({ tool_calls: [fragment] }));
}

function openaiDeltas(block: Exclude<Block, { call: object }>): object[] {
  if ("text" in block) return split(block.text, block.pieces ?? 1).map((content) => ({ content }));
  return "thinking" in block ? [{ reasoning_content: block.thinking }] : [];
}

/** `stop`: "max_output_tokens" or "content_filter" for an incomplete reply. A thought's signature is its cipher. */
export function responsesEvents({ blocks, stop, usage }: Said): string[] {
  const { input, output, cacheRead, cacheWrite } = { ...usual, ...usage };
  const output_items = blocks.map(responsesItem);
  const response = { id: "resp_1", object: "response", model: "test", status: "in_progress", output: [] };
  const counts = {
    input_tokens: input + cacheRead + cacheWrite,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const end = { ...response, output: output_items.map(({ item }) => item), usage: counts };
  const events = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    ...output_items.flatMap(({ item, open, deltas }, output_index) => [
      { type: "response.output_item.added", output_index, item: { ...item, ...open } },
      ...deltas.map((delta) => ({ ...delta, output_index, item_id: item.id })),
      { type: "response.output_item.done", output_index, item },
    ]),
    stop === undefined
      ? { type: "response.completed", response: { ...end, status: "completed" } }
      : {
          type: "response.incomplete",
          response: { ...end, status: "incomplete", incomplete_details: { reason: stop } },
        },
  ];
  return events.map((event, sequence_number) => {
    const data = JSON.stringify({ ...event, sequence_number });
    return `event: ${event.type}\ndata: ${data}\n\n`;
  });
}

let items = 0;

function responsesItem(block: Block): {
  item: { id: string } & Record<string, unknown>;
  open: object;
  deltas: { type: string }[];
} {
  const number = `${++items}`.padStart(8, "0");
  if ("call" in block) {
    const { name, input, raw = JSON.stringify(input ?? {}), id = `call_test${++calls}` } = block.call;
    const type = "response.function_call_arguments.delta";
    return {
      item: { id: `fc_${number}`, type: "function_call", status: "completed", call_id: id, name, arguments: raw },
      open: { status: "in_progress", arguments: "" },
      deltas: split(raw, 2).map((delta) => ({ type, delta })),
    };
  }
  if ("text" in block) {
    const type = "response.output_text.delta";
    return {
      item: {
        id: `msg_${number}`,
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: block.text, annotations: [] }],
      },
      open: { status: "in_progress", content: [] },
      deltas: split(block.text, block.pieces ?? 1).map((delta) => ({ type, delta, content_index: 0 })),
    };
  }
  const text = "thinking" in block ? block.thinking : "";
  const cipher = "redacted" in block ? block.redacted : (block.signature ?? `cipher ${number}`);
  const type = "response.reasoning_summary_text.delta";
  return {
    item: {
      id: `rs_${number}`,
      type: "reasoning",
      summary: text ? [{ type: "summary_text", text }] : [],
      encrypted_content: cipher,
    },
    open: { summary: [], encrypted_content: `early ${cipher}` },
    deltas: text ? [{ type, delta: text, summary_index: 0 } as { type: string }] : [],
  };
}

function split(text: string, pieces: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}
