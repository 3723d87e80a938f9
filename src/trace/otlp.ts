/**
 * Turns traces into OTLP/JSON, the body of a POST to `/v1/traces` of an OpenTelemetry collector. Names follow the
 * semantic conventions for generative AI, 1.41 (https://opentelemetry.io/docs/specs/semconv/gen-ai/). Prompts,
 * answers, titles, arguments, results and error messages are left out.
 */
import { createHash } from "node:crypto";
import { version } from "../base/version.ts";
import { type CallTrace, inputTokens, type StepTrace, type TurnTrace } from "../chat/trace.ts";

/** Numbers of the enums in opentelemetry/proto/trace/v1/trace.proto. */
const spanKind = { internal: 1, client: 3 } as const;
const statusCode = { ok: 1, error: 2 } as const;

type AttributeValue = string | number | boolean | readonly string[] | undefined;

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: object[];
  events: object[];
  status: { code: number };
}

export function otlpRequest(turns: readonly TurnTrace[]): object {
  const spans = turns.flatMap((turn) => turnSpans(turn, hexID(turn.messageID, 32), undefined));
  const resource = { attributes: attributesOf({ "service.name": "rondo", "service.version": version }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "rondo", version }, spans }] }] };
}

function turnSpans(turn: TurnTrace, traceId: string, parent: OtlpSpan | undefined): OtlpSpan[] {
  const span = spanOf(turn.messageID, traceId, parent, {
    name: `invoke_agent ${turn.agent}`,
    kind: spanKind.internal,
    start: turn.startedAt,
    end: turn.endedAt,
    error: turn.steps.at(-1)?.error?.code,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": turn.agent,
      "gen_ai.conversation.id": turn.sessionID,
    },
  });
  return [span, ...turn.steps.flatMap((step) => stepSpans(step, turn, traceId, span))];
}

function stepSpans(step: StepTrace, turn: TurnTrace, traceId: string, parent: OtlpSpan): OtlpSpan[] {
  const { model, tokens } = step;
  const span = spanOf(step.messageID, traceId, parent, {
    name: `chat ${model.modelID}`,
    kind: spanKind.client,
    start: step.startedAt,
    end: step.endedAt,
    error: step.error?.code,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": model.providerID,
      "gen_ai.request.model": model.modelID,
      "gen_ai.request.stream": true,
      "gen_ai.conversation.id": turn.sessionID,
      "gen_ai.response.finish_reasons": step.finish && [step.finish],
      "gen_ai.response.time_to_first_chunk": step.firstByteMs === undefined ? undefined : step.firstByteMs / 1000,
      // Cached tokens are part of the input here, unlike in Rondo's own counts.
      "gen_ai.usage.input_tokens": inputTokens(tokens),
      "gen_ai.usage.output_tokens": tokens.output,
      "gen_ai.usage.cache_read.input_tokens": tokens.cacheRead,
      "gen_ai.usage.cache_creation.input_tokens": tokens.cacheWrite,
      "gen_ai.usage.reasoning.output_tokens": tokens.reasoning,
      "rondo.step.kind": step.kind,
      "rondo.cost_usd": step.cost,
    },
    events: step.retries.map(({ attempt, at, error }) => ({
      timeUnixNano: nanoseconds(at),
      name: "rondo.retry",
      attributes: attributesOf({ "rondo.retry.attempt": attempt, "error.type": error.code }),
    })),
  });
  return [span, ...step.calls.flatMap((call) => callSpans(call, turn, traceId, parent))];
}

function callSpans(call: CallTrace, turn: TurnTrace, traceId: string, parent: OtlpSpan): OtlpSpan[] {
  if (call.startedAt === undefined) return [];
  const { decision } = call;
  const span = spanOf(call.partID, traceId, parent, {
    name: `execute_tool ${call.tool}`,
    kind: spanKind.internal,
    start: call.startedAt,
    end: call.endedAt,
    error: call.status === "error" ? "_OTHER" : undefined,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": call.tool,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": call.callID,
      "gen_ai.conversation.id": turn.sessionID,
      "rondo.permission.outcome": decision?.outcome,
      "rondo.permission.asked": decision && decision.question !== undefined,
      "rondo.permission.waited_ms": decision?.waitedMs,
    },
  });
  return [span, ...call.turns.flatMap((child) => turnSpans(child, traceId, span))];
}

interface SpanFacts {
  name: string;
  kind: number;
  start: number;
  end: number | undefined;
  error: string | undefined;
  attributes: Record<string, AttributeValue>;
  events?: object[];
}

function spanOf(id: string, traceId: string, parent: OtlpSpan | undefined, facts: SpanFacts): OtlpSpan {
  const { name, kind, start, end = start, error, attributes, events = [] } = facts;
  return {
    traceId,
    spanId: hexID(id, 16),
    ...(parent && { parentSpanId: parent.spanId }),
    name,
    kind,
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: attributesOf({ ...attributes, "error.type": error }),
    events,
    status: { code: error === undefined ? statusCode.ok : statusCode.error },
  };
}

/** An id of `length` hexadecimal digits, the same each time for the same `source`. */
function hexID(source: string, length: number): string {
  return createHash("sha256").update(source).digest("hex").slice(0, length);
}

/** 64-bit integers are strings in OTLP/JSON. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms)}000000`;
}

function attributesOf(values: Record<string, AttributeValue>): object[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: Exclude<AttributeValue, undefined>): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}
