/** Streams of Chat Completions, changed within what servers do: they read as before, or end with an error; none hangs. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { openaiModel } from "../chat-model.ts";
import { type ModelServer, startModelServer } from "../model-server.ts";
import { randomly } from "../random.ts";
import { readExpected, recordings } from "../streams/compare.ts";
import { chatReply } from "../strict/chat-rules.ts";
import { ask, type Collected, request } from "./ask.ts";

const runs = 150;

interface Fragment {
  index?: number | null;
  id?: string | null;
  type?: string;
  function?: { name?: string | null; arguments?: unknown };
}

interface Delta extends Record<string, unknown> {
  content?: unknown;
  reasoning?: string | null;
  reasoning_content?: string | null;
  tool_calls?: Fragment[] | null;
}

interface Chunk extends Record<string, unknown> {
  choices?: { index?: number; delta?: Delta | null; finish_reason?: string | null }[] | null;
  usage?: Record<string, unknown> | null;
}

interface Lines {
  /** Comes before each chunk. */
  comment: string;
  end: string;
  /** Bytes per write. */
  size: number;
  /** Before the JSON of a chunk. */
  field: string;
  /** Before and after all. */
  begin: string;
  rest: string;
}

interface Changed {
  chunks: Chunk[];
  /** Whether `[DONE]` comes at the end. */
  done: boolean;
  lines: Lines;
}

/** Changes a stream in place; `pick` chooses a number below its argument. */
type Mutation = (stream: Changed, pick: (below: number) => number) => void;

const deltas = ({ chunks }: Changed): Delta[] =>
  chunks.flatMap(({ choices }) => (choices ?? []).flatMap(({ delta }) => (delta ? [delta] : [])));
const fragments = (stream: Changed): Fragment[] => deltas(stream).flatMap((delta) => delta.tool_calls ?? []);

/** Whether calls come one after the other, each with an id of its own at its first fragment alone. */
function areInOrder(stream: Changed): boolean {
  const all = fragments(stream);
  let last = -1;
  for (const { index, id } of all) {
    if (typeof index !== "number" || index < last || (index > last && !id)) return false;
    last = index;
  }
  const ids = all.flatMap(({ id }) => id || []);
  return new Set(all.map(({ index }) => index)).size === new Set(ids).size && all.every(({ id }) => id !== "");
}

/** Mutations after which a stream means the same. */
const harmless: Readonly<Record<string, Mutation>> = {
  "split anywhere": ({ lines }, pick) => {
    lines.size = 1 + pick(80);
  },
  CRLF: ({ lines }) => {
    lines.end = "\r\n";
  },
  comments: ({ lines }) => {
    lines.comment = ": keep-alive";
  },
  "no space": ({ lines }) => {
    lines.field = "data:";
  },
  "an id and a retry line": ({ lines }) => {
    lines.comment = "id: 7";
    lines.begin = "retry: 100\n\n";
  },
  "a byte order mark": ({ lines }) => {
    lines.begin = "\uFEFF";
  },
  "more after [DONE]": (stream) => {
    if (stream.done) stream.lines.rest = 'data: [DONE]\n\ndata: {"choices":[{"delta":{"content":"late"}}]}\n\n';
  },
  "another choice": ({ chunks }, pick) => {
    chunks.splice(pick(chunks.length), 0, { choices: [{ index: 1, delta: { content: "x" }, finish_reason: "stop" }] });
  },
  "no calls, as a list": (stream) => {
    for (const delta of deltas(stream)) delta.tool_calls ??= [];
  },
  "event lines": ({ lines }) => {
    lines.comment = "event: message";
  },
  "empty choices": ({ chunks }, pick) => {
    chunks.splice(pick(chunks.length), 0, { object: "chat.completion.chunk", choices: [] });
  },
  "no choices": ({ chunks }, pick) => {
    chunks.splice(pick(chunks.length), 0, { choices: null, usage: null });
  },
  "empty delta": ({ chunks }, pick) => {
    chunks.splice(pick(chunks.length), 0, { choices: [{ index: 0, delta: {}, finish_reason: null }] });
  },
  "no delta": ({ chunks }, pick) => {
    chunks.splice(pick(chunks.length), 0, { choices: [{ index: 0, delta: null, finish_reason: "" }] });
  },
  "no choice index": ({ chunks }) => {
    for (const { choices } of chunks) if (choices?.length === 1 && choices[0]?.index === 0) delete choices[0].index;
  },
  "null fields": (stream) => {
    for (const delta of deltas(stream)) {
      const absent = ["content", "refusal", "tool_calls", "function_call", "reasoning", "reasoning_details", "audio"];
      for (const name of absent) delta[name] ??= null;
    }
  },
  "unknown fields": (stream) => {
    for (const delta of deltas(stream)) Object.assign(delta, { annotations: [], provider_specific_fields: { a: 1 } });
    for (const chunk of stream.chunks) Object.assign(chunk, { service_tier: "default", nvext: null });
  },
  "role each time": (stream) => {
    for (const delta of deltas(stream)) delta["role"] = "assistant";
  },
  "empty texts": (stream) => {
    for (const delta of deltas(stream))
      if (delta.tool_calls?.length && !delta.content) Object.assign(delta, { content: "", reasoning: "" });
  },
  "no [DONE]": (stream) => {
    const isOurs = ({ choices }: Chunk) => choices?.some((one) => !one.index && one.finish_reason);
    if (stream.chunks.some(isOurs)) stream.done = false;
  },
  "usage in the middle": ({ chunks }, pick) => {
    const last = chunks.findLast(({ usage }) => usage);
    if (!last) return;
    const { usage = null } = last;
    for (const chunk of chunks) delete chunk.usage;
    chunks.splice(pick(chunks.length), 0, { choices: [], usage });
  },
  "usage each time": ({ chunks }) => {
    const last = chunks.findLast(({ usage }) => usage);
    for (const chunk of last ? chunks : []) chunk.usage = last?.usage ?? null;
  },
  "usage as strings": ({ chunks }) => {
    for (const chunk of chunks) {
      if (!chunk.usage) continue;
      chunk.usage = JSON.parse(JSON.stringify(chunk.usage), (_, value) =>
        typeof value === "number" ? String(value) : value,
      );
    }
  },
  "text as parts": (stream) => {
    for (const delta of deltas(stream))
      if (typeof delta.content === "string" && delta.content !== "")
        delta.content = [{ type: "text", text: delta.content }];
  },
  "thoughts as parts": (stream) => {
    for (const delta of deltas(stream)) {
      const text = delta.reasoning_content ?? delta.reasoning;
      if (!text || delta.content || delta["reasoning_details"]) continue;
      delete delta.reasoning;
      delete delta.reasoning_content;
      delta.content = [{ type: "thinking", thinking: [{ type: "text", text }] }];
    }
  },
  "thoughts by the other name": (stream) => {
    for (const delta of deltas(stream)) {
      const { reasoning, reasoning_content } = delta;
      if (reasoning && !reasoning_content) Object.assign(delta, { reasoning: null, reasoning_content: reasoning });
      else if (reasoning_content && !reasoning)
        Object.assign(delta, { reasoning: reasoning_content, reasoning_content: null });
    }
  },
  "thoughts by both names": (stream) => {
    for (const delta of deltas(stream)) {
      const text = delta.reasoning_content || delta.reasoning;
      if (text) Object.assign(delta, { reasoning: text, reasoning_content: text });
    }
  },
  "no index of calls": (stream) => {
    if (areInOrder(stream)) for (const fragment of fragments(stream)) delete fragment.index;
  },
  "null as index": (stream) => {
    if (areInOrder(stream)) for (const fragment of fragments(stream)) fragment.index = null;
  },
  "index 0 for all calls": (stream) => {
    if (areInOrder(stream)) for (const fragment of fragments(stream)) fragment.index = 0;
  },
  "indexes from 1": (stream) => {
    for (const fragment of fragments(stream)) if (typeof fragment.index === "number") fragment.index += 1;
  },
  "id and name in each fragment": (stream) => {
    if (!areInOrder(stream)) return;
    let last: Fragment = {};
    for (const fragment of fragments(stream)) {
      if (fragment.id) last = { ...fragment };
      fragment.id = last.id ?? null;
      fragment.function = { name: last.function?.name ?? null, ...fragment.function };
      fragment.function.name ||= last.function?.name ?? null;
    }
  },
  "empty id and name in later fragments": (stream) => {
    for (const fragment of fragments(stream))
      if (!fragment.id && fragment.function && !fragment.function.name) {
        fragment.id = "";
        fragment.function.name = "";
      }
  },
  "each call in one fragment": (stream) => whole(stream, (text) => text),
  "arguments as objects": (stream) => whole(stream, (text) => JSON.parse(text || "{}")),
  "arguments by the character": (stream) => {
    for (const delta of deltas(stream)) {
      const [only, ...more] = delta.tool_calls ?? [];
      const text = only?.function?.arguments;
      if (!only || more.length > 0 || typeof only.index !== "number" || typeof text !== "string" || text.length < 2)
        continue;
      const { index } = only;
      only.function = { ...only.function, arguments: text.slice(0, 1) };
      delta.tool_calls = [only, ...[...text.slice(1)].map((one) => ({ index, function: { arguments: one } }))];
    }
  },
  "an unknown finish reason": ({ chunks }) => {
    for (const { choices } of chunks)
      for (const choice of choices ?? [])
        if (/^(stop|tool_calls)$/.test(choice.finish_reason ?? "")) choice.finish_reason = "eos_token";
  },
  "no finish reason": (stream) => {
    if (!stream.done) return;
    for (const { choices } of stream.chunks)
      for (const choice of choices ?? [])
        if (/^(stop|tool_calls)$/.test(choice.finish_reason ?? "")) choice.finish_reason = null;
  },
  "stop for calls": ({ chunks }) => {
    for (const { choices } of chunks)
      for (const choice of choices ?? []) if (choice.finish_reason === "tool_calls") choice.finish_reason = "stop";
  },
  "the finish reason twice": ({ chunks }) => {
    const at = chunks.findLastIndex(({ choices }) => choices?.[0]?.finish_reason);
    const reason = chunks[at]?.choices?.[0]?.finish_reason;
    if (reason) chunks.splice(at + 1, 0, { choices: [{ index: 0, delta: {}, finish_reason: reason }] });
  },
};

/** Puts all arguments of a call into its first fragment, where calls come in order and are complete. */
function whole(stream: Changed, shape: (text: string) => unknown): void {
  if (!areInOrder(stream)) return;
  const firsts = new Map<number, { fragment: Fragment; text: string }>();
  const all = fragments(stream);
  if (!all.every((one) => typeof (one.function?.arguments ?? "") === "string")) return;
  for (const fragment of all) {
    const first = firsts.get(fragment.index ?? 0) ?? { fragment, text: "" };
    first.text += String(fragment.function?.arguments ?? "");
    firsts.set(fragment.index ?? 0, first);
  }
  try {
    for (const { fragment, text } of firsts.values())
      fragment.function = { ...fragment.function, arguments: shape(text) };
  } catch {
    return;
  }
  for (const delta of deltas(stream)) {
    const kept = delta.tool_calls?.filter((one) => [...firsts.values()].some(({ fragment }) => fragment === one));
    if (kept) delta.tool_calls = kept;
  }
}

const failure =
  (body: object): Mutation =>
  ({ chunks }, pick) =>
    void chunks.splice(pick(chunks.length), 0, { ...body });

/** Mutations after which a stream must end with an error. */
const harmful: Readonly<Record<string, Mutation>> = {
  "an error as object": failure({ error: { message: "Upstream failed", code: 502 } }),
  "an error as text": failure({ error: "Upstream failed" }),
  "an error beside choices": failure({
    choices: [],
    error: { message: "Provider returned error", code: "server_error" },
  }),
  "an error in a choice": failure({
    choices: [{ index: 0, delta: { content: "" }, finish_reason: "error", error: { code: 502, message: "Failed" } }],
  }),
  "a bare error": failure({ object: "error", message: "Failed", type: "InternalServerError", code: 500 }),
  "an error as finish reason": failure({ choices: [{ index: 0, delta: {}, finish_reason: "network_error" }] }),
  "a cut": (stream, pick) => {
    const end = stream.chunks.findIndex(({ choices }) => choices?.[0]?.finish_reason);
    stream.chunks.length = pick(Math.max(1, end < 0 ? stream.chunks.length - 1 : end));
    stream.done = false;
  },
};

interface Recording {
  id: string;
  chunks: Chunk[];
  done: boolean;
}

/** Streams of the test's own, for those who have no recordings. */
function made(): Recording[] {
  const call = (name: string, input: Record<string, unknown>) => ({ call: { name, input } });
  const blocks = [{ thinking: "I think it over." }, { text: "Well, then." }, call("read", { a: 1 }), call("ls", {})];
  let count = 0;
  const callID = () => `call_${++count}`;
  const forms = [(reasoning_content: string) => ({ reasoning_content }), (reasoning: string) => ({ reasoning })];
  return forms.map((thinking, at) =>
    toRecording(`made-${at}`, chatReply({ blocks }, { thinking, callID, usage: { cached_tokens: 9 } }, "x").join("")),
  );
}

function toRecording(id: string, stream: string): Recording {
  const data = [...stream.matchAll(/^data: ?(.+?)\r?$/gm)].map(([, one = ""]) => one);
  const chunks = data.filter((one) => one !== "[DONE]").map((one): Chunk => JSON.parse(one));
  return { id, chunks, done: data.includes("[DONE]") };
}

function recorded(): Recording[] {
  const [{ folder } = { folder: undefined }] = recordings(path.join(import.meta.dirname, "../.."));
  if (!folder) return [];
  const all = readExpected(folder).filter((one) => one.api === "openai-chat-completions" && !one.must_report_error);
  return all.flatMap(({ id, stream }) => {
    try {
      return [toRecording(id, readFileSync(path.join(folder, stream), "utf8"))];
    } catch {
      return []; // A stream whose chunks cannot be parsed is read by another test.
    }
  });
}

function bytesOf({ chunks, done, lines: { comment, end, field, begin, rest } }: Changed): string {
  const data = [...chunks.map((chunk) => JSON.stringify(chunk)), ...(done ? ["[DONE]"] : [])];
  const before = comment === "" ? "" : `${comment}${end}${comment.startsWith(":") ? end : ""}`;
  return `${begin}${data.map((one) => `${before}${field}${one}${end}${end}`).join("")}${rest}`;
}

/** What a reply means; ids of calls are compared where the mutation leaves them. */
function meaning({ text, reasoning, calls, finish, tokens, error }: Collected) {
  const named = calls.map(({ name, arguments: given }) => ({ name, given }));
  return { text, reasoning, calls: named, finish, tokens, error: error?.message };
}

const all = [...made(), ...recorded()];

describe("changed streams of Chat Completions", () => {
  let server: ModelServer;
  let next: Changed;
  before(async () => {
    server = await startModelServer(() => ({ bytes: bytesOf(next), size: next.lines.size }));
  });
  after(() => server.stop());

  async function read(recording: Recording, mutations: readonly Mutation[], pick: (below: number) => number) {
    const lines = { comment: "", end: "\n", size: 1 << 20, field: "data: ", begin: "", rest: "" };
    next = { chunks: structuredClone(recording.chunks), done: recording.done, lines };
    for (const mutate of mutations) mutate(next, pick);
    const model = openaiModel({ apiKey: "test-key", baseURL: server.url });
    return await ask(model, request({ model: `house-${recording.id}` }));
  }

  const picks = fc.array(fc.nat(), { minLength: 8, maxLength: 8 });
  const chooser = (numbers: readonly number[]) => {
    let at = 0;
    return (below: number) => (numbers[at++ % numbers.length] ?? 0) % below;
  };

  randomly(`E4 E5 mean the same (${runs} of ${all.length} streams)`, async function () {
    this.timeout(600_000);
    const names = fc.subarray(Object.keys(harmless), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...all), names, picks, async (recording, chosen, numbers) => {
        const plain = await read(recording, [], () => 0);
        const mutations = chosen.flatMap((name) => harmless[name] ?? []);
        const changed = await read(recording, mutations, chooser(numbers));
        assert.deepEqual(meaning(changed), meaning(plain), `${recording.id}: ${chosen.join(", ")}`);
        const ids = changed.calls.map(({ id }) => id);
        assert.equal(new Set(ids).size, ids.length);
      }),
      { numRuns: runs },
    );
  });

  randomly(`E5 E6 end with an error (${runs} of ${all.length} streams)`, async function () {
    this.timeout(600_000);
    const name = fc.constantFrom(...Object.keys(harmful));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...all), name, picks, async (recording, chosen, numbers) => {
        const { error, finish, events } = await read(recording, [harmful[chosen] ?? assert.fail()], chooser(numbers));
        assert.ok(error, `${recording.id}: ${chosen}`);
        assert.equal(finish, undefined);
        assert.equal(events.filter(({ type }) => type === "error").length, 1);
        assert.ok(error.message.length > 10 && error.next !== "");
      }),
      { numRuns: Math.ceil(runs / 3) },
    );
  });
});
