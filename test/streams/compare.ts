/** Compares a reply with what its recorded stream must become. The recordings' README explains the fields. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export interface Expected {
  id: string;
  api: "anthropic-messages" | "openai-chat-completions" | "openai-responses";
  stream: string;
  must_report_error: boolean;
  /** Responses API. */
  error?: { kind: string } | null;
  text: string;
  reasoning: string;
  tool_calls: ExpectedCall[];
  execute_tool_indexes: number[];
  stop_reason: string | null;
  usage: {
    input_tokens: number | null;
    output_tokens: number | null;
    cache_read?: number;
    cache_write?: number;
  } | null;
  redacted_thinking?: number;
  judgement: "strict" | "policy";
  policy?: string;
  /** Responses API: items that a client sends back; those with `must` have to be there. */
  next_request?: ExpectedItem[];
}

interface ExpectedCall {
  id: string | null;
  name: string;
  arguments: unknown;
  arguments_valid: boolean;
  item_status?: string;
  id_policy?: string;
}

interface ExpectedItem {
  type: string;
  must: boolean;
  id?: string;
  text?: string;
  phase?: string;
  summary?: string[];
  encrypted_content?: string;
  /** The cipher of the final snapshot. */
  encrypted_content_or?: string;
  call_id?: string;
  name?: string;
  arguments?: string;
}

/** The reply as the client saw it. */
export interface Seen {
  /** The error message shown to the user, if the reply failed. */
  error: string | undefined;
  text: string;
  reasoning: string;
  redacted: number;
  calls: { id: string; name: string; input: Record<string, unknown> | undefined }[];
  finish: string | undefined;
  usage: { input: number; output: number; cacheRead: number; cacheWrite: number } | undefined;
}

export interface Recordings {
  /** Number of streams, to say how many tests are skipped without them. */
  count: number;
  /** Undefined if the folder does not exist. */
  folder: string | undefined;
  skippedNote: string;
}

/** Returns the folders of recordings: Messages and Chat Completions, and the Responses API. */
export function recordings(root: string): Recordings[] {
  return [
    { name: "streams", variable: "RONDO_STREAMS", count: 100 },
    { name: "streams-responses", variable: "RONDO_STREAMS_RESPONSES", count: 97 },
  ].map(({ name, variable, count }) => {
    const folder = process.env[variable] ?? path.join(root, "../shared", name);
    return {
      count,
      folder: existsSync(path.join(folder, "expected")) ? folder : undefined,
      skippedNote: `${count} streams skipped: folder not found (set ${variable})`,
    };
  });
}

export function readExpected(folder: string): Expected[] {
  const files = readdirSync(path.join(folder, "expected")).filter((name) => name.endsWith(".json"));
  return files.sort().map((name) => JSON.parse(readFileSync(path.join(folder, "expected", name), "utf8")));
}

/** Returns the differences, as sentences. */
export function compare(expected: Expected, seen: Seen): string[] {
  if (expected.must_report_error) {
    if (lenient.has(expected.id) && seen.error === undefined) return compareReply(expected, seen);
    // The user's error message is at least a sentence.
    return seen.error && seen.error.length > 10 ? [] : ["no error was reported"];
  }
  if (seen.error !== undefined) return [`an error was reported: ${seen.error}`];
  return compareReply(expected, seen);
}

/** Recordings whose errors need not be reported: their policy is about something else. */
const lenient = new Set(["a67-signature-before-last-thinking-delta"]);

function compareReply(expected: Expected, seen: Seen): string[] {
  const wrong: string[] = [];
  const check = (what: string, is: unknown, should: unknown) => {
    if (JSON.stringify(is) !== JSON.stringify(should)) {
      wrong.push(`${what}: ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`);
    }
  };
  check("text", seen.text, expected.text);
  if (!(expected.judgement === "policy" && seen.reasoning === ""))
    check("reasoning", seen.reasoning, expected.reasoning);
  check("redacted thinking", seen.redacted, expected.redacted_thinking ?? 0);
  // A call that the end of the reply cut off may be left out.
  const cutOff = expected.stop_reason === "max_tokens" && seen.calls.length < expected.tool_calls.length;
  const due = expected.tool_calls.filter((call) => call.arguments_valid || !cutOff);
  check(
    "calls",
    seen.calls.map(({ name }) => name),
    due.map(({ name }) => name),
  );
  for (const [index, call] of due.entries()) {
    check(
      `arguments of call ${index}`,
      sorted(seen.calls[index]?.input),
      call.arguments_valid ? sorted(call.arguments) : undefined,
    );
    if (call.id !== null && !call.id_policy && !/call_id/.test(expected.policy ?? ""))
      check(`id of call ${index}`, seen.calls[index]?.id, call.id);
  }
  check("distinct ids", new Set(seen.calls.map(({ id }) => id)).size, seen.calls.length);
  check("stop reason", seen.finish, finishOf(expected, seen.calls.length > 0));
  if (expected.usage) {
    const { input_tokens, output_tokens, cache_read = 0, cache_write = 0 } = expected.usage;
    const { input = 0, output, cacheRead, cacheWrite } = seen.usage ?? {};
    // Anthropic counts what is new, OpenAI all of it; Rondo always counts what is new.
    const cached = expected.api === "anthropic-messages" ? 0 : cache_read + cache_write;
    check(
      "usage",
      [input + cached, output, cacheRead, cacheWrite],
      [input_tokens, output_tokens, cache_read, cache_write],
    );
  }
  return wrong;
}

/** Compares what goes back to the server, in a request after the reply, with what has to. `input`: items of the reply. */
export function compareNext(
  { next_request = [], tool_calls }: Expected,
  input: readonly Record<string, unknown>[],
): string[] {
  const wrong: string[] = [];
  let at = 0;
  for (const item of next_request) {
    const cut = tool_calls.some(({ id, item_status }) => id === item.call_id && item_status === "incomplete");
    const found = input.findIndex((sent, index) => index >= at && isSent(item, sent));
    if (found >= 0) at = found + 1;
    // A call that was cut off need not go back, nor does its result.
    else if (item.must && !cut) wrong.push(`not sent back, or not in its place: ${JSON.stringify(item).slice(0, 300)}`);
  }
  const outputs = input.filter(({ type }) => /call_output$/.test(String(type))).map((sent) => sent["call_id"]);
  const calls = input.filter(({ type }) => /call$/.test(String(type))).map((sent) => sent["call_id"]);
  if (JSON.stringify(outputs.sort()) !== JSON.stringify(calls.sort())) wrong.push(`calls ${calls}, results ${outputs}`);
  return wrong;
}

function isSent(item: ExpectedItem, sent: Record<string, unknown>): boolean {
  if (sent["type"] !== item.type) return false;
  const content = Array.isArray(sent["content"]) ? sent["content"] : [];
  const summary = Array.isArray(sent["summary"]) ? sent["summary"] : [];
  switch (item.type) {
    case "message":
      return content.map(({ text }) => text).join("") === item.text && sent["phase"] === item.phase;
    case "reasoning":
      return (
        sent["id"] === item.id &&
        [item.encrypted_content, item.encrypted_content_or].includes(sent["encrypted_content"] as string) &&
        JSON.stringify(summary.map(({ text }) => text)) === JSON.stringify(item.summary)
      );
    default:
      return sent["name"] === item.name && (sent["arguments"] || "{}") === (item.arguments || "{}");
  }
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function finishOf({ stop_reason }: Expected, hasCalls: boolean): string {
  switch (stop_reason) {
    case "max_tokens":
      return "length";
    case "refusal":
      return "refusal";
    case "content_filter":
      return "content-filter";
    case "context_window":
      return "context-full";
    default:
      // Without a reason, with an unknown one, or with `stop` after a call, the calls decide.
      return hasCalls ? "tool-calls" : "stop";
  }
}
