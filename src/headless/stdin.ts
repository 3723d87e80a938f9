/** Reads prompts and control messages from standard input (K2). */

import { addAbortSignal } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import * as z from "zod/mini";
import { msg } from "../l10n/l10n.ts";
import { Mailbox } from "../query/mailbox.ts";
import type { Query, SDKUserMessage } from "../query/query-types.ts";
import type { HeadlessOptions } from "./arguments.ts";
import { UsageError } from "./flags.ts";
import { inputLines } from "./input-lines.ts";

const Block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.enum(["image", "document"]),
    source: z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
  }),
]);

const UserLine = z.object({
  type: z.literal("user"),
  message: z.object({ content: z.union([z.string(), z.array(Block)]) }),
  isSynthetic: z.optional(z.boolean()),
  shouldQuery: z.optional(z.boolean()),
  whenBusy: z.optional(z.enum(["queue", "drop", "interrupt"])),
  model: z.optional(z.string()),
  agent: z.optional(z.string()),
  tools: z.optional(z.record(z.string(), z.boolean())),
  system: z.optional(z.string()),
  variant: z.optional(z.string()),
  subtasks: z.optional(z.array(z.object({ agent: z.string(), description: z.string(), prompt: z.string() }))),
});

const ControlLine = z.object({
  type: z.literal("control_request"),
  request_id: z._default(z.string(), ""),
  request: z.discriminatedUnion("subtype", [
    z.object({ subtype: z.literal("interrupt") }),
    z.object({
      subtype: z.literal("set_permission_mode"),
      mode: z.enum(["default", "acceptEdits", "plan", "bypassPermissions"]),
    }),
    z.object({ subtype: z.literal("set_model"), model: z.optional(z.string()) }),
    z.object({ subtype: z.literal("set_max_thinking_tokens"), max_thinking_tokens: z.nullable(z.number()) }),
  ]),
});

type Control = z.infer<typeof ControlLine>;

const InputLine = z.discriminatedUnion("type", [UserLine, ControlLine]);

/** Reads prompts on demand; with `stream-json`, control messages are handled at any time. The signal ends reading. */
export function stdinInput({ input }: Pick<HeadlessOptions, "input">, signal: AbortSignal) {
  let query: Query | undefined;
  return {
    prompts: input === "text" ? wholeText(signal) : lines(signal, (request) => answerControl(query, request)),
    control(running: Query): void {
      query = running;
    },
  };
}

async function* wholeText(signal: AbortSignal): AsyncGenerator<SDKUserMessage> {
  const text = process.stdin.isTTY ? "" : await readAll(addAbortSignal(signal, process.stdin)).catch(() => "");
  if (text.trim() !== "") yield { type: "user", message: { role: "user", content: text } };
}

async function* lines(signal: AbortSignal, onControl: (control: Control) => void): AsyncGenerator<SDKUserMessage> {
  const messages = new Mailbox<SDKUserMessage>();
  const read = async () => {
    for await (const line of inputLines(signal)) {
      if (line.trim() === "") continue;
      const parsed = parseInputLine(line);
      if (parsed.type === "control_request") onControl(parsed);
      // zod omits optional fields that are absent, and never sets them to undefined: JSON has no undefined.
      else messages.put({ ...parsed, message: { role: "user", content: parsed.message.content } } as SDKUserMessage);
    }
  };
  void read().then(
    () => messages.end(),
    (error: unknown) => (signal.aborted ? messages.end() : messages.fail(error)),
  );
  yield* messages;
}

function parseInputLine(line: string): z.infer<typeof InputLine> {
  try {
    return InputLine.parse(JSON.parse(line));
  } catch {
    throw new UsageError(
      msg(
        'This line of standard input is neither {"type":"user","message":{"role":"user","content":"…"}} nor a control_request: {0}',
        line.slice(0, 200),
      ),
    );
  }
}

function answerControl(query: Query | undefined, { request_id, request }: Control): void {
  const answer = (response: Record<string, unknown>) => {
    process.stdout.write(`${JSON.stringify({ type: "control_response", response: { ...response, request_id } })}\n`);
  };
  applyControl(query, request).then(
    () => answer({ subtype: "success" }),
    (error: unknown) => answer({ subtype: "error", error: error instanceof Error ? error.message : String(error) }),
  );
}

async function applyControl(query: Query | undefined, request: Control["request"]): Promise<void> {
  switch (request.subtype) {
    case "interrupt":
      return query?.interrupt();
    case "set_permission_mode":
      return query?.setPermissionMode(request.mode);
    case "set_model":
      return query?.setModel(request.model);
    case "set_max_thinking_tokens":
      return query?.setMaxThinkingTokens(request.max_thinking_tokens);
  }
}
