/** VS Code's language models: those of extensions such as Copilot, paid for by the user's subscription. */
import * as vscode from "vscode";
import { type Model, ModelError, type ModelEvent, type ModelRequest } from "../../loop/model.ts";
import { isOverflow } from "../../providers/shared/context-overflow.ts";
import { abortedError } from "../../providers/shared/failure.ts";
import { messagesOf, optionsOf } from "./vscode-request.ts";

export const vscodeProvider = "vscode";

/**
 * The `model` of a request is "vendor/id". VS Code asks the user for consent at the first request, so a request must
 * follow from an action of the user.
 */
export function vscodeModel(): Model {
  return { providerID: vscodeProvider, stream: streamFromVSCode };
}

async function* streamFromVSCode(request: ModelRequest): AsyncGenerator<ModelEvent> {
  const { signal } = request;
  const cancel = new vscode.CancellationTokenSource();
  const stop = () => cancel.cancel();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let isOver = false;
  try {
    const model = await unlessAborted(findModel(request.model), signal);
    const asked = model.sendRequest(messagesOf(request), optionsOf(request), cancel.token);
    const response = await unlessAborted(asked, signal);
    request.onBytes();
    yield { type: "start" };
    yield { type: "start-step" };
    const reply = new VSCodeReply();
    const chunks: AsyncIterator<unknown> = response.stream[Symbol.asyncIterator]();
    for (;;) {
      // Some providers ignore the cancellation token.
      const next = await unlessAborted(chunks.next(), signal);
      if (next.done) break;
      request.onBytes();
      yield* reply.take(next.value);
    }
    isOver = true;
    yield* reply.end();
  } catch (thrown) {
    yield { type: "error", error: signal.aborted ? abortedError() : toModelError(thrown, request.model) };
  } finally {
    signal.removeEventListener("abort", stop);
    // The token ends a stream that was not read to its end.
    if (!isOver) stop();
    cancel.dispose();
  }
}

/** Resolves with `work`, but rejects as soon as the signal is aborted. */
async function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function findModel(name: string): Promise<vscode.LanguageModelChat> {
  const slash = name.indexOf("/");
  // A name without a vendor selects the models of all vendors.
  const selector = slash < 0 ? { id: name } : { vendor: name.slice(0, slash), id: name.slice(slash + 1) };
  const [model] = await vscode.lm.selectChatModels(selector);
  if (model) return model;
  throw new ModelError(
    "unknown-model",
    `VS Code has no model “${name}” now.`,
    "Choose another with “Rondo: Select Model…”, or check that its extension is enabled and signed in.",
  );
}

class VSCodeReply {
  /** ID of the open text part. */
  #text: string | undefined;
  #texts = 0;
  readonly #calls = new Set<string>();

  *take(part: unknown): Generator<ModelEvent> {
    if (part instanceof vscode.LanguageModelTextPart) yield* this.#say(part.value);
    else if (part instanceof vscode.LanguageModelToolCallPart) yield* this.#call(part);
    // Other parts are data of the provider, or new in later versions of VS Code.
  }

  *end(): Generator<ModelEvent> {
    yield* this.#close();
    // VS Code reports neither the reason for the end nor the tokens.
    yield { type: "finish-step", reason: this.#calls.size > 0 ? "tool-calls" : "stop", tokens: undefined };
    yield { type: "finish" };
  }

  *#say(text: string): Generator<ModelEvent> {
    if (text === "") return;
    if (this.#text === undefined) {
      this.#text = `text-${this.#texts++}`;
      yield { type: "text-start", id: this.#text };
    }
    yield { type: "text-delta", id: this.#text, text };
  }

  *#close(): Generator<ModelEvent> {
    if (this.#text !== undefined) yield { type: "text-end", id: this.#text };
    this.#text = undefined;
  }

  *#call({ callId, name, input }: vscode.LanguageModelToolCallPart): Generator<ModelEvent> {
    yield* this.#close();
    const isNew = callId !== "" && !this.#calls.has(callId);
    const id = isNew ? callId : `call_${crypto.randomUUID().replaceAll("-", "")}`;
    this.#calls.add(id);
    const raw = JSON.stringify(input ?? {});
    const isObject = typeof input === "object" && !Array.isArray(input);
    yield { type: "tool-input-start", id, name };
    yield { type: "tool-input-delta", id, text: raw };
    yield { type: "tool-input-end", id };
    yield {
      type: "tool-call",
      ...{ id, name, raw },
      // An object that was parsed from JSON, so its keys are strings.
      arguments: isObject
        ? { ok: true, input: (input ?? {}) as Record<string, unknown> }
        : { ok: false, problem: "not a JSON object" },
    };
  }
}

/** Classifies an error by the few codes that VS Code defines, else by its message. */
function toModelError(thrown: unknown, model: string): ModelError {
  if (thrown instanceof ModelError) return thrown;
  const code = thrown instanceof vscode.LanguageModelError ? thrown.code : "";
  const said = messageOf(thrown);
  const elsewhere = "Choose another with “Rondo: Select Model…”.";
  const fail = (kind: ModelError["kind"], message: string, next: string, shouldRetry?: boolean) =>
    new ModelError(kind, `${message}: ${said}`, next, {
      ...(shouldRetry !== undefined && { shouldRetry }),
      cause: thrown,
    });
  if (code === vscode.LanguageModelError.NoPermissions.name) {
    const next = "Send the message again and allow it, or manage access with “Chat: Manage Language Models”.";
    return fail("auth", `VS Code may not use “${model}” for Rondo`, next);
  }
  if (code === vscode.LanguageModelError.NotFound.name) {
    return fail("unknown-model", `VS Code has no model “${model}” now`, elsewhere);
  }
  if (code === vscode.LanguageModelError.Blocked.name || /quota/i.test(said)) {
    return fail("rate-limit", `“${model}” accepts no more requests for now`, `Wait, or c${elsewhere.slice(1)}`, false);
  }
  if (isOverflow(said) || /exceeds? (the )?token limit/i.test(said)) {
    return fail("context-full", `The conversation is too long for “${model}”`, "Compact the conversation.");
  }
  if (/rate.?limit|too many requests|\b429\b/i.test(said)) {
    return fail("rate-limit", `“${model}” accepts no more requests for now`, "Wait a little, or choose another model.");
  }
  if (/overloaded|\b(503|529)\b/i.test(said)) {
    return fail("overloaded", `“${model}” is overloaded`, "Wait a little, or choose another model.");
  }
  if (/ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ERR_NETWORK|fetch failed|net::/.test(said)) {
    return fail("network", `The connection to “${model}” was lost`, "Check the network, and try again.");
  }
  return fail("server", `“${model}” failed`, "Try again, or choose another model.");
}

/** Returns the message of the innermost error in one line: VS Code wraps the provider's error. */
function messageOf(thrown: unknown): string {
  let said = "";
  for (let at = thrown; at instanceof Error; at = at.cause) said = at.message || said;
  const line = said.replace(/\s+/g, " ").trim();
  if (line === "") return "no reason was given.";
  return line.length > 300 ? `${line.slice(0, 299).toWellFormed()}…` : line;
}
