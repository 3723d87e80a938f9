/** Compares a reply with what its recorded stream must become. The recordings' README explains the fields. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export interface Expected {
  id: string;
  api: "anthropic-messages" | "openai-chat-completions";
  stream: string;
  must_report_error: boolean;
  text: string;
  reasoning: string;
  tool_calls: { id: string | null; name: string; arguments: unknown; arguments_valid: boolean; id_policy?: string }[];
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

/** Number of recordings, to say how many tests are skipped without them. */
export const recordedStreams = 100;
export const skippedNote = `${recordedStreams} streams skipped: folder not found (set RONDO_STREAMS)`;

/** Returns the folder of the recordings; undefined if it does not exist. */
export function streamsFolder(root: string): string | undefined {
  const folder = process.env["RONDO_STREAMS"] ?? path.join(root, "../shared/streams");
  return existsSync(path.join(folder, "expected")) ? folder : undefined;
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
    if (call.id !== null && !call.id_policy) check(`id of call ${index}`, seen.calls[index]?.id, call.id);
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
