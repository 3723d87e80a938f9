/** The parts of the Anthropic Messages format that the tour needs: reading requests and streaming replies. */
import * as z from "zod/mini";

const TextBlock = z.object({ type: z.literal("text"), text: z.string() });
const Block = z.union([
  TextBlock,
  z.object({ type: z.literal("tool_use"), id: z.string(), name: z.string() }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z._default(z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]), ""),
    is_error: z._default(z.boolean(), false),
  }),
  z.pipe(
    z.looseObject({ type: z.string() }),
    z.transform(() => ({ type: "other" as const })),
  ),
]);

const WireMessage = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.pipe(
    z.union([z.string(), z.array(Block)]),
    z.transform((content) => (typeof content === "string" ? [{ type: "text" as const, text: content }] : content)),
  ),
});
export type WireMessage = z.infer<typeof WireMessage>;

export const WireRequest = z.object({
  model: z.string(),
  stream: z._default(z.boolean(), false),
  messages: z.array(WireMessage),
  tools: z._default(z.array(z.unknown()), []),
});

/** A reply of the tour: text, then calls. */
export interface TourReply {
  text: string;
  calls: { name: string; input: Record<string, unknown> }[];
}

/** Returns the text of a tool's result in either format. */
export function resultText(content: string | { type: string }[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => TextBlock.safeParse(block).data?.text ?? "").join("");
}

type WireEvent = { type: string } & Record<string, unknown>;

/** Yields the reply as events of a stream, word by word. `id` makes the ids of its calls unique. */
export function* streamed(reply: TourReply, model: string, id: string, inputTokens: number): Generator<WireEvent> {
  const message = whole(reply, model, id, inputTokens);
  const usage = { input_tokens: inputTokens, output_tokens: 1 };
  yield { type: "message_start", message: { ...message, content: [], stop_reason: null, usage } };
  for (const [index, block] of message.content.entries()) {
    if (block.type === "text") {
      yield { type: "content_block_start", index, content_block: { type: "text", text: "" } };
      for (const text of block.text.match(/^\s+|\S+\s*/g) ?? []) {
        yield { type: "content_block_delta", index, delta: { type: "text_delta", text } };
      }
    } else {
      yield { type: "content_block_start", index, content_block: { ...block, input: {} } };
      for (const partial_json of JSON.stringify(block.input).match(/.{1,12}/gs) ?? []) {
        yield { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } };
      }
    }
    yield { type: "content_block_stop", index };
  }
  const { stop_reason, stop_sequence } = message;
  yield { type: "message_delta", delta: { stop_reason, stop_sequence }, usage: message.usage };
  yield { type: "message_stop" };
}

export function whole(reply: TourReply, model: string, id: string, inputTokens: number) {
  const words = { type: "text" as const, text: reply.text };
  const calls = reply.calls.map((call, at) => ({ type: "tool_use" as const, id: `toolu_${id}_${at}`, ...call }));
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content: [words, ...calls],
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    // Estimates four characters per token.
    usage: { input_tokens: inputTokens, output_tokens: Math.ceil(JSON.stringify([words, calls]).length / 4) },
  };
}
