/** Changes a stream within what its format permits: a client reads the same reply from it, or says what is wrong. */
import type { RandomNumbers } from "../random.ts";

type Json = Record<string, unknown>;

/** An event of a stream; `[DONE]` has no data. */
export interface StreamEvent {
  name: string | undefined;
  data: Json | undefined;
}

export type Format = "anthropic-messages" | "openai-responses";

/** Returns the events of a stream; undefined if it is not plain: what is broken already cannot be compared. */
export function parseStream(text: string): StreamEvent[] | undefined {
  const blocks = text
    .replaceAll("\r\n", "\n")
    .trim()
    .split(/\n{2,}/);
  const events = blocks.map((block) => {
    const match = /^(?:event: ?(.*)\n)?data: ?(\{.*\}|\[DONE\])$/.exec(block);
    if (!match) return undefined;
    const [, name, data = ""] = match;
    try {
      return { name, data: data === "[DONE]" ? undefined : (JSON.parse(data) as Json) }; // an object by its braces
    } catch {
      return undefined;
    }
  });
  return events.every((event) => event !== undefined) ? events : undefined;
}

export function writeStream(events: readonly StreamEvent[]): string {
  return events.map(writeEvent).join("");
}

function writeEvent({ name, data }: StreamEvent): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${data ? JSON.stringify(data) : "[DONE]"}\n\n`;
}

export interface Mutation {
  name: string;
  formats: readonly Format[];
  /** What must stay the same: all of the reply, all but ids, or its text and calls. */
  keeps: "all" | "all-but-ids" | "text-and-calls";
  /** Returns the stream, or undefined if there is nothing in it to change. */
  change(events: readonly StreamEvent[], random: RandomNumbers): StreamEvent[] | string | undefined;
}

const both: readonly Format[] = ["anthropic-messages", "openai-responses"];
const messages: readonly Format[] = ["anthropic-messages"];
const responses: readonly Format[] = ["openai-responses"];

const type = ({ data }: StreamEvent): string => String(data?.["type"] ?? "");
const isTerminal = (event: StreamEvent) =>
  /^(message_stop|response\.(completed|incomplete|done|failed))$/.test(type(event));

function each(events: readonly StreamEvent[], change: (data: Json, event: StreamEvent) => Json): StreamEvent[] {
  return events.map((event) => (event.data ? { ...event, data: change(event.data, event) } : event));
}

/** Inserts events before some others, never after the last. */
function insert(events: readonly StreamEvent[], random: RandomNumbers, ...more: StreamEvent[]): StreamEvent[] {
  return events.flatMap((event) => (random.below(3) === 0 ? [...more, event] : [event]));
}

function deep(value: unknown, change: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((one) => deep(one, change));
  if (typeof value !== "object" || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, deep(one, change)]));
  return change(inner);
}

function record(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {}; // keys are strings
}

function without(data: Json, ...names: string[]): Json {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name)));
}

/** Objects whose fields are not part of the format: arguments of calls, schemas. */
const isOpen = (object: Json) => "type" in object || "usage" in object || "input_tokens" in object;

export const mutations: readonly Mutation[] = [
  { name: "CRLF", formats: both, keeps: "all", change: (events) => writeStream(events).replaceAll("\n", "\r\n") },
  { name: "CR", formats: both, keeps: "all", change: (events) => writeStream(events).replaceAll("\n", "\r") },
  {
    name: "comments and blank lines",
    formats: both,
    keeps: "all",
    change: (events, random) =>
      events
        .map(writeEvent)
        .map((text) => (random.below(2) ? `: keep-alive\n\n${text}\n` : text.replace(/\n(?=data)/, "\n: x\n")))
        .join(""),
  },
  {
    name: "other fields of the format: id, retry, and no space after the colon",
    formats: both,
    keeps: "all",
    change: (events) =>
      events.map((event, at) => `id: ${at}\nretry: 5\n${writeEvent(event).replace("data: ", "data:")}`).join(""),
  },
  {
    name: "data in several lines",
    formats: both,
    keeps: "all",
    change: (events) =>
      events
        .map((event) =>
          event.data
            ? `${event.name === undefined ? "" : `event: ${event.name}\n`}${JSON.stringify(event.data, undefined, 1).replace(/^/gm, "data: ")}\n\n`
            : writeEvent(event),
        )
        .join(""),
  },
  { name: "a byte order mark", formats: both, keeps: "all", change: (events) => `\uFEFF${writeStream(events)}` },
  {
    name: "no names of events",
    formats: responses,
    keeps: "all",
    change: (events) => events.map(({ data }) => ({ name: undefined, data })),
  },
  {
    name: "unknown events",
    formats: both,
    keeps: "all",
    change: (events, random) =>
      insert(
        events,
        random,
        { name: "future_event", data: { type: "future_event", index: 0, delta: { type: "future", text: "no" } } },
        { name: "response.future.delta", data: { type: "response.future.delta", delta: "no", item_id: "x_1" } },
      ),
  },
  {
    name: "keep-alive events",
    formats: both,
    keeps: "all",
    change: (events, random) =>
      insert(
        events,
        random,
        { name: "ping", data: { type: "ping" } },
        { name: "keepalive", data: { type: "keepalive", sequence_number: 3 } },
      ),
  },
  {
    name: "unknown fields",
    formats: both,
    keeps: "all",
    change: (events) =>
      each(events, (data) =>
        record(deep(data, (one) => (isOpen(one) ? { ...one, x_new: { text: "no", type: "x" } } : one))),
      ),
  },
  {
    name: "null in place of missing fields",
    formats: both,
    keeps: "all",
    change: (events) =>
      each(events, (data) => {
        const absent = {
          error: null,
          container: null,
          stop_details: null,
          input_transformations: null,
          logprobs: null,
          context_management: null,
        };
        const inner = data["response"]
          ? { response: { ...absent, incomplete_details: null, ...record(data["response"]) } }
          : {};
        return { ...absent, item_type: null, ...data, ...inner };
      }),
  },
  {
    name: "null in place of usage where there is none",
    formats: both,
    keeps: "all",
    change: (events) =>
      each(events, (data) => ({
        usage: null,
        ...data,
        ...(data["response"] !== undefined && { response: { usage: null, output: null, ...record(data["response"]) } }),
      })),
  },
  {
    name: "usage as strings",
    formats: both,
    keeps: "all",
    change: (events) =>
      each(events, (data) =>
        record(
          deep(data, (one) =>
            "input_tokens" in one || "output_tokens" in one || "cached_tokens" in one || "reasoning_tokens" in one
              ? Object.fromEntries(
                  Object.entries(one).map(([key, value]) => [key, typeof value === "number" ? String(value) : value]),
                )
              : one,
          ),
        ),
      ),
  },
  {
    name: "no sequence numbers, no obfuscation, no logprobs",
    formats: responses,
    keeps: "all",
    change: (events) =>
      each(events, (data) =>
        without(data, "sequence_number", "obfuscation", "logprobs", "content_index", "annotations"),
      ),
  },
  {
    name: "no ids beside indexes",
    formats: responses,
    keeps: "all",
    change: (events) =>
      events.some(({ data }) => data?.["item_id"] !== undefined && data["output_index"] === undefined)
        ? undefined
        : each(events, (data) => without(data, "item_id")),
  },
  {
    name: "null for ids beside indexes",
    formats: responses,
    keeps: "all",
    change: (events) =>
      events.some(({ data }) => data?.["item_id"] !== undefined && data["output_index"] === undefined)
        ? undefined
        : each(events, (data) => ({ ...data, ...("item_id" in data && { item_id: null }) })),
  },
  {
    name: "no indexes beside ids",
    formats: responses,
    keeps: "all",
    change(events) {
      const ids = (data: Json) => data["item_id"] ?? record(data["item"])["id"];
      const isTold = events.every(({ data = {} }) => data["output_index"] === undefined || ids(data) !== undefined);
      const known = new Map<unknown, unknown>();
      for (const { data = {} } of events) {
        if (data["output_index"] === undefined) continue;
        const id = ids(data);
        const index = known.get(id) ?? data["output_index"];
        if (index !== data["output_index"]) return undefined;
        known.set(id, index);
      }
      const isStable = new Set(known.values()).size === known.size;
      return isTold && isStable
        ? each(events, (data) => ({ ...data, ...("output_index" in data && { output_index: null }) }))
        : undefined;
    },
  },
  {
    name: "ids that change with each event",
    formats: responses,
    keeps: "all-but-ids",
    change(events) {
      if (events.some(({ data }) => data?.["item_id"] !== undefined && data["output_index"] === undefined))
        return undefined;
      let count = 0;
      return each(events, (data) => (data["item_id"] === undefined ? data : { ...data, item_id: `other_${++count}` }));
    },
  },
  {
    name: "indexes with gaps",
    formats: both,
    keeps: "all",
    change: (events) =>
      each(events, (data) => {
        const index = typeof data["index"] === "number" ? { index: data["index"] * 3 + 2 } : {};
        return {
          ...data,
          ...index,
          ...(typeof data["output_index"] === "number" && { output_index: data["output_index"] * 3 + 2 }),
        };
      }),
  },
  {
    name: "only the events that matter",
    formats: responses,
    keeps: "all",
    change: (events) =>
      events.filter(
        (event) =>
          !/^response\.(created|queued|in_progress|content_part|reasoning_summary_part|reasoning_part|.*(text|summary)\.done)/.test(
            type(event),
          ),
      ),
  },
  {
    name: "done events twice",
    formats: both,
    keeps: "all",
    change: (events) =>
      events.flatMap((event) =>
        !isTerminal(event) && /(\.done|content_block_stop|message_delta)$/.test(type(event)) ? [event, event] : [event],
      ),
  },
  {
    name: "the end twice",
    formats: both,
    keeps: "all",
    change: (events) => events.flatMap((event) => (isTerminal(event) ? [event, event] : [event])),
  },
  {
    name: "empty deltas",
    formats: both,
    keeps: "all",
    change: (events) =>
      events.flatMap((event) => {
        const { data } = event;
        if (!data || !/delta$/.test(type(event)) || type(event) === "message_delta") return [event];
        const delta = data["delta"];
        const empty =
          typeof delta === "string"
            ? ""
            : record(
                deep(delta, (one) =>
                  Object.fromEntries(Object.entries(one).map(([key, value]) => [key, key === "type" ? value : ""])),
                ),
              );
        const bare = { ...event, data: { ...data, delta: empty } };
        return record(delta)["type"] === "citations_delta" ? [event] : [bare, event, bare];
      }),
  },
  {
    name: "deltas after done",
    formats: both,
    keeps: "all",
    change(events) {
      const last = new Map<unknown, StreamEvent>();
      return events.flatMap((event) => {
        const key = event.data?.["index"] ?? event.data?.["output_index"];
        if (/\.delta$|content_block_delta/.test(type(event))) last.set(key, event);
        const delta = last.get(key);
        return key !== undefined && delta && /output_item\.done$|content_block_stop$/.test(type(event))
          ? [event, delta]
          : [event];
      });
    },
  },
  {
    name: "items at the same time",
    formats: both,
    keeps: "all",
    change(events) {
      const key = ({ data }: StreamEvent) => data?.["index"] ?? data?.["output_index"];
      const isOpening = (event: StreamEvent) => /content_block_start|output_item\.added/.test(type(event));
      const first = events.findIndex((event) => key(event) !== undefined);
      const last = events.findLastIndex((event) => key(event) !== undefined);
      const within = events.slice(first, last + 1);
      if (first < 0 || within.some((event) => key(event) === undefined)) return undefined;
      const lanes = new Map<unknown, StreamEvent[]>();
      for (const event of within)
        if (!isOpening(event)) lanes.set(key(event), [...(lanes.get(key(event)) ?? []), event]);
      const woven: StreamEvent[] = [];
      for (const queues = [...lanes.values()]; queues.some(({ length }) => length > 0); )
        for (const queue of queues) woven.push(...queue.splice(0, 1));
      return lanes.size < 2
        ? undefined
        : [...events.slice(0, first), ...within.filter(isOpening), ...woven, ...events.slice(last + 1)];
    },
  },
  {
    name: "items only at the end",
    formats: responses,
    keeps: "text-and-calls",
    change(events) {
      const end = events.find(isTerminal)?.data;
      const items = record(end?.["response"])["output"];
      const streamed = events.filter((event) => type(event) === "response.output_item.done");
      if (!Array.isArray(items) || items.length === 0 || items.length !== streamed.length) return undefined;
      return events.filter((event) => isTerminal(event) || /^response\.(created|in_progress)$/.test(type(event)));
    },
  },
  {
    name: "no output in the end",
    formats: responses,
    keeps: "all",
    change: (events) =>
      events.some((event) => type(event) === "response.output_item.done")
        ? events.map((event) =>
            isTerminal(event) && event.data
              ? { ...event, data: { ...event.data, response: { ...record(event.data["response"]), output: [] } } }
              : event,
          )
        : undefined,
  },
  {
    name: "no message_start",
    formats: messages,
    keeps: "text-and-calls",
    change: (events) => events.filter((event) => type(event) !== "message_start"),
  },
];

/** Errors as servers send them within a stream. */
export const streamedErrors: Record<Format, readonly StreamEvent[]> = {
  "anthropic-messages": [
    {
      name: "error",
      data: { type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: "req_1" },
    },
    { name: "error", data: { type: "error", error: { type: "api_error", message: "Internal server error" } } },
    { name: "error", data: { error: { message: "upstream failed", code: 502 } } },
  ],
  "openai-responses": [
    {
      name: "error",
      data: {
        type: "error",
        code: "server_error",
        message: "The server had an error.",
        param: null,
        sequence_number: 9,
      },
    },
    {
      name: "error",
      data: {
        type: "error",
        error: {
          type: "server_error",
          code: "rate_limit_exceeded",
          message: "Rate limit reached. Please try again in 20ms.",
        },
      },
    },
    {
      name: "response.failed",
      data: {
        type: "response.failed",
        response: { status: "failed", error: { code: "server_error", message: "Sorry." } },
      },
    },
    { name: undefined, data: { error: { message: "upstream failed", code: 502 } } },
  ],
};
