/** Converts the lines of a reply of Ollama's /api/chat to the loop's events. Fields: ollama docs/api.md, docs/api/usage. */
import type { Tokens } from "../../chat/message.ts";
import type { ModelEvent } from "../../loop/model.ts";
import { fields, list, size, text } from "../shared/answer-fields.ts";
import { StreamedError } from "../shared/failure.ts";
import { parseArguments } from "../shared/parse-arguments.ts";

export class OllamaReplyParser {
  readonly #calls: { id: string; name: string; raw: string }[] = [];
  #open: { type: "text" | "reasoning"; id: string } | undefined;
  #blocks = 0;
  #last: Record<string, unknown> | undefined;

  /** Whether the reply is complete. */
  get isDone(): boolean {
    return this.#last !== undefined;
  }

  /** Takes a line. @throws StreamedError if it is an error; SyntaxError if it is no JSON */
  *take(line: string): Generator<ModelEvent> {
    const chunk = fields(JSON.parse(line));
    const error = chunk["error"];
    if (error !== undefined && error !== null) throw new StreamedError(innerError(error));
    const message = fields(chunk["message"]);
    yield* this.#write("reasoning", text(message["thinking"]));
    yield* this.#write("text", text(message["content"]));
    for (const call of list(message["tool_calls"])) yield* this.#call(call);
    if (chunk["done"] === true) this.#last = chunk;
  }

  *end(): Generator<ModelEvent> {
    yield* this.#close();
    const reason = text(this.#last?.["done_reason"]);
    for (const { id, name, raw } of this.#calls) {
      yield { type: "tool-input-end", id };
      const parsed = parseArguments(raw);
      // A call that was cut off is no call: its arguments are not what the model meant (C4).
      if (reason === "length" && !parsed.ok) continue;
      yield { type: "tool-call", id, name, raw, arguments: parsed };
    }
    const hasCalls = this.#calls.length > 0;
    yield {
      type: "finish-step",
      reason: reason === "length" ? "length" : hasCalls ? "tool-calls" : "stop",
      tokens: toTokens(this.#last ?? {}),
    };
    yield { type: "finish" };
  }

  *#write(type: "text" | "reasoning", said: string | undefined): Generator<ModelEvent> {
    if (said === undefined) return;
    if (this.#open?.type !== type) {
      yield* this.#close();
      this.#open = { type, id: `${type}-${this.#blocks++}` };
      yield { type: `${type}-start`, id: this.#open.id };
    }
    yield { type: `${type}-delta`, id: this.#open.id, text: said };
  }

  *#close(): Generator<ModelEvent> {
    if (this.#open) yield { type: `${this.#open.type}-end`, id: this.#open.id };
    this.#open = undefined;
  }

  /** Calls come whole. */
  *#call({ id: given, function: called }: Record<string, unknown>): Generator<ModelEvent> {
    yield* this.#close();
    const { name: told, arguments: input = {} } = fields(called);
    const [name, told_id] = [text(told) ?? "unnamed", text(given)];
    const isTaken = told_id === undefined || this.#calls.some(({ id }) => id === told_id);
    const id = isTaken ? `call_${crypto.randomUUID().replaceAll("-", "")}` : told_id;
    const raw = typeof input === "string" ? input : JSON.stringify(input);
    this.#calls.push({ id, name, raw });
    yield { type: "tool-input-start", id, name };
    yield { type: "tool-input-delta", id, text: raw };
  }
}

/** Ollama passes on what its runner answered, as JSON within a string. */
export function innerError(error: unknown): unknown {
  if (typeof error !== "string" || !error.startsWith("{")) return { error };
  try {
    return JSON.parse(error);
  } catch {
    return { error };
  }
}

/** `prompt_eval_count` has the cached tokens in it. Undefined when nothing is counted. */
function toTokens({
  prompt_eval_count,
  prompt_eval_cached_count,
  eval_count,
}: Record<string, unknown>): Tokens | undefined {
  const [prompt = 0, cached = 0, output = 0] = [prompt_eval_count, prompt_eval_cached_count, eval_count].map(size);
  if (prompt === 0 && output === 0) return undefined;
  const cacheRead = Math.min(cached, prompt);
  return { input: prompt - cacheRead, output, reasoning: 0, cacheRead, cacheWrite: 0 };
}
