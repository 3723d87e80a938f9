/** The command line: a thin printer over `query()`. */
import { localized, msg } from "../l10n/l10n.ts";
import { query } from "../query/query.ts";
import { asQueryError, QueryError } from "../query/query-error.ts";
import type { SDKMessage, SDKResultMessage } from "../query/query-types.ts";
import { type HeadlessOptions, parseOptions } from "./arguments.ts";
import { useEnvironmentProxy } from "./environment-proxy.ts";
import { UsageError } from "./flags.ts";
import { stdinInput } from "./stdin.ts";

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
