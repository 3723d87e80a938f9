/** The command line: a thin printer over `query()`. */

import http from "node:http";
import { addAbortSignal } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import * as z from "zod/mini";
import { localized, msg } from "../l10n/l10n.ts";
import { Mailbox } from "../query/mailbox.ts";
import { query } from "../query/query.ts";
import { asQueryError, QueryError } from "../query/query-error.ts";
import type { Query, SDKMessage, SDKResultMessage, SDKUserMessage } from "../query/query-types.ts";
import { type HeadlessOptions, parseOptions } from "./arguments.ts";
import { UsageError } from "./flags.ts";
import { inputLines } from "./input-lines.ts";

/**
 * `env`: the environment with the keys, which are no longer in `process.env`. `onReply` is called at each reply.
 * @returns the exit code
 */
export async function main(argv: readonly string[], env: NodeJS.ProcessEnv, onReply: () => void): Promise<number> {
  try {
    const options = parseOptions(argv);
    if (options.explain) return await (await import("./explain.ts")).explain(options.query);
    const problem = useEnvironmentProxy(process.env);
    if (problem) process.stderr.write(`rondo: ${localized(problem)}\n`);
    return await run(options, env, onReply);
  } catch (caught) {
    const error = asQueryError(caught);
    if (!(error instanceof UsageError) && !(error instanceof QueryError)) throw error;
    const next = error instanceof QueryError && error.next ? ` ${localized(error.next)}` : "";
    process.stderr.write(`rondo: ${localized(error.message)}${next}\n`);
    return error instanceof QueryError && ["record", "model", "session-terminated"].includes(error.code) ? 1 : 2;
  }
}

async function run(options: HeadlessOptions, env: NodeJS.ProcessEnv, onReply: () => void): Promise<number> {
  const interruption = new AbortController();
  const { signal } = interruption;
  const input = stdinInput(options, signal);
  const running = query({
    prompt: options.prompt ?? input.prompts,
    options: { ...options.query, env, stderr: (text) => process.stderr.write(`rondo: ${localized(text.trimEnd())}\n`) },
  });
  const interrupt = () => {
    interruption.abort();
    void running.interrupt();
  };
  input.control(running);
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  // The reader of standard output has closed it.
  process.stdout.on("error", interrupt);
  let last: SDKResultMessage | undefined;
  try {
    for await (const message of running) {
      print(message, options.output);
      if (message.type === "result") last = message;
      if (message.type === "assistant") onReply();
    }
  } finally {
    process.removeListener("SIGINT", interrupt);
    process.removeListener("SIGTERM", interrupt);
  }
  if (signal.aborted) return 130;
  if (!last) throw new UsageError(msg("There is no prompt. Give one as the last argument or on standard input."));
  if (last.subtype === "success") return 0;
  process.stderr.write(`rondo: ${last.errors?.map(localized).join(" ") ?? last.subtype}\n`);
  return 1;
}

function print(message: SDKMessage, output: HeadlessOptions["output"]): void {
  if (output === "stream-json") process.stdout.write(`${JSON.stringify(message)}\n`);
  else if (message.type !== "result") return;
  else process.stdout.write(output === "json" ? `${JSON.stringify(message)}\n` : `${message.result}\n`);
}

const variables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

/** As VS Code does, which asks no proxy for them either. */
const loopback = "localhost,127.0.0.1,::1";

/**
 * Sends requests through the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, as other command-line programs do; Node
 * does so only with NODE_USE_ENV_PROXY. Web pages are fetched without it. Returns a sentence where it cannot be used.
 */
function useEnvironmentProxy(env: NodeJS.ProcessEnv): string | undefined {
  const name = variables.find((one) => env[one]);
  if (name === undefined || env["NODE_USE_ENV_PROXY"] === "1") return undefined;
  // From Node 24.14 on (nodejs.org/api/http.html, setGlobalProxyFromEnv), which the types do not know yet.
  const use: unknown = "setGlobalProxyFromEnv" in http ? http.setGlobalProxyFromEnv : undefined;
  if (typeof use !== "function") {
    return msg("The proxy of {0} is not used: Node {1} needs NODE_USE_ENV_PROXY=1, too.", name, process.version);
  }
  const given = env["no_proxy"] || env["NO_PROXY"];
  const no_proxy = given === "*" ? given : [given, loopback].filter(Boolean).join(",");
  try {
    use({ ...env, no_proxy });
    return undefined;
  } catch {
    return msg("The proxy of {0} is not used: its value is not an address.", name);
  }
}

// Reads prompts and control messages from standard input (K2).

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
function stdinInput({ input }: Pick<HeadlessOptions, "input">, signal: AbortSignal) {
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
